"""The proxy between a job and a server: every message that matters waits for our word."""
