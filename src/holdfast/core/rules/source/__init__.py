"""Rules about what the sources still have."""
