import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.formats.java_data import JavaDataInput, decode_modified_utf8
from holdfast.errors import CheckpointError, MalformedError

from .spark_writers import modified_utf8, write_utf


def test_integers_are_big_endian_and_signed() -> None:
    cursor = JavaDataInput(b"\xff\xff\xff\xfe\x01\x02\xff\xff", "it")
    assert (cursor.int32(), cursor.int16(), cursor.int16()) == (-2, 0x0102, -1)


def test_strings_are_read_one_after_the_other() -> None:
    cursor = JavaDataInput(write_utf("v2") + write_utf("ä"), "it")
    assert (cursor.utf(), cursor.utf()) == ("v2", "ä")


def test_a_length_past_the_end_is_cut_short() -> None:
    with pytest.raises(MalformedError, match="cut short: 65535 bytes expected at byte 2, 1 are"):
        JavaDataInput(b"\xff\xffa", "it").utf()


def test_nul_has_two_bytes_and_a_far_character_six() -> None:
    assert decode_modified_utf8(b"a\xc0\x80b", "it") == "a\x00b"
    assert decode_modified_utf8(b"\xed\xa0\xbd\xed\xb8\x80", "it") == "\U0001f600"


@pytest.mark.parametrize(
    "raw",
    [b"\xf0\x9f\x98\x80", b"\xed\xa0\xbd", b"\xed\xb8\x80\xed\xa0\xbd", b"\x80", b"\xc3", b"\xff"],
    ids=["four bytes", "half a pair", "pair reversed", "no lead", "cut", "never valid"],
)
def test_what_java_would_not_write_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="not modified UTF-8"):
        decode_modified_utf8(raw, "it")


@given(st.text())
def test_every_string_survives_the_round_trip(text: str) -> None:
    assert decode_modified_utf8(modified_utf8(text), "it") == text


@given(st.binary())
def test_any_bytes_decode_or_are_refused(raw: bytes) -> None:
    try:
        decode_modified_utf8(raw, "it")
    except CheckpointError:
        pass
