"""A function of one's own as a sink: what is written, what is refused, what is asked."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.records.local import LocalRecords
from holdfast.adapters.sinks.own.function import open_sink
from holdfast.adapters.sinks.own.sink import OwnSink
from holdfast.core.running.batch import Batch
from holdfast.core.running.ports import Binding
from holdfast.errors import FencedError, MalformedError, RefusedError, UnreachableError, UsageError

QUERY = "0b54a8a2-6d0e-4f0c-9f57-3f6c1b6c7d01"
ROWS = [(number, f"row {number}") for number in range(7)]


class Inbox:
    """A target in memory, for what needs no process."""

    def __init__(self) -> None:
        self.chunks: list[tuple[Any, list[dict[str, Any]]]] = []
        self.errors: list[Exception] = []
        self.asked = 0
        self.before: Callable[[], None] = lambda: None

    def write(self, rows: list[dict[str, Any]], token: Any) -> None:
        self.before()
        if self.errors:
            raise self.errors.pop(0)
        self.chunks.append((token, rows))

    def write_then_fail(self, rows: list[dict[str, Any]], token: Any) -> None:
        self.chunks.append((token, rows))
        raise ValueError("the answer was lost")

    def has(self, token: Any) -> bool:
        self.asked += 1
        return token in [known for known, _ in self.chunks]

    def rows(self) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(row.values()) for _, rows in self.chunks for row in rows)


def opened(folder: Path, inbox: Inbox, epoch: int = 1, **options: Any) -> OwnSink:
    given = {"function": inbox.write, "name": "inbox", "chunk_rows": 3, "attempts": 3, **options}
    sink = open_sink(given)
    sink._records = LocalRecords(folder)
    sink._sleep = lambda _seconds: None
    sink.open(QUERY, epoch)
    return sink


def batch_of(
    batch_id: int = 0, rows: list[Any] = ROWS, *, epoch: int = 1, end: int | None = None
) -> Batch:
    return Batch(
        query_id=QUERY,
        sink="inbox",
        batch_id=batch_id,
        epoch=epoch,
        columns=("id", "text"),
        rows=lambda: iter(rows),
        offsets={"0": {"end": batch_id if end is None else end}},
    )


def test_rows_come_as_mappings_with_a_token(tmp_path: Path) -> None:
    inbox = Inbox()
    assert opened(tmp_path, inbox).write(batch_of(7)) is True
    assert inbox.rows() == Counter(ROWS)
    assert [len(rows) for _, rows in inbox.chunks] == [3, 3, 1]
    tokens = [token for token, _ in inbox.chunks]
    assert [(t.query_id, t.sink, t.batch_id, t.chunk) for t in tokens] == [
        (QUERY, "inbox", 7, chunk) for chunk in range(3)
    ]
    assert all(len(token.digest) == 32 for token in tokens)


def test_a_batch_goes_on_after_the_chunk_that_was_acknowledged(tmp_path: Path) -> None:
    inbox = Inbox()
    sink = opened(tmp_path, inbox)
    inbox.before = lambda: (
        inbox.errors.append(RuntimeError("no")) if len(inbox.chunks) == 1 else None
    )
    with pytest.raises(RefusedError, match="chunk 1 of batch 0 was not taken: RuntimeError: no"):
        sink.write(batch_of())
    inbox.before = lambda: None
    later = opened(tmp_path, inbox, 2, chunk_rows=100)
    assert later.write(batch_of(rows=ROWS[::-1], epoch=2)) is True
    assert inbox.rows() == Counter(ROWS)
    assert [len(rows) for _, rows in inbox.chunks] == [3, 3, 1], "cut as the batch began"
    assert later.last_batch(QUERY) == 0


def test_other_rows_than_were_sent_are_refused_and_never_written(tmp_path: Path) -> None:
    inbox = Inbox()
    sink = opened(tmp_path, inbox)

    def fail() -> None:
        if len(inbox.chunks) == 1:
            raise RuntimeError("killed amid a chunk")

    inbox.before = fail
    with pytest.raises(RefusedError):
        sink.write(batch_of())
    inbox.before = lambda: None
    acknowledged = [(row[0], "new") if row == ROWS[0] else row for row in ROWS]
    shorter, longer = ROWS[:2], [(0, "row !"), *ROWS]
    for rows in (acknowledged, shorter, longer, []):
        with pytest.raises(RefusedError) as caught:
            opened(tmp_path, inbox).write(batch_of(rows=rows))
        assert caught.value.code == "HF226"
        assert "nothing" in caught.value.message or "not written" in caught.value.message
    assert len(inbox.chunks) == 1
    # The chunk that was sent and not acknowledged counts as well.
    with pytest.raises(RefusedError, match="chunk 1 of batch 0 comes again with other rows"):
        opened(tmp_path, inbox).write(batch_of(rows=[*ROWS[:5], (5, "new"), ROWS[6]]))
    assert opened(tmp_path, inbox).write(batch_of()) is True
    assert inbox.rows() == Counter(ROWS)


def test_other_offsets_are_another_batch(tmp_path: Path) -> None:
    inbox = Inbox()
    sink = opened(tmp_path, inbox)
    sink.write(batch_of())
    assert sink.write(batch_of()) is False
    with pytest.raises(RefusedError, match="it is another batch") as caught:
        sink.write(batch_of(end=9))
    assert caught.value.code == "HF226"
    inbox.errors = [RuntimeError("no")]
    with pytest.raises(RefusedError, match="was not taken"):
        sink.write(batch_of(1))
    with pytest.raises(RefusedError, match="it is another batch"):
        sink.write(batch_of(1, end=9))
    with pytest.raises(RefusedError, match="batch 1 was begun and not finished"):
        sink.write(batch_of(2))


def test_the_lease_is_asked_for_before_each_try(tmp_path: Path) -> None:
    inbox, asked = Inbox(), []

    def check() -> None:
        asked.append(len(inbox.chunks))
        if len(inbox.chunks) == 2:
            raise FencedError("another start has taken over")

    sink = opened(tmp_path, inbox)
    (tmp_path / "jobs").mkdir()
    sink.bind(Binding(checkpoint=str(tmp_path / "jobs" / "orders"), epoch=1, check=check))
    sink.open(QUERY, 1)
    inbox.errors = [ConnectionError("away")]
    with pytest.raises(FencedError):
        sink.write(batch_of())
    assert asked == [0, 0, 1, 2]
    ledger = tmp_path / "jobs" / "_holdfast" / "orders" / "sinks" / "inbox" / QUERY / "1"
    assert ledger.is_file()


def test_a_writer_that_is_overtaken_begins_no_other_chunk(tmp_path: Path) -> None:
    inbox = Inbox()
    old = opened(tmp_path, inbox)
    inbox.before = lambda: opened(tmp_path, inbox, 2) and None
    with pytest.raises(FencedError, match="epoch 2 has taken over sink 'inbox'; this is epoch 1"):
        old.write(batch_of())
    assert len(inbox.chunks) == 1
    inbox.before = lambda: None
    new = opened(tmp_path, inbox, 2)
    assert new.write(batch_of(epoch=2)) is True
    tokens = [token.text for token, _ in inbox.chunks]
    assert tokens[1:3] == [tokens[1], tokens[2]] and len(set(tokens)) == 3


def test_an_answer_that_was_lost_is_asked_for(tmp_path: Path) -> None:
    inbox = Inbox()
    sink = opened(tmp_path, inbox, function=inbox.write_then_fail, has=inbox.has)
    assert sink.guarantee == "exactly-once"
    assert sink.write(batch_of()) is True
    assert inbox.rows() == Counter(ROWS)
    assert inbox.asked == 6, "before each chunk, and after each failure"


def test_without_an_answer_whether_it_is_there_nothing_is_sent(tmp_path: Path) -> None:
    def silent(_token: Any) -> bool:
        raise ValueError("no answer")

    inbox = Inbox()
    with pytest.raises(UnreachableError, match="has\\(token\\) failed: ValueError: no answer"):
        opened(tmp_path, inbox, has=silent).write(batch_of())
    assert inbox.chunks == []


def test_errors_that_can_pass_are_tried_again(tmp_path: Path) -> None:
    inbox = Inbox()
    inbox.errors = [TimeoutError("slow"), UnreachableError("away")]
    assert opened(tmp_path, inbox).write(batch_of()) is True
    inbox.errors = [OSError("a"), OSError("b"), OSError("c")]
    with pytest.raises(UnreachableError, match="was not acknowledged, 3 times: OSError: c"):
        opened(tmp_path, inbox).write(batch_of(1))


def test_a_ledger_that_cannot_be_read_is_not_begun_anew(tmp_path: Path) -> None:
    inbox = Inbox()
    opened(tmp_path, inbox).write(batch_of())
    file = tmp_path / "sinks" / "inbox" / QUERY / "1"
    for text in ("", "{}", "[]", '{"version": 2, "state": null}', '{"version": 1, "state": 5}'):
        file.write_text(text)
        with pytest.raises(MalformedError):
            opened(tmp_path, inbox).write(batch_of(1))
    assert inbox.rows() == Counter(ROWS)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    inbox = Inbox()
    batch = batch_of()
    wrong = type(batch)(
        **{**{n: getattr(batch, n) for n in batch.__slots__}, "columns": ("a", "A")}
    )
    with pytest.raises(RefusedError, match="two columns of one name"):
        opened(tmp_path, inbox).write(wrong)


def test_functions_by_name_with_options(tmp_path: Path) -> None:
    module = tmp_path / "own_target_of_a_test.py"
    module.write_text("def send(rows, token, *, place):\n    place.extend(rows)\nvalue = 3\n")
    place: list[Any] = []
    given = {"folder": str(tmp_path), "options": {"place": place}}
    sink = open_sink({**given, "function": "own_target_of_a_test:send", "name": "inbox"})
    sink._records = LocalRecords(tmp_path)
    sink.open(QUERY, 1)
    sink.write(batch_of())
    assert len(place) == len(ROWS)
    assert open_sink({**given, "function": "own_target_of_a_test:send"}).name == (
        "own_target_of_a_test:send"
    )
    for function, message in (
        (None, "option 'function' is missing"),
        ("send", "function must be module:function"),
        ("own_target_of_a_test:gone", "function cannot be imported: AttributeError"),
        ("not_there_at_all:send", "function cannot be imported: ModuleNotFoundError"),
        ("own_target_of_a_test:value", "function is int and not a function"),
    ):
        with pytest.raises(UsageError, match=message):
            open_sink({**given, "function": function})


def test_a_trial_needs_a_target_of_its_own(tmp_path: Path) -> None:
    inbox = Inbox()
    with pytest.raises(UsageError, match="cannot be copied into an audit"):
        opened(tmp_path, inbox).trial("/f", "r1")
    template = {"options": {"path": "{folder}/x-{run}"}, "read": "sqlite:{folder}/x?table=t"}
    target = opened(tmp_path, inbox, trial=template).trial("/f", "r1")
    assert target.options == {"options": {"path": "/f/x-r1"}}
    assert (target.root, target.read) == (None, "sqlite:/f/x?table=t")
