"""Crash points of a micro-batch, what became of a kill at each, and what that proves."""
