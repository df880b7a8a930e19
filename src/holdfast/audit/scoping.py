"""Find out what a verdict will hold for."""

import platform
import re
from collections.abc import Mapping

from holdfast import __version__
from holdfast.adapters.outputs.opening import KINDS
from holdfast.adapters.surroundings.java import look_at_java
from holdfast.adapters.surroundings.packages import spark_version
from holdfast.core.crash.scope import Scope, Versions
from holdfast.core.guards.at_least_once import is_at_least_once
from holdfast.core.job import Job

_JAVA = re.compile(r'version "(?P<version>[^"]+)"')


def job_scope(job: Job, *, read: str | None, environ: Mapping[str, str]) -> Scope:
    """Of a declared job, which runs on this Python, with its Spark, on the Java found here."""
    options = job.sink.options
    kind = _dialect(str(options["url"])) if "url" in options else job.sink.kind
    words = [kind, *(str(options[name]) for name in ("format", "mode") if options.get(name))]
    if is_at_least_once(job.sink):
        words.append("(at least once, by its own word)")
    java = _JAVA.search(look_at_java(environ).answer)
    return Scope(
        sink=" ".join(words) if read is None else f"{' '.join(words)}, {_read(read)}",
        versions=Versions(
            holdfast=__version__,
            python=platform.python_version(),
            spark=spark_version(),
            java=java["version"] if java else None,
        ),
    )


def program_scope(read: str) -> Scope:
    """Of a program, whose language and Spark are its own."""
    return Scope(sink=_read(read), versions=Versions(holdfast=__version__))


def _dialect(url: str) -> str:
    return re.split(r"[+:]", url, maxsplit=1)[0]


def _read(spec: str) -> str:
    kind = spec.partition(":")[0]
    return f"output read {f'as {kind}' if kind in KINDS else f'by {spec}'}"
