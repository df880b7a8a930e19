"""The gate: every durable file operation of a process tree waits for our word."""
