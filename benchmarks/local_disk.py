"""A local disk: `show` on a small and on a very large checkpoint, and the help."""

import json
from collections.abc import Iterator
from pathlib import Path

import inputs
import measure
from measure import HOLDFAST, Row

HELP_S = 0.25
SMALL_S = 0.4
FIND_TIMES = 1.5
FIND_PLUS_S = 0.4
PEAK_MB = 150


def rows(repeat: int) -> Iterator[Row]:
    """Measure everything that needs no server."""
    help_ = measure.timed([HOLDFAST, "--help"], repeat)
    assert "fleet" in help_.output
    yield Row(
        what="holdfast --help",
        measured=help_.median_s,
        bound=HELP_S,
        unit="s",
        note=f"{help_.cpu_s:.2f} s of CPU",
    )
    yield from _small(repeat)
    yield from _large(repeat)


def _small(repeat: int) -> Iterator[Row]:
    checkpoint = inputs.checkpoint_of(inputs.SMALL)
    for output in ("json", "text"):
        command = [HOLDFAST, "show", str(checkpoint), "--output", output]
        shown = measure.timed(command, repeat)
        if output == "json":
            _agrees(shown.output, checkpoint, inputs.SMALL)
        yield Row(
            what=f"show, 100 batches, {output}",
            measured=shown.median_s,
            bound=SMALL_S,
            unit="s",
            note=f"{shown.cpu_s:.2f} s of CPU",
        )


def _large(repeat: int) -> Iterator[Row]:
    checkpoint = inputs.checkpoint_of(inputs.LARGE)
    command = [HOLDFAST, "show", str(checkpoint), "--output", "json"]
    find, shown = measure.alternately(["find", str(checkpoint), "-type", "f"], command, repeat)
    _agrees(shown.output, checkpoint, inputs.LARGE)
    yield Row(
        what="show, 100,000 batches and 47,000 state files",
        measured=shown.median_s,
        bound=FIND_TIMES * find.median_s + FIND_PLUS_S,
        unit="s",
        note=f"find {find.median_s:.3f} s; CPU {shown.cpu_s:.2f} s to {find.cpu_s:.2f} s",
    )
    yield Row(
        what="its peak memory, all processes",
        measured=measure.peak_bytes(command) / measure.MIB,
        bound=PEAK_MB,
        unit="MB",
    )


def _agrees(output: str, checkpoint: Path, shape: inputs.Shape) -> None:
    """What was measured must also be right: batches, state files; files and bytes as of find."""
    result = json.loads(output)["result"]
    assert result["offsets"]["count"] == result["commits"]["count"] == shape.batches
    assert sum(result["state"][0]["files"].values()) == shape.state_files
    listed = ["find", str(checkpoint), "-type", "f", "-printf", "%s\\n"]
    sizes = [int(line) for line in measure.timed(listed, 1).output.split()]
    assert (result["files"], result["bytes"]) == (len(sizes), sum(sizes))
