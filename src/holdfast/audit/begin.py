"""Begin an audit: what is audited, in which folder, and go."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from holdfast.adapters.outputs.opening import open_output
from holdfast.adapters.own_folder import own_folder
from holdfast.adapters.surroundings.programs import holdfast_command
from holdfast.audit.answer import WORK
from holdfast.audit.audit import Audited, Wishes, audit
from holdfast.audit.declared import declared_workload
from holdfast.audit.program import Program, program_workload
from holdfast.audit.room import Workload
from holdfast.audit.scoping import job_scope, program_scope
from holdfast.audit.shell_text import shell_line
from holdfast.core.crash.event import TellAudit
from holdfast.core.crash.scope import Scope
from holdfast.core.crash.wire.address import ServerAddress
from holdfast.core.secret_text import hide, without_password
from holdfast.errors import UsageError
from holdfast.flows.declaration import load


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a person wants audited: a declared job, or a program."""

    job: str | None = None
    file: str = "holdfast.yaml"
    profile: str | None = None
    command: str | None = None
    checkpoint: str | None = None
    read: str | None = None
    key: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    whole_batches: bool = False
    settle_s: float | None = None
    reset: str | None = None
    answer: str | None = None
    through: tuple[str, ...] = ()
    """Servers, as NAME=HOST:PORT, that a program reaches by `{proxy}`."""

    @property
    def command_line(self) -> str:
        """What a person types to ask for this, in the words of a shell; passwords are hidden."""
        words = [] if self.job is None else [self.job]
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "job" or value == field.default:
                continue
            option = f"--{field.name.removesuffix('_s').replace('_', '-')}"
            if value is True:
                words.append(option)
                continue
            for each in value if isinstance(value, tuple) else (value,):
                words += [option, f"{each:g}" if isinstance(each, float) else str(each)]
        return f"{holdfast_command()} audit {shell_line(map(without_password, words))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    workload: Workload
    scope: Scope
    secrets: frozenset[str] = frozenset()


def begin(
    subject: Subject,
    *,
    folder: str | None,
    wishes: Wishes,
    environ: Mapping[str, str],
    tell: TellAudit,
) -> Audited:
    """Audit a job on a copy of it, or a program in places of its own."""
    if (subject.job is None) == (subject.command is None):
        raise UsageError(
            "name a declared job, or a program with --command",
            next_action='`holdfast audit JOB`, or `holdfast audit --command "python job.py" …`',
        )
    if subject.answer is not None:
        open_output(subject.answer.replace(WORK, ""))  # what cannot be right is said now
    place = _place(folder, environ)
    prepared = _prepare(subject, place, environ)
    workload = replace(prepared.workload, ignore=frozenset(subject.ignore), answer=subject.answer)
    done = audit(workload, place, wishes, tell)
    outcomes = tuple(
        replace(outcome, detail=hide(outcome.detail, prepared.secrets)) for outcome in done.outcomes
    )
    # Where a job is only watched, what is seen is a step behind: halves prove nothing there.
    sees_halves = workload.whole_batches and done.watched is None
    return replace(
        done,
        outcomes=outcomes,
        again=f"{subject.command_line}{_options(wishes)}",
        scope=replace(prepared.scope, ignored=subject.ignore, sees_halves=sees_halves),
    )


def _options(wishes: Wishes) -> str:
    """Those that decide which points there are."""
    moments = f" --moments {wishes.moments}" if wishes.moments else ""
    return f"{moments}{' --watch' if wishes.watch else ''}"


def _prepare(subject: Subject, place: Path, environ: Mapping[str, str]) -> _Prepared:
    if subject.job is not None:
        declaration = load(subject.file, subject.profile)
        workload = declared_workload(
            declaration,
            subject.job,
            text=Path(declaration.path).read_text(encoding="utf-8"),
            folder=place,
            environ=environ,
            read=subject.read,
        )
        job = next(job for job in declaration.jobs if job.name == subject.job)
        scope = job_scope(job, read=subject.read, environ=environ)
        return _Prepared(workload=workload, scope=scope, secrets=declaration.secrets)
    if subject.command is None or subject.checkpoint is None or subject.read is None:
        missing = "--checkpoint" if subject.checkpoint is None else "--read"
        raise UsageError(f"a program also needs {missing}", next_action="see --help")
    program = Program(
        command=subject.command,
        checkpoint=subject.checkpoint,
        read=subject.read,
        key=subject.key,
        whole_batches=subject.whole_batches,
        settle_s=subject.settle_s,
        reset=subject.reset,
        through=_servers(subject.through),
    )
    workload = program_workload(program, environ=environ)
    scope = program_scope(subject.read)
    return _Prepared(workload=workload, scope=scope)


def _servers(given: tuple[str, ...]) -> tuple[ServerAddress, ...]:
    servers = tuple(map(ServerAddress.parse, given))
    if len({server.protocol for server in servers}) < len(servers):
        raise UsageError(
            "--through names two servers of one kind",
            next_action="name one; the other may be called tcp",
        )
    return servers


def _place(folder: str | None, environ: Mapping[str, str]) -> Path:
    if folder is None:
        return own_folder("audit", environ)
    place = Path(folder).absolute()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(
            "the folder is not empty",
            subject=folder,
            next_action="name a new one with --folder, or leave it out",
        )
    place.mkdir(parents=True, exist_ok=True)
    return place
