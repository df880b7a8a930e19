"""`show` with seals beside the checkpoint: verified where they agree, named where they do not."""

import json
import shutil
import zlib
from pathlib import Path

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.finding import Finding
from holdfast.core.recording.seal import (
    Seal,
    check_seals,
    decode_seal,
    encode_seal,
    make_seal,
    sealed_digests,
)
from holdfast.core.recording.segment import segment_name
from holdfast.flows.fleet import fleet
from holdfast.flows.locate import locate
from holdfast.flows.records.recorder import Recorder
from holdfast.flows.show import Shown, show
from tests.checkpoint_builder import CheckpointBuilder
from tests.lease.worlds import FakeClock
from tests.recording.events import event

GOLDEN = Path(__file__).parent.parent / "golden" / "4.2.0"
SEAL = make_seal(7, offsets=b"a", commits=b"b", metadata=b"c")


def seal_all(checkpoint: Path, batches: range) -> None:
    records = open_records(str(checkpoint))
    target = Recorder(str(checkpoint), records, 1, monotonic=FakeClock().monotonic)
    for batch in batches:
        target.note(event(batch))
    target.close()
    assert target.trouble is None


def without_checksums(checkpoint: Path) -> None:
    for path in checkpoint.rglob(".*.crc"):
        path.unlink()


@pytest.fixture
def sealed(tmp_path: Path) -> CheckpointBuilder:
    """Five batches without any checksum, as on an object store."""
    built = CheckpointBuilder(tmp_path / "base" / "ck").metadata().batches(range(5))
    seal_all(built.root, range(5))
    return built


def found(shown: Shown, code: str) -> list[Finding]:
    return [warning for warning in shown.checkpoint.warnings if warning.code == code]


def test_sealed_logs_are_verified(sealed: CheckpointBuilder) -> None:
    shown = show(str(sealed.root))
    checks = shown.checkpoint.checks
    assert {part: check.status for part, check in checks.items()} == {
        "metadata": "verified",
        "offsets": "verified",
        "commits": "verified",
    }
    assert [checks[part].sealed for part in ("metadata", "offsets", "commits")] == [1, 5, 5]
    assert not found(shown, "HF105")


def test_without_seals_they_stay_unverified(sealed: CheckpointBuilder) -> None:
    shutil.rmtree(sealed.root.parent / "_holdfast")
    shown = show(str(sealed.root))
    assert {check.status for check in shown.checkpoint.checks.values()} == {"unverified"}
    assert found(shown, "HF105")


@pytest.mark.parametrize("name", ["offsets/2", "commits/2", "commits/4", "offsets/4", "metadata"])
def test_an_altered_file_is_named(sealed: CheckpointBuilder, name: str) -> None:
    path = sealed.root / name
    path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
    shown = show(str(sealed.root))
    assert [warning.path for warning in found(shown, "HF128")] == [name]
    assert shown.checkpoint.checks[name.partition("/")[0]].status == "damaged"


