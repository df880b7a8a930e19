"""What a rehearsal came to, for people and for programs."""
