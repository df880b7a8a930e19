"""What every kind of records promises."""

import sys

import pytest

from holdfast.adapters.records.opening import open_records
from holdfast.core.running.ports import Records
from holdfast.errors import NotInstalledError, UnreachableError, UsageError


def test_nothing_is_there_at_first(records: Records) -> None:
    assert records.read("lease/1") is None
    assert list(records.names("lease")) == []


def test_they_lie_beside_the_checkpoint(checkpoint: str, records: Records) -> None:
    parent, _, name = checkpoint.rpartition("/")
    assert records.location.endswith(f"/_holdfast/{name}")
    assert records.location.removeprefix("file://").startswith(parent)


def test_create_once(records: Records) -> None:
    assert records.create("lease/1", b"mine") is True
    assert records.create("lease/1", b"other") is False
    assert records.create("lease/1", b"mine") is False
    assert records.read("lease/1") == b"mine"


def test_a_second_opener_sees_it(checkpoint: str, records: Records) -> None:
    records.create("lease/1", b"mine")
    other = open_records(checkpoint)
    assert other.read("lease/1") == b"mine"
    assert other.create("lease/1", b"other") is False
    records.replace("lease/1.beat", b"1")
    assert other.read("lease/1.beat") == b"1"
    records.replace("lease/1.beat", b"2")
    assert other.read("lease/1.beat") == b"2"


def test_replace_writes_whether_or_not_it_was_there(records: Records) -> None:
    records.replace("identity.json", b"a" * 100)
    records.replace("identity.json", b"b")
    assert records.read("identity.json") == b"b"
    assert records.create("identity.json", b"c") is False


def test_what_was_removed_is_gone_and_may_be_removed_again(records: Records) -> None:
    records.create("seals/1", b"x")
    records.create("seals/2", b"y")
    records.remove("seals/1")
    records.remove("seals/1")
    assert list(records.names("seals")) == ["2"] and records.read("seals/1") is None


def test_an_empty_file_is_a_file(records: Records) -> None:
    assert records.create("lease/1", b"") is True
    assert records.read("lease/1") == b""
    assert records.create("lease/1", b"x") is False


def test_names_are_sorted_and_of_one_folder(records: Records) -> None:
    for name in ("lease/3", "lease/1", "lease/2.beat", "lease/deep/4", "runs/5", "lease-not/6"):
        assert records.create(name, b"x")
    assert list(records.names("lease")) == ["1", "2.beat", "3"]
    assert list(records.names("runs")) == ["5"]
    assert list(records.names("lea")) == []


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/x", "", "a//b", ".hidden", "a/.b", "a\0b", "lease/"]
)
def test_a_name_that_leads_out_is_refused(records: Records, name: str) -> None:
    for act in (
        lambda: records.create(name, b"x"),
        lambda: records.replace(name, b"x"),
        lambda: records.read(name),
        lambda: records.names(name),
    ):
        with pytest.raises(UnreachableError):
            act()


@pytest.mark.parametrize(
    "location", ["/", "file:///", "memory://ck", "", " ", "a\0b", "what://x/y"]
)
def test_a_location_without_room_for_records_is_refused(location: str) -> None:
    with pytest.raises(UsageError):
        open_records(location)


@pytest.mark.server
def test_a_bucket_alone_has_no_room_for_records() -> None:
    with pytest.raises(UsageError):
        open_records("s3://bucket")


def test_a_password_in_a_location_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        open_records("s3://key:hush@bucket/ck")
    assert "hush" not in f"{caught.value.subject}{caught.value}"


def test_a_store_without_its_library_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "hdfs_native", None)
    with pytest.raises(NotInstalledError, match="hdfs"):
        open_records("hdfs://name-node/ck")
