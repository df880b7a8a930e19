"""Evidence: facts with their origin, collected once, judged here or elsewhere, now or later."""
