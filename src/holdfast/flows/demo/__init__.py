"""The demo: a real pipeline, really killed, started again and held against one batch query."""
