"""The only code that touches the world. Each file imports its own library, at its top."""
