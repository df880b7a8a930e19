"""docs/truth.md: what `judge` said, and what Spark then did."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from scripts.truth.changes.change import Change
from scripts.truth.judging import Judgement
from scripts.truth.observation import Observation
from scripts.truth.workloads import HOME, VERSIONS, WORKLOADS

Standing = Literal["ok", "FALSE SAFE", "false unsafe", "unknown"]
FALSE_UNSAFE_MAX = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One case with its verdict."""

    found: Observation
    change: Change
    judged: Judgement

    @property
    def standing(self) -> Standing:
        """The verdict against what happened."""
        right = self.found.outcome.is_right
        if self.judged.answer == "unknown":
            return "unknown"
        if self.judged.answer == "safe":
            return "ok" if right else "FALSE SAFE"
        return "false unsafe" if right else "ok"


def page(lines: Sequence[Line]) -> str:
    """The whole page."""
    home = [line for line in lines if line.found.version == HOME]
    parts = [
        *introduction(lines, home),
        *matrix(home),
        *listing("False safe", [x for x in lines if x.standing == "FALSE SAFE"]),
        *listing("False unsafe", [x for x in lines if x.standing == "false unsafe"]),
        *listing("Unknown", [x for x in lines if x.standing == "unknown"]),
        *table(lines),
    ]
    return "\n".join(parts) + "\n"


def introduction(lines: Sequence[Line], home: Sequence[Line]) -> list[str]:
    stands = Counter(line.standing for line in lines)
    unsaid = Counter(x.found.outcome.is_right for x in lines if x.standing == "unknown")
    kinds = len({line.found.change for line in home})
    share = stands["false unsafe"] / len(lines) if lines else 0.0
    return [
        "# What `judge` said, and what Spark did",
        "",
        "`make truth` makes checkpoints with real Spark, Delta and Kafka, changes one thing, asks",
        "`holdfast judge` about a resume, then really starts the query, twice, with more input",
        "each time, and compares the whole sink with the truth as a multiset. What was observed is",
        "kept in the cache and judged again whenever rules change.",
        "",
        "*started-right*: every row once. *refused*: no start, nothing written. *never-starts*:",
        "every start fails after it has planned. *wrote-then-failed*: rows were written, then it",
        "failed. *lost*, *duplicated*, *changed*: rows of the sink against the truth.",
        "*unreadable*: readers of the table fail. A refusal counts as unsafe.",
        "",
        f"{len(lines)} cases; on {HOME} {len(home)}, of {kinds} changes.",
        "",
        "| | cases |",
        "|---|---|",
        f"| verdict right | {stands['ok']} |",
        f"| **false safe** | {stands['FALSE SAFE']} |",
        f"| false unsafe (limit {FALSE_UNSAFE_MAX:.0%}) | {stands['false unsafe']} ({share:.1%}) |",
        f"| unknown, and the start was right | {unsaid[True]} |",
        f"| unknown, and the start was not right | {unsaid[False]} |",
        "",
        "The rules were written with this table at hand, so its counts say how well they fit these",
        "cases, and not how they do on a change that is not in it.",
        "",
    ]


MATRIX = (
    ("commit_gone", "killed after the sink, before commits/N"),
    ("checkpoint_gone", "checkpoint deleted, table kept"),
    ("logs_emptied", "both logs emptied, metadata kept"),
    ("logs_and_sources_emptied", "both logs and sources/ emptied, metadata kept"),
    ("two_hundred_waiting", "the same, and 200 records wait"),
    ("both_cut", "both logs cut to an older batch"),
    ("twin_ran", "a copy of the checkpoint ran on the same table"),
    ("metadata_gone_in_flight", "metadata lost with a batch in flight"),
)
SINKS = ("files-delta", "files-deltatxn", "kafka-delta", "files-parquet", "files-foreach")


def matrix(home: Sequence[Line]) -> list[str]:
    """What each kind of sink makes of the accidents that matter most, with numbers of rows."""
    found = {(line.found.change, line.found.workload): line for line in home}
    made = [
        "## Accidents against sinks",
        "",
        f"On {HOME}. Verdict, in brackets the rows that a finding named beforehand, then what",
        "happened.",
        "",
        "| | " + " | ".join(SINKS) + " |",
        "|---|" + "---|" * len(SINKS),
    ]
    for change, text in MATRIX:
        cells = [cell(found.get((change, sink))) for sink in SINKS]
        made.append(f"| {text} | " + " | ".join(cells) + " |")
    return [*made, ""]


def listing(title: str, lines: Sequence[Line]) -> list[str]:
    """Cases of one standing, one line for a change on a workload."""
    if not lines:
        return [f"## {title}", "", "None.", ""]
    rows = [
        f"| {change} | {workload} | {versions} | {outcome} | {codes} |"
        for (change, workload, outcome, codes), versions in by_version(lines).items()
    ]
    head = ["| change | query | Spark | what happened | codes |", "|---|---|---|---|---|"]
    return [f"## {title}", "", *head, *rows, ""]


def by_version(lines: Iterable[Line]) -> dict[tuple[str, str, str, str], str]:
    """Versions on which the same was seen and said, together."""
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for line in lines:
        seen = line.found
        key = (seen.change, seen.workload, str(seen.outcome), ", ".join(line.judged.codes))
        found.setdefault(key, []).append(seen.version)
    return {key: ", ".join(versions) for key, versions in found.items()}


def table(lines: Sequence[Line]) -> list[str]:
    """Every change on every workload, a column for each version."""
    rows = {(line.found.change, line.found.workload): line.change for line in lines}
    cells = {(x.found.change, x.found.workload, x.found.version): x for x in lines}
    made = [
        "## Every case",
        "",
        "Queries: " + ", ".join(f"`{name}`" for name in WORKLOADS) + ".",
        "",
        "| what changed | query | " + " | ".join(VERSIONS) + " |",
        "|---|---|" + "---|" * len(VERSIONS),
    ]
    for (name, workload), change in rows.items():
        columns = [cell(cells.get((name, workload, version))) for version in VERSIONS]
        made.append(f"| `{name}`: {change.text} | {workload} | " + " | ".join(columns) + " |")
    return made


def cell(line: Line | None) -> str:
    if line is None:
        return "-"
    mark = {"ok": "", "FALSE SAFE": " **FALSE SAFE**", "false unsafe": " *false unsafe*"}
    told = "" if line.judged.rows is None else f" ({line.judged.rows:,})"
    return f"{line.judged.answer}{told}: {line.found.outcome}{mark.get(line.standing, '')}"
