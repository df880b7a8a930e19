"""Audit every control and every sink of ours at all points; figures go to docs/audit.md.

    python -m scripts.soak.audits [NAME...]

What is done is kept in docs/figures/audits, one file a case: broken off, the same command goes on
with the next one, also on another machine. With names only those are run, anew. Ends with 1 where a
verdict is not the one that must come.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scripts.jars.fetch import cache, folder, jars
from scripts.servers.kafka import broker
from scripts.servers.mariadb import mariadb_server
from scripts.servers.postgres import PASSWORD, USER, postgres_server
from tests.audit.declared_project import JOB, write_project

from holdfast.audit.audit import Audited, Wishes
from holdfast.audit.begin import Subject, begin
from holdfast.surfaces.render.audit.lines import AuditLines
from holdfast.surfaces.render.words import duration

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "audit.md"
FIGURES = ROOT / "docs" / "figures" / "audits"
STOCK = ROOT / "tests" / "audit" / "stock_job.py"
REAL_TIME = ROOT / "tests" / "audit" / "real_time_job.py"
EXAMPLE = ROOT / "examples" / "stock-jdbc" / "append_job.py"
REGION = re.compile(r"(<!-- measured:audits -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = (
    *("what", "verdict", "points killed", "kills", "starts"),
    *("bad points", "at", "rows lost", "duplicated", "time"),
)
SQLITE = "sqlite:{work}/out.db?table=t"


@dataclass(frozen=True)
class Case:
    """One audit and the verdict that must come of it."""

    name: str
    what: str
    verdict: str
    sink: str | None = None
    """Of a declared job; None for a program."""
    transform: str | None = None
    read: str | None = None
    whole_batches: bool = False
    needs: tuple[str, ...] = ()
    """Of lake (its jars), broker, postgres and mariadb."""


CASES = (
    Case("sqlite-upsert", "our SQLite sink, upsert", "proven", sink="sqlite-upsert"),
    Case("sqlite-append", "our SQLite sink, append", "proven", sink="sqlite-append"),
    Case("file", "Spark's file sink, read by Spark's log", "proven", sink="file"),
    Case("files", "our files sink, by its ledger", "proven", sink="files"),
    Case(
        "files-elsewhere",
        "our files sink, read by any other reader",
        "proven",
        sink="files",
        read="parquet:{work}/output/table",
    ),
    Case("delta", "Delta's own sink", "proven", sink="delta", needs=("lake",)),
    Case(
        "delta-upsert",
        "our Delta sink, upsert by MERGE",
        "proven",
        sink="delta-upsert",
        needs=("lake",),
    ),
    Case(
        "delta-ledger",
        "our Delta sink, append with a ledger",
        "proven",
        sink="delta-ledger",
        needs=("lake",),
    ),
    *(
        Case(
            f"sql-{server}-{mode}",
            f"our SQL sink on {name}, {mode}",
            "proven",
            sink=f"server-{mode}",
            needs=(server,),
        )
        for server, name in (("postgres", "PostgreSQL"), ("mariadb", "MariaDB"))
        for mode in ("append", "upsert")
    ),
    Case("kafka", "our Kafka sink", "proven", sink="kafka", needs=("broker",)),
    Case(
        "file-elsewhere",
        "Spark's file sink, read by any other reader",
        "convicted",
        sink="file",
        read="parquet:{work}/output",
    ),
    Case("uuid", "a transform with uuid()", "convicted", sink="file", transform="with_uuid"),
    Case("stock-jdbc", "JDBC append in foreachBatch (examples/stock-jdbc)", "convicted"),
    Case("plain-append", "append in foreachBatch, one transaction", "convicted", read=SQLITE),
    Case(
        "delete-insert",
        "delete, then insert, in two transactions",
        "convicted",
        read=SQLITE,
        whole_batches=True,
    ),
    Case("late-commit", "a sink that commits after it has returned", "convicted", read=SQLITE),
    Case("early-return", "early return, state format 2", "convicted", read=SQLITE),
    Case(
        "parquet-append",
        "batch write of Parquet in foreachBatch",
        "convicted",
        read="parquet:{work}/out",
    ),
    Case(
        "delta-append",
        "Delta in foreachBatch without txnAppId",
        "convicted",
        read="delta:{work}/out",
        needs=("lake",),
    ),
    Case("kafka-sink", "Spark's Kafka sink", "convicted", needs=("lake", "broker")),
    Case(
        "real-time",
        "real-time mode, from Kafka to Kafka",
        "convicted",
        needs=("lake", "broker"),
    ),
    Case(
        "postgres-append",
        "COPY into PostgreSQL in foreachBatch, one transaction",
        "convicted",
        needs=("postgres",),
    ),
    Case(
        "postgres-once",
        "the same, with the mark of the batch in that transaction",
        "proven",
        needs=("postgres",),
    ),
)


def main(names: list[str]) -> int:
    place = cache() / "soak" / "audits"
    FIGURES.mkdir(parents=True, exist_ok=True)
    wrong = []
    for case in CASES:
        file = FIGURES / f"{case.name}.json"
        if names and case.name not in names:
            continue
        if names or not file.exists():
            print(f"{case.name}: {case.what}", file=sys.stderr)
            with surroundings(case) as more:
                figures = measured(audited(case, place, more))
            file.write_text(json.dumps(figures, indent=2) + "\n")
            write_page()
        if json.loads(file.read_text())["verdict"] != case.verdict:
            wrong.append(case.name)
    write_page()
    if wrong:
        print(f"not the verdict that must come: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


@contextmanager
def surroundings(case: Case) -> Iterator[dict[str, str]]:
    """The variables by which a case reaches its jars and servers, where it has any."""
    found: dict[str, str] = {}
    with ExitStack() as stack:
        if "lake" in case.needs:
            found |= {"JARS": jars("lake"), "HOLDFAST_JARS": str(folder("lake"))}
        if "broker" in case.needs:
            found |= {"KAFKA_SERVERS": stack.enter_context(broker()), "KAFKA_TOPIC": "orders"}
        if "postgres" in case.needs:
            server = stack.enter_context(postgres_server())
            found |= {"PGUSER": USER, "PGPASSWORD": PASSWORD, "PGPORT": str(server.port)}
            found["SINK_URL"] = server.url
        if "mariadb" in case.needs:
            found["SINK_URL"] = stack.enter_context(mariadb_server()).url
        os.environ.update(found)  # the declaration is read by this process
        yield found


def audited(case: Case, place: Path, more: dict[str, str]) -> Audited:
    work = place / case.name
    shutil.rmtree(work, ignore_errors=True)
    environ = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        **more,
    }
    if case.sink is not None:
        file = write_project(work / "project", case.sink, transform=case.transform)
        subject = Subject(job=JOB, file=str(file), read=case.read)
    elif case.name == "stock-jdbc":
        environ["SQLITE_JDBC_JAR"] = jars("sqlite-jdbc")
        read = "sqlite:{work}/orders.db?table=orders"
        subject = program(f"{sys.executable} {EXAMPLE} {{work}}", read)
    else:
        job = REAL_TIME if case.name == "real-time" else f"{STOCK} {case.name}"
        command = f"{sys.executable} {job} {{work}}"
        subject = through_proxy(case, command, more)
    # Where a row is wrong at one point it is wrong: how often is what the others are killed for.
    wishes = Wishes(run_twice=case.transform is not None, runs=3 if case.transform else None)
    with AuditLines() as lines:
        return begin(
            subject, folder=str(work / "audit"), wishes=wishes, environ=environ, tell=lines
        )


def through_proxy(case: Case, command: str, more: dict[str, str]) -> Subject:
    """A program; one that talks to a server does so through the proxy."""
    if "postgres" in case.needs:
        address = f"127.0.0.1:{more['PGPORT']}"
        url = f"postgresql://{USER}:{PASSWORD}@{address}/postgres"
        subject = program(command, f"postgres:{url}?table={{run}}")
        return replace(subject, through=(f"postgres={address}",))
    if "broker" in case.needs:
        servers = more["KAFKA_SERVERS"]
        subject = program(command, f"kafka:{servers}/{{run}}")
        return replace(subject, through=(f"kafka={servers}",))
    assert case.read is not None
    return program(command, case.read, whole_batches=case.whole_batches)


def program(command: str, read: str, *, whole_batches: bool = False) -> Subject:
    return Subject(
        command=command, checkpoint="{work}/checkpoint", read=read, whole_batches=whole_batches
    )


def measured(done: Audited) -> dict[str, Any]:
    kinds = [outcome.kind for outcome in done.outcomes]
    rows = [outcome.comparison for outcome in done.outcomes if outcome.comparison is not None]
    return {
        "verdict": done.verdict.kind,
        "points": len(done.points),
        "killed": done.killed,
        "kills": done.kills,
        "starts": done.starts,
        "bad": {kind: kinds.count(kind) for kind in sorted(set(kinds) - {"exact"})},
        "lost": sum(row.lost for row in rows),
        "duplicated": sum(row.duplicated for row in rows),
        "stages": sorted(
            {o.point.stage for o in done.outcomes if o.is_bad}, key=lambda k: int(k[1:])
        ),
        "duration_ms": done.duration_ms,
    }


def write_page() -> None:
    lines = [f"| {' | '.join(HEAD)} |", "|--" * len(HEAD) + "|"]
    kills = 0
    for case in CASES:
        file = FIGURES / f"{case.name}.json"
        if file.exists():
            found = json.loads(file.read_text())
            kills += found["kills"]
            bad = ", ".join(f"{count} {kind}" for kind, count in found["bad"].items()) or "0"
            cells = (
                case.what,
                found["verdict"],
                f"{found['killed']} of {found['points']}",
                f"{found['kills']}",
                f"{found['starts']}",
                bad,
                ", ".join(found["stages"]) or "-",
                f"{found['lost']:,}",
                f"{found['duplicated']:,}",
                duration(found["duration_ms"]),
            )
            lines.append(f"| {' | '.join(cells)} |")
    lines.append(f"\n{kills:,} kills in all.")
    body = "\n".join(lines)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(REGION.sub(lambda m: f"{m[1]}{body}\n{m[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
