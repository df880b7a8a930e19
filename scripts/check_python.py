"""Say in one line what is wrong with the interpreter, before anything is installed with it."""

import sys

if sys.version_info < (3, 11):
    found = ".".join(map(str, sys.version_info[:3]))
    sys.stderr.write(
        f"holdfast needs Python 3.11 or newer, this is {found}: make PYTHON=/path/to/python3.11 …\n"
    )
    sys.exit(2)
