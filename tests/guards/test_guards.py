"""Guards on tables of locations and options."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.declarations.environment import SecretText
from holdfast.core.guard_finding import GuardFinding
from holdfast.core.guards.checking import check_locations
from holdfast.core.guards.location import place_of
from holdfast.core.guards.master import is_local_master
from holdfast.core.job import Declaration, Job, SinkSpec, SourceSpec, TriggerSpec


def job(
    name: str,
    checkpoint: str,
    *,
    sink: str | None = None,
    source: str | None = None,
    options: dict[str, str] | None = None,
    sink_options: dict[str, Any] | None = None,
) -> Job:
    target = {} if sink is None else {"path": sink}
    return Job(
        name=name,
        source=SourceSpec(
            format="text" if source else "rate",
            path=source,
            schema=None,
            options=options or {},
            job=None,
        ),
        transform=None,
        sink=SinkSpec(kind="file", options={**target, **(sink_options or {})}),
        trigger=TriggerSpec(kind="available-now", interval=None),
        output_mode="append",
        checkpoint=checkpoint,
    )


def declare(*jobs: Job, base: str = "/data/checkpoints", spark: Any = None) -> Declaration:
    return Declaration(
        path="holdfast.yaml",
        folder="/project",
        profile="embedded",
        base=base,
        jobs=jobs,
        spark=spark or {},
        secrets=frozenset(),
    )


def codes(found: tuple[GuardFinding, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity) for finding in found]


def at(base: str, *, master: str = "local[*]", name: str = "orders") -> list[tuple[str, str]]:
    return codes(check_locations(declare(job(name, f"{base}/{name}"), base=base), master))


ORDINARY = [
    "s3://lake/checkpoints/orders-2",
    "/data/2cool/ckpt",
    "/data/checkpoints",
    "/srv/v2/streams",
    "/mnt/disk1/ckpt-01",
    "s3://acme-20260101-lake/checkpoints",
    "s3://123456789012-lake/checkpoints",
    "/data/123456789012/checkpoints",
    "/data/2024/checkpoints",
    "/data/orders-2024/q1",
    "/data/run/checkpoints",
    "/data/runs-daily",
    "/data/prune-12",
    "/data/rerun2/ckpt",
    "/data/tmpl/checkpoints",
    "/data/tmp-free/x",
    "/data/attempts/x",
    "/data/caf%C3%A9/my%20ckpt",
    "/data/%d0%b0%d0%b1",
    "/data/deadbeef/ckpt",
    "/data/1.2.3/ckpt",
    "/data/port-8080/ckpt",
    "/data/00000001/ckpt",
    "/data/99999999/ckpt",
    "/home/ann/project/checkpoints",
    "abfss://lake@account.dfs.core.windows.net/checkpoints",
    "hdfs://namenode:8020/user/ann/checkpoints",
    "gs://lake/streaming/$checkpoints",
    "/data/sha-0a1b2c3",
    "/data/application/checkpoints",
    "/data/pid/checkpoints",
    "/data/a-b_c.d=e/ckpt",
]


@pytest.mark.parametrize("base", ORDINARY)
def test_ordinary_names_raise_no_alarm(base: str) -> None:
    assert at(base) == []


DERIVED = {
    "/data/2026-11-15": "a date",
    "/data/ckpt_2026_11_15": "a date",
    "/data/20261115": "a date",
    "/data/ckpt-20261115T103000": "a date",
    "/data/ckpt-20261115103000": "a date",
    "/data/2026-11-15T10:30:00": "a date",
    "s3://lake/dt=2026-11-15/ckpt": "a date",
    "s3://lake/2026/11/15/ckpt": "a date",
    "s3://lake/year=2026/month=11/day=15/ckpt": "a date",
    "/data/scheduled__2026-11-15T00:00:00+00:00": "a date",
    "/data/1763200000": "a time",
    "/data/ckpt-1763200000123": "a time",
    "/data/3f2b8c1e-9d4a-4f6b-8e21-0a1b2c3d4e5f": "a UUID",
    "/data/x-3F2B8C1E-9D4A-4F6B-8E21-0A1B2C3D4E5F": "a UUID",
    "/data/3f2b8c1e9d4a4f6b8e210a1b2c3d4e5f": "a random number",
    "/data/run-123": "the number of a run",
    "/data/run_id=42": "the number of a run",
    "/data/attempt_2": "the number of a run",
    "/data/${run}": "a placeholder that nobody filled in",
    "/data/{{ ds }}": "a placeholder that nobody filled in",
    "/data/{run_id}": "a placeholder that nobody filled in",
    "/data/$(date +%F)": "a placeholder that nobody filled in",
    "/data/%Y-%m-%d": "a placeholder that nobody filled in",
    "/data/<job>": "a placeholder that nobody filled in",
    "/data/yyyy-MM-dd": "a placeholder that nobody filled in",
}


@pytest.mark.parametrize("base", DERIVED)
def test_a_location_made_anew_at_every_start_is_refused(base: str) -> None:
    (found,) = check_locations(declare(job("orders", f"{base}/orders"), base=base), "local")
    assert (found.code, found.severity, found.job) == ("HF201", "error", "orders")
    assert found.message == (
        f"the checkpoint {base + '/orders'!r} holds what looks like {DERIVED[base]}"
    )


def test_a_checkpoint_that_is_there_already_may_look_like_it() -> None:
    there = declare(job("orders", "/old/orders-2026-11-15"))
    assert codes(check_locations(there, "local")) == [("HF201", "warning")]
    there = declare(job("orders", "/old/${day}"))
    assert codes(check_locations(there, "local")) == [("HF201", "error")]


@pytest.mark.parametrize(
    "base",
    [
        "/tmp",
        "/tmp/x",
        "file:/tmp/x",
        "file:///tmp/x",
        "/data/../tmp",
        "//tmp//x",
        "/var/tmp/x",
        "/private/tmp",
        "/var/folders/ab",
        "/dev/shm/x",
        "/dbfs/tmp/x",
        "dbfs:/tmp/x",
        "dbfs:///tmp",
        "hdfs:///tmp/x",
    ],
)
def test_a_temporary_folder(base: str) -> None:
    assert ("HF202", "warning") in at(base)
    assert ("HF202", "error") in at(base, master="yarn")


def test_the_tmp_of_a_bucket_is_a_warning() -> None:
    assert at("s3://lake/tmp/x", master="yarn") == [("HF202", "warning")]


@pytest.mark.parametrize(
    ("base", "master", "expected"),
    [
        ("/data/c", "local", []),
        ("/data/c", "local[4,2]", []),
        ("/data/c", "local-cluster[2,1,1024]", []),
        ("/data/c", "yarn", [("HF203", "error")]),
        ("/data/c", "spark://host:7077", [("HF203", "error")]),
        ("/data/c", "k8s://https://host", [("HF203", "error")]),
        ("/data/c", "localhost", [("HF203", "error")]),
        ("file:///mnt/shared/c", "yarn", [("HF203", "warning")]),
        ("/dbfs/c", "spark://host:7077", []),
        ("/Volumes/main/c", "spark://host:7077", []),
        ("s3://lake/c", "yarn", []),
        ("hdfs:///c", "yarn", []),
    ],
)
def test_a_path_of_one_machine(base: str, master: str, expected: list[tuple[str, str]]) -> None:
    assert at(base, master=master) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/data/c", "file:/data/c"),
        ("/data/c", "file:///data//c/"),
        ("/data/c", "/data/x/../c/./"),
        ("s3://lake/c", "s3a://lake/c"),
        ("s3n://lake/c/", "S3://lake//c"),
        ("abfs://a@b/c", "abfss://a@b/c"),
        ("gs://lake/c", "gcs://lake/c"),
        ("/dbfs/c", "dbfs:/c"),
        ("/../c", "/c"),
    ],
)
def test_the_same_place_in_two_spellings_is_shared(one: str, other: str) -> None:
    found = check_locations(declare(job("a", one), job("b", other)), "local")
    assert codes(found) == [("HF204", "error")]
    assert found[0].message == f"the checkpoint {other!r} is that of job 'a' too"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/data/c", "/data/C"),
        ("s3://lake/c", "s3://Lake/c"),
        ("s3://lake/c", "gs://lake/c"),
        ("s3://lake/c", "/lake/c"),
        ("/data/c", "/data/c2"),
    ],
)
def test_different_places_are_not_shared(one: str, other: str) -> None:
    assert check_locations(declare(job("a", one), job("b", other)), "local") == ()


def test_a_checkpoint_inside_another() -> None:
    found = check_locations(declare(job("a", "/c/a/state/b"), job("b", "file:/c/a")), "local")
    assert codes(found) == [("HF205", "error")]
    assert found[0].message == (
        "the checkpoint '/c/a/state/b' lies inside that of job 'b', 'file:/c/a'"
    )


@pytest.mark.parametrize(
    ("checkpoint", "data", "severity", "relation"),
    [
        ("/lake/raw", "/lake/raw/", "error", "is the folder of"),
        ("/lake/raw/ckpt", "/lake/raw", "error", "lies inside"),
        ("/lake/raw/_checkpoints/a", "/lake/raw", "warning", "lies inside"),
        ("/lake/raw/_delta_log/a", "/lake/raw", "error", "lies inside"),
        ("/lake", "/lake/raw", "error", "lies around"),
        ("s3a://lake/raw/c", "s3://lake/raw", "error", "lies inside"),
    ],
)
def test_checkpoint_and_data_inside_one_another(
    checkpoint: str, data: str, severity: str, relation: str
) -> None:
    for words, one in (
        ("writes", job("a", checkpoint, sink=data)),
        ("reads", job("a", checkpoint, source=data)),
    ):
        (found,) = check_locations(declare(one), "local")
        assert (found.code, found.severity) == ("HF206", severity)
        assert found.message == (
            f"the checkpoint {checkpoint!r} {relation} what job 'a' {words}, {data!r}"
        )


def test_the_data_of_another_job_count_too() -> None:
    jobs = (job("a", "/c/a", sink="/lake/raw"), job("b", "/lake/raw/c", sink="/lake/gold"))
    (found,) = check_locations(declare(*jobs), "local")
    assert (found.code, found.job) == ("HF206", "b")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"failOnDataLoss": "false"}, "failOnDataLoss=false"),
        ({"failondataloss": " FALSE "}, "failondataloss=false"),
        ({"failOnDataLoss": "true"}, None),
        ({"ignoreMissingFiles": "true"}, "ignoreMissingFiles=true"),
        ({"ignoreCorruptFiles": "false"}, None),
    ],
)
def test_options_that_pass_over_lost_data(options: dict[str, str], expected: str | None) -> None:
    found = check_locations(declare(job("a", "/c/a", options=options)), "local")
    assert codes(found) == ([("HF207", "warning")] if expected else [])
    assert expected is None or found[0].message.startswith(f"{expected}: ")


def test_settings_of_the_session_that_pass_over_lost_data() -> None:
    spark = {"spark.sql.files.ignoreMissingFiles": "true"}
    found = check_locations(declare(job("a", "/c/a"), spark=spark), "local")
    assert codes(found) == [("HF207", "warning")]


def test_ways_to_run_that_weaken_the_guarantee() -> None:
    options = {"asyncProgressTrackingEnabled": "true"}
    weak = job("a", "/c/a", sink_options=options)
    assert codes(check_locations(declare(weak), "local")) == [("HF208", "warning")]
    sound = job("a", "/c/a", sink_options={"asyncProgressTrackingEnabled": "false"})
    assert check_locations(declare(sound), "local") == ()
    for kind in ("continuous", "real-time"):
        trigger = TriggerSpec(kind=kind, interval="1 second")  # type: ignore[arg-type]
        found = check_locations(declare(replace(sound, trigger=trigger)), "local")
        assert codes(found) == [("HF208", "warning")]
        assert found[0].message.startswith(f"the trigger {kind}: ")


def test_a_location_from_the_environment_is_looked_at_and_not_shown() -> None:
    location = SecretText("/data/2026-11-15/a", "${env:WHERE}/a")
    (found,) = check_locations(declare(job("a", location)), "local")
    assert found.code == "HF201"
    assert "'${env:WHERE}/a'" in found.message
    assert "2026" not in found.message + found.next_action


def test_masters() -> None:
    assert is_local_master(" local[*] ")
    assert not is_local_master("localhost:7077")


@given(st.text(max_size=60))
def test_any_location_can_be_taken_apart(location: str) -> None:
    place = place_of(location)
    assert ".." not in place.parts and "" not in place.parts
    assert not place.is_inside(place)
    check_locations(declare(job("a", location)), "yarn")


@given(st.lists(st.sampled_from(["a", "b", ".", "..", ""]), max_size=6))
def test_taking_apart_is_stable(parts: list[str]) -> None:
    place = place_of("/" + "/".join(parts))
    assert place_of("/" + "/".join(place.parts)) == place
