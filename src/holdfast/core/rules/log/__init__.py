"""Rules about the two logs and metadata."""
