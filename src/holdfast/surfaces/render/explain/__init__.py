"""What `explain` shows: text and JSON of one answer."""
