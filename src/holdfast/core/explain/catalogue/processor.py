"""transformWithState: what a StatefulProcessor may and may not do."""

from typing import Final

from holdfast.core.explain.catalogue.commands import SHOW
from holdfast.core.explain.explanation import Explanation

PROCESSOR: Final = (
    Explanation(
        id="processor-misuse",
        title="a StatefulProcessor uses its state in a way that is not allowed",
        cause="State variables are made in init, used in handleInputRows and timers, and timers "
        "and TTL depend on the time mode. Your code does one of these at the wrong moment, twice, "
        "or in the wrong mode. The checkpoint is not at fault.",
        look_at=("init of your StatefulProcessor", "the time mode given to transformWithState"),
        retry="does not help",
        retry_why="the same code fails at the same place; the batch waits for the mended one",
        next_commands=(SHOW,),
        conditions={
            "STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_HANDLE_STATE": "an operation "
            "at the wrong moment, such as making a state variable outside init",
            "STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_TIME_MODE": "an operation "
            "that this time mode does not have, such as a timer without one",
            "STATEFUL_PROCESSOR_DUPLICATE_STATE_VARIABLE_DEFINED": "two state variables have one "
            "name",
            "STATEFUL_PROCESSOR_INCORRECT_TIME_MODE_TO_ASSIGN_TTL": "TTL needs the time mode of "
            "processing time",
            "STATEFUL_PROCESSOR_TTL_DURATION_MUST_BE_POSITIVE": "a TTL of zero or less",
            "STATEFUL_PROCESSOR_UNKNOWN_TIME_MODE": "the time mode is none that Spark knows; from "
            "Python it is a plain word, easily misspelled",
            "STATE_STORE_HANDLE_NOT_INITIALIZED": "the processor is used outside "
            "transformWithState, or before it was set up",
            "TRANSFORM_WITH_STATE_SCHEMA_MUST_BE_NULLABLE": "with Avro every field of a state "
            "variable must be allowed to be null",
        },
    ),
    Explanation(
        id="processor-values",
        title="null or an empty list was put into the state",
        cause="A state variable cannot hold null, and a list variable cannot hold an empty list. "
        "A record with a missing field reached the state unnoticed.",
        look_at=("the record of the batch that has the null", "a check before the update"),
        retry="does not help",
        retry_why="the same record comes again with the batch",
        next_commands=("holdfast show CHECKPOINT --batch N",),
        conditions={
            "ILLEGAL_STATE_STORE_VALUE": "a value that the state cannot hold",
            "ILLEGAL_STATE_STORE_VALUE.EMPTY_LIST_VALUE": "an empty list was to be stored; clear "
            "the variable instead",
            "ILLEGAL_STATE_STORE_VALUE.NULL_VALUE": "null was to be stored; clear the variable "
            "instead",
        },
    ),
    Explanation(
        id="sequential-union",
        title="a stateful operation stands before a sequential union",
        cause="Where one source is read to its end before the next begins, state has to be kept "
        "after the union, or it would be lost at the change from one to the other.",
        look_at=("move groupBy, join or dropDuplicates behind the union",),
        retry="does not help",
        retry_why="the query is refused before it runs",
        next_commands=(SHOW,),
        conditions={
            "STATEFUL_CHILDREN_NOT_SUPPORTED_IN_SEQUENTIAL_STREAMING_UNION": "an operator with "
            "state is a direct input of the union",
        },
    ),
)
