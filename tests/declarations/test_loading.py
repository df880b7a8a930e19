"""A declaration becomes values."""

import json
import pickle
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapters.declarations.loading import load_declaration
from holdfast.adapters.declarations.model import declaration_schema
from holdfast.core.job import Declaration, SinkSpec, SourceSpec, TriggerSpec
from holdfast.errors import UnreachableError, UsageError

from .texts import SMALL, changed, load


def test_a_declaration_is_resolved() -> None:
    declaration = load(SMALL)
    assert (declaration.profile, declaration.base) == ("embedded", "/project/checkpoints")
    assert declaration.spark == {"spark.sql.shuffle.partitions": "2"}
    assert declaration.secrets == frozenset()
    ingest, merge = declaration.jobs
    assert ingest.source == SourceSpec(
        format="text",
        path="/project/in",
        schema=None,
        options={"maxFilesPerTrigger": "2"},
        job=None,
    )
    assert ingest.sink == SinkSpec(
        kind="file", options={"format": "parquet", "path": "/project/raw"}
    )
    assert ingest.trigger == TriggerSpec(kind="processing-time", interval="10 seconds")
    assert (ingest.transform, ingest.output_mode) == ("sensors:keep_raw", "append")
    assert ingest.checkpoint == "/project/checkpoints/ingest"
    assert merge.source == SourceSpec(
        format="parquet", path="/project/raw", schema="value string", options={}, job="ingest"
    )
    assert merge.sink.options["url"] == "sqlite:////project/gold.db"
    assert merge.sink.options["key"] == ["id"]
    assert (merge.transform, merge.output_mode) == (None, "update")
    assert merge.trigger == TriggerSpec(kind="processing-time", interval="0 seconds")


def test_a_job_comes_after_the_one_it_reads_from() -> None:
    start, end = SMALL.index("  ingest:"), SMALL.index("  merge:")
    ingest = SMALL[start:end]
    late = SMALL.replace(ingest, "").replace("profiles:\n", f"{ingest}profiles:\n", 1)
    assert [job.name for job in load(late).jobs] == ["ingest", "merge"]


def test_everything_may_be_written_out_without_profiles() -> None:
    text = """
checkpoints: s3a://lake/checkpoints/
jobs:
  numbers:
    source: {format: rate, options: {rowsPerSecond: 10, useManualClock: false}}
    sink: {kind: delta, path: "s3a://lake/n/", partition_by: day, options: {mergeSchema: true}}
    trigger: available-now
    checkpoint: ../old
"""
    declaration = load(text)
    (job,) = declaration.jobs
    assert declaration.profile == "default"
    assert declaration.base == "s3a://lake/checkpoints"
    assert job.checkpoint == "/old"
    assert job.source.options == {"rowsPerSecond": "10", "useManualClock": "false"}
    assert job.trigger == TriggerSpec(kind="available-now", interval=None)
    assert job.sink.options == {
        "path": "s3a://lake/n",
        "partition_by": ["day"],
        "mergeSchema": "true",
    }


UPSERT = (
    "{kind: delta, path: ./gold, mode: upsert, key: id, version: at, create: true, "
    "columns: 'id long, at long'}"
)
SQL_GOLD = '{kind: sql, url: "sqlite:///./gold.db", table: gold, mode: upsert, key: id}'


def test_a_delta_sink_that_upserts() -> None:
    assert load(changed((SQL_GOLD, UPSERT))).jobs[1].sink.options == {
        "path": "/project/gold",
        "mode": "upsert",
        "key": ["id"],
        "version": "at",
        "create": True,
        "columns": "id long, at long",
    }


def test_references_of_another_profile_are_not_looked_at() -> None:
    lake = """\
  lake:
    checkpoints: ${env:LAKE}/checkpoints
    spark: {spark.hadoop.x: "${env:KEY}"}
    sources:
      files:
        format: kafka
        options: {kafka.bootstrap.servers: "${env:KAFKA_SERVERS}", subscribe: sensors}
      raw: {job: ingest}
    sinks:
      raw: {kind: delta, path: "${env:LAKE}/raw"}
      gold: {kind: delta, path: "${env:LAKE}/gold", mode: upsert, key: id, create: true}
"""
    text = SMALL + lake
    assert [job.source.format for job in load(text).jobs] == ["text", "parquet"]
    with pytest.raises(UsageError, match="the environment has no variable LAKE"):
        load(text, "lake")
    environ = {"LAKE": "s3a://lake", "KAFKA_SERVERS": "broker:9092", "KEY": "k"}
    ingest, merge = load(text, "lake", environ).jobs
    assert (ingest.source.format, merge.source.format) == ("kafka", "delta")
    assert merge.checkpoint == "s3a://lake/checkpoints/merge"


