"""HF221: the transform does not give the same rows when a batch is run again.

After a crash Spark runs the last batch once more, over the same input and with the same clock for
`current_timestamp()`. Exactly-once rests on that giving the same rows. It does not where a row
depends on chance (`rand`, `uuid`, `shuffle`, a sample), on how rows are spread over partitions
(`monotonically_increasing_id`, `spark_partition_id`), or on the clock or chance inside a Python
function. A sink that already has the batch then holds other values than the state, or than a second
sink; a sink without a ledger gets the row twice, under two different keys.

Means: Spark calls an expression of the plan nondeterministic, or the transform calls a function of
`random`, `uuid`, `secrets`, `time`, `datetime`, `os` or `numpy.random` whose answer changes.
`current_timestamp()` and `current_date()` are repeatable: Spark stores their value in the plan of
the batch. Calls that are hidden in other libraries are not seen.
Severity: warning.
Do: make the value from the row: a hash of its key in place of `uuid`, the event's own time in place
of the clock.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping

from holdfast.core.guard_finding import GuardFinding
from holdfast.core.limits import SOURCE_CHARACTERS_MAX

CODE = "HF221"

NOT_LOOKED_AT = "…"
"""In place of a name: there is more in the plan than was looked at."""

_OTHER_ROWS = "a batch that is run again gives other rows"
_CHANCE = "it takes a new seed each time that a batch is run"
_PARTITIONS = "it depends on how rows are spread over partitions, which a second run may change"
_REASONS = {
    "rand": _CHANCE,
    "randn": _CHANCE,
    "uuid": _CHANCE,
    "shuffle": _CHANCE,
    "randstr": _CHANCE,
    "uniform": _CHANCE,
    "sample": "its seed is drawn anew at every start, and it depends on partitions",
    "monotonicallyincreasingid": _PARTITIONS,
    "sparkpartitionid": _PARTITIONS,
    "inputfilename": "it depends on how files are put together into tasks",
    "inputfileblockstart": "it depends on how files are put together into tasks",
    "inputfileblocklength": "it depends on how files are put together into tasks",
    "pythonudf": "it was declared with asNondeterministic()",
    "pythonudaf": "it was declared with asNondeterministic()",
    "pythonudtf": "it was declared to be nondeterministic",
}
_REPEATABLE_IN_SPARK = {"currenttimestamp", "currentdate", "now", "localtimestamp", "currenttime"}

_CLOCKS = frozenset(
    {
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
        "datetime.date.today",
        "time.time",
        "time.time_ns",
        "time.monotonic",
        "time.monotonic_ns",
        "time.perf_counter",
        "time.perf_counter_ns",
        "time.localtime",
        "time.gmtime",
        "time.ctime",
        "time.strftime",
        "pandas.Timestamp.now",
        "pandas.Timestamp.utcnow",
        "pandas.Timestamp.today",
    }
)
_ONLY_WITHOUT_A_TIME = {"time.localtime": 0, "time.gmtime": 0, "time.ctime": 0, "time.strftime": 1}
"""These take the clock where they are given no time: as many other arguments as that are."""

_CHANCE_CALLS = frozenset({"uuid.uuid1", "uuid.uuid4", "os.urandom", "os.getrandom"})
_CHANCE_MODULES = ("random.", "secrets.", "numpy.random.")
_USUAL_NAMES = {
    # What a function without the imports of its module most likely means.
    "random": "random",
    "uuid": "uuid",
    "uuid4": "uuid.uuid4",
    "uuid1": "uuid.uuid1",
    "secrets": "secrets",
    "datetime": "datetime.datetime",
    "date": "datetime.date",
    "time": "time",
    "os": "os",
    "numpy": "numpy",
    "np": "numpy",
    "pandas": "pandas",
    "pd": "pandas",
}


def find_unrepeatable(
    job_name: str, plan_words: Iterable[str], udf_sources: Mapping[str, str]
) -> tuple[GuardFinding, ...]:
    """Look for chance and clock in a plan's expressions and in the text of Python functions.

    `udf_sources` maps the name of a function or a module to its text. Text that is no Python is
    passed over.
    """
    return (
        *(finding for word in plan_words for finding in _in_the_plan(job_name, word)),
        *(
            finding
            for name, source in udf_sources.items()
            for finding in _in_the_source(job_name, name, source)
        ),
    )


def _in_the_plan(job_name: str, word: str) -> Iterator[GuardFinding]:
    if word == NOT_LOOKED_AT:
        yield _finding(job_name, "the plan could not be looked through", "chance in it is not seen")
        return
    kind, _, function = word.partition(":")
    plain = kind.replace("_", "").lower()
    if plain in _REPEATABLE_IN_SPARK:
        return
    reason = _REASONS.get(plain, "Spark calls it nondeterministic")
    what = f"the function {function!r}" if function else f"{kind} in the plan"
    yield _finding(job_name, f"{what} is not repeatable: {reason}", _OTHER_ROWS)


def _in_the_source(job_name: str, name: str, source: str) -> Iterator[GuardFinding]:
    tree = _parsed(source)
    if tree is None:
        return
    meanings = _meanings(tree)
    seen: set[tuple[int, str]] = set()
    for function, call in _calls(tree):
        for called in (*_called(call, meanings), *_handed_on(call, meanings)):
            if (call.lineno, called) in seen:
                continue
            seen.add((call.lineno, called))
            where = f"{function} in {name}" if function and function != name else name
            kind = "the clock" if called in _CLOCKS else "chance"
            yield _finding(
                job_name,
                f"{where} calls {called}() in line {call.lineno}, which depends on {kind} and is "
                "not repeatable",
                _OTHER_ROWS,
            )


def _finding(job_name: str, message: str, harm: str) -> GuardFinding:
    return GuardFinding(
        code=CODE,
        severity="warning",
        job=job_name,
        message=f"{message}: {harm}",
        next_action="make the value from the row itself: a hash of its key, the event's own time",
    )


def _parsed(source: str) -> ast.Module | None:
    if len(source) > SOURCE_CHARACTERS_MAX:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    try:
        # The text of a function inside a class or another function is indented.
        tree = ast.parse(f"if True:\n{source}")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ast.increment_lineno(tree, -1)


def _meanings(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for; usual names too where the text has no imports on top."""
    meanings: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname is not None:
                    meanings[alias.asname] = alias.name
                else:
                    top = alias.name.partition(".")[0]
                    meanings[top] = top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                meanings[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    has_imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
    return meanings if has_imports else {**_USUAL_NAMES, **meanings}


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Every call with the name of the function around it, in the order of the text.

    Without recursion: a sum of a thousand terms is a thousand levels deep.
    """
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        function, node = waiting.pop()
        if isinstance(node, ast.Call):
            yield function, node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        waiting += [(function, child) for child in reversed(list(ast.iter_child_nodes(node)))]


def _called(call: ast.Call, meanings: Mapping[str, str]) -> Iterator[str]:
    name = _full_name(call.func, meanings)
    if name is None:
        return
    if name in _ONLY_WITHOUT_A_TIME:
        changes = len(call.args) <= _ONLY_WITHOUT_A_TIME[name]
    elif _makes_generator(name):
        # With a seed it is repeatable.
        changes = not call.args and not call.keywords
    else:
        changes = _changes(name)
    if changes:
        yield name


def _handed_on(call: ast.Call, meanings: Mapping[str, str]) -> Iterator[str]:
    """Functions that are not called here and given to another to be called: udf(uuid.uuid4)."""
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        name = _full_name(argument, meanings)
        if name is not None and _changes(name) and not _makes_generator(name):
            yield name


def _full_name(expression: ast.expr, meanings: Mapping[str, str]) -> str | None:
    """The full name of what an expression means, None where it is not a name from a module."""
    parts: list[str] = []
    while isinstance(expression, ast.Attribute):
        parts.append(expression.attr)
        expression = expression.value
    if not isinstance(expression, ast.Name) or expression.id not in meanings:
        return None
    name = ".".join([meanings[expression.id], *reversed(parts)])
    # The usual name `datetime` may have been the module and not the class.
    for twice in ("datetime.datetime.datetime.", "datetime.datetime.date."):
        name = name.replace(twice, twice.removeprefix("datetime."))
    return name


def _changes(name: str) -> bool:
    if name in _CLOCKS or name in _CHANCE_CALLS:
        return name not in _ONLY_WITHOUT_A_TIME
    return name.startswith(_CHANCE_MODULES) and not name.endswith(".seed")


def _makes_generator(name: str) -> bool:
    last = name.rpartition(".")[2]
    return name.startswith(_CHANCE_MODULES) and (last[:1].isupper() or last == "default_rng")
