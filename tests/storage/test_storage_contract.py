"""One behaviour of every storage: what core.ports.Storage promises, on each kind."""

import pytest

from holdfast.errors import TooLargeError, UnreachableError

from .conftest import Make

FILES = {
    "metadata": b'{"id":"x"}',
    "offsets/0": b"v1\n",
    "offsets/1": b"v1\nlonger",
    "offsets/.2.tmp": b"",
    "state/0/0/1.delta": b"\x00\xff",
}
ODD_NAMES = [
    "with space",
    "per%20cent",
    "a?b",
    "a#b",
    "a*[b]",
    "ünï-名前",
    "a::b",
    "plus+and&=",
    "~tilde",
]
LEAVING = ["../outside", "offsets/../../outside", "/etc/passwd", "offsets/..", ".."]


def test_walk_finds_every_file_with_its_directory(make: Make) -> None:
    tree = make(FILES).walk()
    found = {f"{path}/{name}".lstrip("/") for path in tree.directories for name in tree.names(path)}
    assert found == set(FILES)
    assert tree.file_count == len(FILES)
    assert tree.size_bytes == sum(map(len, FILES.values()))
    assert tree.sizes["offsets"] == len(b"v1\n" + b"v1\nlonger")
    assert set(tree.children("")) == {"offsets", "state"}
    assert tree.oddities == ()


def test_a_neighbour_whose_name_begins_the_same_is_not_inside(make: Make) -> None:
    storage = make({"ck/metadata": b"1", "ck2/metadata": b"22"}).at("ck")
    assert storage.walk().size_bytes == 1
    assert storage.entries().files == ("metadata",)


@pytest.mark.parametrize("walked", [True, False], ids=["after a listing", "without a listing"])
def test_read_gives_bytes_absence_or_an_error_for_each_name(make: Make, walked: bool) -> None:
    storage = make(FILES)
    if walked:
        storage.walk()
    names = ["metadata", "offsets/1", "offsets/.2.tmp", "offsets/7", "nothing/at/all", "offsets"]
    contents = storage.read(names, 9)
    assert contents["offsets/1"] == FILES["offsets/1"]
    assert contents["offsets/.2.tmp"] == b""
    assert isinstance(contents["metadata"], TooLargeError)
    assert contents["offsets/7"] is None
    assert contents["nothing/at/all"] is None
    assert not isinstance(contents["offsets"], bytes)
    assert set(contents) == set(names)
    assert storage.read([], 9) == {}


@pytest.mark.parametrize("walked", [True, False], ids=["after a listing", "without a listing"])
def test_names_that_leave_the_folder_are_refused(make: Make, walked: bool) -> None:
    storage = make({**{f"in/{name}": data for name, data in FILES.items()}, "outside": b"secret"})
    storage = storage.at("in")
    if walked:
        storage.walk()
    contents = storage.read(LEAVING, 1000)
    assert all(isinstance(contents[name], UnreachableError) for name in LEAVING)
    assert storage.stat(LEAVING) == {}
    with pytest.raises(UnreachableError):
        storage.at("..")


def test_stat_gives_size_and_time_and_leaves_out_what_is_not_there(make: Make) -> None:
    storage = make(FILES)
    for _ in range(2):
        stats = storage.stat(["metadata", "offsets/1", "offsets/7", "offsets"])
        assert set(stats) == {"metadata", "offsets/1"}
        assert stats["offsets/1"].size_bytes == 9
        assert stats["offsets/1"].modified_ms >= 0
        storage.walk()


def test_entries_look_one_level_deep(make: Make) -> None:
    storage = make(FILES)
    assert storage.entries().folders == ("offsets", "state")
    assert storage.entries().files == ("metadata",)
    assert storage.at("state").entries().folders == ("0",)
    assert storage.at("state/0").entries().folders == ("0",)


def test_a_folder_that_is_not_there_cannot_be_listed(make: Make) -> None:
    storage = make(FILES)
    with pytest.raises(UnreachableError):
        storage.at("nowhere").entries()


def test_odd_names_are_names_and_no_patterns(make: Make) -> None:
    files = {f"offsets/{name}": name.encode() for name in ODD_NAMES}
    storage = make(files)
    tree = storage.walk()
    assert set(tree.names("offsets")) == set(ODD_NAMES)
    assert storage.read(list(files), 100) == files
    assert set(storage.stat(list(files))) == set(files)


def test_a_folder_with_an_odd_name_can_be_opened(make: Make) -> None:
    storage = make({f"{name}/metadata": name.encode() for name in ODD_NAMES})
    assert set(storage.entries().folders) == set(ODD_NAMES)
    for name in ODD_NAMES:
        inside = storage.at(name)
        assert inside.walk().names("") == ["metadata"]
        assert inside.read(["metadata"], 100) == {"metadata": name.encode()}


def test_there_is_no_method_that_writes(make: Make) -> None:
    public = {name for name in dir(make(FILES)) if not name.startswith("_")}
    assert public == {"at", "entries", "location", "read", "reads_are_cheap", "stat", "walk"}
