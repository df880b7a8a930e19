"""What the offset JSON of each source means: recognise, compare, subtract, print.

One file per kind of source, each with one `OffsetKind`; registry.py knows them all.
"""
