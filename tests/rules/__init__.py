"""Rules and verdicts."""
