# What type checkers see of the kit; __init__.py loads these names when they are asked for.
from holdfast.audit.audit import Wishes
from holdfast.audit.begin import Subject
from holdfast.testing.audited import assert_audit
from holdfast.testing.conformance import SinkConformance

__all__ = ["SinkConformance", "Subject", "Wishes", "assert_audit"]
