"""Which system calls change what lies on a disk, by machine."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One system call: where its paths are among its arguments."""

    name: str
    paths: tuple[tuple[int | None, int], ...] = ()
    """Pairs of arguments: the folder's descriptor (None: the working folder) and the path."""
    descriptor: int | None = None
    """The argument that is an open file, for calls that name no path."""
    flags: int | None = None
    """The argument with the flags of an open; only those that create or truncate are held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Numbers of one architecture."""

    audit: int
    """AUDIT_ARCH_…, by which a filter knows for whom the numbers are."""
    seccomp: int
    """The number of seccomp(2) itself."""
    calls: Mapping[int, Call]


CREATES_OR_TRUNCATES = 0o100 | 0o1000
"""O_CREAT and O_TRUNC; the same on both machines."""

_RENAME_AT = Call(name="rename", paths=((0, 1), (2, 3)))
_LINK_AT = Call(name="link", paths=((0, 1), (2, 3)))
_UNLINK_AT = Call(name="unlink", paths=((0, 1),))
_MKDIR_AT = Call(name="mkdir", paths=((0, 1),))
_OPEN_AT = Call(name="create", paths=((0, 1),), flags=2)
_FSYNC = Call(name="fsync", descriptor=0)
_FTRUNCATE = Call(name="truncate", descriptor=0)
_TRUNCATE = Call(name="truncate", paths=((None, 0),))

# Numbers from the kernel's tables: arch/x86/entry/syscalls/syscall_64.tbl and
# include/uapi/asm-generic/unistd.h, which aarch64 uses.
MACHINES: dict[str, Machine] = {
    "x86_64": Machine(
        audit=0xC000003E,
        seccomp=317,
        calls={
            2: Call(name="create", paths=((None, 0),), flags=1),
            74: _FSYNC,
            75: _FSYNC,
            76: _TRUNCATE,
            77: _FTRUNCATE,
            82: Call(name="rename", paths=((None, 0), (None, 1))),
            83: Call(name="mkdir", paths=((None, 0),)),
            84: Call(name="unlink", paths=((None, 0),)),
            85: Call(name="create", paths=((None, 0),)),
            86: Call(name="link", paths=((None, 0), (None, 1))),
            87: Call(name="unlink", paths=((None, 0),)),
            257: _OPEN_AT,
            258: _MKDIR_AT,
            263: _UNLINK_AT,
            264: _RENAME_AT,
            265: _LINK_AT,
            316: _RENAME_AT,
        },
    ),
    "aarch64": Machine(
        audit=0xC00000B7,
        seccomp=277,
        calls={
            34: _MKDIR_AT,
            35: _UNLINK_AT,
            37: _LINK_AT,
            38: _RENAME_AT,
            45: _TRUNCATE,
            46: _FTRUNCATE,
            56: _OPEN_AT,
            82: _FSYNC,
            83: _FSYNC,
            276: _RENAME_AT,
        },
    ),
}
