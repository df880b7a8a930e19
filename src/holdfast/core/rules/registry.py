"""Every rule, by code. A file of a rule that is not listed here fails a test."""

from holdfast.core.rules.log import commits_ahead, lost_identity, refused_start
from holdfast.core.rules.rule import Rule
from holdfast.core.rules.sink import not_looked_at

_LOG = (refused_start, commits_ahead, lost_identity)
_SINK = (not_looked_at,)


def all_rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    return tuple(sorted((file.RULE for file in (*_LOG, *_SINK)), key=lambda rule: rule.code))
