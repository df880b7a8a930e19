"""Rules about what the sink remembers, held against the checkpoint."""
