"""Where Spark runs, by its master."""

import re

_LOCAL = re.compile(r"local(?:\[[^\]]*\])?|local-cluster\[[^\]]*\]")


def is_local_master(master: str) -> bool:
    """Whether driver and executors are all on this machine."""
    return _LOCAL.fullmatch(master.strip()) is not None
