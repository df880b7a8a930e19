"""`metadata`: the query id and nothing else (StreamMetadata, all versions)."""

import re

from holdfast.core.formats.json_text import decode_object, text_field
from holdfast.core.formats.versioned_text import decode_text
from holdfast.errors import MalformedError

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")


def parse_query_metadata(data: bytes) -> str:
    """Give the query id. The run id is never stored."""
    text = decode_text(data, "metadata")
    if not text.strip():
        raise MalformedError("metadata is empty: it was created and never written")
    query_id = text_field(decode_object(text, "metadata"), "id", "metadata")
    if not _UUID.fullmatch(query_id):
        raise MalformedError("metadata holds an id that is not a UUID")
    return query_id
