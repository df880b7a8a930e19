"""Cases of HF466."""

from dataclasses import replace

from holdfast.core.fact import Known
from tests.rules.change.queries import compared, query, source
from tests.rules.made_up import found, judged, plan

FILES = Known(
    plan(7, sources=(replace(plan(7).sources[0], kind="file", end='{"logOffset":4}'),)), "offsets/7"
)


def test_a_topic_that_is_taken_out_is_unsafe() -> None:
    given = compared(None, query(sources=(source(subscribe="u"),)))
    (finding,) = found(given, "HF466")
    assert "t -> u" in finding.message and finding.weight == "unsafe"
    assert judged(given).answer == "unsafe"


def test_a_topic_that_is_added_is_read_from_its_beginning() -> None:
    (finding,) = found(compared(None, query(sources=(source(subscribe="t, u"),))), "HF466")
    assert finding.weight == "note" and "beginning" in finding.consequence


def test_another_folder_is_unsafe() -> None:
    before = query(sources=(source(0, "json", path="/a"),))
    after = query(sources=(source(0, "json", path="/b"),))
    (finding,) = found(compared(before, after, plan=FILES), "HF466")
    assert finding.weight == "unsafe" and "/a -> /b" in finding.message


def test_another_table_is_unknown() -> None:
    before = query(sources=(source(0, "delta", path="/a"),))
    after = query(sources=(source(0, "delta", path="/b"),))
    assert [f.weight for f in found(compared(before, after, plan=FILES), "HF466")] == ["unknown"]


def test_other_brokers_may_be_another_cluster() -> None:
    def at(brokers: str) -> object:
        return query(sources=(source(**{"subscribe": "t", "kafka.bootstrap.servers": brokers}),))

    weights = {
        brokers: [f.weight for f in found(compared(at("a:1,b:1"), at(brokers)), "HF466")]
        for brokers in ("b:1, a:1", "a:1,c:1", "c:1")
    }
    assert weights == {"b:1, a:1": [], "a:1,c:1": ["note"], "c:1": ["unknown"]}
