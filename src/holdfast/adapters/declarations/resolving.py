"""From the shape of a declaration to its meaning: one profile chosen, every name followed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from holdfast.adapters.declarations.environment import Variables
from holdfast.adapters.declarations.fields import AVAILABLE_NOW
from holdfast.adapters.declarations.model import (
    DeclarationModel,
    JobModel,
    JobSourceModel,
    ProfileModel,
    SourceModel,
)
from holdfast.adapters.declarations.ordering import cycles, in_order
from holdfast.adapters.declarations.paths import absolute, absolute_sqlite, below
from holdfast.adapters.declarations.problems import Problems, allowed, did_you_mean, hint
from holdfast.adapters.declarations.sink_models import (
    DeltaSinkModel,
    FileSinkModel,
    FilesSinkModel,
    HttpSinkModel,
    KafkaSinkModel,
    OtherSinkModel,
    PythonSinkModel,
    SqlSinkModel,
)
from holdfast.adapters.declarations.yaml_lines import Steps
from holdfast.adapters.sinks.opening import sink_kinds
from holdfast.core.job import Job, SinkSpec, SourceSpec, TriggerSpec

AnySource = SourceModel | JobSourceModel
AnySink = (
    FileSinkModel
    | FilesSinkModel
    | SqlSinkModel
    | DeltaSinkModel
    | KafkaSinkModel
    | PythonSinkModel
    | HttpSinkModel
    | OtherSinkModel
)
_FOLDER_SINKS = (FileSinkModel, FilesSinkModel, DeltaSinkModel)
Broken = frozenset[Steps]
"""Places that are wrong and were taken out: what refers to them is not wrong again."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A source or sink and where it is written."""

    model: Any
    steps: Steps


