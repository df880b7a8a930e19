"""Every rule, by code. A file of a rule that is not listed here fails a test."""

from holdfast.core.rules.change import (
    async_switched_off,
    code_changed,
    code_not_looked_at,
    operator_metadata,
    operators_changed,
    output_columns,
    output_mode,
    pinned_setting,
    plan_not_analysed,
    real_time,
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
from holdfast.core.rules.holder import (
    cut_back,
    moved,
    other_query,
    running,
    unreadable_records,
)
from holdfast.core.rules.log import (
    altered_log,
    async_progress,
    changed_sources,
    commits_ahead,
    commits_behind,
    holes,
    lost_identity,
    newer_format,
    refused_start,
    torn_position,
    unfinished_repartition,
    unreadable_file,
    unverified,
)
from holdfast.core.rules.rule import Rule
from holdfast.core.rules.sink import (
    ahead,
    batch_in_flight,
    behind,
    damaged,
    forgetful,
    no_memory,
    not_looked_at,
    other_writers,
    replay_output,
    reset_output,
    rows_removed,
    skipped_state,
    unreadable_memory,
)
from holdfast.core.rules.source import (
    file_log,
    gone,
    history_gone,
    identity_unknown,
    new_partitions,
    not_asked,
    not_replayable,
    replaced,
    retention_near,
    unreachable,
)
from holdfast.core.rules.state import (
    later_state,
    moved_paths,
    not_checked,
    not_loadable_before,
    state_gone,
)

_LOG = (
    altered_log,
    async_progress,
    changed_sources,
    commits_ahead,
    commits_behind,
    holes,
    lost_identity,
    newer_format,
    refused_start,
    torn_position,
    unfinished_repartition,
    unreadable_file,
    unverified,
)
_STATE = (
    later_state,
    moved_paths,
    not_checked,
    not_loadable_before,
    state_gone,
)
_HOLDER = (
    cut_back,
    moved,
    other_query,
    running,
    unreadable_records,
)
_SINK = (
    ahead,
    batch_in_flight,
    behind,
    damaged,
    forgetful,
    no_memory,
    not_looked_at,
    other_writers,
    replay_output,
    reset_output,
    rows_removed,
    skipped_state,
    unreadable_memory,
)
_SOURCE = (
    file_log,
    gone,
    history_gone,
    identity_unknown,
    new_partitions,
    not_asked,
    not_replayable,
    replaced,
    retention_near,
    unreachable,
)
_CHANGE = (
    async_switched_off,
    code_changed,
    code_not_looked_at,
    operator_metadata,
    operators_changed,
    output_columns,
    output_mode,
    pinned_setting,
    plan_not_analysed,
    real_time,
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
    files = (*_LOG, *_STATE, *_HOLDER, *_SINK, *_SOURCE, *_CHANGE)
    return tuple(sorted((file.RULE for file in files), key=lambda rule: rule.code))
