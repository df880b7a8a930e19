"""Live sources, asked what they still have; each file imports the library of its own kind."""
