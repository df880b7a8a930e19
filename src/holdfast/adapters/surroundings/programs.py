"""How this shell would call the Python that runs us, and Holdfast itself."""

import os
import shlex
import shutil
import sys
from pathlib import Path


def python_command() -> str:
    """`python` or `python3` where that name leads to the Python that runs us, else its path."""
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found is not None and is_same_python(found, sys.executable):
            return name
    return shlex.quote(sys.executable)


def holdfast_command() -> str:
    """`holdfast` where the PATH has it, else the path of the one that lies beside our Python."""
    beside = Path(sys.executable).with_name("holdfast")
    if shutil.which("holdfast") is None and beside.exists():
        return shlex.quote(str(beside))
    return "holdfast"


def is_same_python(path: str, other: str) -> bool:
    """Whether both are one program in one folder.

    A link alone does not tell: two virtual environments link to one program and have other
    packages. python and python3 of one environment are the same.
    """
    folders = [os.path.realpath(os.path.dirname(os.path.abspath(each))) for each in (path, other)]
    return folders[0] == folders[1] and os.path.realpath(path) == os.path.realpath(other)
