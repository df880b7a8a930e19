"""`run` for a person: a line for each job when all is over."""

from holdfast.core.running.run import RunResult
from holdfast.surfaces.render.page import Page

_HEADER = ("job", "ended", "batches", "rows", "last batch", "seconds")


def print_run(results: tuple[RunResult, ...]) -> None:
    """Print how each job ended."""
    page = Page()
    page.say()
    page.table(
        _HEADER,
        [
            (
                result.job,
                result.end,
                f"{result.batches:,}",
                f"{result.rows:,}",
                "-" if result.last_batch is None else f"{result.last_batch:,}",
                f"{result.duration_ms / 1000:.1f}",
            )
            for result in results
        ],
        indent=2,
        right=len(_HEADER),
        numbers=(2, 3, 4, 5),
    )
    for result in results:
        if result.cause:
            page.say()
            page.say(f"!! {result.job}: {result.code} {result.cause}")
        if result.next_action:
            page.say(f"next: {result.next_action}")
