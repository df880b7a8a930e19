"""A run as a person and as a program see it."""
