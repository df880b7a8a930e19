"""A sample of a job's input files: few, fixed, and in an order that every run finds again."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from holdfast.adapters.outputs.table_files import data_files
from holdfast.errors import UsageError

BATCHES = 3
"""How many batches the sample makes: a first one, one between, and a last one."""
FILES_A_BATCH_MAX = 3
BYTES_MAX = 64 * 1024 * 1024
_FIRST_MTIME = 1_700_000_000
"""Any time in the past: Spark's file source takes files in the order of their times, so the copies
get one each, a second apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Copies of input files."""

    folder: Path
    files: int
    files_a_batch: int


def take_sample(origin: Path, folder: Path) -> Sample:
    """Copy some of the files that a job reads; raises UsageError where there are too few."""
    if not origin.is_dir():
        raise UsageError(
            "the input of the job is not there",
            subject=str(origin),
            next_action="make some input; for the output of another job, run that job first",
        )
    found = sorted(data_files(origin), key=lambda path: (path.stat().st_mtime_ns, str(path)))
    each = min(len(found) // BATCHES, FILES_A_BATCH_MAX)
    if each == 0:
        raise UsageError(
            f"an audit needs at least {BATCHES} input files, one for each batch, and "
            f"{len(found)} are there",
            subject=str(origin),
            next_action="let more input arrive; for the output of another job, run that job first",
        )
    chosen = found[: each * BATCHES]
    size = sum(path.stat().st_size for path in chosen)
    if size > BYTES_MAX:
        raise UsageError(
            f"the smallest sample of the input has {size:,} bytes, more than {BYTES_MAX:,}",
            subject=str(origin),
            next_action="audit the job on smaller input, in a profile of its own",
        )
    for number, path in enumerate(chosen):
        target = folder / path.relative_to(origin)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        os.utime(target, (_FIRST_MTIME + number, _FIRST_MTIME + number))
    return Sample(folder=folder, files=len(chosen), files_a_batch=each)
