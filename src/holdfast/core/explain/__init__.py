"""Pure: what an error means, found by its name or by its words, and what makes it worse."""
