"""What Holdfast writes down while a query runs: segments of lines, seals, progress, and status."""
