"""assert_audit passes what is proven and fails, with a report, what is not."""

import sys
from pathlib import Path

import pytest

from holdfast.adapters.gate.listener import gate_obstacle
from holdfast.errors import UsageError
from holdfast.testing import Subject, Wishes, assert_audit

JOB = Path(__file__).with_name("tiny_job.py")

needs_gate = pytest.mark.skipif(
    gate_obstacle() is not None, reason=f"no gate can be had here: {gate_obstacle()}"
)


def program(mode: str) -> Subject:
    return Subject(
        command=f"{sys.executable} {JOB} {{work}} {mode}",
        checkpoint="{work}/checkpoint",
        read="sqlite:{work}/out.db?table=events",
    )


@needs_gate
def test_what_is_exact_passes(tmp_path: Path) -> None:
    done = assert_audit(program("exact"), folder=tmp_path / "audit")
    assert done.verdict.kind == "proven"
    assert done.killed == len(done.points) > 20
    assert done.rows == 12


@needs_gate
def test_what_is_wrong_fails_with_the_report(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception) as raised:
        assert_audit(program("append"), folder=tmp_path / "audit")
    report = str(raised.value)
    assert report.startswith("CONVICTED: ")
    assert "rows are lost, duplicated or changed" in report
    assert "0 lost, 4 duplicated" in report
    assert "killed before create checkpoint:commits" in report
    assert f"kept in {tmp_path / 'audit'}" in report
    assert raised.value.pytrace is False


@needs_gate
def test_a_sample_is_enough_only_where_it_is_said_to_be(tmp_path: Path) -> None:
    few = Wishes(runs=3)
    done = assert_audit(program("exact"), few, folder=tmp_path / "few", complete=False)
    assert (done.killed, done.verdict.kind) == (3, "unknown")
    with pytest.raises(UsageError, match="a sample of the crash points proves nothing"):
        assert_audit(program("exact"), few, folder=tmp_path / "never")
    assert not (tmp_path / "never").exists(), "said before anything was run"


@needs_gate
def test_a_sample_that_does_harm_fails(tmp_path: Path) -> None:
    bad = Wishes(points=("K9",))
    with pytest.raises(pytest.fail.Exception, match="CONVICTED"):
        assert_audit(program("append"), bad, folder=tmp_path / "audit", complete=False)


def test_a_subject_that_cannot_be_right_is_an_error_and_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a declared job, or a program"):
        assert_audit(Subject(), folder=tmp_path / "audit")
