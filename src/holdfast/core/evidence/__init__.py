"""Facts from outside the checkpoint, as values that can be judged without asking again."""
