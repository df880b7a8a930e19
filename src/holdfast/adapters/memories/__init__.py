"""What a sink itself remembers of batches, read without Spark."""
