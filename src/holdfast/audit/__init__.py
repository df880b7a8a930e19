"""The crash harness: kills a job at every durable step of its batches, and judges the output."""
