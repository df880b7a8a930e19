"""A small declaration, and how tests change it."""

import textwrap

from holdfast.adapters.declarations.loading import declaration_of
from holdfast.core.job import Declaration

SMALL = textwrap.dedent(
    """\
    checkpoints: ./checkpoints
    profile: embedded
    spark: {spark.sql.shuffle.partitions: 2}
    jobs:
      ingest:
        source: files
        transform: sensors:keep_raw
        sink: raw
        trigger: 10 seconds
      merge:
        source: raw
        sink: gold
        output_mode: update
    profiles:
      embedded:
        sources:
          files: {format: text, path: ./in, options: {maxFilesPerTrigger: 2}}
          raw: {job: ingest}
        sinks:
          raw: {kind: file, format: parquet, path: ./raw, schema: value string}
          gold: {kind: sql, url: "sqlite:///./gold.db", table: gold, mode: upsert, key: id}
    """
)


def changed(*changes: tuple[str, str]) -> str:
    text = SMALL
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def load(
    text: str, profile: str | None = None, environ: dict[str, str] | None = None
) -> Declaration:
    return declaration_of(
        text, path="holdfast.yaml", folder="/project", profile=profile, environ=environ or {}
    )
