"""A web server as a target: each chunk is one request with the token as its Idempotency-Key.

With the standard library alone. No redirect is followed: headers with credentials go to the host
that was declared and to no other. The connection is kept for the chunks of a batch.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from holdfast.adapters.clock import now_ms
from holdfast.adapters.sinks.own.chunks import Chunk
from holdfast.adapters.sinks.own.http_options import KIND, HttpOptions
from holdfast.adapters.sinks.own.shared_options import shared_options
from holdfast.adapters.sinks.own.sink import OwnSink, PassingError
from holdfast.adapters.sinks.own.token import Token
from holdfast.adapters.sinks.sql_types import canonical_json
from holdfast.core.running.batch import Batch
from holdfast.errors import RefusedError

ANSWER_BYTES_MAX = 65_536
"""Read of an answer before the connection is given up; what it says is not looked at."""

RETRY_AFTER_S_MAX = 120.0
"""A server that wants to be left alone for longer is asked again by the next start."""

_PASSING = frozenset({408, 409, 425, 429})
"""Besides all from 500 on. 409: the first request under this token is still being worked on."""


class HttpTarget:
    """Implements own.sink.Target with requests to one URL."""

    def __init__(self, options: HttpOptions) -> None:
        """Connects to nothing yet."""
        self.location = options.location
        self._options = options
        parts = urlsplit(options.url)
        self._secure = parts.scheme == "https"
        self._host, self._port = str(parts.hostname), parts.port
        self._resource = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection: http.client.HTTPConnection | None = None

    def has(self, _token: Token) -> bool | None:
        """Nobody has said how a server is asked."""
        return None

    def deliver(self, batch: Batch, chunk: Chunk, token: Token) -> None:
        """Send a chunk; an answer from 200 to 299 is the acknowledgement."""
        body = self._body(batch, chunk)
        headers = {**self._options.sent_headers, self._options.token_header: token.text}
        try:
            status, answered = self._exchange(body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.rest()
            said = getattr(error, "strerror", None) or str(error) or "the connection was cut"
            raise PassingError(f"{type(error).__name__}: {said}") from error
        if 200 <= status < 300:
            return
        if status in _PASSING or status >= 500:
            wait = _retry_after(answered.get("retry-after"))
            raise PassingError(f"it answered {status}", wait_s=wait)
        raise RefusedError(
            f"chunk {chunk.number} of batch {batch.batch_id} was not taken: the server answered "
            f"{status}",
            subject=self.location,
            next_action=_advice(status),
        )

    def _exchange(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str]]:
        """One request and the head of its answer, within the time for both."""
        connection = self._connected()
        assert connection.sock is not None
        with _Deadline(connection.sock, self._options.timeout_seconds) as deadline:
            try:
                connection.request(self._options.method, self._resource, body, dict(headers))
                answer = connection.getresponse()
                answer.read(ANSWER_BYTES_MAX)
            except (OSError, http.client.HTTPException) as error:
                if deadline.is_over:
                    raise TimeoutError("no answer in time") from error
                raise
        if deadline.is_over:  # cut amid its head, an answer looks like a whole one
            raise TimeoutError("no answer in time")
        if not answer.isclosed():
            self.rest()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, found

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None or self._connection.sock is None:
            timeout = self._options.timeout_seconds
            self._connection = (
                http.client.HTTPSConnection(
                    self._host, self._port, timeout=timeout, context=ssl.create_default_context()
                )
                if self._secure
                else http.client.HTTPConnection(self._host, self._port, timeout=timeout)
            )
            self._connection.connect()
        return self._connection

    def rest(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _body(self, batch: Batch, chunk: Chunk) -> bytes:
        columns = batch.columns
        try:
            rows = [canonical_json(dict(zip(columns, row, strict=True))) for row in chunk.rows]
        except ValueError as error:
            raise RefusedError(
                f"batch {batch.batch_id}, chunk {chunk.number}: {error}; it was not sent",
                subject=batch.query_id,
                next_action="change the value in the transform",
            ) from error
        if self._options.body == "lines":
            return "".join(f"{row}\n" for row in rows).encode("utf-8")
        return f"[{','.join(rows)}]".encode()


class _Deadline:
    """Ends a connection that takes too long as a whole, however little at a time it gives."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self.is_over = False

    def __enter__(self) -> "_Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_reason: object) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.is_over = True
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


def open_sink(options: Mapping[str, Any]) -> OwnSink:
    """The entry point `http` of the group `holdfast.sinks`."""
    ours = HttpOptions.parse(options)
    shared = shared_options(
        KIND,
        options,
        name=urlsplit(ours.url).path.strip("/") or KIND,
        can_be_asked=False,
        in_trials=("url", "headers"),
    )
    return OwnSink(shared, HttpTarget(ours))


def _retry_after(value: str | None) -> float | None:
    """Seconds, from a number or a date; None where it is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now_ms() / 1_000
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), RETRY_AFTER_S_MAX) if seconds == seconds else None


def _advice(status: int) -> str:
    if 300 <= status < 400:
        return "name the URL that it redirects to: redirects are not followed"
    if status in (401, 403):
        return "check the credentials in headers"
    if status == 422:
        return "the server knows this token with other rows, or refuses their shape: find out which"
    return "find out from the server what is wrong with the request"
