"""Everything that people suffer from is recognised, wherever it stands."""

from collections.abc import Callable

import pytest

from holdfast.core.explain.catalogue.all import CATALOGUE
from holdfast.core.explain.recogniser import Recognised, recognise
from tests.explain.texts import CONDITIONS, PAINS, WRAPPED, alone, bracketed, in_log, in_trace

EXPLAINED_BY = {
    name: explanation.id for explanation in CATALOGUE for name in explanation.conditions
}
WRAPPERS = {e.id for e in CATALOGUE if e.strength == "wrapper"}


def of(text: str) -> Recognised:
    return recognise([text], CATALOGUE)


def best(text: str) -> str:
    return of(text).matches[0].explanation.id


def test_there_is_a_text_for_every_pain_and_a_name_for_every_condition() -> None:
    assert len({pain for pain, _, _ in PAINS}) == 65
    assert len([name for name in CONDITIONS if "." not in name]) == 98
    assert len([name for name in CONDITIONS if "." in name]) == 78


@pytest.mark.parametrize("shape", [alone, in_trace, in_log])
@pytest.mark.parametrize(("pain", "text", "expected"), PAINS)
def test_every_pain(pain: str, text: str, expected: str, shape: Callable[[str], str]) -> None:
    assert best(shape(text)) == expected


@pytest.mark.parametrize("shape", [alone, in_trace, in_log])
@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition(name: str, shape: Callable[[str], str]) -> None:
    result = of(shape(bracketed(name)))
    first = result.matches[0]
    assert (first.explanation.id, first.by) == (EXPLAINED_BY[name], name)
    assert not result.unknown_names


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_by_its_bare_name(name: str) -> None:
    match = of(name).matches[0]
    assert (match.explanation.id, match.by) == (EXPLAINED_BY[name], name)


@pytest.mark.parametrize("name", [n for n in CONDITIONS if EXPLAINED_BY[n] not in WRAPPERS])
def test_a_wrapper_on_the_same_line_gives_way(name: str) -> None:
    result = of(WRAPPED + bracketed(name))
    assert [m.by for m in result.matches] == [name, "STREAM_FAILED"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("checkpointLocation must be specified either through option", "1298"),
        ("This query does not support recovering from checkpoint location", "1299"),
        ("Failed to rename as /c/offsets/3 already exists", "2198"),
        ('possible problem with the location of your "_spark_metadata"', "2200"),
        ("Multiple streaming queries are concurrently using /c", "2207"),
        ("Cannot purge as it might break internal state", "2260"),
        ("Clean up source files is not supported when reading", "2261"),
        ("possible problem with the location of your checkpoint", "2263"),
    ],
)
def test_conditions_whose_name_spark_never_prints_are_found_by_their_words(
    words: str, name: str
) -> None:
    assert best(words) == EXPLAINED_BY[f"_LEGACY_ERROR_TEMP_{name}"]


def test_a_trace_of_python() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "job.py", line 9, in <module>\n'
        "    query.awaitTermination()\n"
        "pyspark.errors.exceptions.captured.StreamingQueryException: "
        + WRAPPED
        + bracketed("KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED")
        + '\nset the source option "failOnDataLoss" to "false".\n'
    )
    result = of(text)
    assert result.matches[0].by == "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED"
    assert [advice.id for advice in result.advice] == ["fail-on-data-loss-false"]


def test_the_innermost_cause_comes_first() -> None:
    text = (
        "java.lang.IllegalStateException: [CONCURRENT_STREAM_LOG_UPDATE] x\n"
        "Caused by: a.B: [MALFORMED_LOG_FILE] x\n"
        "Caused by: c.D: [STREAMING_CHECKPOINT_MISSING_METADATA_FILE] x\n"
    )
    found = [m.explanation.id for m in of(text).matches]
    assert found == ["metadata-missing", "torn-log-file", "two-writers"]


def test_a_cause_of_an_earlier_record_does_not_count_for_a_later_one() -> None:
    text = in_log(bracketed("MALFORMED_LOG_FILE")) + "26/11/14 04:00:00 ERROR X: [CONCURRENT_QUERY]"
    depths = {m.explanation.id: m.depth for m in of(text).matches}
    assert depths["torn-log-file"] == 2 and depths["query-active"] == 0


