"""Plans: what an operation will do, as data that can be read, carried out exactly, and undone."""
