"""Changes of the state of stateful operators."""

import json
import shutil
from pathlib import Path

from scripts.matrix.mutations import remove, rewrite
from scripts.truth.changes.change import PLAIN_STATEFUL, STATEFUL, WINDOWS, Act, Change
from scripts.truth.changes.logs import cut, flipped, rewrite_bytes, torn
from scripts.truth.stage import Stage

DATA = (".delta", ".snapshot", ".zip", ".changelog")


def stores(stage: Stage) -> list[Path]:
    """Every folder that holds versions of a state store."""
    found = {path.parent for path in (stage.checkpoint / "state").rglob("*") if is_data(path)}
    return sorted(found)


def is_data(path: Path) -> bool:
    return path.is_file() and path.suffix in DATA and not path.name.startswith(".")


def version_of(path: Path) -> int:
    return int(path.name.split(".")[0].split("_")[0])


def newest_data(store: Path) -> list[Path]:
    """The files of the newest version."""
    files = [path for path in store.iterdir() if is_data(path)]
    last = max(map(version_of, files))
    return [path for path in files if version_of(path) == last]


def state_gone(stage: Stage) -> None:
    shutil.rmtree(stage.checkpoint / "state")


def newest_gone(stage: Stage) -> None:
    for path in newest_data(stores(stage)[0]):
        remove(path)


def newest_gone_everywhere(stage: Stage) -> None:
    for store in stores(stage):
        for path in newest_data(store):
            remove(path)


def newest_torn(stage: Stage) -> None:
    for path in newest_data(stores(stage)[0]):
        torn(path)


def newest_empty(stage: Stage) -> None:
    for path in newest_data(stores(stage)[0]):
        rewrite_bytes(path, b"")


def newest_flipped(stage: Stage) -> None:
    """A bit of the newest version flipped, Hadoop's checksum gone as after a copy."""
    for path in newest_data(stores(stage)[0]):
        flipped(path)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def first_gone(stage: Stage) -> None:
    """The oldest version of a store."""
    files = sorted((p for p in stores(stage)[0].iterdir() if is_data(p)), key=version_of)
    remove(files[0])


def partition_gone(stage: Stage) -> None:
    shutil.rmtree(stage.checkpoint / "state" / "0" / "1")


def snapshots_gone(stage: Stage) -> None:
    for store in stores(stage):
        for path in list(store.glob("*.snapshot")):
            remove(path)


def tables_gone(stage: Stage) -> None:
    """The SST files that the zips of RocksDB name."""
    for path in (stage.checkpoint / "state").rglob("SSTs"):
        shutil.rmtree(path)


def operators(stage: Stage) -> list[Path]:
    return sorted((stage.checkpoint / "state").glob("*/_metadata/metadata"))


def operator_gone(stage: Stage) -> None:
    for path in operators(stage):
        remove(path)


def operator_renamed(stage: Stage) -> None:
    for path in operators(stage):
        head, _, body = path.read_text().partition("\n")
        data = json.loads(body)
        data["operatorInfo"]["operatorName"] = "flatMapGroupsWithState"
        rewrite(path, f"{head}\n{json.dumps(data)}")


def operator_torn(stage: Stage) -> None:
    for path in operators(stage):
        torn(path)


def schemas(stage: Stage) -> list[Path]:
    return sorted((stage.checkpoint / "state").rglob("_metadata/schema"))


def schema_gone(stage: Stage) -> None:
    for path in schemas(stage):
        remove(path)


def schema_torn(stage: Stage) -> None:
    for path in schemas(stage):
        torn(path)


def schema_other(stage: Stage) -> None:
    """A schema of the same length that says another type."""
    for path in schemas(stage):
        rewrite_bytes(path, path.read_bytes().replace(b'"type":"long"', b'"type":"byte"'))


def cut_with_state(stage: Stage) -> None:
    """Both logs cut and the later state removed; the sink still remembers all batches."""
    cut(stage.checkpoint, "offsets", "commits")
    for store in stores(stage):
        for path in [p for p in store.iterdir() if is_data(p) and version_of(p) > 3]:
            remove(path)


def rewound_whole(stage: Stage) -> None:
    """Both logs cut, and sources/ and the file sink's memory with them; later state is left."""
    cut(stage.checkpoint, "offsets", "commits")
    for path in list((stage.output / "_spark_metadata").glob("[0-9]*")):
        if int(path.name) > 2:
            remove(path)


def _made(name: str, text: str, on: tuple[str, ...], act: Act) -> Change:
    return Change(name=name, touches="checkpoint", text=text, on=on, act=act)


PARQUET = tuple(name for name in PLAIN_STATEFUL if not name.endswith("foreach"))
CHANGES = (
    _made("state_gone", "state/ removed", STATEFUL, state_gone),
    _made("state_newest_gone", "newest version of one store removed", PARQUET, newest_gone),
    _made(
        "state_newest_gone_everywhere",
        "newest version of every store removed",
        WINDOWS,
        newest_gone_everywhere,
    ),
    _made("state_newest_torn", "newest version of one store cut off", PARQUET, newest_torn),
    _made("state_newest_empty", "newest version of one store empty", WINDOWS, newest_empty),
    _made("state_newest_flipped", "a bit of the newest version flipped", WINDOWS, newest_flipped),
    _made("state_first_gone", "oldest version of one store removed", PARQUET, first_gone),
    _made("state_partition_gone", "a partition's state removed", PARQUET, partition_gone),
    _made("state_snapshots_gone", "all snapshots removed", ("windows-hdfs",), snapshots_gone),
    _made(
        "state_tables_gone",
        "the SST files of RocksDB removed",
        ("windows-rocks1", "windows-rocks2"),
        tables_gone,
    ),
    _made("operator_gone", "metadata of operators removed", PARQUET, operator_gone),
    _made("operator_renamed", "metadata names another operator", WINDOWS, operator_renamed),
    _made("operator_torn", "metadata of operators cut off", ("windows-hdfs",), operator_torn),
    _made(
        "schema_gone", "schema of the state removed", ("windows-hdfs", "pairs-hdfs"), schema_gone
    ),
    _made("schema_torn", "schema of the state cut off", ("windows-hdfs",), schema_torn),
    _made("schema_other", "schema of the state says another type", WINDOWS, schema_other),
    _made(
        "cut_with_state",
        "both logs cut, later state removed, sink as it was",
        PARQUET,
        cut_with_state,
    ),
    _made(
        "rewound_stale_state",
        "both logs and the sink's memory cut, later state left",
        PARQUET,
        rewound_whole,
    ),
)
