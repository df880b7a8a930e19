"""A real web server that takes chunks: it can remember tokens, lose answers, fail and hang.

    python -m tests.own.chunk_server

It prints its port. The path of a request is a folder, in which `rows.db` holds what was taken:
with the token in the same transaction, unless `?forget` says that this server knows no tokens.
`faults` in that folder holds what goes wrong, one word for each request to come.
"""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parent.parent.parent
HANG_S = 60.0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        parts = urlsplit(self.path)
        folder = Path("/" + unquote(parts.path).strip("/"))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = next_fault(folder)
        note(folder, self.headers, fault)
        match fault.split("=")[0]:
            case "hang":
                time.sleep(HANG_S)
            case "drip":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                with suppress(OSError):
                    for _ in range(600):
                        self.wfile.write(b"X")
                        self.wfile.flush()
                        time.sleep(0.1)
            case "lose":
                take(folder, self.headers["Idempotency-Key"], body, parts.query)
                self.close_connection = True
                self.connection.close()
            case "cut":
                self.close_connection = True
                self.connection.close()
            case "":
                take(folder, self.headers["Idempotency-Key"], body, parts.query)
                self.answer(201)
            case status:
                self.answer(int(status), fault.partition("=")[2])

    def answer(self, status: int, more: str = "") -> None:
        self.send_response(status)
        if more:
            self.send_header("Location" if 300 <= status < 400 else "Retry-After", more)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_said: Any) -> None:
        """Nobody reads along."""


def next_fault(folder: Path) -> str:
    file = folder / "faults"
    words = file.read_text().split() if file.exists() else []
    if words:
        file.write_text(" ".join(words[1:]))
    return words[0].removeprefix("ok") if words else ""


def note(folder: Path, headers: Any, fault: str) -> None:
    with (folder / "requests").open("a") as file:
        file.write(json.dumps({"headers": dict(headers), "fault": fault}) + "\n")


def take(folder: Path, token: str, body: bytes, query: str) -> None:
    rows = [line for line in body.decode().splitlines() if line]
    with closing(opened(folder)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if query != "forget":
            known = connection.execute("SELECT 1 FROM tokens WHERE token = ?", (token,)).fetchone()
            if known:
                return
            connection.execute("INSERT INTO tokens VALUES (?)", (token,))
        connection.executemany("INSERT INTO rows VALUES (?)", [(row,) for row in rows])
        connection.execute("COMMIT")


def opened(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "rows.db", isolation_level=None, timeout=30)
    connection.execute("PRAGMA synchronous = OFF")  # nothing here is about power cuts
    connection.execute("CREATE TABLE IF NOT EXISTS tokens (token PRIMARY KEY)")
    connection.execute("CREATE TABLE IF NOT EXISTS rows (row TEXT)")
    return connection


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """What a reader of the server's data sees."""
    if not (folder / "rows.db").exists():
        return []
    with closing(opened(folder)) as connection:
        return [json.loads(row) for (row,) in connection.execute("SELECT row FROM rows")]


def read(work: Path) -> list[dict[str, Any]]:
    """For `holdfast audit --read`."""
    return rows_in(work)


def requests_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "requests").read_text().splitlines()]


@contextmanager
def serving() -> Iterator[int]:
    """A server in a process of its own; its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.own.chunk_server"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
