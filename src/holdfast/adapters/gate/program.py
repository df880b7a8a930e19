"""The filter as the kernel reads it: classic BPF over a system call's number and flags."""

import struct

from holdfast.adapters.gate.calls import CREATES_OR_TRUNCATES, Machine

_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_LOAD, _IF_EQUAL, _IF_BITS, _RETURN = 0x20, 0x15, 0x45, 0x06
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data."""
_INSTRUCTION = "HBBI"


def filter_program(machine: Machine) -> bytes:
    """Hold the listed calls, opens only where they create or truncate; let all others pass.

    Calls of another architecture (32-bit programs on a 64-bit kernel) pass: their numbers mean
    something else.
    """
    rows = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_IF_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    for number, call in machine.calls.items():
        if call.flags is None:
            rows += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _NOTIFY)]
        else:
            rows += [
                (_IF_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, _AT_ARGUMENTS + 8 * call.flags),
                (_IF_BITS, 1, 0, CREATES_OR_TRUNCATES),
                (_RETURN, 0, 0, _ALLOW),
                (_RETURN, 0, 0, _NOTIFY),
            ]
    rows.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack(_INSTRUCTION, *row) for row in rows)


def instructions(program: bytes) -> int:
    """How many instructions a program has."""
    return len(program) // struct.calcsize(_INSTRUCTION)
