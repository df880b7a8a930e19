"""From a listing and a few files to a Checkpoint: what to read, what it says, what is odd."""
