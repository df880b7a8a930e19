"""What the state directory holds, by names alone, and which versions can be loaded from it."""
