"""Plans, and what came of carrying them out, for people and for programs."""
