"""A right answer that the user names: the undisturbed run is held against it, and then the rest."""

from dataclasses import dataclass

from holdfast.adapters.outputs.opening import open_output
from holdfast.audit.judging import compare_tables, examples_of
from holdfast.audit.recording import Recording
from holdfast.core.crash.comparison import Comparison
from holdfast.core.crash.table import Table
from holdfast.core.secret_text import without_password
from holdfast.errors import UsageError

WORK = "{work}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How the undisturbed run differs from the answer."""

    comparison: Comparison
    examples: tuple[str, ...]


def read_answer(spec: str, recording: Recording) -> Table:
    """The rows that should be there at the end; raises UsageError where there are none."""
    folder = recording.room.folder
    right: Table = open_output(spec.replace(WORK, str(folder)), folder).read()
    right = right.without(recording.left_out)
    if not right.rows:
        raise UsageError(
            "the answer has no rows",
            subject=without_password(spec),
            next_action="look at what --answer names",
        )
    missing = set(right.columns) - set(recording.answer.columns)
    if recording.answer.rows and missing:
        raise UsageError(
            f"the answer has columns that the output has not: {', '.join(sorted(missing))}",
            subject=without_password(spec),
            next_action=f"the output has {', '.join(recording.answer.columns)}; name them so",
        )
    return right


def hold_against(
    recording: Recording, right: Table, key: tuple[str, ...]
) -> tuple[Recording, Difference | None]:
    """The recording with the columns of the answer alone, and how it differs, None where not.

    Where it does not, what equals the undisturbed run equals the answer.
    """
    others = frozenset(recording.answer.columns) - frozenset(right.columns)
    recording = recording.without(others)
    comparison = compare_tables(right, recording.answer, key)
    if comparison.is_equal:
        return recording, None
    examples = examples_of(right, recording.answer)
    return recording, Difference(comparison=comparison, examples=examples)
