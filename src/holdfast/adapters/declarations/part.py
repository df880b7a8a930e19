"""What every part of a declaration has in common: known fields, and options for Spark."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from holdfast.adapters.declarations.fields import OptionText

OPTIONS = "Options by Spark's own names."
RESERVED = ("path", "format", "schema", "checkpointlocation", "partition_by")
"""Options that have a field of their own, or that Holdfast sets."""


def _not_reserved(options: dict[str, str]) -> dict[str, str]:
    taken = [name for name in options if name.lower() in RESERVED]
    if taken:
        raise ValueError(f"{taken[0]!r} is no option here: it has a field of its own")
    return options


SparkOptions = Annotated[dict[str, OptionText], AfterValidator(_not_reserved)]


class Part(BaseModel):
    """A mapping whose fields are all known, and whose values are taken as they are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
