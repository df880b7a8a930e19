"""Bytes to model, one file per kind of file, all versions of it.

A parser takes the file's bytes and returns a frozen value, or raises a CheckpointError
(MalformedError, NewerVersionError, TooLargeError) and nothing else.
"""