def test_a_forged_checksum_does_not_hide_it(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ck"
    shutil.copytree(GOLDEN / "kafka" / "checkpoint", checkpoint)
    seal_all(checkpoint, range(2))
    assert not found(show(str(checkpoint)), "HF128")
    path = checkpoint / "commits" / "1"
    path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
    forged = b"crc\0" + (512).to_bytes(4, "big") + zlib.crc32(path.read_bytes()).to_bytes(4, "big")
    (checkpoint / "commits" / ".1.crc").write_bytes(forged)
    shown = show(str(checkpoint))
    assert not found(shown, "HF103")
    assert [warning.path for warning in found(shown, "HF128")] == ["commits/1"]


def test_a_sealed_batch_that_is_gone_is_a_gap_and_nothing_more(sealed: CheckpointBuilder) -> None:
    (sealed.root / "commits" / "2").unlink()
    shown = show(str(sealed.root))
    assert [warning.path for warning in found(shown, "HF104")] == ["commits"]
    assert not found(shown, "HF128")


def test_batches_after_the_last_seal_are_unverified(sealed: CheckpointBuilder) -> None:
    sealed.batches([5, 6])
    shown = show(str(sealed.root))
    assert shown.checkpoint.checks["offsets"].verified == 5
    assert shown.checkpoint.checks["offsets"].status == "unverified"
    assert "or a seal" in found(shown, "HF105")[0].message


def test_logs_that_spark_purged_leave_no_trace_in_the_answer(sealed: CheckpointBuilder) -> None:
    for batch in (0, 1):
        (sealed.root / "offsets" / str(batch)).unlink()
        (sealed.root / "commits" / str(batch)).unlink()
    shown = show(str(sealed.root))
    assert shown.checkpoint.warnings == ()
    assert shown.checkpoint.checks["offsets"].status == "verified"


def test_a_damaged_seal_accuses_no_file(sealed: CheckpointBuilder) -> None:
    [path] = (sealed.root.parent / "_holdfast" / "ck" / "seals").iterdir()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[2]["offsets"] = "0" * 64
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n{")
    shown = show(str(sealed.root))
    assert not found(shown, "HF128")
    assert found(shown, "HF130")
    assert shown.checkpoint.checks["offsets"].verified == 4


def test_a_later_seal_wins(sealed: CheckpointBuilder) -> None:
    (sealed.root / "offsets" / "4").write_text("v1\n{}\n-")
    records = open_records(str(sealed.root))
    again = Recorder(str(sealed.root), records, 2, monotonic=FakeClock().monotonic)
    again.note(event(4))
    again.close()
    assert not found(show(str(sealed.root)), "HF128")


def test_only_needed_segments_are_read(tmp_path: Path) -> None:
    built = CheckpointBuilder(tmp_path / "ck").metadata().batches(range(3))
    seal_all(built.root, range(3))
    records = open_records(str(built.root))
    [name] = records.names("seals")
    data = records.read(f"seals/{name}")
    records.remove(f"seals/{name}")
    records.replace(f"seals/{segment_name(2, 0)}", data or b"")
    records.replace(f"seals/{segment_name(1, 0)}", b"damage in a segment that nobody needs\n")
    assert not found(show(str(built.root)), "HF130")


def test_in_a_store_only_what_is_read_anyway_is_checked() -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    location = "memory://sealed-show/base/ck"
    for batch in range(5):
        plan = b'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"logOffset":0}'
        memory.pipe_file(f"/sealed-show/base/ck/offsets/{batch}", plan)
        memory.pipe_file(f"/sealed-show/base/ck/commits/{batch}", b'v1\n{"nextBatchWatermarkMs":0}')
    memory.pipe_file(
        "/sealed-show/base/ck/metadata", b'{"id":"4b41c017-66c9-4266-832e-b7bdca059b6e"}'
    )
    target = Recorder(location, open_records(location), 1, monotonic=FakeClock().monotonic)
    for batch in range(5):
        target.note(event(batch))
    target.close()
    assert target.trouble is None
    checks = show(location).checkpoint.checks
    assert (checks["offsets"].sealed, checks["offsets"].status) == (2, "unverified")
    assert checks["metadata"].status == "verified"
    checks = show(location, verify=True).checkpoint.checks
    assert {check.status for check in checks.values()} == {"verified"}
    memory.pipe_file("/sealed-show/base/ck/commits/1", b'v1\n{"nextBatchWatermarkMs":9}')
    assert [w.path for w in found(show(location, verify=True), "HF128")] == ["commits/1"]
    memory.rm("/sealed-show", recursive=True)


def test_records_are_no_checkpoints(sealed: CheckpointBuilder) -> None:
    archive = sealed.root.parent / "_holdfast" / "ck" / "archive" / "7f3c" / "checkpoint"
    shutil.copytree(sealed.root, archive)
    base = sealed.root.parent
    assert [member.path for member in fleet(str(base)).members] == ["ck"]
    assert [member.path for member in fleet(str(base.parent)).members] == ["base/ck"]
    assert locate(str(base)).storage.location == sealed.root.as_uri()


def test_records_without_a_checkpoint_are_no_checkpoint_either(sealed: CheckpointBuilder) -> None:
    other = CheckpointBuilder(sealed.root.parent / "commits")
    other.metadata().batches(range(2))
    seal_all(other.root, range(2))
    found_paths = [member.path for member in fleet(str(sealed.root.parent)).members]
    assert not [path for path in found_paths if "_holdfast" in path]


@pytest.mark.parametrize(
    "change",
    [
        {"batch": -1},
        {"batch": True},
        {"batch": "7"},
        {"offsets": "0" * 63},
        {"commits": "G" * 64},
        {"metadata": None},
        {"check": "00000000"},
        {"check": None},
    ],
)
def test_a_seal_that_is_not_whole_is_none(change: dict[str, object]) -> None:
    assert decode_seal(encode_seal(SEAL)) == SEAL
    assert decode_seal({**encode_seal(SEAL), **change}) is None


def test_seals_are_held_against_contents() -> None:
    other = make_seal(8, offsets=b"x", commits=b"y", metadata=b"c")
    contents = {"offsets/7": b"a", "commits/7": b"changed", "metadata": b"c", "offsets/8": None}
    checked = check_seals([SEAL, other], contents)
    assert checked.agreeing == ("offsets/7", "metadata")
    assert checked.altered == ("commits/7",)
    replaced = Seal(batch=7, offsets="1" * 64, commits="2" * 64, metadata="3" * 64)
    assert sealed_digests([SEAL, replaced])["offsets/7"] == "1" * 64
