"""Compression and checksums that need a compiled library."""
