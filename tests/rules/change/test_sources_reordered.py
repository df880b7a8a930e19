"""Cases of HF465."""

from dataclasses import replace

from holdfast.core.evidence.around import QuerySource
from holdfast.core.evidence.logs import Plan, SourceSpan
from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, judged, plan


def folders(*paths: str) -> tuple[QuerySource, ...]:
    # The first is named by the declaration, the others by the plan.
    providers = ["json", *["FileSource"] * (len(paths) - 1)]
    return tuple(source(n, providers[n], path=path) for n, path in enumerate(paths))


def stored(*spans: SourceSpan) -> Known[Plan]:
    return Known(plan(7, sources=spans), "offsets/7")


def files(position: int) -> SourceSpan:
    span = plan(7).sources[0]
    return replace(span, position=position, kind="file", end='{"logOffset":4}')


def topic(position: int, name: str) -> SourceSpan:
    return replace(plan(7).sources[0], position=position, end=f'{{"{name}":{{"0":9}}}}')


def test_two_folders_that_change_places_swap_their_positions() -> None:
    before, after = query(sources=folders("/a", "/b")), query(sources=folders("/b", "/a"))
    given = compared(before, after, plan=stored(files(0), files(1)))
    (finding,) = found(given, "HF465")
    assert "[file /a; file /b] -> [file /b; file /a]" in finding.message
    assert judged(given).answer == "unsafe"
    assert not found(given, "HF466"), "said once"


def test_topics_tell_without_any_record() -> None:
    after = query(sources=(source(0, subscribe="b"), source(1, subscribe="a")))
    assert found(compared(None, after, plan=stored(topic(0, "a"), topic(1, "b"))), "HF465")


def test_the_same_order_and_other_places_are_not() -> None:
    pair = stored(files(0), files(1))
    same = query(sources=folders("/a", "file:///b/"))
    assert not found(compared(query(sources=folders("/a", "/b")), same, plan=pair), "HF465")
    other = query(sources=folders("/a", "/c"))
    assert not found(compared(query(sources=folders("/a", "/b")), other, plan=pair), "HF465")
