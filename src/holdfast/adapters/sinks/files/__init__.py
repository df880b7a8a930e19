"""Plain files as a sink, which every reader sees in whole batches."""
