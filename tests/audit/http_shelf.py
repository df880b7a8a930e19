"""A server that keeps what is posted to it, by path; what comes under a key that it has, once."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_ROWS: dict[str, list[dict[str, int]]] = {}
_KEYS: set[tuple[str, str]] = set()
_LOCK = threading.Lock()


class Shelf(BaseHTTPRequestHandler):
    """One request."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Idempotency-Key")
        with _LOCK:
            if key is None or (self.path, key) not in _KEYS:
                rows = [{"batch": batch, "n": n} for batch, n in body]
                _ROWS.setdefault(self.path, []).extend(rows)
            if key is not None:
                _KEYS.add((self.path, key))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        """Nobody reads it."""


@contextmanager
def shelf() -> Iterator[int]:
    """Serve in this process; gives the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def rows(work: Path) -> list[dict[str, int]]:
    """What a trial has posted, for --read."""
    with _LOCK:
        return list(_ROWS.get(str(work), ()))
