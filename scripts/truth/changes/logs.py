"""Changes of the two logs, of metadata and of sources/."""

import shutil
from pathlib import Path

from scripts.matrix import mutations
from scripts.matrix.mutations import Mutation, newest, remove, rewrite
from scripts.truth.changes.change import DELTA, EVERY, FILES, Act, Change
from scripts.truth.stage import Stage

MOST = (*FILES, "windows-hdfs", "windows-rocks2", *DELTA)
UNION = "union-parquet"
MORE = (*MOST, UNION, "windows-rocks1", "windows-foreach", "unique-hdfs", "pairs-hdfs")
FEW = ("files-parquet", "windows-hdfs")
KEPT = 2
"""Logs that are cut end with this batch."""


def on_checkpoint(mutate: Mutation) -> Act:
    def act(stage: Stage) -> None:
        mutate(stage.checkpoint)

    return act


def cut(checkpoint: Path, *logs: str) -> None:
    """Remove every batch above KEPT from these logs."""
    for log in logs:
        for path in list((checkpoint / log).iterdir()):
            if path.name.isdigit() and int(path.name) > KEPT:
                remove(path)


def emptied(checkpoint: Path, *folders: str) -> None:
    for folder in folders:
        shutil.rmtree(checkpoint / folder, ignore_errors=True)


