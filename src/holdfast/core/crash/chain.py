"""Chains: several kills of one job in a row, each in a later batch than the one before.

A first one may come before the query has begun. A life that ends in one kill begins after another,
so a kill costs one start and not two. The batch that a kill hit is run again by the next life; the
kill after that falls into a later batch, where every operation comes as it was recorded.
"""

from collections import defaultdict
from collections.abc import Sequence

from holdfast.core.crash.point import Point

Chain = tuple[Point, ...]


def chains_of(points: Sequence[Point]) -> tuple[Chain, ...]:
    """Every point in exactly one chain, in as few chains as can be."""
    by_batch: defaultdict[int, list[Point]] = defaultdict(list)
    for point in points:
        by_batch[point.batch].append(point)
    longest = max((len(group) for group in by_batch.values()), default=0)
    chains: list[list[Point]] = [[] for _ in range(longest)]
    for batch in sorted(by_batch):
        for chain, point in zip(chains, by_batch[batch], strict=False):
            chain.append(point)
    return tuple(tuple(chain) for chain in chains)


def alone(points: Sequence[Point]) -> tuple[Chain, ...]:
    """Every point in a chain of its own."""
    return tuple((point,) for point in points)
