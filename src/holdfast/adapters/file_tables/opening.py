"""From the location of a table of plain files to its place: a disk, or an object store."""

import importlib
import os

from holdfast.adapters.file_tables.local_place import LocalPlace
from holdfast.adapters.file_tables.place import Addresses, Place, addresses_of
from holdfast.adapters.storage.opening import local_path
from holdfast.errors import UsageError

_STORES = ("s3", "s3a")


def open_place(path: str, ledger: str | None) -> tuple[Place, Addresses]:
    """The place of a table and its folders; nothing is touched yet."""
    local = local_path(path)
    if local is not None:
        beside = None if ledger is None else local_path(ledger)
        if ledger is not None and beside is None:
            raise UsageError(
                "files sink: a table on a disk has its ledger on the same disk",
                subject=ledger,
                next_action="name a folder of that disk",
            )
        addresses = addresses_of(
            os.path.realpath(local), None if beside is None else os.path.realpath(beside)
        )
        return LocalPlace(addresses), addresses
    scheme = path.partition("://")[0]
    if scheme not in _STORES:
        raise UsageError(
            f"files sink: {scheme}:// is not among the stores that it is tested on",
            subject=path,
            next_action=f"use a disk or one of {', '.join(_STORES)}, or the sink delta",
        )
    addresses = addresses_of(path, ledger)
    remote = importlib.import_module("holdfast.adapters.file_tables.remote_place")
    place: Place = remote.RemotePlace(addresses)
    return place, addresses