def flipped(path: Path) -> None:
    """One bit in the middle; Hadoop's checksum stays as it was."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def torn(path: Path) -> None:
    rewrite_bytes(path, path.read_bytes()[: path.stat().st_size // 2])


def rewrite_bytes(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def plan_edited(checkpoint: Path) -> None:
    """Somebody set the newest plan back by hand, in the hope to read a file again."""
    path = newest(checkpoint / "offsets")
    last = int(path.name)
    rewrite(path, path.read_text().replace(f'"logOffset":{last}', f'"logOffset":{last - 1}'))


def plan_edited_ahead(checkpoint: Path) -> None:
    """Somebody set the newest plan forward, to a position that the source has not reached."""
    path = newest(checkpoint / "offsets")
    last = int(path.name)
    rewrite(path, path.read_text().replace(f'"logOffset":{last}', f'"logOffset":{last + 1}'))


def commit_ahead(checkpoint: Path) -> None:
    """Somebody added a commit by hand to skip a batch that was never planned."""
    path = newest(checkpoint / "commits")
    shutil.copy(path, path.with_name(str(int(path.name) + 1)))


def skipped(checkpoint: Path) -> None:
    """A planned batch that never ran is marked as done by hand."""
    plan, commit = newest(checkpoint / "offsets"), newest(checkpoint / "commits")
    after = str(int(plan.name) + 1)
    last = f'"logOffset":{plan.name}'
    text = plan.read_text().replace(last, f'"logOffset":{after}')
    plan.with_name(after).write_text(text)
    shutil.copy(commit, commit.with_name(after))


def source_log(checkpoint: Path) -> Path:
    return newest(checkpoint / "sources" / "0")


def purged(checkpoint: Path) -> None:
    """All but the two newest plans and the newest commit removed, as retention would."""
    for log, kept in (("offsets", 2), ("commits", 1)):
        ids = sorted(int(p.name) for p in (checkpoint / log).iterdir() if p.name.isdigit())
        for number in ids[:-kept]:
            remove(checkpoint / log / str(number))


def hole(checkpoint: Path) -> None:
    """An old batch missing in the middle of both logs."""
    remove(checkpoint / "offsets" / "1")
    remove(checkpoint / "commits" / "1")


def metadata_gone_in_flight(checkpoint: Path) -> None:
    mutations.metadata_gone(checkpoint)
    mutations.commit_gone(checkpoint)


def sources_gone_in_flight(checkpoint: Path) -> None:
    mutations.commit_gone(checkpoint)
    emptied(checkpoint, "sources")


def temporary_files(checkpoint: Path) -> None:
    """What a killed write leaves; both logs pass over it."""
    for log in ("offsets", "commits"):
        (checkpoint / log / ".9.6f0c2f2e.tmp").write_text("v1")


def _made(name: str, text: str, on: tuple[str, ...], mutate: Mutation) -> Change:
    act = on_checkpoint(mutate)
    return Change(name=name, touches="checkpoint", text=text, on=on, act=act)


CHANGES = (
    Change(name="nothing", touches="nothing", text="nothing was changed", on=EVERY),
    _made("commit_gone", "killed between the sink and commits/N", EVERY, mutations.commit_gone),
    _made("two_commits_gone", "the two newest commits deleted", MORE, mutations.two_commits_gone),
    _made("all_commits_gone", "commits/ emptied", MOST, mutations.all_commits_gone),
    _made("plan_gone", "newest plan deleted, its commit kept", MORE, mutations.plan_gone),
    _made(
        "plan_before_gone", "the plan before the newest deleted", MOST, mutations.plan_before_gone
    ),
    _made("plan_empty", "newest plan empty", MOST, mutations.plan_empty),
    _made("plan_torn", "newest plan cut off", FEW, mutations.plan_torn),
    _made("plan_newer", "newest plan of a version that nobody knows", FEW, mutations.plan_newer),
    _made(
        "plan_flipped",
        "a bit of the newest plan flipped, its checksum kept",
        FILES,
        lambda c: flipped(newest(c / "offsets")),
    ),
    _made("plan_edited", "newest plan set back to the one before by hand", FILES, plan_edited),
    _made("plan_edited_ahead", "newest plan set forward by hand", FILES, plan_edited_ahead),
    _made("commit_empty", "newest commit empty", MOST, mutations.commit_empty),
    _made("commit_torn", "newest commit cut off", FEW, mutations.commit_torn),
    _made("commit_ahead", "a commit added without a plan", FILES, commit_ahead),
    _made("batch_skipped", "a plan and its commit added by hand: a batch skipped", FILES, skipped),
    _made("metadata_gone", "metadata deleted", MOST, mutations.metadata_gone),
    _made(
        "metadata_gone_in_flight",
        "metadata deleted with a batch in flight",
        (*FILES, *DELTA),
        metadata_gone_in_flight,
    ),
    _made("metadata_torn", "metadata cut off", FILES, mutations.metadata_torn),
    _made("metadata_empty", "metadata empty", FILES, lambda c: rewrite(c / "metadata", "")),
    _made("offsets_emptied", "offsets/ emptied, commits kept", MOST, mutations.offsets_emptied),
    _made(
        "both_cut",
        f"both logs cut to batch {KEPT}",
        (*MORE, "kafka-delta"),
        lambda c: cut(c, "offsets", "commits"),
    ),
    _made("offsets_cut", f"offsets/ cut to batch {KEPT}", MOST, lambda c: cut(c, "offsets")),
    _made("commits_cut", f"commits/ cut to batch {KEPT}", MOST, lambda c: cut(c, "commits")),
    _made(
        "logs_emptied",
        "both logs emptied, metadata and sources/ kept",
        (*MORE, "kafka-delta"),
        lambda c: emptied(c, "offsets", "commits"),
    ),
    _made(
        "logs_and_sources_emptied",
        "both logs and sources/ emptied, metadata kept",
        (*MOST, UNION, "kafka-delta"),
        lambda c: emptied(c, "offsets", "commits", "sources"),
    ),
    _made(
        "all_but_metadata",
        "everything but metadata deleted",
        (*FEW, "windows-rocks2"),
        lambda c: emptied(c, "offsets", "commits", "sources", "state"),
    ),
    _made(
        "checkpoint_gone",
        "the whole checkpoint deleted",
        (*MORE, "kafka-delta"),
        shutil.rmtree,
    ),
    _made("logs_purged", "old batches purged, as Spark does", (*FILES, "windows-hdfs"), purged),
    _made("logs_hole", "an old batch missing in both logs", FILES, hole),
    _made(
        "sources_gone",
        "sources/ removed",
        (*FILES, UNION, "windows-hdfs", "kafka-delta"),
        lambda c: emptied(c, "sources"),
    ),
    _made(
        "sources_newest_gone",
        "newest entry of the source's log removed",
        (*FILES, "windows-hdfs"),
        lambda c: remove(source_log(c)),
    ),
    _made(
        "sources_torn",
        "newest entry of the source's log cut off",
        FILES,
        lambda c: torn(source_log(c)),
    ),
    _made(
        "sources_first_gone",
        "oldest entry of the source's log removed",
        FILES,
        lambda c: remove(c / "sources" / "0" / "0"),
    ),
    _made(
        "sources_gone_in_flight",
        "sources/ removed with a batch in flight",
        FILES,
        sources_gone_in_flight,
    ),
    _made(
        "temporary_files",
        "left-over temporary files in both logs",
        FILES,
        temporary_files,
    ),
)
