"""An audit as one HTML file: no script, nothing from elsewhere, readable in a mail and on paper."""

from collections.abc import Iterable

from holdfast.audit.audit import Audited
from holdfast.core.crash.outcome import Outcome
from holdfast.core.crash.point import STARTING, Point
from holdfast.core.microbatch import CRASH_POINTS
from holdfast.surfaces.render.audit.style import STYLE
from holdfast.surfaces.render.audit.wording import (
    MARKS,
    MEANINGS,
    UNTRIED,
    batch_of,
    faults_of,
    harm,
    holds_for,
    not_compared,
    percent,
    recorded,
    struck_at,
    tally,
)
from holdfast.surfaces.render.markup import Markup, element, group
from holdfast.surfaces.render.words import count, duration

_TEXT_MAX = 600
"""Characters of one row, path or line of a log; the whole is in the JSON and in the folder."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Were anything of the user's data ever taken for HTML, a browser would still run nothing."""
_OUTCOME_HEADER = (
    *("point", "stage", "batch", "fault", "operation", "what was left", "outcome"),
    *("lost", "duplicated", "changed", "from nowhere"),
)
_COUNTED = 4


def audit_page(done: Audited) -> str:
    """The whole file."""
    title = f"{done.verdict.kind.upper()}: audit of {_cut(done.title)}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    main = element(
        "main",
        element("h1", f"Crash audit of {_cut(done.title)}"),
        _verdict(done),
        _audited(done),
        _undisturbed(done),
        _matrix(done),
        _bad(done),
        _outcomes(done),
    )
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


def _verdict(done: Audited) -> Markup:
    kind = done.verdict.kind
    proven = "every row is in the output exactly once, wherever the job was killed"
    reasons = done.verdict.reasons or ((proven,) if kind == "proven" else ())
    return element(
        "section",
        element("strong", kind.upper()),
        element("ul", *(element("li", _cut(reason)) for reason in reasons)) if reasons else "",
        element("p", f"This holds for: {holds_for(done)}."),
        element("p", " · ".join(tally(done))),
        class_=f"verdict {kind}",
        id="verdict",
    )


def _audited(done: Audited) -> Markup:
    versions = done.scope.versions
    own = "the program's own, not known"
    halves = "looked for" if done.scope.sees_halves else "not looked for"
    held = "held before each operation" if done.watched is None else f"seen ({done.watched})"
    facts = (
        ("audited", _cut(done.title)),
        ("output", done.scope.sink),
        ("Holdfast", versions.holdfast or "unknown"),
        ("Spark", versions.spark or own),
        ("Python", versions.python or own),
        ("Java", versions.java or own),
        ("batches", f"{done.batches:,}"),
        ("rows", f"{done.rows:,}"),
        ("crash points", f"{len(done.points):,} recorded, {done.chosen:,} chosen"),
        ("messages among them", _messages(done)),
        ("coverage", f"{percent(done)}: {done.killed:,} of {len(done.points):,} points reached"),
        ("kills and starts", f"{count(done.kills, 'kill')}, {count(done.starts, 'start')}"),
        ("faults", ", ".join(faults_of(done)) or "none"),
        ("crash points were", _cut(held)),
        ("half batches", halves),
        ("columns not compared", _cut(", ".join(not_compared(done))) or "none"),
        ("seed", str(done.seed)),
        ("duration", duration(done.duration_ms)),
        ("folder", done.folder),
    )
    pairs = (group((element("dt", name), element("dd", value))) for name, value in facts)
    command = element("pre", element("code", f"{done.again} --seed {done.seed}"))
    return _section("audited", "What was audited", element("dl", *pairs), command)


def _messages(done: Audited) -> str:
    if not done.messages:
        return "none: nothing was killed inside a conversation with a server"
    return f"{done.messages:,}; of a row of equal ones the first two count"


def _matrix(done: Audited) -> Markup:
    outcomes: dict[Point, list[Outcome]] = {}
    for outcome in done.outcomes:
        outcomes.setdefault(outcome.point, []).append(outcome)
    batches = sorted({point.batch for point in done.points})
    cells: dict[tuple[str, int], list[Markup]] = {}
    for point in done.points:
        marks = [_mark(outcome) for outcome in outcomes.get(point, ())] or [_untried(point)]
        cells.setdefault((point.stage, point.batch), []).extend(marks)
    header = ("stage", *(f"batch {batch:,}" if batch != STARTING else "start" for batch in batches))
    rows = (
        element(
            "tr",
            element("th", f"{stage} {meaning}", scope="row"),
            *(element("td", *cells.get((stage, batch), ())) for batch in batches),
        )
        for stage, meaning in CRASH_POINTS.items()
        if any(point.stage == stage for point in done.points)
    )
    used = [kind for kind in MARKS if any(outcome.kind == kind for outcome in done.outcomes)]
    key = [element("li", f"{MARKS[kind]} {kind}: {MEANINGS[kind]}") for kind in used]
    if len(outcomes) < len(done.points):
        key.append(element("li", f"{UNTRIED} not tried"))
    return _section(
        "matrix",
        "Crash points",
        element("p", f"{recorded(done)}. One mark for each outcome, by stage and batch."),
        _table("matrix", header, rows),
        element("ul", *key, class_="key"),
    )


