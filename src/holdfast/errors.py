"""Every error that Holdfast raises, in one tree.

    HoldfastError                (abstract: code, subject, message, next action)
    ├── UsageError               you: an argument that cannot be right
    ├── CheckpointError          what lies on storage
    │   ├── NotACheckpointError  this folder is something else
    │   ├── MalformedError       a file does not hold what its place says it must
    │   ├── NewerVersionError    a format newer than this release knows
    │   └── TooLargeError        past a named limit of core/limits.py
    ├── UnreachableError         could not look: missing, forbidden, time-out
    ├── RefusedError             unsafe, and therefore not done
    │   ├── GuardedError         a guard found something; its code is that of the finding
    │   ├── LeaseHeldError       another holder has the checkpoint
    │   ├── StalePlanError       what a plan looked at has changed since
    │   └── FencedError          a newer holder has taken over; this one must stop
    ├── EngineLostError          Spark's own process has died; its queries are over
    ├── NotInstalledError        an optional library is not there; carries the pip line
    └── InternalError            our own mistake, said without a traceback

Codes are stable and never reused. HF0xx are errors of this tree; HF1xx are findings about a
checkpoint (core/finding.py), HF2xx those of the guards (core/guards), HF3xx those about
sources (core/evidence/source_findings.py), HF5xx those of doctor (core/doctor/check.py).
"""

from typing import ClassVar, Literal

Why = Literal["missing", "forbidden", "odd", "unanswered"]
"""Why a look failed: nothing there, no permission, no plain file, or no answer at all."""


class HoldfastError(Exception):
    """The root. Abstract: raise a leaf."""

    code: ClassVar[str] = "HF000"
    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, subject: str = "", next_action: str = "") -> None:
        """Keep the sentence, the thing it is about, and what to do next."""
        if type(self) is HoldfastError:
            raise TypeError("HoldfastError is abstract")
        super().__init__(message)
        self.message = message
        self.subject = subject
        self.next_action = next_action


class UsageError(HoldfastError):
    """An argument cannot be right."""

    code = "HF001"


class CheckpointError(HoldfastError):
    """What lies on storage is not what it should be."""

    code = "HF002"


class NotACheckpointError(CheckpointError):
    """The location exists and is something else."""

    code = "HF003"


class MalformedError(CheckpointError):
    """A file does not hold what its place says it must."""

    code = "HF004"


class NewerVersionError(CheckpointError):
    """A format newer than this release knows: said to be so, never guessed at."""

    code = "HF005"


class TooLargeError(CheckpointError):
    """A file, or what it unpacks to, is past a named limit."""

    code = "HF006"


class UnreachableError(HoldfastError):
    """Could not look: nothing there, no permission, no answer."""

    code = "HF007"

    def __init__(
        self,
        message: str,
        *,
        subject: str = "",
        next_action: str = "",
        why: Why = "unanswered",
    ) -> None:
        """Keep the reason as well: that nothing is there is an answer, silence is none."""
        super().__init__(message, subject=subject, next_action=next_action)
        self.why: Why = why


class NotInstalledError(HoldfastError):
    """An optional library is missing; the next action is the line that installs it."""

    code = "HF008"


class InternalError(HoldfastError):
    """Our own mistake: something happened that no code path expected."""

    code = "HF009"


class EngineLostError(HoldfastError):
    """Spark's own process has died, and every query in it."""

    code = "HF024"


class RefusedError(HoldfastError):
    """It would be unsafe, so it is not done; the findings say why."""

    code = "HF020"
    exit_code = 1


class GuardedError(RefusedError):
    """A guard refuses the start; the code is that of its finding."""

    def __init__(self, code: str, message: str, next_action: str) -> None:
        """Take the finding's own code in place of the general one."""
        super().__init__(message, next_action=next_action)
        self.code = code  # type: ignore[misc] # of this error, not of its class


class LeaseHeldError(RefusedError):
    """Another holder has the checkpoint and is alive."""

    code = "HF021"
    exit_code = 3


class StalePlanError(RefusedError):
    """What a plan looked at has changed since, so that it is not carried out."""

    code = "HF025"
    exit_code = 3


class FencedError(RefusedError):
    """A newer holder has taken the checkpoint over; this one must write nothing more."""

    code = "HF022"
    exit_code = 3
