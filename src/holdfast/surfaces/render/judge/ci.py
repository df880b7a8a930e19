"""`judge` for the log of a CI job: one line for each finding, the heaviest first."""

from collections.abc import Iterator

from holdfast.flows.judge import Judged
from holdfast.surfaces.render.words import plain


def ci_lines(judged: Judged) -> Iterator[str]:
    """`CODE weight goal: message`; a last line for each goal gives its answer."""
    for verdict in judged.verdicts:
        for finding in verdict.findings:
            what = plain(finding.message)
            so = f" ({plain(finding.consequence)})" if finding.consequence else ""
            yield f"{finding.code} {finding.weight} {verdict.goal}: {what}{so}"
    for verdict in judged.verdicts:
        yield f"{verdict.answer} {verdict.goal}: {plain(judged.evidence.location)}"
