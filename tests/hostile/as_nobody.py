"""Run the command line as a user who may do little: `python as_nobody.py show ...`.

Everything is imported first: the environment may itself lie where only its owner can go.
"""

import os

from holdfast.surfaces.cli import diff, fleet, show
from holdfast.surfaces.cli.main import main

NOBODY = 65534
LOADED = (diff, fleet, show)

if __name__ == "__main__":
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    main()
