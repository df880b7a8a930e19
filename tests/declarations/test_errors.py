"""Every problem has its exact text: file, line, field, what is allowed."""

import pytest

from holdfast.errors import UsageError

from .texts import SMALL, changed, load

FIELDS = "source, transform, sink, trigger, output_mode, checkpoint, profiles"
SQL = 'kind: sql, url: "sqlite:///./gold.db", table: gold, mode: upsert'
FORMATS = "json, csv, parquet, text, rate, rate-micro-batch, kafka, delta"

CASES: dict[str, tuple[list[tuple[str, str]], str]] = {
    "unknown field": (
        [("transform: sensors", "transfrom: sensors")],
        "7: jobs.ingest.transfrom: there is no such field; "
        f"allowed are {FIELDS}; did you mean 'transform'?",
    ),
    "unknown field on top": (
        [("checkpoints: .", "base: x\ncheckpoints: .")],
        "1: base: there is no such field; allowed are checkpoints, profile, spark, jobs, profiles",
    ),
    "missing field": ([("    source: files\n", "")], "5: jobs.ingest.source: is missing"),
    "sink by a wrong name": (
        [("sink: raw", "sink: rwa")],
        "8: jobs.ingest.sink: no sink is called 'rwa' in profile 'embedded'; did you mean 'raw'?",
    ),
    "source by a wrong name": (
        [("source: files", "source: queue")],
        "6: jobs.ingest.source: no source is called 'queue' in profile 'embedded'; "
        "allowed are files, raw",
    ),
    "format": (
        [("format: text", "format: txt")],
        "17: profiles.embedded.sources.files.format: 'txt' is not allowed; "
        f"allowed are {FORMATS}; did you mean 'text'?",
    ),
    "output mode": (
        [("output_mode: update", "output_mode: 3")],
        "13: jobs.merge.output_mode: must be text, not a number; "
        "allowed are append, update, complete",
    ),
    "trigger": (
        [("10 seconds", "10 fortnights")],
        "9: jobs.ingest.trigger: '10 fortnights' is no trigger; allowed are available-now and an "
        "interval of milliseconds, seconds, minutes, hours or days, such as 10 seconds",
    ),
    "trigger once": (
        [("10 seconds", "once")],
        "9: jobs.ingest.trigger: 'once' is no trigger; allowed are available-now and an interval "
        "of milliseconds, seconds, minutes, hours or days, such as 10 seconds; available-now "
        "takes its place",
    ),
    "transform": (
        [("sensors:keep_raw", "sensors.keep_raw")],
        "7: jobs.ingest.transform: 'sensors.keep_raw' is no transform; allowed is "
        "module:function, such as sensors:keep_raw",
    ),
    "job name": (
        [("  merge:", "  Merge_1:")],
        "10: jobs.Merge_1: 'Merge_1' is no name; allowed are up to 64 small letters, digits "
        "and -, the first of them no -",
    ),
    "job as text": (
        [("  merge:\n    source: raw\n    sink: gold\n    output_mode: update", "  merge: gold")],
        "10: jobs.merge: must be a mapping, not text",
    ),
    "option": (
        [("maxFilesPerTrigger: 2", "maxFilesPerTrigger: [2]")],
        "17: profiles.embedded.sources.files.options.maxFilesPerTrigger: must be text, a number, "
        "true or false",
    ),
    "reserved option": (
        [("maxFilesPerTrigger: 2", "checkpointLocation: x")],
        "17: profiles.embedded.sources.files.options: 'checkpointLocation' is no option here: "
        "it has a field of its own",
    ),
    "path is missing": (
        [("format: text, path: ./in,", "format: text,")],
        "17: profiles.embedded.sources.files: a source of format text needs a path",
    ),
    "path too many": (
        [("format: text", "format: rate")],
        "17: profiles.embedded.sources.files: a source of format rate has no path",
    ),
    "schema is missing": (
        [("format: text", "format: json")],
        "17: profiles.embedded.sources.files: a source of format json needs a schema, such as "
        "'id long, at timestamp'",
    ),
    "schema too many": (
        [("{format: text, path: ./in,", "{format: delta, path: ./in, schema: id long,")],
        "17: profiles.embedded.sources.files: a source of format delta has its own schema; "
        "leave the field out",
    ),
    "kafka": (
        [("{format: text, path: ./in, options: {maxFilesPerTrigger: 2}}", "{format: kafka}")],
        "17: profiles.embedded.sources.files: a source of format kafka needs the option "
        "kafka.bootstrap.servers; it needs exactly one of the options subscribe, "
        "subscribePattern, assign",
    ),
    "home folder": (
        [("path: ./in", "path: ~/in")],
        "17: profiles.embedded.sources.files.path: '~/in' begins with ~, which is not filled in; "
        "write the whole path",
    ),
    "empty location": (
        [("./checkpoints", '" "')],
        "1: checkpoints: ' ' is no location; allowed are a path and a URL",
    ),
    "unknown job": (
        [("job: ingest", "job: ingets")],
        "18: profiles.embedded.sources.raw.job: no job is called 'ingets'; did you mean 'ingest'?",
    ),
    "job and path": (
        [("job: ingest", "job: ingest, path: ./x")],
        "18: profiles.embedded.sources.raw.path: there is no such field; "
        "allowed are job, schema, options",
    ),
    "no schema for a job's output": (
        [(", schema: value string", "")],
        "18: profiles.embedded.sources.raw: rows in parquet need a schema: give it to this "
        "source or to the sink of job 'ingest'",
    ),
    "sink that cannot be read": (
        [
            ("sink: raw", "sink: gold"),
            ("sink: gold\n    output_mode", "sink: raw\n    output_mode"),
        ],
        "18: profiles.embedded.sources.raw.job: job 'ingest' writes to a sink of kind sql, which "
        "no job can read; only file, files without partition_by, and delta can be read",
    ),
    "circle of one": (
        [("source: files", "source: raw")],
        "6: jobs.ingest.source: jobs read each other in a circle: ingest → ingest",
    ),
    "circle of two": (
        [("source: files", "source: {job: merge}")],
        "6: jobs.ingest.source: jobs read each other in a circle: ingest → merge → ingest",
    ),
    "kind of sink": (
        [("kind: file", "kind: flie")],
        "20: profiles.embedded.sinks.raw.kind: no sink of kind 'flie' is installed; "
        "allowed are delta, file, files, http, kafka, python, sql; did you mean 'file'?",
    ),
    "key is missing": (
        [(", key: id", "")],
        "21: profiles.embedded.sinks.gold: mode upsert needs a key",
    ),
    "key too many": (
        [("mode: upsert", "mode: append")],
        "21: profiles.embedded.sinks.gold: key and version are for mode upsert",
    ),
    "key twice": (
        [("key: id", "key: [id, id]")],
        "21: profiles.embedded.sinks.gold.key: names a column twice",
    ),
    "delta key is missing": (
        [(f"{{{SQL}, key: id}}", "{kind: delta, path: ./gold, mode: upsert}")],
        "21: profiles.embedded.sinks.gold: mode upsert needs a key",
    ),
    "delta key too many": (
        [(f"{{{SQL}, key: id}}", "{kind: delta, path: ./gold, key: id}")],
        "21: profiles.embedded.sinks.gold: key, version and tombstone are for mode upsert",
    ),
    "delta create too many": (
        [(f"{{{SQL}, key: id}}", "{kind: delta, path: ./gold, create: true}")],
        "21: profiles.embedded.sinks.gold: mode append creates its table by itself; leave the "
        "field out",
    ),
    "delta columns without create": (
        [(f"{{{SQL}, key: id}}", "{kind: delta, path: ./g, mode: upsert, key: a, columns: a int}")],
        "21: profiles.embedded.sinks.gold: columns and partition_by are for creating the table; "
        "add create: true",
    ),
    "delta options with upsert": (
        [
            (
                f"{{{SQL}, key: id}}",
                "{kind: delta, path: ./g, mode: upsert, key: a, options: {b: c}}",
            )
        ],
        "21: profiles.embedded.sinks.gold: options are for Delta's own sink: mode append without a "
        "ledger",
    ),
    "stream of a table that is updated": (
        [
            (
                "{kind: file, format: parquet, path: ./raw, schema: value string}",
                "{kind: delta, path: ./raw, mode: upsert, key: a}",
            )
        ],
        "18: profiles.embedded.sources.raw.job: job 'ingest' updates rows of its table, and "
        "reading them as a stream needs one of the options readChangeFeed and skipChangeCommits",
    ),
    "base is missing": (
        [("checkpoints: ./checkpoints\n", "")],
        "1: checkpoints: is missing: the base of the checkpoints",
    ),
    "profile": (
        [("profile: embedded", "profile: embeded")],
        "2: profile: no profile is called 'embeded'; did you mean 'embedded'?",
    ),
    "variable": (
        [("gold.db", "${env:GOLD}.db")],
        "21: profiles.embedded.sinks.gold.url: the environment has no variable GOLD, which "
        "${env:GOLD} asks for",
    ),
    "reference": (
        [("./checkpoints", "${env:A-B}/x")],
        "1: checkpoints: '${env:A-B}' is no reference; allowed is ${env:NAME}",
    ),
    "key twice in YAML": (
        [("    sink: gold\n", "    sink: gold\n    sink: raw\n")],
        "13: jobs.merge.sink: is written twice",
    ),
    "profile of a job": (
        [("    sink: gold\n", "    sink: gold\n    profiles: [embedded, laek]\n")],
        "13: jobs.merge.profiles.1: no profile is called 'laek'; allowed are embedded",
    ),
    "profiles of a job are empty": (
        [("    sink: gold\n", "    sink: gold\n    profiles: []\n")],
        "13: jobs.merge.profiles: must name at least one profile",
    ),
    "job of another profile is read": (
        [
            ("    sink: raw\n", "    sink: raw\n    profiles: lake\n"),
            ("profiles:\n  emb", "profiles:\n  lake: {checkpoints: ./lake}\n  emb"),
        ],
        "20: profiles.embedded.sources.raw.job: job 'ingest' is not in profile 'embedded'; "
        "its field `profiles` says where it is",
    ),
    "no jobs": (
        [(SMALL[SMALL.index("  ingest:") : SMALL.index("profiles:")], "  {}\n")],
        "4: jobs: must have at least one entry",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_problem_is_said_exactly(case: str) -> None:
    changes, expected = CASES[case]
    with pytest.raises(UsageError) as caught:
        load(changed(*changes))
    assert caught.value.message == f"holdfast.yaml:{expected}"
    assert caught.value.next_action == "correct holdfast.yaml"


def test_all_problems_are_said_at_once_in_the_order_of_lines() -> None:
    text = changed(
        ("sink: raw", "sink: rwa"), ("format: text", "format: txt"), ("mode: update", "mode: x")
    )
    with pytest.raises(UsageError) as caught:
        load(text)
    starts = [line.split(": ")[0:2] for line in caught.value.message.splitlines()]
    assert starts == [
        ["holdfast.yaml:8", "jobs.ingest.sink"],
        ["holdfast.yaml:13", "jobs.merge.output_mode"],
        ["holdfast.yaml:17", "profiles.embedded.sources.files.format"],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: must be a mapping with checkpoints, jobs, profiles"),
        ("- a", "1: must be a mapping with checkpoints, jobs, profiles"),
        ("a: 1\nb: [", "2: is no YAML: while parsing a flow node expected the node content, "),
        ("a: 1\n---\nb: 2", "2: is no YAML: expected a single document in the stream but found"),
        ("a: !!python/name:os.system x", "1: is no YAML that we take: the tag tag:yaml.org,2002:p"),
        ("? [a]\n: b", "1: is no YAML that we take: a key that is no plain text"),
        ('"\\0": b', "1: is no YAML that we take: a key with control characters"),
        ('a: "\\UFFFFFFFF"', "1: is no YAML: an escape that stands for no character"),
        ('a: "\\uD800"', "1: is no YAML: an escape that stands for no character"),
        ("a: 1\nb: \x07", "2: is no YAML: a character that YAML does not allow"),
        ("a: " + "[" * 40 + "]" * 40, "1: is nested more than 30 deep"),
        ("a: &x [*x]", "1: is nested more than 30 deep"),
        ("a: 'x'\n" * 40_000, "1: is longer than 262,144 characters"),
    ],
)
def test_text_that_is_no_declaration(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(text)
    assert caught.value.message.startswith(f"holdfast.yaml:{message}")


def test_aliases_that_stand_for_millions_of_values_are_refused() -> None:
    rows = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(UsageError, match="stands for more than 50,000 values"):
        load("\n".join(rows))


PROFILES = "profiles:\n  {other}\n  embedded:"


def test_profiles_must_be_chosen_and_have_their_own_checkpoints() -> None:
    other = PROFILES.format(other="lake: {}")
    text = changed(("profiles:\n  embedded:", other), ("profile: embedded\n", ""))
    with pytest.raises(UsageError) as caught:
        load(text)
    assert caught.value.message == (
        "holdfast.yaml:13: profiles: say which one to use, with profile:; "
        "allowed are lake, embedded"
    )
    with pytest.raises(UsageError) as caught:
        load(text, profile="embeded")
    assert caught.value.message == (
        "holdfast.yaml:13: profiles: no profile is called 'embeded'; did you mean 'embedded'?"
    )
    with pytest.raises(UsageError) as caught:
        load(text, profile="embedded")
    assert caught.value.message == (
        "holdfast.yaml:15: profiles.embedded: has the same checkpoints as profile 'lake', and a "
        "checkpoint fits one source only; give each its own `checkpoints`"
    )
    apart = PROFILES.format(other="lake: {checkpoints: s3://lake/checkpoints}")
    assert load(changed(("profiles:\n  embedded:", apart))).base == "/project/checkpoints"
