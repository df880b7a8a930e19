"""Facts that a verdict stands on, besides the checkpoint itself."""
