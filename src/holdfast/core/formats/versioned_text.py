"""The text logs of Spark: a first line `v<N>`, then lines that depend on N.

HDFSMetadataLog.validateVersion is the rule: the line is the letter v and a positive number; a
larger number than the reader knows is "produced by a newer version of Spark".
"""

from holdfast.core.limits import FILE_BYTES_MAX, TEXT_LINES_MAX
from holdfast.errors import MalformedError, NewerVersionError, TooLargeError


def decode_text(data: bytes, what: str) -> str:
    """Decode UTF-8, strictly: a damaged byte is named, not replaced."""
    if len(data) > FILE_BYTES_MAX:
        raise TooLargeError(f"{what} is larger than {FILE_BYTES_MAX} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedError(f"{what} is not UTF-8 text (byte {error.start})") from error


def split_version(data: bytes, what: str, newest: int) -> tuple[int, list[str]]:
    """Give the version and the lines after it; a version above `newest` is refused by name."""
    text = decode_text(data, what)
    if not text:
        raise MalformedError(f"{what} is empty: it was created and never written")
    if text.count("\n") > TEXT_LINES_MAX:
        raise TooLargeError(f"{what} has more than {TEXT_LINES_MAX:,} lines")
    # Spark reads with Scala's getLines, which ends lines at \n and \r\n only;
    # str.splitlines would also cut at Unicode separators inside JSON strings.
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines and lines[-1] == "":
        lines.pop()
    return parse_version(lines[0] if lines else "", what, newest), lines[1:]


def parse_version(line: str, what: str, newest: int) -> int:
    """Read `v1`; digits only, since Scala's toInt takes nothing else here but a sign."""
    digits = line[1:]
    if not line.startswith("v") or not (digits.isascii() and digits.isdigit()):
        raise MalformedError(f"{what} does not begin with a version line such as v1")
    if len(digits) > 9 or int(digits) < 1:
        raise MalformedError(f"{what} has the impossible version {line[:20]!r}")
    version = int(digits)
    if version > newest:
        message = f"{what} has format v{version}, newer than v{newest}, the newest known here"
        raise NewerVersionError(message)
    return version
