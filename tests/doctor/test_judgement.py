"""What doctor says of facts: each finding can appear, and does not where nothing is wrong."""

from typing import Any

import pytest

from holdfast.core.doctor.check import CODES, Check, keeps_jobs_from_running
from holdfast.core.doctor.checkpoints import BaseFact, Probe, judge_base
from holdfast.core.doctor.declared import Declared, MasterFact, judge_declared, judge_master
from holdfast.core.doctor.java import JavaFact, judge_java
from holdfast.core.doctor.libraries import (
    Library,
    Worker,
    judge_library,
    judge_pandas,
    judge_pyspark,
    judge_worker,
)

GIB = 1 << 30


def verdict(check: Check) -> tuple[str, str]:
    assert check.code == "" or check.code in CODES
    assert bool(check.code) is (check.status in ("warning", "error"))
    # Whatever is wrong comes with what mends it.
    assert bool(check.fix) is bool(check.code)
    return check.status, check.code


def java(**changed: Any) -> JavaFact:
    known: dict[str, Any] = {
        "home": "",
        "path": "/usr/bin/java",
        "answer": 'openjdk version "17.0.15" 2025-04-15',
        "failure": "",
        "system": "debian",
    }
    return JavaFact(**{**known, **changed})


@pytest.mark.parametrize(
    ("answer", "spark", "wanted"),
    [
        ('openjdk version "17.0.15" 2025-04-15', "4.0.5", ("ok", "")),
        ('Picked up JAVA_TOOL_OPTIONS: -Dx\nopenjdk version "21" 2023-09', "4.0.5", ("ok", "")),
        ('openjdk version "25-ea" 2025-09-16', "4.2.0", ("ok", "")),
        ('openjdk version "25" 2025-09-16', None, ("ok", "")),
        ('openjdk version "25" 2025-09-16', "4.1.4", ("warning", "HF502")),
        ('openjdk version "26" 2026-03-16', "4.3.0", ("warning", "HF502")),
        ('openjdk version "11.0.2" 2019-01-15', "4.2.0", ("error", "HF502")),
        ('java version "1.8.0_292"', "4.2.0", ("error", "HF502")),
        ("hello", "4.2.0", ("warning", "HF517")),
        ("", "4.2.0", ("warning", "HF517")),
    ],
)
def test_java_by_version(answer: str, spark: str | None, wanted: tuple[str, str]) -> None:
    assert verdict(judge_java(java(answer=answer), spark)) == wanted


def test_java_that_is_not_there() -> None:
    check = judge_java(java(path=""), "4.2.0")
    assert verdict(check) == ("error", "HF501")
    assert check.fix == ("sudo apt-get install -y --no-install-recommends openjdk-17-jre-headless",)
    wrong_home = judge_java(java(path="", home="/opt/jdk"), "4.2.0")
    assert "/opt/jdk" in wrong_home.found
    assert wrong_home.fix[0] == "unset JAVA_HOME"
    assert verdict(judge_java(java(failure="none within 20 s"), None)) == ("error", "HF517")


@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ({"system": "debian", "is_root": True, "release": 12}, "apt-get install "),
        ({"system": "debian", "release": 13}, "sudo apt-get install "),
        ({"system": "fedora"}, "sudo dnf install -y java-21-openjdk-headless"),
        ({"system": "macos"}, "brew install openjdk@17"),
        ({"system": "other"}, "Debian, Ubuntu: apt-get install "),
    ],
)
def test_the_line_that_installs_java_is_that_of_the_system(
    changed: dict[str, Any], first: str
) -> None:
    fix = judge_java(java(path="", **changed), None).fix
    assert fix[0].startswith(first)
    assert ("openjdk-21" in fix[0]) is (changed.get("release") == 13)
    assert len(fix) == {"macos": 2, "other": 3}.get(changed["system"], 1)


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        (None, ("error", "HF503")),
        ("3.5.9", ("error", "HF504")),
        ("4.0.0", ("ok", "")),
        ("4.3.0.dev1", ("ok", "")),
        ("4.4.0", ("error", "HF504")),
        ("5", ("error", "HF504")),
        ("odd", ("error", "HF504")),
    ],
)
def test_pyspark(version: str | None, wanted: tuple[str, str]) -> None:
    assert verdict(judge_pyspark(version)) == wanted


def test_pandas() -> None:
    assert judge_pandas(None) == ()
    assert [verdict(check) for check in judge_pandas("2.3.3")] == [("ok", "")]
    assert [verdict(check) for check in judge_pandas("3.0.0")] == [("warning", "HF506")]


@pytest.mark.parametrize(
    ("version", "jobs", "wanted"),
    [
        ("2.0", ("a",), ("ok", "")),
        (None, ("a",), ("error", "HF505")),
        (None, (), ("skipped", "")),
    ],
)
def test_libraries_are_missed_only_where_a_job_needs_them(
    version: str | None, jobs: tuple[str, ...], wanted: tuple[str, str]
) -> None:
    install = "pip install 'holdfast[sql]'"
    library = Library(name="sqlalchemy", version=version, jobs=jobs, why="it", install=install)
    assert verdict(judge_library(library)) == wanted


