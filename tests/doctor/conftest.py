"""The S3 server of the tests of records serves here too."""

from tests.lease.conftest import s3_checkpoint, s3_environment, server

__all__ = ["s3_checkpoint", "s3_environment", "server"]
