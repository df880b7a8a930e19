"""Records, machines and clocks of which a test is the master."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

from holdfast.core.running.lease import Holder, Pace
from holdfast.errors import UnreachableError

QUICK = Pace(beat_s=0.02, watch_s=0.3, lost_s=0.1)
HOLDER = Holder(
    host="a",
    place="boot-a pid:[1]",
    pid=10,
    pid_started=1000,
    user="u",
    started_ms=1_790_000_000_000,
    version="0.1.0",
    run_id="r",
)


@dataclass
class DictRecords:
    """Records in a dict. A `fault` may raise before or after any act."""

    files: dict[str, bytes] = field(default_factory=dict)
    location: str = "dict:///_holdfast/ck"
    fault: Callable[[str, str], None] = lambda act, name: None

    def create(self, name: str, data: bytes) -> bool:
        self.fault("create", name)
        if self.files.setdefault(name, data) is not data:
            return False
        self.fault("created", name)
        return True

    def replace(self, name: str, data: bytes) -> None:
        self.fault("replace", name)
        self.files[name] = data

    def read(self, name: str) -> bytes | None:
        self.fault("read", name)
        return self.files.get(name)

    def names(self, folder: str) -> list[str]:
        self.fault("names", folder)
        prefix = f"{folder}/"
        return sorted(n.removeprefix(prefix) for n in list(self.files) if n.startswith(prefix))

    def remove(self, name: str) -> None:
        self.fault("remove", name)
        self.files.pop(name, None)


def unreachable(act: str, name: str) -> None:
    raise UnreachableError("the store gave no answer")


_RUNS = count(1)


@dataclass
class FakeMachine:
    """A process of a machine; `alive` is what it says of every holder of its place."""

    holder: Holder = HOLDER
    alive: bool | None = None

    def me(self) -> Holder:
        return replace(self.holder, run_id=f"run-{next(_RUNS)}")

    def process(self, holder: Holder, pid: int) -> Holder:
        return replace(holder, pid=pid, pid_started=pid)

    def is_alive(self, holder: Holder) -> bool | None:
        return self.alive


def elsewhere(host: str) -> FakeMachine:
    return FakeMachine(replace(HOLDER, host=host, place=f"boot-{host} pid:[1]"))


@dataclass
class FakeClock:
    """Time that passes only by sleeping; something may happen meanwhile."""

    now_s: float = 1000.0
    meanwhile: Callable[[float], None] = lambda now_s: None

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.meanwhile(self.now_s)
