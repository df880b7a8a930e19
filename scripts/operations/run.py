"""Kill every operation before each of its durable calls; figures go to docs/operations.md.

    python -m scripts.operations.run

Ends with 1 where an operation did not come to its end, or not back to its beginning.
"""

import re
import sys
import tempfile
from pathlib import Path

from scripts.operations.killing import Swept, sweep
from scripts.operations.worlds import CASES, World

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
REGION = re.compile(r"(<!-- measured:kills -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = ("operation", "steps", "points", "kills", "continued right", "undone right", "wrong")


def main() -> int:
    found: dict[str, Swept] = {}
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found[str(case)] = sweep(World(Path(folder), case))
        for wrong in found[str(case)].wrong:
            print(f"{case}: {wrong}", file=sys.stderr)
    lines = [f"| {' | '.join(HEAD)} |", "|--" * len(HEAD) + "|"]
    for name, swept in found.items():
        numbers = (swept.steps, swept.points, swept.kills, swept.continued, swept.undone)
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} | {len(swept.wrong)} |")
    lines.append(f"\n{sum(swept.kills for swept in found.values()):,} kills in all.")
    body = "\n".join(lines)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(REGION.sub(lambda m: f"{m[1]}{body}\n{m[2]}", text), encoding="utf-8")
    return 0 if all(swept.is_right for swept in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
