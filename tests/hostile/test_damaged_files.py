"""Every file of a checkpoint damaged in every way: named, or its log is not called verified."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.formats.log_name import checksum_target
from holdfast.core.parts import part_of
from holdfast.errors import HoldfastError
from holdfast.flows.show import show
from tests.golden_cases import GOLDEN

VERSION = "4.2.0"
VARIED = (
    "kafka",
    "file_compacted",
    "delta_schema_tracking",
    "agg_rocksdb_changelog_format2",
    "join_v3",
    "tws_avro",
    "offset_log_v2",
)
BYTE_BY_BYTE = ("kafka", "rate")
SMALL_BYTES_MAX = 200
FLIPS_IN_A_LARGE_FILE = 3
ODD_NAMES = (
    b"a name with spaces",
    b"100%25",
    b"two\nlines",
    b"\x1b[31mred",
    b"\xff\xfe",
    b"..\\..\\x",
    b"...",
    b"9" * 255,
    b"x" * 255,
    b"-",
    b"'; rm -rf x",
)


class Patient:
    """A copy of a golden checkpoint that is damaged, looked at and healed again and again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = sorted(
            str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()
        )

    def look(self) -> Checkpoint | None:
        """None where nothing could be said; anything but a HoldfastError fails the test."""
        try:
            return show(str(self.root), verify=True).checkpoint
        except HoldfastError as error:
            assert error.code != HoldfastError.code
            return None

    @contextmanager
    def holding(self, name: str, data: bytes) -> Iterator[None]:
        path = self.root / name
        whole = path.read_bytes()
        path.write_bytes(data)
        yield
        path.write_bytes(whole)

    @contextmanager
    def without(self, name: str) -> Iterator[Path]:
        """The file is gone while its place may be taken by something else."""
        path = self.root / name
        whole = path.read_bytes()
        path.unlink()
        yield path
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            with suppress(FileNotFoundError):
                path.unlink()
        path.write_bytes(whole)


def patient_of(case: str, tmp_path: Path) -> Patient:
    root = tmp_path / "checkpoint"
    shutil.copytree(GOLDEN / VERSION / case / "checkpoint", root)
    return Patient(root)


@pytest.fixture(params=VARIED)
def patient(request: pytest.FixtureRequest, tmp_path: Path) -> Patient:
    return patient_of(request.param, tmp_path)


@pytest.fixture(params=VARIED)
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Patient:
    """The same without any checksum file, as on an object store."""
    made = patient_of(request.param, tmp_path)
    for name in made.files:
        if name.endswith(".crc"):
            (made.root / name).unlink()
    return Patient(made.root)


def subjects_of(name: str) -> set[str]:
    """A file, or whatever it is a checksum of."""
    found = {name}
    directory, slash, leaf = name.rpartition("/")
    while (leaf := checksum_target(leaf) or "") != "":
        found.add(directory + slash + leaf)
    return found


def is_silent(checkpoint: Checkpoint | None, name: str) -> bool:
    """Whether damage to a file went by without a word."""
    if checkpoint is None or {w.path for w in checkpoint.warnings} & subjects_of(name):
        return False
    check = checkpoint.checks.get(part_of(name))
    return check is not None and check.status == "verified"


def cuts_of(data: bytes) -> list[bytes]:
    return [data[:length] for length in sorted({0, 1, len(data) // 2, len(data) - 1})]


def flips_of(data: bytes, count: int) -> list[bytes]:
    step = max(1, len(data) // count)
    return [flipped(data, offset, offset % 8) for offset in range(0, len(data), step)]


def flipped(data: bytes, offset: int, bit: int) -> bytes:
    damaged = bytearray(data)
    damaged[offset] ^= 1 << bit
    return bytes(damaged)


def silent_damages(patient: Patient, flips: int) -> list[str]:
    silent = []
    for name in patient.files:
        data = (patient.root / name).read_bytes()
        for damaged in (*cuts_of(data), *flips_of(data, flips)):
            with patient.holding(name, damaged):
                checkpoint = patient.look()
            if is_silent(checkpoint, name):
                silent.append(f"{name}: {len(damaged)} of {len(data)} bytes")
    return silent


def test_the_sound_checkpoint_is_called_verified(patient: Patient) -> None:
    checkpoint = patient.look()
    assert checkpoint is not None
    assert {check.status for check in checkpoint.checks.values()} == {"verified"}


def test_a_cut_or_flipped_file_is_named(patient: Patient) -> None:
    assert silent_damages(patient, FLIPS_IN_A_LARGE_FILE) == []


@pytest.mark.parametrize("case", BYTE_BY_BYTE)
def test_every_byte_of_a_small_file_counts(case: str, tmp_path: Path) -> None:
    patient = patient_of(case, tmp_path)
    small = [n for n in patient.files if (patient.root / n).stat().st_size <= SMALL_BYTES_MAX]
    assert small
    patient.files = small
    assert silent_damages(patient, SMALL_BYTES_MAX) == []


def test_a_missing_file_ends_nothing(patient: Patient) -> None:
    for name in patient.files:
        with patient.without(name):
            patient.look()


def test_something_else_in_the_place_of_a_file_is_named(patient: Patient) -> None:
    for name in patient.files:
        for replace in (os.mkfifo, _link_outside, os.mkdir):
            with patient.without(name) as path:
                replace(path)
                checkpoint = patient.look()
            if replace is not os.mkdir:
                assert checkpoint is not None
                assert ("HF114", name) in {(w.code, w.path) for w in checkpoint.warnings}


def test_a_stranger_with_an_odd_name_ends_nothing(patient: Patient) -> None:
    folders = sorted({str(Path(name).parent) for name in patient.files})
    for folder in folders:
        for odd in ODD_NAMES:
            path = os.path.join(os.fsencode(patient.root / folder), odd)
            with open(path, "wb") as stranger:
                stranger.write(b"x")
            checkpoint = patient.look()
            os.unlink(path)
            assert checkpoint is not None
            assert [w for w in checkpoint.warnings if w.severity == "error"] == []


def test_without_checksums_nothing_is_called_verified(bare: Patient) -> None:
    checkpoint = bare.look()
    assert checkpoint is not None
    assert {check.status for check in checkpoint.checks.values()} == {"unverified"}
    assert "HF105" in {w.code for w in checkpoint.warnings}
    for name in bare.files:
        data = (bare.root / name).read_bytes()
        for damaged in (*cuts_of(data), *flips_of(data, FLIPS_IN_A_LARGE_FILE)):
            with bare.holding(name, damaged):
                checkpoint = bare.look()
            if checkpoint is not None:
                assert "verified" not in {c.status for c in checkpoint.checks.values()}


def test_broken_json_of_the_newest_files_is_named_even_without_checksums(bare: Patient) -> None:
    sound = bare.look()
    assert sound is not None
    newest = ["metadata", f"offsets/{sound.offsets.last}", f"commits/{sound.commits.last}"]
    for name in newest:
        data = (bare.root / name).read_bytes()
        for damaged in (b"", data[: data.rindex(b"}")], data.replace(b'"', b"", 1), b"\xff" + data):
            with bare.holding(name, damaged):
                checkpoint = bare.look()
            assert checkpoint is not None
            named = {w.path for w in checkpoint.warnings if w.code in ("HF101", "HF116")}
            assert name in named, damaged


def _link_outside(path: Path) -> None:
    path.symlink_to("/etc/passwd")
