"""What the state of a checkpoint says to an explanation."""

from holdfast.core.checkpoint import Checkpoint
from holdfast.core.explain.say import Agreement, agrees, by_code, cannot_tell, disagrees
from holdfast.core.fact import Absent, Known
from holdfast.core.pinned_conf import PROVIDER


def state(found: Checkpoint) -> Agreement:
    """Whether the state that a restart needs can be loaded, as far as files tell."""
    if (answer := by_code(found, "HF111", "HF126", "HF118", "HF112")) is not None:
        return answer
    if not found.operators:
        if not found.offsets.ids:
            return cannot_tell("no batch was ever planned")
        return agrees("there is no state here: the operator is new to it, or state/ was deleted")
    return disagrees("the files of the state after the last finished batch are all there")


def state_directory(found: Checkpoint) -> Agreement:
    """Whether there is any state."""
    if (answer := by_code(found, "HF126")) is not None:
        return answer
    if not found.operators and found.offsets.ids:
        return agrees("batches were planned, and there is no state in this checkpoint")
    if found.operators:
        return disagrees(f"state/ has {len(found.operators)} operator(s)")
    return cannot_tell("no batch was ever planned")


def no_state(found: Checkpoint) -> Agreement:
    """Whether there is nothing that could be read."""
    if found.operators:
        return disagrees(f"state/ has {len(found.operators)} operator(s)")
    return agrees("there is no state in this checkpoint")


def state_ids(found: Checkpoint) -> Agreement:
    """State format 2, with a batch in flight."""
    if not found.operators:
        return disagrees("there is no state in this checkpoint")
    if not isinstance(found.commit, Known):
        return cannot_tell("the newest commit could not be read, so the state format is not known")
    if not found.commit.value.state_unique_ids:
        return disagrees("the newest commit names no state ids: this is state format 1")
    if found.in_flight is None:
        return disagrees("no batch is in flight")
    return agrees(f"state format 2, and batch {found.in_flight} is planned and not committed")


def damage(found: Checkpoint) -> Agreement:
    """Files that disagree with their checksums, or cannot be read."""
    if (answer := by_code(found, "HF103", "HF128", "HF101", "HF118")) is not None:
        return answer
    check = found.checks.get("state")
    if check is not None and check.status == "verified":
        return disagrees("every state file agrees with its checksum")
    return cannot_tell("no damage was seen, and not every state file was read: show --verify does")


def stateful(found: Checkpoint) -> Agreement:
    """Which operators there are."""
    names = [operator.name or "unnamed" for operator in found.operators]
    if not names:
        return disagrees("there is no state in this checkpoint")
    return cannot_tell(f"its operators are: {', '.join(names)}. Only the query can say the rest")


def provider(found: Checkpoint) -> Agreement:
    """Which provider is pinned."""
    if not isinstance(found.plan, Known) or PROVIDER not in found.plan.value.conf:
        return cannot_tell("the newest plan does not say which provider it has")
    name = found.plan.value.conf[PROVIDER].rpartition(".")[2]
    if name.startswith("RocksDB"):
        return disagrees(f"it pins {name}")
    return agrees(f"it pins {name}, which is not RocksDB")


def operator_metadata(found: Checkpoint) -> Agreement:
    """Whether operators say what they are."""
    if not found.operators:
        return agrees("there is no state in this checkpoint")
    missing = [o for o in found.operators if not isinstance(o.metadata, Known)]
    if not missing:
        return disagrees("the metadata of every operator can be read")
    why = "missing" if isinstance(missing[0].metadata, Absent) else "not readable"
    return agrees(f"{missing[0].metadata.origin} is {why}")
