"""The conformance suite for sinks: what ours must pass, anybody's can."""

from holdfast.testing.crashes import CrashTests
from holdfast.testing.protocol import ProtocolTests
from holdfast.testing.races import RaceTests


class SinkConformance(ProtocolTests, CrashTests, RaceTests):
    """Subclass it in a test file with `open_sink` and `read`; pytest runs the rest.

    It proves a sink with a ledger (core.running.ports.BatchSink): the protocol in one process,
    then real SIGKILLs among the rows, at announced steps and before every file operation, then
    two processes at once. A sink that needs `Batch.frame` is not for this suite: it has no Spark.
    """