class Resolver:
    """Resolves the jobs of one profile; whatever is wrong goes to `problems`."""

    def __init__(
        self,
        model: DeclarationModel,
        profile_name: str,
        *,
        folder: str,
        variables: Variables,
        problems: Problems,
        broken: Broken,
    ) -> None:
        """Take the chosen profile; an unknown one has been refused before."""
        self._model = model
        self._profile_name = profile_name
        self._profile = model.profiles.get(profile_name) or ProfileModel.model_validate({})
        self._folder = folder
        self._variables = variables
        self._problems = problems
        self._broken = broken
        self._kinds = sink_kinds()
        self._jobs = {
            name: job
            for name, job in model.jobs.items()
            if job.profiles is None or profile_name in job.profiles
        }

    def base(self) -> str | None:
        """The base of the checkpoints; None, and a problem, where there is none."""
        at: Steps = ("profiles", self._profile_name, "checkpoints")
        given = self._profile.checkpoints
        if given is None:
            at, given = ("checkpoints",), self._model.checkpoints
        if given is None:
            if not {at, ("profiles", self._profile_name, "checkpoints")} & self._broken:
                self._problems.add(at, "is missing: the base of the checkpoints")
            return None
        return absolute(self._fill(given, at), self._folder)

    def spark(self) -> dict[str, str]:
        """Settings of the session; those of the profile go over the general ones."""
        general = self._fill_all(self._model.spark, ("spark",))
        own: Steps = ("profiles", self._profile_name, "spark")
        return {**general, **self._fill_all(self._profile.spark, own)}

    def jobs(self, base: str | None) -> tuple[Job, ...]:
        """Every job of the profile that can be resolved, each after the job it reads from."""
        self._check_profiles()
        sources = {name: self._find_source(name, job) for name, job in self._jobs.items()}
        sinks = {name: self._find_sink(name, job) for name, job in self._jobs.items()}
        needs = {
            name: placed.model.job
            for name, placed in sources.items()
            if placed is not None and isinstance(placed.model, JobSourceModel)
        }
        every = {name: needs.get(name) for name in self._jobs}
        for circle in cycles(every):
            told = " → ".join([*circle, circle[0]])
            message = f"jobs read each other in a circle: {told}"
            self._problems.add(("jobs", circle[0], "source"), message)
            return ()
        specs: dict[str, SinkSpec] = {}
        result = []
        for name in in_order(every):
            if name not in self._jobs:
                continue
            source, sink = sources[name], sinks[name]
            if sink is not None:
                specs[name] = self._sink(sink)
            spec = source and self._source(source, sinks, specs)
            if spec and name in specs and base is not None:
                result.append(self._job(name, spec, specs[name], base))
        return tuple(result)

    def _check_profiles(self) -> None:
        """Profiles that jobs name are there, and the one that was chosen has a job."""
        known = list(self._model.profiles)
        for name, job in self._model.jobs.items():
            for i, profile in enumerate(job.profiles or ()):
                if profile not in known and not self._is_broken(("profiles", profile)):
                    told = f"no profile is called {profile!r}{hint(profile, known)}"
                    self._problems.add(("jobs", name, "profiles", i), told)
        if not self._jobs and not any(bad[0] == "jobs" for bad in self._broken):
            at: Steps = ("profiles", self._profile_name)
            self._problems.add(at, "has no job: all of them are for other profiles")

    def _is_broken(self, place: Steps) -> bool:
        """Whether a place, or one around it, has been told already."""
        return any(place[: len(bad)] == bad for bad in self._broken)

    def _job(self, name: str, source: SourceSpec, sink: SinkSpec, base: str) -> Job:
        model = self._jobs[name]
        timed = model.trigger != AVAILABLE_NOW
        given = model.checkpoint
        return Job(
            name=name,
            source=source,
            transform=model.transform,
            sink=sink,
            trigger=TriggerSpec(
                kind="processing-time" if timed else "available-now",
                interval=model.trigger if timed else None,
            ),
            output_mode=model.output_mode,
            checkpoint=(
                below(base, name)
                if given is None
                else absolute(self._fill(given, ("jobs", name, "checkpoint")), self._folder)
            ),
        )

    def _find_source(self, name: str, job: JobModel) -> Placed | None:
        return self._find(("jobs", name, "source"), job.source, self._profile.sources, "source")

    def _find_sink(self, name: str, job: JobModel) -> Placed | None:
        return self._find(("jobs", name, "sink"), job.sink, self._profile.sinks, "sink")

    def _find(
        self, at: Steps, given: Any, known: Mapping[str, AnySource | AnySink], noun: str
    ) -> Placed | None:
        if not isinstance(given, str):
            return Placed(given, at)
        place: Steps = ("profiles", self._profile_name, f"{noun}s", given)
        if given in known:
            return Placed(known[given], place)
        if not self._is_broken(place):
            where = f"no {noun} is called {given!r} in profile {self._profile_name!r}"
            names = list(known)
            self._problems.add(at, f"{where}{hint(given, names)}")
        return None

    def _source(
        self, placed: Placed, sinks: Mapping[str, Placed | None], specs: Mapping[str, SinkSpec]
    ) -> SourceSpec | None:
        model: AnySource = placed.model
        options = self._fill_all(model.options, (*placed.steps, "options"))
        if isinstance(model, SourceModel):
            path = model.path
            if path is not None:
                path = absolute(self._fill(path, (*placed.steps, "path")), self._folder)
            return SourceSpec(
                format=model.format, path=path, schema=model.ddl, options=options, job=None
            )
        at: Steps = (*placed.steps, "job")
        if model.job not in self._jobs:
            self._refuse_upstream(model.job, at)
            return None
        upstream = sinks[model.job]
        if upstream is None or upstream.model.kind not in self._kinds:
            return None
        spec = _readable(upstream.model, specs[model.job])
        if spec is None:
            kind = upstream.model.kind
            told = f"job {model.job!r} writes to a sink of kind {kind}, which no job can read"
            self._problems.add(
                at, f"{told}; only file, files without partition_by, and delta can be read"
            )
            return None
        if isinstance(upstream.model, DeltaSinkModel) and upstream.model.mode == "upsert":
            self._check_changes(model, options, at)
        spec = replace(
            spec,
            options={**spec.options, **options},
            job=model.job,
            schema=model.ddl or spec.schema,
        )
        if spec.schema is None and spec.format in ("json", "csv", "parquet"):
            told = f"rows in {spec.format} need a schema: give it to this source or to the sink"
            self._problems.add(placed.steps, f"{told} of job {model.job!r}")
        if spec.format == "delta" and spec.schema is not None:
            told = "a source of format delta has its own schema; leave the field out"
            self._problems.add((*placed.steps, "schema"), told)
        return spec

    def _refuse_upstream(self, job: str, at: Steps) -> None:
        if job in self._model.jobs:
            told = f"job {job!r} is not in profile {self._profile_name!r}"
            self._problems.add(at, f"{told}; its field `profiles` says where it is")
        elif ("jobs", job) not in self._broken:
            told = f"no job is called {job!r}{hint(job, list(self._jobs))}"
            self._problems.add(at, told)

    def _check_changes(self, model: JobSourceModel, options: Mapping[str, str], at: Steps) -> None:
        """A stream of a table that is updated fails at its first update, unless told."""
        told = {name.lower() for name, value in options.items() if value.lower() == "true"}
        if not told & {"readchangefeed", "readchangedata", "skipchangecommits"}:
            self._problems.add(
                at,
                f"job {model.job!r} updates rows of its table, and reading them as a stream needs "
                "one of the options readChangeFeed and skipChangeCommits",
            )

    def _sink(self, placed: Placed) -> SinkSpec:
        model: AnySink = placed.model
        if model.kind not in self._kinds:
            near = did_you_mean(model.kind, self._kinds)
            told = f"no sink of kind {model.kind!r} is installed{allowed(self._kinds)}{near}"
            self._problems.add((*placed.steps, "kind"), told)
        given = model.model_dump(exclude_none=True, exclude={"kind", "ddl"})
        if "schema_name" in given:
            given["schema"] = given.pop("schema_name")
        if isinstance(model, DeltaSinkModel):
            if model.mode == "append" and not model.ledger:
                del given["mode"], given["create"]  # nothing for Delta's own writer
            if not model.ledger:
                del given["ledger"]
            if not model.merge_schema:
                del given["merge_schema"]
        if isinstance(model, _FOLDER_SINKS):
            del given["options"]
        filled = self._fill_tree(given, placed.steps)
        if isinstance(model, _FOLDER_SINKS):
            filled |= self._fill_all(model.options, (*placed.steps, "options"))
            for name in ("path", "ledger"):
                if isinstance(filled.get(name), str):  # Delta's ledger is true or false
                    filled[name] = absolute(filled[name], self._folder)
        elif isinstance(model, SqlSinkModel):
            filled["url"] = absolute_sqlite(filled["url"], self._folder)
        elif isinstance(model, PythonSinkModel):
            filled["folder"] = self._folder  # where its functions are imported from
        return SinkSpec(kind=model.kind, options=filled)

    def _fill(self, text: str, at: Steps) -> str:
        return self._variables.fill(text, str(at[-1]), lambda m: self._problems.add(at, m))

    def _fill_all(self, texts: Mapping[str, str], at: Steps) -> dict[str, str]:
        return {name: self._fill(text, (*at, name)) for name, text in texts.items()}

    def _fill_tree(self, value: Any, at: Steps) -> Any:
        if isinstance(value, str):
            return self._fill(value, at)
        if isinstance(value, dict):
            return {name: self._fill_tree(item, (*at, name)) for name, item in value.items()}
        if isinstance(value, list):
            return [self._fill_tree(item, (*at, i)) for i, item in enumerate(value)]
        return value


def _readable(model: AnySink, spec: SinkSpec) -> SourceSpec | None:
    """What reading a sink's output means; None where Spark has no stream of it."""
    options: dict[str, str] = {}
    ddl: str | None = None
    if isinstance(model, DeltaSinkModel):
        shape = "delta"
    elif isinstance(model, FileSinkModel):
        shape, ddl = str(model.format), model.ddl
    elif isinstance(model, FilesSinkModel) and not model.partition_by:
        # Else the folders of batches would be a column, which the schema does not have.
        shape, ddl, options = model.format, model.ddl, {"recursiveFileLookup": "true"}
    else:
        return None
    return SourceSpec(
        format=shape, path=spec.options["path"], schema=ddl, options=options, job=None
    )
