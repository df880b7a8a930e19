"""Sinks of the user's own: a function or a web server, given stable chunks under stable tokens."""
