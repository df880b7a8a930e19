"""The databases of the sql sink: one small port, one file for each dialect and its types."""
