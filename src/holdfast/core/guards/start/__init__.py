"""Guards over one job right before it starts: its checkpoint as found, and what we remember of it.

The looking happens in flows/guard.py. One guard per file, and its docstring is its page.
"""
