"""INSERT … ON CONFLICT, which PostgreSQL and SQLite spell alike."""

from collections.abc import Callable, Sequence

from holdfast.adapters.sinks.databases.port import Newer


def on_conflict(
    quote: Callable[[str], str],
    table: str,
    columns: Sequence[str],
    key: Sequence[str],
    newer: Newer | None,
) -> str:
    """What follows INSERT … SELECT so that a row with the same key is replaced."""
    conflict = f"ON CONFLICT ({', '.join(map(quote, key))})"
    others = [quote(name) for name in columns if name not in key]
    if not others:
        return f"{conflict} DO NOTHING"
    tail = f"{conflict} DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in others)}"
    if newer is None:
        return tail
    old = f"{quote(table)}."
    return f"{tail} WHERE {newer(lambda c: old + c, lambda c: f'excluded.{c}')}"
