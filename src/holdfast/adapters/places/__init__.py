"""Folders whose files operations may move, copy and create; nothing is overwritten or removed."""
