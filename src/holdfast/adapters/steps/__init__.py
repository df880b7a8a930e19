"""Carrying out steps of plans, and undoing them: one file for each kind of target."""
