"""Writing and reading our records of runs: progress, seals, starts and ends."""
