"""Measure Holdfast against the alternatives: `make bench`, or `benchmarks/run.py --help`.

Every measurement also asserts that the answer was right. Figures depend on the machine and on
what else it does; ratios less so. Nothing here is part of the tests.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator

import against_spark
import files
import judge
import local_disk
import object_store
import postgres
import runner
from measure import Row

import audit

THEMES: dict[str, Callable[[int], Iterator[Row]]] = {
    "local": local_disk.rows,
    "spark": against_spark.rows,
    "s3": object_store.rows,
    "runner": runner.rows,
    "audit": audit.rows,
    "files": files.rows,
    "judge": judge.rows,
    "postgres": postgres.rows,
}
HEAD = ("what", "measured", "bound", "ratio", "", "note")


def main() -> int:
    """Print the table; with --strict a missed bound is an error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strict", action="store_true", help="exit 1 where a bound is missed")
    parser.add_argument("--repeat", type=int, default=7, help="cold runs of each program")
    parser.add_argument("--only", choices=THEMES, action="append", help="one theme, or several")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f} at the start", file=sys.stderr)
    rows: list[Row] = []
    for theme in arguments.only or THEMES:
        for row in THEMES[theme](arguments.repeat):
            print(f"  {row.what}: {row.cells()[1]}", file=sys.stderr)
            rows.append(row)
    print(table([HEAD, *(row.cells() for row in rows)]))
    return 1 if arguments.strict and not all(row.kept for row in rows) else 0


def table(lines: list[tuple[str, ...]]) -> str:
    """Cells as a Markdown table, which reads well in a terminal too."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    ]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


if __name__ == "__main__":
    sys.exit(main())
