"""`judge` on a very large checkpoint and its Delta table; the rules over saved evidence."""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import inputs
import measure
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from measure import HOLDFAST, Row

from holdfast.adapters.evidence_file import read_evidence
from holdfast.flows.judge import judge

LARGE_S = 2.0
RULES_S = 0.05
VERSIONS = 10_000
QUERY = "8d9fe9db-2717-4744-9cd0-0cfacd8c1bee"
EXIT_UNSAFE = 1


def rows(repeat: int) -> Iterator[Row]:
    """Cold runs of the command, then warm runs of the rules alone."""
    checkpoint = inputs.checkpoint_of(inputs.LARGE)
    sink = f"delta:{_table()}"
    # `sh` gives the exit code of `judge` as text, which is not 0 here.
    asked = (
        f'"{HOLDFAST}" judge "{checkpoint}" --sink "{sink}" --goal resume --output json; echo $?'
    )
    judged = measure.timed(["sh", "-c", asked], repeat)
    answer, code = judged.output.rsplit("}", 1)
    verdict = json.loads(answer + "}")["result"]["verdicts"][0]
    # The sink is in step with the checkpoint; its source has no log, and no file a checksum.
    wrong = {f["code"] for f in verdict["findings"] if f["weight"] == "unsafe"}
    assert wrong == {"HF490"} and code.strip() == str(EXIT_UNSAFE), (wrong, code)
    yield Row(
        what="judge, 100,000 batches and a Delta table of 10,000 versions",
        measured=judged.median_s,
        bound=LARGE_S,
        unit="s",
        note=f"{judged.cpu_s:.2f} s of CPU; {verdict['answer']}",
    )
    yield _rules(checkpoint, sink, repeat)


def _rules(checkpoint: Path, sink: str, repeat: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "evidence.json"
        measure.timed([HOLDFAST, "evidence", str(checkpoint), "--sink", sink, "-o", str(pack)], 1)
        taken = read_evidence(str(pack))
    times = []
    for _ in range(max(repeat, 5)):
        began = time.perf_counter()
        assert len(judge(taken).verdicts) == 4
        times.append(time.perf_counter() - began)
    return Row(
        what="the rules over saved evidence, all four goals",
        measured=sorted(times)[len(times) // 2],
        bound=RULES_S,
        unit="s",
    )


def _table() -> Path:
    """A table that a query wrote 10,000 batches into, the last of them the checkpoint's last."""
    target = inputs.CACHE / "bench" / "delta-10000-versions-1"
    if target.exists():
        return target
    print(f"building {target.name} (kept in {target.parent})", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".building-") as folder:
        built = Path(folder) / "table"
        write_deltalake(str(built), pa.table({"n": pa.array([1], pa.int64())}))
        first = inputs.LARGE.batches - VERSIONS + 1
        for version in range(1, VERSIONS):
            batch = first + version - 1
            told = {"queryId": QUERY, "epochId": str(batch), "outputMode": "Append"}
            info = {"timestamp": 1_794_770_000_000 + version, "operation": "STREAMING UPDATE"}
            info |= {"operationParameters": told, "operationMetrics": {"numOutputRows": "5"}}
            mark = {"appId": QUERY, "version": batch, "lastUpdated": 1_794_770_000_000 + version}
            lines = (json.dumps({"commitInfo": info}), json.dumps({"txn": mark}))
            (built / "_delta_log" / f"{version:020d}.json").write_text("\n".join(lines) + "\n")
        DeltaTable(str(built)).create_checkpoint()
        built.rename(target)
    return target
