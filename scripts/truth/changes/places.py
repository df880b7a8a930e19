"""Changes of where the checkpoint lies: moved, copied, restored from a backup."""

import shutil

from scripts.matrix.mutations import remove
from scripts.truth.changes.change import DELTA, FILES, Change
from scripts.truth.changes.logs import KEPT, cut
from scripts.truth.stage import Stage


def moved(stage: Stage) -> None:
    """The checkpoint lies elsewhere, and the query is told so."""
    there = stage.folder / "moved" / "checkpoint"
    there.parent.mkdir()
    stage.checkpoint = stage.checkpoint.rename(there)


def copied(stage: Stage) -> None:
    """A copy goes on instead of the checkpoint; the old one is never started again."""
    there = stage.folder / "copy"
    shutil.copytree(stage.checkpoint, there)
    stage.checkpoint = there


def twin_ran(stage: Stage) -> None:
    """A copy ran on the same sink first; then the old one is started."""
    there = stage.folder / "copy"
    shutil.copytree(stage.checkpoint, there)
    stage.feed(5)
    stage.run(checkpoint=str(there))


def older_backup(stage: Stage) -> None:
    """The checkpoint as it was before the newest batches, restored from a backup."""
    cut(stage.checkpoint, "offsets", "commits")
    for folder in (stage.checkpoint / "sources").glob("*"):
        for path in list(folder.iterdir()):
            if path.name.isdigit() and int(path.name) > KEPT:
                remove(path)
    for path in list((stage.checkpoint / "state").rglob("*")):
        number = path.name.lstrip(".").split(".")[0].split("_")[0]
        if path.is_file() and number.isdigit() and int(number) > KEPT + 1:
            path.unlink()


WIDE = (*FILES, "windows-hdfs", "windows-rocks2", "pairs-hdfs", *DELTA)
CHANGES = (
    Change(name="moved", touches="checkpoint", text="the checkpoint was moved", on=WIDE, act=moved),
    Change(
        name="copied",
        touches="checkpoint",
        text="a copy goes on in its place",
        on=(*FILES, "windows-hdfs"),
        act=copied,
    ),
    Change(
        name="twin_ran",
        touches="checkpoint",
        text="a copy ran on the same sink, then this one",
        on=(*FILES, *DELTA),
        act=twin_ran,
    ),
    Change(
        name="older_backup",
        touches="checkpoint",
        text=f"the checkpoint restored from a backup of batch {KEPT}, state and all",
        on=WIDE,
        act=older_backup,
    ),
)
