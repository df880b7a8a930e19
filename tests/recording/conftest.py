"""The S3 server of the lease's tests, whose conditional put is atomic."""

from tests.lease.conftest import s3_checkpoint, s3_environment, server

__all__ = ["s3_checkpoint", "s3_environment", "server"]
