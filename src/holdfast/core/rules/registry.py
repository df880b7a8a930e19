"""Every rule, by code. A file of a rule that is not listed here fails a test."""

from holdfast.core.rules.change import (
    async_progress,
    code_changed,
    code_not_looked_at,
    operator_metadata,
    operators_changed,
    output_mode,
    pinned_setting,
    plan_not_analysed,
    real_time,
    repartition,
    silent_loss,
    sink_changed,
    source_count,
    source_evolution,
    source_kind,
    source_option,
    source_place,
    sources_reordered,
    spark_downgrade,
    spark_too_old,
    starting_position,
    state_schema,
    unnoticed_operator,
    unpinned_setting,
)
from holdfast.core.rules.log import commits_ahead, lost_identity, refused_start
from holdfast.core.rules.rule import Rule
from holdfast.core.rules.sink import not_looked_at

_LOG = (refused_start, commits_ahead, lost_identity)
_SINK = (not_looked_at,)
_CHANGE = (
    async_progress,
    code_changed,
    code_not_looked_at,
    operator_metadata,
    operators_changed,
    output_mode,
    pinned_setting,
    plan_not_analysed,
    real_time,
    repartition,
    silent_loss,
    sink_changed,
    source_count,
    source_evolution,
    source_kind,
    source_option,
    source_place,
    sources_reordered,
    spark_downgrade,
    spark_too_old,
    starting_position,
    state_schema,
    unnoticed_operator,
    unpinned_setting,
)


def all_rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    return tuple(
        sorted((file.RULE for file in (*_LOG, *_SINK, *_CHANGE)), key=lambda rule: rule.code)
    )
