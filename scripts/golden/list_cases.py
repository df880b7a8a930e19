"""Print the cases as JSON: `python list_cases.py VERSION`.

A process of its own, because the case modules import pyspark and make.py runs without it.
"""

from __future__ import annotations

import json
import sys

from registry import NEWER_CASES, load


def main(version: str) -> None:
    cases = load()
    listed = {
        name: {
            "process": case.process,
            "refusal": case.refusal(version),
            "kill_before": case.kill_before,
        }
        for name, case in cases.items()
    }
    for name, since in NEWER_CASES.items():
        listed.setdefault(name, {"process": "", "refusal": f"needs Spark {since}"})
    print(json.dumps(listed))


if __name__ == "__main__":
    main(sys.argv[1])
