"""Rules about what changed between the query that ran and the one that is to start."""
