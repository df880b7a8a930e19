"""CRC32C, as java.util.zip.CRC32C computes it and Spark stores it."""

import google_crc32c


def crc32c(data: bytes) -> int:
    """Give the checksum as a signed 32-bit integer: Spark stores the int of a Java long."""
    unsigned = int(google_crc32c.value(data))
    return unsigned - 2**32 if unsigned >= 2**31 else unsigned
