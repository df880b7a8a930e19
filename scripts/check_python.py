"""Say in one line what is wrong with the interpreter, before anything is installed with it."""

import importlib.util
import sys

if sys.version_info < (3, 11):
    found = ".".join(map(str, sys.version_info[:3]))
    sys.stderr.write(
        f"holdfast needs Python 3.11 or newer, this is {found}: make PYTHON=/path/to/python3.11 …\n"
    )
    sys.exit(2)
if importlib.util.find_spec("ensurepip") is None:
    sys.stderr.write(
        "holdfast needs Python's venv: apt-get install -y --no-install-recommends python3-venv\n"
    )
    sys.exit(2)
