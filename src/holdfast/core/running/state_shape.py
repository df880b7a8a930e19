"""What a stateful operator keeps for each key, as far as the analysed plan tells it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StateShape:
    """One stateful operator: what its state is made of, and what its keys are made from."""

    kind: str
    """Catalyst's name of the operator, such as Aggregate."""
    keys: tuple[str, ...]
    """Key columns with their types: Spark checks those against the stored schema."""
    values: tuple[str, ...]
    """Aggregate functions with their types: checked as well."""
    made_by: tuple[str, ...]
    """How derived keys come about, such as the size of a window: Spark checks none of it."""
