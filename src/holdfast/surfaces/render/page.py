"""A page of text: aligned rows and tables, coloured on a terminal, plain anywhere else."""

import sys
from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from holdfast.core.finding import Finding
from holdfast.surfaces.render.words import plain

_WIDTH_WITHOUT_TERMINAL = 200
_ROWS_MAX = 1_000
_TEXT_MAX = 4_000
"""Characters of one value; the rest is in the JSON. Rich takes seconds over a line of megabytes."""
_MARKS = {"error": ("!!", "bold red"), "warning": ("! ", "yellow"), "info": ("  ", "dim")}


def console() -> Console:
    """Standard output; wide where nobody's window would cut it."""
    wide = None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL
    return Console(file=sys.stdout, highlight=False, markup=False, width=wide, soft_wrap=True)


class Page:
    """Prints in order what it is given."""

    def __init__(self, target: Console | None = None) -> None:
        """Start an empty page, on standard output unless told otherwise."""
        self._console = target or console()

    def say(self, text: str = "", style: str = "") -> None:
        """One line, indented like the rest."""
        self._console.print(Text(f"  {_shown(text)}" if text else "", style=style))

    @property
    def width(self) -> int:
        """Characters on a line."""
        return self._console.width

    def pieces(self, pieces: Iterable[tuple[str, str]]) -> None:
        """One line of texts, each with its style."""
        line = Text("  ")
        for text, style in pieces:
            line.append(_shown(text), style=style)
        line.rstrip()
        self._console.print(line)

    def rows(self, rows: Iterable[tuple[str, str]]) -> None:
        """A label and a value on each line; very many are cut."""
        for number, (label, value) in enumerate(rows):
            if number == _ROWS_MAX:
                self.say(f"{' ' * 12}… and more (--output json)")
                break
            line = Text("  ")
            line.append(f"{label:<12}", style="cyan")
            line.append(_shown(value))
            self._console.print(line)

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str]],
        indent: int = 14,
        right: int = 0,
        numbers: Collection[int] = (),
    ) -> None:
        """A table whose columns from `right` on, and those in `numbers`, are numbers."""
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="cyan")
        for index, name in enumerate(header):
            numeric = index >= right or index in numbers
            table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
        for row in rows:
            table.add_row(*(Text(_shown(cell)) for cell in row))
        self._console.print(Padding(table, (0, 0, 0, indent), expand=False))

    def findings(self, findings: Iterable[Finding]) -> None:
        """Findings, each with its code and path."""
        for finding in findings:
            mark, style = _MARKS[finding.severity]
            where = f"  {_shown(finding.path)}:" if finding.path else " "
            line = Text("  ")
            line.append(f"{mark} {finding.code}", style=style)
            line.append(f"{where} {_shown(finding.message)}")
            self._console.print(line)


def _shown(text: str) -> str:
    return plain(text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}…")
