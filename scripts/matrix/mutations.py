"""Ways in which a checkpoint gets hurt, each a small change of files in a copy of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

Mutation = Callable[[Path], None]


def newest(folder: Path, back: int = 0) -> Path:
    """The newest batch file of a log, or an older one."""
    ids = sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit())
    return folder / str(ids[-1 - back])


def remove(path: Path) -> None:
    """Take away a file together with the checksum that Hadoop keeps for it."""
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def rewrite(path: Path, text: str) -> None:
    """Change a file and drop its checksum, as an editor would leave it."""
    path.write_text(text, encoding="utf-8")
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def sound(checkpoint: Path) -> None:
    """Nothing at all."""


def commit_gone(checkpoint: Path) -> None:
    """Killed between the sink and the commit."""
    remove(newest(checkpoint / "commits"))


def two_commits_gone(checkpoint: Path) -> None:
    """What people do to go back two batches."""
    remove(newest(checkpoint / "commits"))
    remove(newest(checkpoint / "commits"))


def all_commits_gone(checkpoint: Path) -> None:
    """The whole log of commits emptied."""
    for path in list((checkpoint / "commits").iterdir()):
        path.unlink()


def plan_gone(checkpoint: Path) -> None:
    """Only offsets/ cut: commits are ahead."""
    remove(newest(checkpoint / "offsets"))


def plan_before_gone(checkpoint: Path) -> None:
    """The plan before the newest one deleted."""
    remove(newest(checkpoint / "offsets", back=1))


def plan_empty(checkpoint: Path) -> None:
    """A power cut after the file was made and before it was written."""
    rewrite(newest(checkpoint / "offsets"), "")


def plan_torn(checkpoint: Path) -> None:
    """Cut off in the middle of the metadata line."""
    path = newest(checkpoint / "offsets")
    rewrite(path, path.read_text(encoding="utf-8")[:40])


def plan_newer(checkpoint: Path) -> None:
    """Written by a Spark that is newer than any."""
    path = newest(checkpoint / "offsets")
    rewrite(path, path.read_text(encoding="utf-8").replace("v1", "v9", 1))


def commit_empty(checkpoint: Path) -> None:
    """An empty commit file."""
    rewrite(newest(checkpoint / "commits"), "")


def commit_torn(checkpoint: Path) -> None:
    """A commit with half of its JSON."""
    rewrite(newest(checkpoint / "commits"), 'v1\n{"nextBatch')


def metadata_gone(checkpoint: Path) -> None:
    """The query id lost."""
    remove(checkpoint / "metadata")


def metadata_torn(checkpoint: Path) -> None:
    """The query id cut off."""
    rewrite(checkpoint / "metadata", '{"id":"4b41c017')


def offsets_emptied(checkpoint: Path) -> None:
    """All plans deleted, commits kept."""
    shutil.rmtree(checkpoint / "offsets")


def state_newest_gone(checkpoint: Path) -> None:
    """The newest state of partition 0 deleted."""
    for path in newest_state(checkpoint):
        path.unlink()


def newest_state(checkpoint: Path) -> list[Path]:
    """The files of the newest version in partition 0, checksums included."""
    folder = checkpoint / "state" / "0" / "0"
    versions = [int(p.name.split(".")[0].split("_")[0]) for p in folder.iterdir() if _is_data(p)]
    last = str(max(versions))
    return [
        path
        for path in folder.iterdir()
        if path.is_file() and path.name.lstrip(".").replace("_", ".").split(".")[0] == last
    ]


def _is_data(path: Path) -> bool:
    return path.suffix in (".delta", ".snapshot", ".zip", ".changelog")


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        sound,
        commit_gone,
        two_commits_gone,
        all_commits_gone,
        plan_gone,
        plan_before_gone,
        plan_empty,
        plan_torn,
        plan_newer,
        commit_empty,
        commit_torn,
        metadata_gone,
        metadata_torn,
        offsets_emptied,
    )
}
STATE_MUTATIONS: dict[str, Mutation] = {state_newest_gone.__name__: state_newest_gone}
