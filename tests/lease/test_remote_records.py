"""Records in a store: lost answers and refusals of other spellings."""

import errno
from typing import Any

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.adapters.records.remote import RemoteRecords
from holdfast.errors import UnreachableError

pytestmark = pytest.mark.server


@pytest.fixture
def records(s3_checkpoint: str) -> RemoteRecords:
    opened = open_records(s3_checkpoint)
    assert isinstance(opened, RemoteRecords)
    return opened


def test_a_put_whose_answer_was_lost_is_ours(
    records: RemoteRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = records._fs.pipe_file

    def twice(*arguments: Any, **named: Any) -> None:
        put(*arguments, **named)
        put(*arguments, **named)

    with monkeypatch.context() as lossy:
        lossy.setattr(records._fs, "pipe_file", twice, raising=False)
        assert records.create("lease/1", b"x") is True
        assert records.create("lease/1", b"x") is False
    assert records.create("lease/1", b"x") is False


@pytest.mark.parametrize("kind", [OSError(errno.EINVAL, "PreconditionFailed"), OSError(5, "409")])
def test_a_refusal_can_look_like_anything(
    records: RemoteRecords, monkeypatch: pytest.MonkeyPatch, kind: OSError
) -> None:
    def refuse(*arguments: Any, **named: Any) -> None:
        raise kind

    assert records.create("lease/1", b"x")
    with monkeypatch.context() as strange:
        strange.setattr(records._fs, "pipe_file", refuse, raising=False)
        assert records.create("lease/1", b"y") is False
        with pytest.raises(UnreachableError):
            records.create("lease/2", b"y")
    assert records.read("lease/1") == b"x"


def test_a_bucket_that_is_not_there(s3_environment: object) -> None:
    records = open_records("s3://no-such-bucket-here/lake/ck")
    with pytest.raises(UnreachableError):
        records.create("lease/1", b"x")


def test_a_read_and_a_create_are_one_request_each(
    records: RemoteRecords, s3_environment: Any
) -> None:
    records.create("lease/1", b"x")
    s3_environment.forget()
    records.read("lease/1")
    records.create("lease/3", b"x")
    records.replace("lease/3.beat", b"1")
    assert [method for method, _ in s3_environment.requests()] == ["GET", "PUT", "PUT"]
