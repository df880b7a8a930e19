"""Declarations made by hand, for what is judged of them."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.job import Declaration, Job, SinkSpec, SourceSpec, TriggerSpec


def job(
    name: str = "orders",
    *,
    source: str = "json",
    sink: str = "file",
    checkpoint: str = "/data/checkpoints/orders",
    transform: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Job:
    return Job(
        name=name,
        source=SourceSpec(format=source, path=None, schema=None, options={}, job=None),
        transform=transform,
        sink=SinkSpec(kind=sink, options=options or {}),
        trigger=TriggerSpec(kind="available-now", interval=None),
        output_mode="append",
        checkpoint=checkpoint,
    )


def declaration(
    *jobs: Job, spark: Mapping[str, str] | None = None, folder: str = "/data"
) -> Declaration:
    return Declaration(
        path="holdfast.yaml",
        folder=folder,
        profile="lake",
        base="/data/checkpoints",
        jobs=jobs,
        spark=spark or {},
        secrets=frozenset(),
    )
