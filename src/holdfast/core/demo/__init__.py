"""What the demo says while it works, and how it holds two answers against each other."""
