"""Try a base: create, read and remove a small record beside a checkpoint, and leave no trace."""

import os
import shutil
import uuid
from contextlib import suppress
from urllib.parse import unquote

from holdfast.adapters.clock import now_ms
from holdfast.adapters.records.opening import open_records
from holdfast.adapters.storage.opening import open_storage
from holdfast.core.doctor.checkpoints import Probe
from holdfast.core.running.ports import Records
from holdfast.errors import HoldfastError, NotInstalledError

_DATA = b"a probe of holdfast doctor; it may be removed\n"


def probe_records(job: str, checkpoint: str) -> Probe:
    """Try the records of one checkpoint; says what failed and raises nothing of ours."""
    try:
        records = open_records(checkpoint)
        made = _missing_folders(records.location)
        try:
            return _try(job, records)
        finally:
            for folder in made:
                # Only while it is empty: a job may have begun meanwhile.
                with suppress(OSError):
                    os.rmdir(folder)
    except HoldfastError as error:
        return Probe(
            job=job,
            failure=error.message,
            next_action=error.next_action,
            not_installed=isinstance(error, NotInstalledError),
        )


def free_bytes(checkpoint: str) -> int | None:
    """Room on the local disk where a checkpoint lies or would lie; None where it is a store."""
    path = _local(checkpoint)
    while path and not os.path.isdir(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    try:
        return shutil.disk_usage(path).free if path else None
    except OSError:
        return None


def _try(job: str, records: Records) -> Probe:
    name = f"doctor-{uuid.uuid4().hex}"
    before = now_ms()
    if not records.create(name, _DATA):
        return Probe(job=job, failure="a new name was said to be taken")
    after = now_ms()
    probe = _look(job, records, name, before, after)
    try:
        records.remove(name)
    except HoldfastError as error:
        told = f"a file could be created and not removed: {error.message}; it is still there: "
        return Probe(job=job, failure=f"{told}{name}", next_action=error.next_action)
    return probe


def _look(job: str, records: Records, name: str, before: int, after: int) -> Probe:
    try:
        if records.read(name) != _DATA:
            return Probe(job=job, failure="what was written does not read back the same")
        is_exclusive = not records.create(name, _DATA)
        written = open_storage(records.location).stat([name]).get(name)
        skew = None
        if written is not None and written.modified_ms > 0:
            skew = min(0, written.modified_ms - before) + max(0, written.modified_ms - after)
        return Probe(job=job, is_exclusive=is_exclusive, skew_ms=skew)
    except HoldfastError as error:
        return Probe(job=job, failure=error.message, next_action=error.next_action)


def _missing_folders(location: str) -> list[str]:
    """Folders of a local location that do not exist yet, the innermost first."""
    path = _local(location)
    missing = []
    while path and not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    return missing


def _local(location: str) -> str:
    """The path of a local location; empty where it is a store's."""
    for prefix in ("file://", "file:"):
        if location.startswith(prefix):
            return unquote(location.removeprefix(prefix))
    return "" if "://" in location else location
