"""The command line: one file per command, which parses, calls its flow and renders."""
