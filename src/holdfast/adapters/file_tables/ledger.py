"""The entries of one query in the ledger of a table, through files that are created exclusively."""

from collections.abc import Iterator

from holdfast.adapters.file_tables.place import LOG
from holdfast.core.running.file_ledger import (
    Entry,
    Owner,
    check_chain,
    decode_entry,
    decode_owner,
    encode_entry,
    encode_owner,
    name_of,
    number_of,
)
from holdfast.core.running.ports import Records
from holdfast.errors import MalformedError, UnreachableError

OWNER = "owner.json"


class FileLedger:
    """Reads and appends the entries of one query."""

    def __init__(self, records: Records, query_id: str) -> None:
        """Nothing is read yet."""
        self._records = records
        self._folder = f"{LOG}/{query_id}"
        self._subject = f"{records.location}/{self._folder}"

    def newest(self) -> Entry | None:
        """The entry with the highest number, None where there is none."""
        number = max(self._numbers(), default=0)
        return None if number == 0 else self._must(number)

    def after(self, entry: Entry | None) -> Iterator[Entry]:
        """What came after an entry, in order; one request finds that there is nothing."""
        while True:
            found = self.entry(1 if entry is None else entry.number + 1)
            if found is None:
                return
            if found.previous != ("" if entry is None else entry.digest):
                name = name_of(found.number - 1)
                raise MalformedError(
                    "the ledger of the table was altered: the next entry knows another one here",
                    subject=f"{self._subject}/{name}",
                    next_action="bring the ledger back as it was written",
                )
            yield found
            entry = found

    def entry(self, number: int) -> Entry | None:
        """One entry, None where there is none of that number."""
        name = name_of(number)
        data = self._records.read(f"{self._folder}/{name}")
        return None if data is None else decode_entry(data, number, f"{self._subject}/{name}")

    def entries(self) -> list[Entry]:
        """All of them, in order; raises MalformedError where one is missing or was altered."""
        found = [self._must(number) for number in sorted(self._numbers())]
        check_chain(found, self._subject)
        return found

    def append(self, entry: Entry) -> bool:
        """Create an entry; False where its number is taken by another one.

        Where the answer was lost, what lies there decides.
        """
        try:
            if self._records.create(f"{self._folder}/{name_of(entry.number)}", encode_entry(entry)):
                return True
        except UnreachableError:
            there = self.entry(entry.number)
            if there is None:
                raise
            return there.token == entry.token
        there = self.entry(entry.number)
        return there is not None and there.token == entry.token

    def _must(self, number: int) -> Entry:
        found = self.entry(number)
        if found is None:
            raise MalformedError(
                "the ledger of the table was altered: an entry went away while it was read",
                subject=f"{self._subject}/{name_of(number)}",
                next_action="bring the ledger back as it was written",
            )
        return found

    def _numbers(self) -> list[int]:
        found = (number_of(name) for name in self._records.names(self._folder))
        return [number for number in found if number is not None]


def owner_of(records: Records) -> Owner | None:
    """Whose table it is, None where it is nobody's yet."""
    data = records.read(OWNER)
    return None if data is None else decode_owner(data, f"{records.location}/{OWNER}")


def claim(records: Records, owner: Owner) -> Owner:
    """Make it ours where it is nobody's; whose it is then."""
    records.create(OWNER, encode_owner(owner))
    found = owner_of(records)
    if found is None:
        raise UnreachableError(
            "the ledger of the table went away while it was claimed",
            subject=records.location,
            next_action="find out who removes it, then start again",
        )
    return found
