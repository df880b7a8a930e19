"""Every limit in one place, each with its reason. Past a limit we refuse or say so, never hang."""

MIB = 1024 * 1024

FILE_BYTES_MAX = 64 * MIB
"""One file read whole. Spark's own largest text log, a `.compact` of a file source with 100,000
entries, is about 20 MiB; offsets of a 10,000-partition Kafka topic are about 200 kB."""

UNPACKED_BYTES_MAX = 64 * MIB
"""What one compressed file or zip member may unpack to. Snapshot metadata in RocksDB zips is
kilobytes; a bomb is refused instead of filling memory."""

JSON_DEPTH_MAX = 200
"""Nesting of one JSON value. Spark's deepest, a schema of nested structs, stays below 100."""

ZIP_MEMBERS_MAX = 10_000
"""Members of one RocksDB zip: MANIFEST, CURRENT, OPTIONS, a few logs and `metadata`."""

STRING_CHUNKS_MAX = 10_000
"""Chunks of one schema string (64 kB each) in a state schema file."""

COLUMN_FAMILIES_MAX = 10_000
"""Column families in one state schema file; transformWithState uses a handful."""

WALK_FILES_MAX = 4_000_000
"""Files below one folder. A million state files are ordinary; this many names are 300 MB."""

LOG_BYTES_MAX = 8 * MIB
"""One file of offsets/ or commits/, decoded whole. Decoded JSON takes up to 20 times its size."""

TRACE_BYTES_MAX = MIB
"""The first file of a source's directory, read only to tell which kind of source wrote it."""

CHECK_FILES_MAX = 400
"""Files that `show` checks on a local disk without being asked (--verify checks all). Covers both
logs at Spark's default retention of 100 batches, and costs about 20 ms."""

CHECK_BYTES_MAX = 16 * MIB
"""The bytes of those files together."""

CHECK_CHUNK_FILES = 128
"""Files held in memory at a time while checking."""

SOURCES_MAX = 200
"""Source directories that are looked into; a query has a handful."""
