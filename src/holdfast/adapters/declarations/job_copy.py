"""One job of a declaration as a declaration of its own, with other places to read and write.

Values of `${env:…}` stay as they are written: no secret goes into the copy.
"""

from collections.abc import Mapping
from typing import Any

import yaml

PROFILE = "audit"
_OF_THE_WHOLE = ("checkpoint", "profiles")
"""Fields of a job that mean something only among the other jobs and profiles."""


def job_copy(
    text: str,
    *,
    profile: str,
    job: str,
    checkpoints: str,
    source: Mapping[str, Any],
    sink: Mapping[str, Any],
    spark: Mapping[str, str],
    checkpoint: str | None = None,
) -> str:
    """The text of the copy; source and sink go over what is declared, `options` option by option.

    A source that reads another job's output must be given with format, path and schema. A
    checkpoint that is given has been there before, and is named as such.
    """
    declared: dict[str, Any] = yaml.safe_load(text)
    chosen = declared.get("profiles", {}).get(profile, {})
    given = declared["jobs"][job]
    entry = {name: value for name, value in given.items() if name not in _OF_THE_WHOLE}
    entry["source"] = _over(_written_out(entry["source"], chosen, "sources"), source)
    entry["source"].pop("job", None)
    entry["sink"] = _over(_written_out(entry["sink"], chosen, "sinks"), sink)
    if checkpoint is not None:
        entry["checkpoint"] = checkpoint
    settings = {**declared.get("spark", {}), **chosen.get("spark", {}), **spark}
    copy = {"checkpoints": checkpoints, "spark": settings, "jobs": {job: entry}}
    return str(yaml.safe_dump(copy, sort_keys=False, allow_unicode=True))


def _written_out(given: Any, profile: Mapping[str, Any], noun: str) -> dict[str, Any]:
    return dict(profile[noun][given] if isinstance(given, str) else given)


def _over(declared: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    result = {**declared, **other}
    if "options" in declared and "options" in other:
        result["options"] = {**declared["options"], **other["options"]}
    return result
