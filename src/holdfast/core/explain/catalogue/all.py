"""All explanations that are not our own codes."""

from typing import Final

from holdfast.core.explain.catalogue.delta import DELTA
from holdfast.core.explain.catalogue.kafka import KAFKA
from holdfast.core.explain.catalogue.logs import LOGS
from holdfast.core.explain.catalogue.operating import OPERATING
from holdfast.core.explain.catalogue.other_sources import OTHER_SOURCES
from holdfast.core.explain.catalogue.processor import PROCESSOR
from holdfast.core.explain.catalogue.query_changes import QUERY_CHANGES
from holdfast.core.explain.catalogue.real_time import REAL_TIME
from holdfast.core.explain.catalogue.repartition import REPARTITION
from holdfast.core.explain.catalogue.sinks import SINKS
from holdfast.core.explain.catalogue.state_loading import STATE_LOADING
from holdfast.core.explain.catalogue.state_reader import STATE_READER
from holdfast.core.explain.catalogue.state_rules import STATE_RULES
from holdfast.core.explain.catalogue.writers import WRITERS
from holdfast.core.explain.catalogue.your_code import YOUR_CODE
from holdfast.core.explain.explanation import Explanation

CATALOGUE: Final[tuple[Explanation, ...]] = (
    *LOGS,
    *STATE_LOADING,
    *STATE_RULES,
    *STATE_READER,
    *REPARTITION,
    *PROCESSOR,
    *WRITERS,
    *QUERY_CHANGES,
    *REAL_TIME,
    *YOUR_CODE,
    *KAFKA,
    *DELTA,
    *OTHER_SOURCES,
    *SINKS,
    *OPERATING,
)
