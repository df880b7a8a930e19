"""What sources still have, against the position that a checkpoint stores."""
