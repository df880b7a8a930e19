"""Google Cloud Storage through gcsfs.

Through its plain class: the one it gives unasked first asks over gRPC what kind of bucket it has,
which takes minutes at an endpoint that has no gRPC, and a checkpoint does not need the answer.
"""

import logging
from types import MethodType

from gcsfs.core import GCSFileSystem
from gcsfs.retry import retry_request

from holdfast.adapters.storage.remote import RemoteStorage, open_kind

_TRIES = 3
"""gcsfs tries six times, over half a minute; a person waits."""


def open_remote(location: str, url: str) -> RemoteStorage:
    """Open a folder by URL; account and endpoint come from the variables that gcsfs knows."""
    # Without a handler of its own the library prints tracebacks on standard error.
    logging.getLogger("gcsfs").addHandler(logging.NullHandler())
    file_system, root = open_kind(GCSFileSystem, location, url)
    request = getattr(GCSFileSystem._request, "__wrapped__", None)
    if request is not None:
        file_system._request = MethodType(retry_request(request, retries=_TRIES), file_system)
    return RemoteStorage(location, file_system, root)
