"""Reading what a sink has written, each the way its readers do."""
