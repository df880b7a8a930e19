"""The table of a SQL sink: whether rows fit, how they are stored, how they go in."""