def _mark(outcome: Outcome) -> Markup:
    told = f"point {_name(outcome, ', ')}: {outcome.kind}"
    return element(
        "a",
        MARKS[outcome.kind],
        class_=outcome.kind,
        href=f"#point-{_name(outcome)}",
        title=f"{told}, {struck_at(outcome)} {_cut(outcome.point.text)}",
        aria_label=told,
    )


def _untried(point: Point) -> Markup:
    told = f"point {point.number}: not tried"
    title = f"{told}, {_cut(point.text)}"
    return element("span", UNTRIED, class_="untried", role="img", title=title, aria_label=told)


def _name(outcome: Outcome, between: str = "-") -> str:
    """What tells an outcome: its point, and what was done there where that was not a kill."""
    number = str(outcome.point.number)
    return number if outcome.fault == "kill" else f"{number}{between}{outcome.fault}"


def _undisturbed(done: Audited) -> Markup:
    if done.undisturbed is None:
        return Markup("")
    told = element("p", f"Against the answer: {done.undisturbed.comparison.told}.", class_="wrong")
    rows = (group((_cut(line), Markup("\n"))) for line in done.undisturbed.examples)
    pre = element("pre", *rows, class_="data")
    return _section("undisturbed", "Wrong without a kill", told, pre)


def _bad(done: Audited) -> Markup:
    bad = [outcome for outcome in done.outcomes if outcome.is_bad]
    if not bad:
        return Markup("")
    return _section("bad", "What went wrong", *(_bad_one(done, outcome) for outcome in bad))


def _bad_one(done: Audited, outcome: Outcome) -> Markup:
    point = outcome.point
    said = [
        element("h3", f"Point {_name(outcome, ', ')}, {batch_of(point)}: {outcome.kind}"),
        element("p", _cut(harm(outcome)), class_=outcome.kind),
        element(
            "p",
            f"{struck_at(outcome).capitalize()} ",
            element("code", _cut(point.text)),
            f": {_stage(point)}.",
        ),
    ]
    if outcome.left:
        said.append(element("p", f"Left behind: {_cut(outcome.left)}"))
    lines = [*outcome.examples, *outcome.detail.splitlines()]
    if lines:
        # Each line is escaped by itself: a line break inside a row is data, and is spelled out.
        told = (group((_cut(line), Markup("\n"))) for line in lines)
        said.append(element("pre", *told, class_="data"))
    said.append(element("p", "To see it again:"))
    said.append(element("pre", element("code", done.replay(outcome))))
    if outcome.folder:
        said.append(element("p", "Everything of it is kept in ", element("code", outcome.folder)))
    return element("article", *said, id=f"bad-{_name(outcome)}")


def _outcomes(done: Audited) -> Markup:
    rows = (_outcome_row(outcome) for outcome in done.outcomes)
    return _section("outcomes", "All outcomes", _table("outcomes", _OUTCOME_HEADER, rows))


def _outcome_row(outcome: Outcome) -> Markup:
    point, rows = outcome.point, outcome.comparison
    kind: str = outcome.kind
    if outcome.is_bad:
        kind = element("a", kind, href=f"#bad-{_name(outcome)}")
    counts = ["–"] * _COUNTED
    if rows is not None:
        counts = [f"{n:,}" for n in (rows.lost, rows.duplicated, rows.changed, rows.unexpected)]
    return element(
        "tr",
        element("th", str(point.number), scope="row"),
        element("td", _stage(point)),
        element("td", _batch(point.batch)),
        element("td", outcome.fault),
        element("td", _cut(point.text), class_="data"),
        element("td", _cut(outcome.left)),
        element("td", f"{MARKS[outcome.kind]} ", kind, class_=outcome.kind),
        *(element("td", number, class_="number") for number in counts),
        id=f"point-{_name(outcome)}",
    )


def _section(name: str, heading: str, *children: Markup) -> Markup:
    title = element("h2", heading, id=f"{name}-heading")
    return element("section", title, *children, id=name, aria_labelledby=f"{name}-heading")


def _table(name: str, header: Iterable[str], rows: Iterable[Markup]) -> Markup:
    head = element("thead", element("tr", *(element("th", each, scope="col") for each in header)))
    table = element("table", head, element("tbody", *rows), class_=name)
    return element("div", table, class_="wide")


def _stage(point: Point) -> str:
    return f"{point.stage} {CRASH_POINTS[point.stage]}"


def _batch(batch: int) -> str:
    return "start" if batch == STARTING else f"{batch:,}"


def _cut(text: str) -> str:
    left = len(text) - _TEXT_MAX
    return text if left <= 0 else f"{text[:_TEXT_MAX]}… ({left:,} more characters)"
