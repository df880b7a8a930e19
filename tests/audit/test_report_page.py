"""The report as a page: what it says, that it is whole, and that nobody's data can break it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from holdfast.adapters.page_file import refuse_bad_place, write_page
from holdfast.core.crash.outcome import Outcome, Verdict
from holdfast.errors import UnreachableError, UsageError
from holdfast.surfaces.render.audit.page import audit_page
from holdfast.surfaces.render.markup import Markup, element
from tests.audit.made_up import audited, convicted, outcome, point, points, rows, several_faults

EACH = (audited(), convicted(), audited(tried=5), several_faults(), audited(recorded=()))
VOID = {"meta", "br", "hr", "link"}
HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\"'><b onclick='x'>",
    "a\x00b\x1b[31mc\x7f\nd\r\n</pre>",
    "\ud800 lone \udfff",
    "\u202eturned round",
    "&lt;&amp;&#0;",
    "<!--",
    "]]>",
)


class Seen(HTMLParser):
    """Parses the page, and fails where a tag is not closed by its own end."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {tag} {attrs}"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self, *inside: str) -> str:
        wanted = [data for tag, data in self.texts if (tag in inside or not inside)]
        return "".join(text for text in wanted if text)

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]


def hostile(text: str) -> str:
    """A page with this text at every place that holds somebody's data."""
    every = (point(1, "K9", 1, text), *points()[1:])
    bad = Outcome(
        point=every[0],
        kind="wrong",
        comparison=rows(lost=1),
        examples=(f"lost: {text}",),
        left=text,
        detail=text,
        folder=text,
    )
    return audit_page(
        audited(
            {1: bad},
            recorded=every,
            title=text,
            folder=text,
            again=text,
            verdict=Verdict(kind="convicted", reasons=(text,)),
        )
    )


def test_a_page_is_whole_and_takes_nothing_from_elsewhere() -> None:
    for page in (audit_page(done) for done in EACH):
        seen = Seen(page)
        assert page.startswith("<!doctype html>\n<html lang=")
        assert [tag for tag, _ in seen.tags].count("h1") == 1
        assert not {"script", "img", "link", "iframe", "object", "base"} & {t for t, _ in seen.tags}
        assert not re.search(r"url\(|@import|https?:", page)
        assert all(str(link["href"]).startswith("#") for link in seen.of("a"))
        assert "prefers-color-scheme: dark" in page and "@media print" in page


def test_every_link_leads_to_one_place_of_the_page() -> None:
    seen = Seen(audit_page(convicted()))
    assert len(seen.ids) == len(set(seen.ids))
    targets = {str(link["href"])[1:] for link in seen.of("a")}
    assert targets
    assert targets <= set(seen.ids)
    named = {str(a["aria-labelledby"]) for _, a in seen.tags if "aria-labelledby" in a}
    assert named <= set(seen.ids)


def test_there_is_one_mark_for_each_point_and_it_says_so_in_words() -> None:
    done = convicted()
    seen = Seen(audit_page(done))
    marks = {a["aria-label"]: a for a in seen.of("a") if "aria-label" in a}
    assert len(marks) == len(done.points)
    assert marks["point 10: wrong"]["href"] == "#point-10"
    assert "before create checkpoint:commits/.0.*.tmp" in str(marks["point 10: wrong"]["title"])
    assert marks["point 9: exact"]["class"] == "exact"
    assert {f"point-{each.number}" for each in done.points} <= set(seen.ids)


def test_points_that_were_not_tried_have_a_mark_and_no_row() -> None:
    page = audit_page(audited(tried=5))
    seen = Seen(page)
    untried = sorted(str(a["aria-label"]) for a in seen.of("span"))
    assert untried == sorted(f"point {number}: not tried" for number in range(6, 33))
    assert "point-5" in seen.ids and "point-6" not in seen.ids
    assert "UNKNOWN" in seen.text("strong")
    assert "27 of 32 crash points were not killed" in seen.text("li")
    assert "15 %: 5 of 32 points reached" in seen.text("dd")


def test_a_proven_page_says_what_was_audited_and_what_it_holds_for() -> None:
    seen = Seen(audit_page(audited()))
    assert seen.text("title") == "PROVEN: audit of sensor-merge-gold (sql, upsert)"
    assert "sqlite upsert, partitions unknown, Spark 4.2.0" in seen.text("p")
    facts = [text for tag, text in seen.texts if tag == "dd"]
    assert {"0.1.0", "4.2.0", "3.12.3", "17.0.12", "looked for", "7", "9 min 12 s"} <= set(facts)
    assert "bad" not in seen.ids


