"""Hold one file against its checksums and against what its place says it must be."""

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.core.fact import Content
from holdfast.core.finding import Finding
from holdfast.core.formats.changelog import parse_changelog_header
from holdfast.core.formats.checksum import (
    has_usual_chunks,
    parse_spark_checksum,
    verify_hadoop_crc,
    verify_spark_checksum,
)
from holdfast.core.formats.commit_log import parse_commit_entry
from holdfast.core.formats.compactible_log import parse_compactible_name
from holdfast.core.formats.delta_schema_log import DELTA_SCHEMA_LOG, parse_delta_schema_log
from holdfast.core.formats.file_source_log import parse_file_source_log
from holdfast.core.formats.log_name import batch_id_of
from holdfast.core.formats.offset_log import parse_offset_entry
from holdfast.core.formats.operator_metadata import parse_operator_metadata
from holdfast.core.formats.query_metadata import parse_query_metadata
from holdfast.core.formats.rocksdb_zip import parse_rocksdb_zip, verify_members
from holdfast.core.formats.state_name import is_schema_name
from holdfast.core.formats.state_schema import parse_state_schema
from holdfast.errors import CheckpointError, HoldfastError, MalformedError, NewerVersionError

_DESCRIBING = frozenset({"_metadata", "_stateSchema"})
"""Folders of Spark's among the hidden ones below state/."""

_ALTERED = (
    "is not what it was when its batch was committed: it does not agree with its seal, "
    "and a restart reads it as it is now"
)

Parser = Callable[[bytes], object]
Verifier = Callable[[bytes, bytes], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Codecs:
    """What the core cannot do with the standard library alone."""

    crc32c: Callable[[bytes], int]
    unpack_head: Callable[[bytes], bytes]
    """The first bytes of a compressed state file, enough for its header."""
    digest: Callable[[bytes], str] | None = None
    """What seals keep of a file; None where there are no seals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksums:
    """The checksum files of one file; None where there is no such file."""

    hadoop: Content = None
    spark: Content = None
    hadoop_of_spark: Content = None
    """Hadoop's own of Spark's checksum file, which is a file like any other to it."""
    seal: str | None = None
    """The digest that was taken of the file when its batch had just been committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """One file after a look: what it is, whether checksum and seal agreed, what is wrong."""

    path: str
    parsed: object | None
    verified: bool
    sealed: bool
    """Whether it agrees with its seal."""
    problems: tuple[Finding, ...]


def check_file(path: str, data: bytes, checksums: Checksums, codecs: Codecs) -> CheckedFile:
    """Check one file."""
    problems: list[Finding] = []
    verified = False
    for checksum, verify in (
        (checksums.hadoop, verify_hadoop_crc),
        (checksums.spark, _spark_verifier(codecs)),
    ):
        if checksum is None:
            continue
        problem = _problem(verify, data, checksum)
        verified = verified or problem is None
        if problem is not None:
            problems.append(Finding(code="HF103", message=problem, path=path))
    if isinstance(checksums.spark, bytes) and checksums.hadoop_of_spark is not None:
        problem = _problem(verify_hadoop_crc, checksums.spark, checksums.hadoop_of_spark)
        if problem is not None:
            problems.append(Finding(code="HF103", message=problem, path=f"{path}.crc"))
    sealed = False
    if checksums.seal is not None and codecs.digest is not None:
        sealed = codecs.digest(data) == checksums.seal
        if not sealed:
            problems.append(Finding(code="HF128", message=_ALTERED, path=path))
    unusual = any(
        isinstance(checksum, bytes) and not has_usual_chunks(checksum)
        for checksum in (checksums.hadoop, checksums.hadoop_of_spark)
    )
    parsed, warning = _parse(path, data, codecs)
    if warning:
        problems.append(warning)
    return CheckedFile(
        path=path,
        parsed=parsed,
        verified=(sealed or (verified and not unusual)) and not problems,
        sealed=sealed and not problems,
        problems=tuple(problems),
    )


def parser_of(path: str, codecs: Codecs) -> Parser | None:
    """The parser for a path below the checkpoint, None where any bytes may stand."""
    head, _, rest = path.partition("/")
    leaf = path.rpartition("/")[2]
    if path == "metadata":
        return parse_query_metadata
    if head == "offsets" and rest.isdigit():
        return parse_offset_entry
    if head == "commits" and rest.isdigit():
        return parse_commit_entry
    if DELTA_SCHEMA_LOG in path and batch_id_of(leaf) is not None:
        return parse_delta_schema_log
    if head == "sources" and parse_compactible_name(leaf) and rest.count("/") == 1:
        return _parse_source_entry
    if head == "state" and _is_reached(rest):
        return _state_parser(path, leaf, codecs)
    return None


def unreadable(path: str, error: CheckpointError) -> Finding:
    """The warning for a file that cannot be read as what it should be."""
    code = "HF102" if isinstance(error, NewerVersionError) else "HF101"
    return Finding(code=code, message=error.message, path=path)


def _is_reached(rest: str) -> bool:
    """Say whether Spark would ever come by: it goes by numbers and never opens a stray folder."""
    operator, *below = rest.split("/")
    folders = below[:-1]
    return (
        operator.isdigit()
        and bool(folders)
        and (folders[0].isdigit() or folders[0] in _DESCRIBING)
        and all(folder[:1] not in (".", "_") or folder in _DESCRIBING for folder in folders)
    )


def _state_parser(path: str, leaf: str, codecs: Codecs) -> Parser | None:
    if path.endswith("/_metadata/metadata"):
        return parse_operator_metadata
    if "/_metadata/v2/" in path:
        return parse_operator_metadata if batch_id_of(leaf) is not None else None
    if path.endswith("/_metadata/schema"):
        return parse_state_schema
    if "/_stateSchema/" in path:
        return parse_state_schema if is_schema_name(leaf) else None
    if leaf.endswith(".changelog"):
        return lambda data: parse_changelog_header(codecs.unpack_head(data))
    if leaf.endswith((".delta", ".snapshot")):
        return codecs.unpack_head
    return _parse_whole_zip if leaf.endswith(".zip") else None


def _parse(path: str, data: bytes, codecs: Codecs) -> tuple[object | None, Finding | None]:
    parser = parser_of(path, codecs)
    if parser is None:
        return None, None
    try:
        return parser(data), None
    except CheckpointError as error:
        return None, unreadable(path, error)


def _parse_source_entry(data: bytes) -> object | None:
    """Judge only what is surely the file source's log: connectors may keep anything here."""
    if b'{"path"' not in data[:64]:
        return None
    return len(parse_file_source_log(data))


def _parse_whole_zip(data: bytes) -> object:
    snapshot = parse_rocksdb_zip(data)
    problem = verify_members(data)
    if problem is not None:
        raise MalformedError(problem)
    return snapshot


def _spark_verifier(codecs: Codecs) -> Verifier:
    return lambda data, checksum: verify_spark_checksum(
        data, parse_spark_checksum(checksum), codecs.crc32c
    )


def _problem(verify: Verifier, data: bytes, checksum: bytes | HoldfastError) -> str | None:
    if isinstance(checksum, HoldfastError):
        return f"its checksum file cannot be read: {checksum.message}"
    try:
        problem = verify(data, checksum)
    except CheckpointError as error:
        return f"its checksum file cannot be read: {error.message}"
    return None if problem is None else f"does not agree with its checksum: {problem}"
