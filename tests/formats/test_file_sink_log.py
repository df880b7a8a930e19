import pytest
from hypothesis import given

from holdfast.core.formats.file_sink_log import FileSinkEntry, parse_file_sink_log
from holdfast.errors import CheckpointError, MalformedError

from .spark_writers import mutations

LOG = (
    b'v1\n{"path":"file:///out/part-00000-c000.json","size":1060,"isDir":false,'
    b'"modificationTime":1794778481406,"blockReplication":1,"blockSize":33554432,"action":"add"}'
)


def test_an_entry_is_read() -> None:
    assert parse_file_sink_log(LOG) == (
        FileSinkEntry(
            path="file:///out/part-00000-c000.json",
            size_bytes=1060,
            is_dir=False,
            modification_time_ms=1794778481406,
            block_replication=1,
            block_size_bytes=33554432,
            action="add",
        ),
    )


def test_a_deletion_is_read() -> None:
    (entry,) = parse_file_sink_log(LOG.replace(b'"add"', b'"delete"'))
    assert entry.action == "delete"


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"false", b"0"), (b'"add"', b'"rename"'), (b'"add"', b"1"), (b"1060", b"1.5")],
)
def test_a_false_field_is_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_file_sink_log(LOG.replace(old, new))


@given(mutations(LOG))
def test_damaged_bytes_raise_only_checkpoint_errors(data: bytes) -> None:
    try:
        parse_file_sink_log(data)
    except CheckpointError:
        pass
