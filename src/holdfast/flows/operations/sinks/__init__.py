"""How each kind of sink is brought back to an earlier batch: one file for each kind of memory."""
