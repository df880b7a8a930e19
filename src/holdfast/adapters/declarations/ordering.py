"""Jobs in the order of their dependencies."""

from collections.abc import Mapping


def in_order(needs: Mapping[str, str | None]) -> list[str]:
    """Every job after the one it reads from, otherwise as they were written; no cycle in it."""
    result: list[str] = []
    for job in needs:
        chain: list[str] = []
        step: str | None = job
        while step is not None and step not in result:
            chain.append(step)
            step = needs.get(step)
        result.extend(reversed(chain))
    return result


def cycles(needs: Mapping[str, str | None]) -> list[list[str]]:
    """Each cycle once, beginning with its job that was written first."""
    found: list[list[str]] = []
    seen: set[str] = set()
    order = {job: i for i, job in enumerate(needs)}
    for job in needs:
        way: list[str] = []
        step: str | None = job
        while step is not None and step not in seen:
            seen.add(step)
            way.append(step)
            step = needs.get(step)
        if step in way:
            ring = way[way.index(step) :]
            first = min(range(len(ring)), key=[order[job] for job in ring].__getitem__)
            found.append(ring[first:] + ring[:first])
    return found
