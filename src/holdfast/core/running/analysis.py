"""What is to be analysed, as it is handed to the process that does it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A job of a declaration, or a function that makes a streaming DataFrame from a session."""

    file: str | None = None
    """The declaration; None where a function alone is named."""
    profile: str | None = None
    job: str | None = None
    function: str | None = None
    """module:function. With a declaration it stands in for the transform of the job."""
