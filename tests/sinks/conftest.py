"""Folders for databases."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory where there is one, for tests that make hundreds of databases.

    The sink asks the disk to sync each commit; these tests are not about power cuts.
    """
    shared = "/dev/shm"
    with TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None) as folder:
        yield Path(folder)
