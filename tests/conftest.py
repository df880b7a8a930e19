"""What holds for every test."""

from hypothesis import settings

# Machines are noisy: no test may fail because it was slow.
settings.register_profile("holdfast", deadline=None)
settings.load_profile("holdfast")
