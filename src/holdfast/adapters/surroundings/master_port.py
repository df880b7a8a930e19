"""Whether something listens where a spark:// master should be."""

import socket
from typing import Final

ANSWER_SECONDS_MAX: Final = 3
_SCHEME: Final = "spark://"


def ask_master(master: str) -> str | None:
    """Why no host of a master answers; empty where one does, None where there is nothing to ask.

    A master with a standby names several hosts; one that answers is enough.
    """
    if not master.startswith(_SCHEME):
        return None
    failures = []
    for address in master.removeprefix(_SCHEME).split(","):
        host, _, port = address.strip().rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            failures.append(f"{address!r} is no host:port")
            continue
        try:
            with socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS_MAX):
                return ""
        except (OSError, UnicodeError) as error:
            failures.append(f"{address}: {getattr(error, 'strerror', None) or error}")
    return "; ".join(failures)