def test_a_job_may_be_in_some_profiles_only() -> None:
    serve = """\
  serve:
    source: raw
    sink: served
    profiles: lake
"""
    lake = """\
  lake:
    checkpoints: ./lake
    sources: {files: {format: rate}, raw: {job: ingest}}
    sinks:
      raw: {kind: delta, path: ./lake/raw}
      gold: {kind: delta, path: ./lake/gold}
      served: {kind: sql, url: "${env:GOLD_URL}", table: gold}
"""
    text = SMALL.replace("profiles:", serve + "profiles:") + lake
    assert [job.name for job in load(text).jobs] == ["ingest", "merge"]
    with pytest.raises(UsageError, match="the environment has no variable GOLD_URL"):
        load(text, "lake")
    jobs = load(text, "lake", {"GOLD_URL": "postgresql://u@h/d"}).jobs
    assert [job.name for job in jobs] == ["ingest", "merge", "serve"]
    only = text.replace("    profiles: lake\n", "").replace(
        "    sink:", "    profiles: [embedded]\n    sink:"
    )
    with pytest.raises(UsageError, match="has no job: all of them are for other"):
        load(only, "lake")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("2026-11-15", "2026-11-15"),
        ("1:30", "1:30"),
        ("0010", "0010"),
        ("1.50", "1.50"),
        ("1e3", "1e3"),
        ("yes", "yes"),
        ("True", "true"),
        ("12345678901234567890", "12345678901234567890"),
        ("-5", "-5"),
        ('"\\t"', "\t"),
        ("'2'", "2"),
    ],
)
def test_options_are_handed_on_as_they_are_written(written: str, text: str) -> None:
    declaration = load(changed(("maxFilesPerTrigger: 2", f"some: {written}")))
    assert declaration.jobs[0].source.options == {"some": text}


def test_anchors_may_be_used() -> None:
    text = changed(
        ("options: {maxFilesPerTrigger: 2}", "options: &o {maxFilesPerTrigger: 2}"),
        ("{job: ingest}", "{job: ingest, options: *o}"),
    )
    assert load(text).jobs[1].source.options == {"maxFilesPerTrigger": "2"}


SECRET = "hunter2-of-the-sea"


def test_secrets_are_used_and_never_shown() -> None:
    text = changed(
        ("sqlite:///./gold.db", "postgresql://me:${env:PASSWORD}@host/db"),
        ("./checkpoints", "s3://${env:BUCKET}/checkpoints"),
        ("maxFilesPerTrigger: 2", "kafka.sasl.jaas.config: written-out"),
        ("shuffle.partitions: 2", "shuffle.partitions: '${env:COUNT}'"),
    )
    environ = {"PASSWORD": SECRET, "BUCKET": "hidden-bucket", "COUNT": "", "OTHER": "x"}
    declaration = load(text, environ=environ)
    assert declaration.jobs[1].sink.options["url"] == f"postgresql://me:{SECRET}@host/db"
    assert declaration.jobs[0].checkpoint == "s3://hidden-bucket/checkpoints/ingest"
    assert declaration.secrets == {SECRET, "hidden-bucket", "written-out"}
    for secret in declaration.secrets:
        assert str(secret) not in repr(declaration)
        assert str(secret) not in str(declaration)
    assert "'s3://${env:BUCKET}/checkpoints/ingest'" in repr(declaration)
    again = pickle.loads(pickle.dumps(declaration.jobs[0].checkpoint))
    assert (again, repr(again)) == (
        "s3://hidden-bucket/checkpoints/ingest",
        "'s3://${env:BUCKET}/checkpoints/ingest'",
    )


def test_a_password_that_was_written_out_is_not_shown_either() -> None:
    declaration = load(changed(("sqlite:///./gold.db", f"postgresql://me:{SECRET}@host/db")))
    assert declaration.secrets == {SECRET}
    assert "postgresql://me:***@host/db" in repr(declaration)
    assert SECRET not in repr(declaration)


