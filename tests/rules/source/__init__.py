"""Cases of rules."""
