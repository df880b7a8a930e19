"""Read-only views of folders: local disks, and anything that fsspec knows by URL."""
