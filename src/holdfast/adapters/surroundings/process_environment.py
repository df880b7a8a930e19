"""The one place that reads the environment of this process."""

import os
from collections.abc import Mapping


def variables() -> Mapping[str, str]:
    """A copy of the environment."""
    return dict(os.environ)
