"""An audit as a person and as a program see it."""
