"""The answer of `lag`, as JSON and for people."""
