"""Cases of HF498."""

import shutil
from pathlib import Path

import pytest

from holdfast.adapters.machine import ThisMachine
from holdfast.flows.evidence import Asked, take_evidence
from tests.rules.made_up import evidence, found, judged

GOLDEN = Path(__file__).parents[2] / "golden" / "4.2.0"


def test_a_file_that_is_gone_is_unknown() -> None:
    given = evidence(gone=("sources/0/0",))
    (finding,) = found(given, "HF498")
    assert finding.weight == "unknown" and judged(given).answer == "unknown"


def test_nothing_gone_says_nothing() -> None:
    assert not found(evidence(), "HF498")


@pytest.mark.parametrize("with_checksum", [True, False])
@pytest.mark.parametrize(
    ("case", "pattern"),
    [
        ("tws_avro", "state/0/_stateSchema/default/0_*"),
        ("join_v3", "state/0/_stateSchema/default/0_*"),
    ],
)
def test_it_is_known_without_a_checksum(
    tmp_path: Path, case: str, pattern: str, with_checksum: bool
) -> None:
    checkpoint = tmp_path / "c"
    shutil.copytree(GOLDEN / case / "checkpoint", checkpoint)
    whole = take_evidence(Asked(target=str(checkpoint), file="none"), ThisMachine())
    assert whole.gone == ()
    (path,) = checkpoint.glob(pattern)
    path.unlink()
    if with_checksum:
        path.with_name(f".{path.name}.crc").unlink()
    taken = take_evidence(Asked(target=str(checkpoint), file="none"), ThisMachine())
    assert taken.gone == (str(path.relative_to(checkpoint)),)


def test_the_beginning_of_the_rate_source_is_missed(tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"
    shutil.copytree(GOLDEN / "rate" / "checkpoint", checkpoint)
    (checkpoint / "sources" / "0" / "0").unlink()
    asked = Asked(target=str(checkpoint), file="none")
    taken = take_evidence(asked, ThisMachine())
    assert taken.gone == ("sources/0/0",)
    (checkpoint / "sources" / "0" / ".0.crc").unlink()
    taken = take_evidence(asked, ThisMachine())
    assert found(taken, "HF452"), "without it nobody can tell what kind of source it is"


def test_entries_that_a_file_source_has_compacted_are_not_missed(tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"
    shutil.copytree(GOLDEN / "file_compacted" / "checkpoint", checkpoint)
    (checkpoint / "sources" / "0" / "0").unlink()
    taken = take_evidence(Asked(target=str(checkpoint), file="none"), ThisMachine())
    assert taken.gone == ()