def test_errors_show_the_reference_and_not_the_value() -> None:
    text = changed(("sink: raw", "sink: rwa"), ("path: ./in", "path: '${env:PASSWORD}'"))
    with pytest.raises(UsageError) as caught:
        load(
            text.replace("format: text", "format: '${env:PASSWORD}'"), environ={"PASSWORD": SECRET}
        )
    assert SECRET not in caught.value.message
    assert "'${env:PASSWORD}' is not allowed" in caught.value.message


def test_variables_of_other_profiles_are_not_asked_for() -> None:
    other = "profiles:\n  lake: {checkpoints: '${env:LAKE}'}\n  embedded:"
    assert load(changed(("profiles:\n  embedded:", other))).profile == "embedded"


def test_a_file_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "holdfast.yaml").write_text(SMALL, encoding="utf-8-sig")
    for path in (tmp_path, tmp_path / "holdfast.yaml"):
        declaration = load_declaration(path, environ={})
        assert declaration.folder == str(tmp_path)
        assert declaration.path == str(tmp_path / "holdfast.yaml")
        assert declaration.base == str(tmp_path / "checkpoints")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no declaration at this path"):
        load_declaration(tmp_path, environ={})
    (tmp_path / "holdfast.yaml").mkdir()
    with pytest.raises(UnreachableError):
        load_declaration(tmp_path, environ={})
    with pytest.raises(UsageError, match="NUL"):
        load_declaration("a\0b", environ={})
    (tmp_path / "latin.yaml").write_bytes(b"a: 1\nb: \xe9\n")
    with pytest.raises(UsageError, match=r"latin\.yaml:2: is no text in UTF-8"):
        load_declaration(tmp_path / "latin.yaml", environ={})


def test_the_schema_for_editors_takes_what_is_right_and_refuses_what_is_wrong() -> None:
    schema = json.loads(json.dumps(declaration_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    good = yaml.safe_load(SMALL)
    jsonschema.validate(good, schema)
    for place, value in (("trigger", "once"), ("output_mode", "all"), ("transfrom", "a:b")):
        wrong = yaml.safe_load(SMALL)
        wrong["jobs"]["ingest"][place] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def accepted(text: str) -> bool:
    """Loading gives a declaration or a UsageError; anything else fails the test."""
    try:
        declaration = load(text, environ={"A": "some secret"})
    except UsageError as error:
        assert error.message.startswith("holdfast.yaml:")
        assert all(line.isprintable() for line in error.message.split("\n"))
        return False
    assert isinstance(declaration, Declaration)
    assert "some secret" not in repr(declaration)
    return True


def test_the_small_one_is_accepted() -> None:
    assert accepted(SMALL)


@given(st.text(max_size=200))
def test_any_text_gives_a_declaration_or_a_usage_error(text: str) -> None:
    accepted(text)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"\\#%?, \n\t0\x00é${}", max_size=80))
def test_any_text_of_yaml_signs_gives_a_declaration_or_a_usage_error(text: str) -> None:
    accepted(text)


WORDS = sorted({word for word in SMALL.replace(":", " : ").split() if word})


@settings(max_examples=200)
@given(st.data())
def test_any_change_of_a_declaration_gives_a_declaration_or_a_usage_error(
    data: st.DataObject,
) -> None:
    lines = SMALL.splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        old = data.draw(st.sampled_from([w for w in WORDS if w in lines[at]] or [""]))
        odd = ["", "~", "[1]", "{a: b}", "${env:A}", "${env:", "1", "true", "\\0", "&x", "*x", '""']
        new = data.draw(st.sampled_from([*WORDS, *odd]))
        lines[at] = lines[at].replace(old, new, 1)
    accepted("\n".join(lines))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner),
    max_leaves=10,
)


@given(st.sampled_from(["checkpoints", "profile", "spark", "jobs", "profiles"]), VALUES)
def test_any_value_of_a_field_gives_a_declaration_or_a_usage_error(
    name: str, value: object
) -> None:
    whole = yaml.safe_load(SMALL)
    whole[name] = value
    accepted(yaml.safe_dump(whole, allow_unicode=True))
