"""What can be unsafe about an operation, by code. Planned only with `--accept CODE`."""

HAZARDS: dict[str, str] = {
    "HF601": "rows will be written twice",
    "HF602": "rows of single batches cannot be told apart in this table",
    "HF603": "nobody looked at the sink, so what becomes of its rows is not known",
    "HF604": "a query may be running on this checkpoint",
    "HF605": "rows will be lost",
    "HF606": "jobs that read the output are not part of the plan",
    "HF610": "a file and its checksum differ, and nobody knows which of the two is right",
}
"""Never reused; each has its section in docs/findings.md."""
