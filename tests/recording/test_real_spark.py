"""A real query beside a recorder: every batch sealed, progress as Spark gave it, seals agree."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.recording.progress import by_batch, is_idle
from holdfast.core.recording.seal import decode_seal
from holdfast.flows.records.segment_reading import read_segments
from holdfast.flows.show import show

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parent.parent.parent
DEADLINE_S = 240


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a query that did some batches, was idle, and was stopped."""
    folder = tmp_path_factory.mktemp("recorded")
    done = subprocess.run(
        [sys.executable, "-m", "tests.recording.recorded_query", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return folder


def test_progress_is_kept_as_spark_reported_it(recorded: Path) -> None:
    said = json.loads((recorded / "said.json").read_text(encoding="utf-8"))
    kept = read_segments(open_records(str(recorded / "ck")), "progress", limit=1_000)
    assert kept.damaged == 0
    ran = {event["batchId"]: event for event in said if not is_idle(event)}
    assert len(ran) >= 3
    assert by_batch(kept.lines) == ran
    assert any(is_idle(event) for event in kept.lines)


def test_every_committed_batch_is_sealed_once(recorded: Path) -> None:
    kept = read_segments(open_records(str(recorded / "ck")), "seals", limit=1_000)
    seals = [decode_seal(line) for line in kept.lines]
    committed = sorted(int(p.name) for p in (recorded / "ck" / "commits").glob("[0-9]*"))
    assert [seal.batch for seal in seals if seal] == committed


def test_show_calls_both_logs_verified_by_their_seals(recorded: Path) -> None:
    for path in (recorded / "ck").rglob(".*.crc"):
        path.unlink()
    checks = show(str(recorded / "ck")).checkpoint.checks
    for part in ("metadata", "offsets", "commits"):
        assert (checks[part].status, checks[part].sealed) == ("verified", checks[part].files)
