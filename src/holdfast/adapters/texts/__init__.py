"""Texts that are read as they are: logs of any length, and the page of findings."""
