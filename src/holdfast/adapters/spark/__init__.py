"""Spark through PySpark: the only code that imports it, loaded by name when a job is to run."""
