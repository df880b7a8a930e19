"""The public kit for tests: a conformance suite for sinks, and the audit as an assertion."""

from holdfast.lazy_names import lazy_names as _lazy_names

__all__ = ["SinkConformance", "Subject", "Wishes", "assert_audit"]

__getattr__ = _lazy_names(
    __name__,
    {
        "SinkConformance": "holdfast.testing.conformance",
        "Subject": "holdfast.audit.begin",
        "Wishes": "holdfast.audit.audit",
        "assert_audit": "holdfast.testing.audited",
    },
)
