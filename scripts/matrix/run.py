"""The matrix: damage checkpoints, say what a restart will do, restart on real Spark, compare.

python scripts/matrix/run.py [--version V ...] [--part restarts|pipeline] writes docs/matrix.md. A
prediction that Spark proves wrong is a defect, and so is a row that the pipeline loses or doubles
on any version: exit 1.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutations import MUTATIONS, STATE_MUTATIONS
from pipeline import PIPELINE_VERSIONS, kept_section, pipeline_row, section, with_section

from holdfast.flows.show import show

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
VERSIONS = ("3.5.9", "4.0.5", "4.1.4", "4.2.0", "4.3.0")
KINDS = ("plain", "counts", "rocks")
PAGE = ROOT / "docs" / "matrix.md"
CACHE = Path(os.environ.get("HOLDFAST_CACHE", Path.home() / ".cache" / "holdfast"))


@dataclass(frozen=True)
class Row:
    version: str
    kind: str
    mutation: str
    predicted: str
    batch: int | None
    observed: dict[str, Any]

    @property
    def right(self) -> bool:
        batches, failed = self.observed["batches"], self.observed["error"] is not None
        first = batches[0] if batches else None
        if self.predicted == "refused":
            return failed and not batches
        if self.predicted == "rerun-then-fail":
            # Said in the sentence: without any plan, 4.1 and newer refuse before they write.
            refused = self.mutation == "offsets_emptied" and self.version >= "4.1" and not batches
            return failed and (first == self.batch or refused)
        if self.mutation == "metadata_gone" and failed:
            # Said in the sentence: Spark 4.2 and newer refuse.
            return self.version >= "4.2" and not batches
        return not failed and first == self.batch


def run_session(version: str, step: str, folder: Path) -> None:
    python = CACHE / "spark" / version / "bin" / "python"
    if not python.exists():
        sys.exit(f"no environment for Spark {version}: run `make golden` once, which makes them")
    environment = {**os.environ, "PYSPARK_PYTHON": str(python), "SPARK_LOCAL_IP": "127.0.0.1"}
    subprocess.run(
        [str(python), str(HERE / "session.py"), step, str(folder)],
        check=True,
        env=environment,
        stderr=subprocess.DEVNULL,
    )


def rows_of(version: str) -> list[Row]:
    folder = Path(tempfile.mkdtemp(prefix=f"holdfast-matrix-{version}-"))
    run_session(version, "build", folder)
    predictions: dict[str, tuple[str, str, str, int | None]] = {}
    for kind in KINDS:
        mutations = MUTATIONS if kind == "plain" else {**MUTATIONS, **STATE_MUTATIONS}
        for name, mutate in mutations.items():
            copy = folder / kind / f"copy-{name}"
            shutil.copytree(folder / kind / "checkpoint", copy)
            mutate(copy)
            restart = show(str(copy)).checkpoint.restart
            predictions[f"{kind}/copy-{name}"] = (kind, name, restart.kind, restart.batch)
    run_session(version, "restart", folder)
    observed = json.loads((folder / "observed.json").read_text(encoding="utf-8"))
    shutil.rmtree(folder)
    return [
        Row(version, kind, name, predicted, batch, observed[key])
        for key, (kind, name, predicted, batch) in predictions.items()
    ]


def page(rows: list[Row]) -> str:
    wrong = [row for row in rows if not row.right]
    lines = [
        "# What we said, and what Spark did",
        "",
        "`make matrix` damages copies of real checkpoints in the ways that happen, asks `holdfast",
        "show` what a restart will do, then restarts each on real Spark and compares. *plain* is a",
        "stateless query, *counts* an aggregation on the HDFS provider, *rocks* one on RocksDB.",
        "",
        f"{len(rows)} restarts, {len(rows) - len(wrong)} as predicted, {len(wrong)} not.",
        "",
        "| damage | query | predicted | " + " | ".join(VERSIONS) + " |",
        "|---|---|---|" + "---|" * len(VERSIONS),
    ]
    keys = dict.fromkeys((row.mutation, row.kind) for row in rows)
    for mutation, kind in keys:
        same = {r.version: r for r in rows if (r.mutation, r.kind) == (mutation, kind)}
        one = next(iter(same.values()))
        cells = [cell(same.get(version)) for version in VERSIONS]
        what = one.predicted if one.batch is None else f"{one.predicted} ({one.batch})"
        lines.append(f"| {mutation} | {kind} | {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def cell(row: Row | None) -> str:
    if row is None:
        return "-"
    ran = ", ".join(map(str, row.observed["batches"])) or "nothing"
    end = "then failed" if row.observed["error"] else "fine"
    mark = "" if row.right else " **WRONG**"
    return f"ran {ran}, {end}{mark}"


def restarts(chosen: list[str]) -> bool:
    """Restart damaged checkpoints on these versions; whether all went as predicted."""
    rows: list[Row] = []
    for version in chosen:
        made = rows_of(version)
        rows += made
        for row in made:
            if not row.right:
                print(f"WRONG {row}", flush=True)
        print(f"{version}: {sum(r.right for r in made)} of {len(made)} as predicted", flush=True)
    if chosen == list(VERSIONS):
        PAGE.write_text(with_section(page(rows), kept_section(PAGE)), encoding="utf-8")
    return all(row.right for row in rows)


def pipeline(chosen: list[str]) -> bool:
    """Run the pipeline on these versions; whether it was exact on all."""
    rows = []
    for version in chosen:
        row = pipeline_row(version)
        rows.append(row)
        print(f"{version}: {'exact' if row.right else 'WRONG'}; {row.tests}", flush=True)
        print(json.dumps(row.observed) if row.observed else row.said, flush=True)
    if chosen == list(PIPELINE_VERSIONS):
        text = with_section(PAGE.read_text(encoding="utf-8"), section(rows))
        PAGE.write_text(text, encoding="utf-8")
    return all(row.right for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--part", choices=("restarts", "pipeline"))
    given = parser.parse_args()
    chosen = given.version or list(VERSIONS)
    right = True
    if given.part != "pipeline":
        right = restarts(chosen)
    if given.part != "restarts":
        right = pipeline([each for each in chosen if each in PIPELINE_VERSIONS]) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
