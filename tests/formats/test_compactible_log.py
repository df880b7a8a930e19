import pytest

from holdfast.core.formats.compactible_log import entry_objects, parse_compactible_name
from holdfast.errors import CheckpointError, MalformedError, NewerVersionError, TooLargeError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("0", (0, False)),
        ("19.compact", (19, True)),
        ("9223372036854775807", (2**63 - 1, False)),
        ("9223372036854775808", None),
        ("9" * 5000, None),
        ("compact", None),
        (".compact", None),
        ("9.compact.compact", None),
        ("-1", None),
        ("٣", None),
        (".9.compact.crc", None),
        ("", None),
    ],
)
def test_names_of_the_log(name: str, expected: tuple[int, bool] | None) -> None:
    assert parse_compactible_name(name) == expected


def test_an_empty_batch_is_only_its_version() -> None:
    assert entry_objects(b"v1", "it") == []


def test_brackets_inside_strings_are_no_nesting() -> None:
    assert entry_objects(b'v1\n{"path":"/{a}[b]"}', "it") == [{"path": "/{a}[b]"}]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", MalformedError),
        (b"v2\n{}", NewerVersionError),
        (b"v1\n\n{}", MalformedError),
        (b"v1\n{", MalformedError),
        (b'v1\n"{"', MalformedError),
        (b"v1\n{}{}", MalformedError),
        (b"v1\n" + b"[" * 100_000, TooLargeError),
        (b"v1\n" + b'{"a":' * 100_000, TooLargeError),
        (b'v1\n{"a":' + b"9" * 5000 + b"}", MalformedError),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, error: type[CheckpointError]) -> None:
    with pytest.raises(error):
        entry_objects(data, "it")


def test_the_line_is_named() -> None:
    with pytest.raises(MalformedError, match="line 3"):
        entry_objects(b"v1\n{}\n{,", "it")
