"""While jobs run: what happens, why a query ended, when it starts again, what it was made of."""
