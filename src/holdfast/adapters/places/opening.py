"""From a location to a place whose files may be changed."""

import importlib

from holdfast.adapters.places.local import LocalPlace
from holdfast.adapters.storage.opening import local_path, open_storage
from holdfast.core.plans.ports import Place


def open_place(location: str) -> Place:
    """By path or URL; the folder need not exist yet."""
    path = local_path(location)
    if path is not None:
        return LocalPlace(path)
    remote = importlib.import_module("holdfast.adapters.places.remote")
    place: Place = remote.place_of(open_storage(location))
    return place