@pytest.mark.parametrize(
    ("changed", "wanted", "fix"),
    [
        ({}, ("ok", ""), ()),
        ({"asked": "python3", "path": "/v/bin/python3", "is_ours": True}, ("ok", ""), ()),
        (
            {"asked": "python3", "path": "/usr/bin/python3"},
            ("warning", "HF507"),
            ("unset PYSPARK_PYTHON",),
        ),
        ({"asked": "nope"}, ("error", "HF507"), ("unset PYSPARK_PYTHON",)),
        (
            {"asked": "nope", "asked_by": "spark.pyspark.python"},
            ("error", "HF507"),
            ("leave spark.pyspark.python out of the declaration",),
        ),
        ({"asked": "nope", "is_local": False}, ("skipped", ""), ()),
    ],
)
def test_the_python_of_workers(
    changed: dict[str, Any], wanted: tuple[str, str], fix: tuple[str, ...]
) -> None:
    known: dict[str, Any] = {
        "asked": "",
        "asked_by": "PYSPARK_PYTHON",
        "path": "",
        "is_ours": False,
        "ours": "/v/bin/python",
        "is_local": True,
    }
    check = judge_worker(Worker(**{**known, **changed}))
    assert verdict(check) == wanted
    assert check.fix == fix


def base(*probes: Probe, free: int | None = 5 * GIB) -> list[tuple[str, str, str]]:
    checks = judge_base(BaseFact(location="/base", probes=probes, free_bytes=free))
    return [(check.name, *verdict(check)) for check in checks]


FINE = [("base", "ok", ""), ("clock", "ok", ""), ("space", "ok", "")]


def test_bases() -> None:
    good = Probe(job="a", skew_ms=0)
    assert base(good, Probe(job="b", skew_ms=-60_400)) == FINE
    assert base(good, free=GIB) == FINE
    assert base(good, free=GIB - 1)[2] == ("space", "warning", "HF513")
    assert base(good, free=None) == FINE[:2]
    assert base(Probe(job="a"), free=None)[1] == ("clock", "skipped", "")
    failed = Probe(job="b", failure="no room", next_action="make some")
    assert base(good, failed) == [("base", "error", "HF511"), ("space", "ok", "")]
    missing = Probe(job="b", failure="needs s3fs", next_action="pip", not_installed=True)
    assert base(missing, free=None) == [("base", "error", "HF505")]
    assert base(Probe(job="a", is_exclusive=False)) == [("base", "error", "HF518")]


@pytest.mark.parametrize(("skew_ms", "side"), [(61_000, "ahead of"), (-3_600_000, "behind")])
def test_a_clock_that_is_off(skew_ms: int, side: str) -> None:
    fact = BaseFact(location="/base", probes=(Probe(job="a", skew_ms=skew_ms),))
    clock = judge_base(fact)[1]
    assert verdict(clock) == ("warning", "HF512")
    assert f"{abs(skew_ms) // 1000:,} s {side} ours" in clock.found


def test_one_reason_is_said_once_with_every_job_it_is_for() -> None:
    probes = tuple(Probe(job=n, failure="no room", next_action="make some") for n in ("a", "b"))
    (check,) = judge_base(BaseFact(location="/base", probes=probes))
    assert check.found == "no room (a, b)"


def test_declarations() -> None:
    absent = judge_declared(Declared(path="holdfast.yaml", is_there=False))
    assert [verdict(check) for check in absent] == [("skipped", "")]
    good = Declared(path="p", is_there=True, profile="lake", jobs=("a", "b"))
    assert [verdict(check) for check in judge_declared(good)] == [("ok", "")]
    bad = Declared(path="p", is_there=True, problems="p:1: x", unset=("A", "B"))
    checks = judge_declared(bad)
    assert [verdict(check) for check in checks] == [("error", "HF515"), ("error", "HF514")]
    assert checks[1].fix == ("export A=… B=…",)


@pytest.mark.parametrize(
    ("master", "under_submit", "failure", "wanted"),
    [
        ("local[*]", False, None, ("ok", "")),
        ("yarn", False, None, ("skipped", "")),
        ("spark://h:7077", False, "", ("ok", "")),
        ("spark://h:7077", False, "refused", ("error", "HF516")),
        ("spark://h:7077", True, None, ("skipped", "")),
    ],
)
def test_masters(
    master: str, under_submit: bool, failure: str | None, wanted: tuple[str, str]
) -> None:
    fact = MasterFact(master=master, under_submit=under_submit, failure=failure)
    assert verdict(judge_master(fact)) == wanted


def test_only_errors_keep_jobs_from_running() -> None:
    def check(status: Any) -> Check:
        return Check(name="x", status=status, found="")

    assert not keeps_jobs_from_running((check("ok"), check("warning"), check("skipped")))
    assert keeps_jobs_from_running((check("ok"), check("error")))