def test_an_error_is_before_a_sign_and_lines_are_counted() -> None:
    text = "INFO Skipping already complete epoch 3\n" * 3 + "ERROR [MALFORMED_LOG_FILE]\n"
    error, sign = of(text).matches
    assert (error.explanation.id, error.first_line, error.last_line) == ("torn-log-file", 4, 4)
    assert (sign.count, sign.first_line, sign.last_line) == (3, 1, 3)


def test_a_sign_of_lost_rows_is_before_a_later_one_that_passes() -> None:
    text = "INFO Skipping already complete epoch 3\nWARN Broker may not be available.\n"
    assert [m.explanation.id for m in of(text).matches] == ["delta-skips-epoch", "server-away"]


def test_blocks_are_one_text() -> None:
    blocks = ["a\nb\n", "c\n[MALFORMED_LOG_FILE]\n", "d\n[MALFORMED_LOG_FILE]\n"]
    result = recognise(blocks, CATALOGUE)
    match = result.matches[0]
    assert (match.first_line, match.last_line, match.count, result.lines) == (4, 6, 2, 6)


def test_a_message_that_was_broken_into_lines() -> None:
    text = "There are [1] sources in the checkpoint\n   offsets and now there\nare [3] sources"
    assert best(text) == "source-count"


def test_typographic_marks_are_no_obstacle() -> None:
    assert best("batch 2 doesn’t exist") == "hole-in-log"


def test_an_unknown_part_of_a_known_name_and_an_unknown_name() -> None:
    result = of("[KAFKA_DATA_LOSS.OF_A_LATER_RELEASE] x\n[MADE_UP_CONDITION.PART] y")
    assert result.matches[0].by == "KAFKA_DATA_LOSS"
    assert result.unknown_names == ("MADE_UP_CONDITION.PART",)


@pytest.mark.parametrize(
    "text", ["", "all is well", "confirm commits/ and offsets/", "A" * 5_000_000, "_" * 3_000_000]
)
def test_nothing_is_recognised_where_nothing_is(text: str) -> None:
    result = of(text)
    assert not result.matches and not result.advice


def test_bytes_that_are_no_text() -> None:
    noise = bytes(range(256)).decode("utf-8", errors="replace") * 2_000
    assert best(f"{noise}\n[MALFORMED_LOG_FILE]\n{noise}") == "torn-log-file"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("just delete the checkpoint and restart from earliest", "delete-checkpoint"),
        ("rm -rf /data/checkpoint/gold", "delete-checkpoint"),
        ('.option("failOnDataLoss", "false")', "fail-on-data-loss-false"),
        ("set failOnDataLoss=false", "fail-on-data-loss-false"),
        ("delete the last commit files", "delete-commit-files"),
        ("rm -f ck/commits/41", "delete-commit-files"),
        ("rm ck/offsets/41", "delete-offset-files"),
        ("please set spark.sql.streaming.stateStore.stateSchemaCheck to false", "schema-check-off"),
        ("delete _spark_metadata", "delete-spark-metadata"),
        ("rm -r ck/state/0", "delete-state"),
    ],
)
def test_harmful_advice_in_a_text_is_found(text: str, expected: str) -> None:
    assert expected in [advice.id for advice in of(text).advice]


@pytest.mark.parametrize(
    ("line", "sink"),
    [
        ("INFO DeltaSink: x", "delta"),
        ("at org.apache.spark.sql.execution.streaming.FileStreamSink.addBatch(x)", "file"),
        ("at ...sources.ForeachBatchSink.addBatch(x)", "foreach"),
        ("at org.apache.iceberg.spark.source.SparkWrite$StreamingAppend.commit(x)", "iceberg"),
        ('.option("txnAppId", "x") DeltaSink', "delta-txn"),
        ("nothing", None),
    ],
)
def test_the_sink_is_read_from_the_text(line: str, sink: str | None) -> None:
    assert of(line).sink == sink


def test_a_first_part_without_its_second_is_given_up_in_the_end() -> None:
    text = "topic x " + "." * 500 + "\ntopic " * 3_000 + "." * 1_000 + " recreated"
    assert not of(text).matches