def test_faults_beside_kills_have_marks_rows_and_commands_of_their_own() -> None:
    done = several_faults()
    seen = Seen(audit_page(done))
    assert len(seen.ids) == len(set(seen.ids))
    labels = [str(a["aria-label"]) for a in seen.of("a") if "aria-label" in a]
    assert len(labels) == len(set(labels)) == 2 * len(done.points)
    assert "point 9, disk-full: stuck" in labels and "point 9: exact" in labels
    assert {"point-9", "point-9-disk-full", "bad-9-disk-full"} <= set(seen.ids)
    assert {str(link["href"])[1:] for link in seen.of("a")} <= set(seen.ids)
    assert f"--points {done.points[8].name} --faults disk-full --seed 7" in seen.text("code")


def test_what_was_not_compared_or_only_seen_is_said() -> None:
    seen = Seen(audit_page(several_faults()))
    facts = [text for tag, text in seen.texts if tag == "dd"]
    assert {"at, note", "kill, disk-full", "seen (no seccomp here)", "not looked for"} <= set(facts)
    assert "without the columns at, note, points seen and not held" in seen.text("p")


def test_what_nobody_knows_is_not_made_up() -> None:
    facts = [text for tag, text in Seen(audit_page(convicted())).texts if tag == "dd"]
    assert facts.count("the program's own, not known") == 3
    assert "not looked for" in facts


def test_a_bad_outcome_has_its_rows_and_the_command_to_see_it_again() -> None:
    done = convicted()
    seen = Seen(audit_page(done))
    assert 'too much: customer="c-11", id=11\n' in seen.text("pre")
    assert done.replay(done.outcomes[9]) in seen.text("code")
    assert f"--points {done.points[9].name} --seed 7" in seen.text("code")
    bad = [each.point.number for each in done.outcomes if each.is_bad]
    assert [str(a["id"]) for a in seen.of("article")] == [f"bad-{number}" for number in bad]


def test_the_last_words_of_a_job_that_is_stuck_keep_their_lines() -> None:
    stuck = outcome(points()[0], "stuck", detail="first <line>\nlast line")
    seen = Seen(audit_page(audited({1: stuck})))
    assert "first <line>\nlast line\n" in seen.text("pre")
    assert "did not start again by itself: last line" in seen.text("p")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_data_becomes_markup(text: str) -> None:
    harmless, seen = Seen(hostile("harmless")), Seen(hostile(text))
    assert [tag for tag, _ in seen.tags] == [tag for tag, _ in harmless.tags]
    assert [set(a) for _, a in seen.tags] == [set(a) for _, a in harmless.tags]
    assert seen.ids == harmless.ids


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_can_be_written_and_holds_no_control_characters(text: str, tmp_path: Path) -> None:
    page = hostile(text)
    write_page(tmp_path / "new" / "report.html", page)
    assert (tmp_path / "new" / "report.html").read_bytes().decode("utf-8") == page
    assert not [c for c in page if not c.isprintable() and c != "\n"]


def test_printable_data_is_shown_as_it_is() -> None:
    text = "<b> & \"quoted\" 'too' é 日本 &amp;"
    assert text in Seen(hostile(text)).text("dd")
    assert f"lost: {text}\n" in Seen(hostile(text)).text("pre")


def test_a_row_of_megabytes_does_not_make_a_page_of_megabytes() -> None:
    huge = "x" * 1_000_000
    bad = outcome(points()[0], "wrong", comparison=rows(lost=1), examples=(huge,), left=huge)
    page = audit_page(audited({1: bad}))
    assert "more characters)" in page
    assert len(page) < 50_000


def test_a_page_of_many_points_is_small() -> None:
    every = points(batches=50)
    page = audit_page(audited(recorded=every))
    assert len(page.encode()) < 1_000 * len(every)


def test_only_what_was_made_as_markup_is_markup() -> None:
    assert element("p", "<b>", Markup("<i>ok</i>")) == "<p>&lt;b&gt;<i>ok</i></p>"
    assert element("a", class_='"', aria_label="'") == '<a class="&quot;" aria-label="&#x27;"></a>'
    assert element("meta", name="x") == '<meta name="x">'


def test_a_place_for_the_page_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refuse_bad_place(str(tmp_path / "not" / "yet" / "there.html"))
    for place in (str(tmp_path), f"{tmp_path}/new/", str(tmp_path / "file" / "page.html"), ""):
        with pytest.raises(UsageError):
            refuse_bad_place(place)


def test_a_page_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreachableError):
        write_page(tmp_path / "file" / "page.html", "text")
