"""Sinks with a ledger: rows and the mark of their batch become visible in one atomic act."""
