"""A process that wants leases, told what to do by lines on its input; it answers each with one.

    take <checkpoint> [<when>]        `epoch <n>`, or the code of the error and its message
    take-over <checkpoint>            the same
    check                             `ok`, or the code of the error and its message
    release                           `released True` or `released False`

`when` is a time of the monotonic clock, which all processes of a machine share: several that are
told the same one start at once.
"""

import sys
import time

from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.records.opening import open_records
from holdfast.errors import HoldfastError
from holdfast.flows.lease import Lease, acquire


def take(verb: str, checkpoint: str, when: str = "0") -> Lease:
    records = open_records(checkpoint)
    machine = ThisMachine()
    while time.monotonic() < float(when):
        pass
    return acquire(
        records,
        take_over=verb == "take-over",
        machine=machine,
        monotonic=time.monotonic,
        sleep=time.sleep,
    )


def main() -> None:
    leases: list[Lease] = []
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "check":
                leases[-1].check()
                answer = "ok"
            elif words[0] == "release":
                answer = f"released {leases[-1].release()}"
            else:
                leases.append(take(*words))
                answer = f"epoch {leases[-1].epoch}"
        except HoldfastError as error:
            answer = f"{error.code} {error.message}"
        print(answer, flush=True)


if __name__ == "__main__":
    main()
