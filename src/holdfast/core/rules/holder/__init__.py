"""Rules about who owns a checkpoint, and whether it is the one that it was."""
