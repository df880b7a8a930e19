"""`judge` and `evidence` for people and for programs."""
