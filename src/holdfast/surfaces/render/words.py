"""Numbers, times and names as a tired person wants to read them."""

from datetime import UTC, datetime

_UNITS = (("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 10**9), ("TB", 10**12))
_AGES = ((86_400 * 2, 86_400, "d"), (3_600 * 2, 3_600, "h"), (60 * 2, 60, "min"), (0, 1, "s"))
_TIME_MAX_MS = 253_402_300_799_000
"""The last millisecond that a calendar of four-digit years can name."""


def size(count: int) -> str:
    """A size in decimal units: 1.8 MB."""
    name, unit = next(((n, u) for n, u in reversed(_UNITS) if count >= u), ("B", 1))
    value = count / unit
    return (
        f"{count} B"
        if unit == 1
        else f"{value:.1f} {name}"
        if value < 10
        else f"{value:.0f} {name}"
    )


def moment(time_ms: int | None) -> str:
    """A time with its zone; what no calendar can name is shown as the number it is."""
    if time_ms is None:
        return "unknown"
    if not 0 <= time_ms <= _TIME_MAX_MS:
        return f"{time_ms} ms"
    return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def age(time_ms: int | None, now_ms: int) -> str:
    """How long ago: 26 h ago."""
    if time_ms is None or time_ms <= 0:
        return "unknown"
    seconds = (now_ms - time_ms) // 1000
    if seconds < 0:
        return "in the future"
    return next(f"{seconds // unit} {name} ago" for least, unit, name in _AGES if seconds >= least)


def duration(time_ms: int | None) -> str:
    """How long something took: 120 ms, 4.2 s, 3 min 5 s, 2 h 10 min."""
    if time_ms is None:
        return "unknown"
    if time_ms < 1_000:
        return f"{time_ms} ms"
    seconds = time_ms // 1_000
    if seconds < 60:
        return f"{time_ms / 1_000:.1f} s"
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3_600:,} h {seconds % 3_600 // 60} min"


def watermark(time_ms: int | None) -> str:
    """A watermark; 0 is what Spark writes before there is one."""
    if time_ms is None:
        return "unknown"
    return moment(time_ms) if time_ms else "none yet"


def plain(text: str) -> str:
    """Text that cannot move the cursor or break a line: control characters are spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def count(number: int, noun: str) -> str:
    """A number and its noun, in the plural where it must be."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def span(first: int, last: int) -> str:
    """A range of batches."""
    return f"{first:,}" if first == last else f"{first:,} … {last:,}"
