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

JSON_VALUES_MAX = 300_000
"""Values of one text, counted by their commas and brackets. A value takes up to 250 bytes once
decoded, and up to four decoded plans are held at a time. A topic of 100,000 partitions has as
many values; so has a commit that names the state of 10,000 partitions in 30 stores."""

JSON_DIGITS_MAX = 400
"""Digits of one whole number. Spark's are Longs of 19; Python can print 4,300 and then refuses."""

TEXT_LINES_MAX = 1_000_000
"""Lines of one text log. A line of a `.compact` has about 200 bytes, so one of 64 MiB has 320,000;
an empty line takes as much memory as any."""

SOURCE_LINES_MAX = 1_000
"""Sources of one plan; a query has a handful."""

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

UNIQUE_IDS_MAX = 500_000
"""Ids of state files that are kept from commits while checking: 50 MB."""

OPERATORS_MAX = 1_000
"""Operators below state/ that are looked at; a query has a handful."""

ESSENTIAL_BYTES_MAX = 32 * MIB
"""The files of a first look together, which stay in memory; ordinarily some hundred kilobytes."""

CHECKSUM_BYTES_MAX = MIB
"""One checksum file. Hadoop keeps 4 bytes for every 512, which is half of this for the largest
file that is read whole."""

RECORD_BYTES_MAX = 8 * MIB
"""One of Holdfast's own records. The largest that we write, a line of progress that is a segment of
its own, has 4 MiB."""

CHECK_FILES_MAX = 400
"""Files that `show` checks on a local disk without being asked (--verify checks all). Covers both
logs at Spark's default retention of 100 batches, and costs about 20 ms."""

CHECK_BYTES_MAX = 16 * MIB
"""The bytes of those files together."""

CHECK_CHUNK_FILES = 128
"""Files held in memory at a time while checking."""

SOURCES_MAX = 200
"""Source directories that are looked into; a query has a handful."""

PLAN_STEPS_MAX = 20_000
"""Nodes and expressions of one query's plan that are looked at before it starts. Each is a few
calls into the JVM, about a millisecond; a plan of a thousand columns has some thousands."""

RECORDS_NEARBY_MAX = 1_000
"""Records of other checkpoints below the same base that are read to find out whose a checkpoint
is. Only where it has no record of its own, or a wrong id: 1,000 take some seconds on a store."""

FOLDERS_ABOVE_MAX = 32
"""Folders above a checkpoint that are looked at; a path is rarely deeper than ten."""

FOLDERS_INSIDE_MAX = 200
"""Folders inside a checkpoint that are looked at for another one; Spark makes four."""

SOURCE_MODULES_MAX = 50
"""Modules of a transform whose text is read for calls that are not repeatable."""

SOURCE_CHARACTERS_MAX = 2_000_000
"""Text of one such module; the longest written by people have some 500,000 characters."""

OUTPUT_ROWS_MAX = 2_000_000
"""Rows of an output that an audit compares. It keeps them as text, once for each batch: some
gigabytes. An audit is run on a sample, of some hundreds or thousands."""

DIGEST_BYTES_MAX = 16 * MIB
"""A file that an operation moves and whose bytes a plan remembers; a larger one, a snapshot of the
state, is told by its size: a rename cannot change its bytes, and hashing it takes seconds."""

PLAN_BYTES_MAX = 512 * MIB
"""One plan. A file that it moves takes about 200 bytes; a million of them is an ordinary state."""
