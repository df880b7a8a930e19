import time

import pytest
from hypothesis import given

from holdfast.core.formats.file_source_log import FileSourceEntry, parse_file_source_log
from holdfast.errors import CheckpointError, MalformedError

from .spark_writers import mutations

LOG = (
    b'v1\n{"path":"file:///in%20put/a.json","timestamp":1794778410908,"batchId":2}\n'
    b'{"path":"/a/b/0","timestamp":1480730949000,"batchId":0}'
)


def test_entries_keep_uris_and_the_bare_paths_of_old_versions() -> None:
    assert parse_file_source_log(LOG) == (
        FileSourceEntry(path="file:///in%20put/a.json", timestamp_ms=1794778410908, batch_id=2),
        FileSourceEntry(path="/a/b/0", timestamp_ms=1480730949000, batch_id=0),
    )


@pytest.mark.parametrize("old", [b'"/a/b/0"', b"1480730949000", b"0}"])
def test_a_field_of_another_type_is_refused(old: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_file_source_log(LOG.replace(old, b"null" + old[-1:] * old.endswith(b"}")))


def test_the_java_objects_of_spark_2_0_are_refused() -> None:
    with pytest.raises(MalformedError, match="UTF-8"):
        parse_file_source_log(b"\xac\xed\x00\x05sr")


def test_a_hundred_thousand_files_are_quick() -> None:
    line = '{"path":"s3a://bucket/year=2026/part-%08d.json","timestamp":1794778410908,"batchId":1}'
    data = "\n".join(["v1", *(line % number for number in range(100_000))]).encode()
    started = time.perf_counter()
    assert len(parse_file_source_log(data)) == 100_000
    # About 0.4 s on a slow machine; a quadratic step would take minutes.
    assert time.perf_counter() - started < 10


@given(mutations(LOG))
def test_damaged_bytes_raise_only_checkpoint_errors(data: bytes) -> None:
    try:
        parse_file_source_log(data)
    except CheckpointError:
        pass
