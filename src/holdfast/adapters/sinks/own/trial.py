"""A target for trials of an audit, as the options describe it: a target's own code makes none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from holdfast.adapters.sinks.option_values import refuse_unknown, wrong
from holdfast.core.running.ports import TrialTarget
from holdfast.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTemplate:
    """Options of the sink in a trial, and who reads what it wrote.

    `{folder}` and `{run}` stand for the trial's own folder and its own short name.
    """

    options: Mapping[str, Any]
    read: str

    @classmethod
    def parse(cls, kind: str, given: Any, allowed: tuple[str, ...]) -> Self | None:
        """From the option `trial`; raises UsageError that names what is wrong."""
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise wrong(kind, "trial must be a mapping", "write trial: {read: …}")
        refuse_unknown(f"{kind}, trial", given, ("read", *allowed))
        if not isinstance(given.get("read"), str):
            raise wrong(kind, "trial needs read", "name who reads it: read: module:function")
        rest = {name: value for name, value in given.items() if name != "read"}
        return cls(options=rest, read=given["read"])

    @staticmethod
    def target(template: "TrialTemplate | None", sink: str, folder: str, run: str) -> TrialTarget:
        """The target of one trial; raises UsageError where the options name none."""
        if template is None:
            raise UsageError(
                f"sink {sink!r} cannot be copied into an audit: nothing says where a trial writes",
                subject="sink",
                next_action="add trial: with the target of a trial, and who reads it",
            )
        filled = {"folder": folder, "run": run}
        return TrialTarget(
            options={name: _filled(value, filled) for name, value in template.options.items()},
            root=None,
            read=str(_filled(template.read, filled)),
        )


def _filled(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, Mapping):
        return {key: _filled(item, names) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(item, names) for item in value]
    return value
