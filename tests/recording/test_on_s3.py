"""Records in an object store: sealed, verified and shown with few requests."""

import pytest
from scripts.servers.moto import S3Server

from holdfast.adapters.records.opening import open_records
from holdfast.flows.history import history
from holdfast.flows.records.recorder import Recorder
from holdfast.flows.show import show
from holdfast.flows.status import Target, job_status
from tests.lease.worlds import FakeClock, FakeMachine
from tests.recording.events import event
from tests.recording.made_records import begin, end

pytestmark = pytest.mark.server

PLAN = b'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"logOffset":0}'
COMMIT = b'v1\n{"nextBatchWatermarkMs":0}'
IDENTITY = b'{"id":"4b41c017-66c9-4266-832e-b7bdca059b6e"}'


@pytest.fixture
def sealed(s3_checkpoint: str, s3_environment: S3Server) -> str:
    client = s3_environment.client()
    bucket, _, key = s3_checkpoint.removeprefix("s3://").partition("/")
    client.put_object(Bucket=bucket, Key=f"{key}/metadata", Body=IDENTITY)
    records = open_records(s3_checkpoint)
    begin(records, 1)
    target = Recorder(s3_checkpoint, records, 1, monotonic=FakeClock().monotonic)
    for batch in range(4):
        client.put_object(Bucket=bucket, Key=f"{key}/offsets/{batch}", Body=PLAN)
        client.put_object(Bucket=bucket, Key=f"{key}/commits/{batch}", Body=COMMIT)
        target.note(event(batch))
    target.close()
    assert target.trouble is None
    end(records, 1)
    return s3_checkpoint


def test_seals_stand_in_for_checksums_that_the_store_does_not_keep(sealed: str) -> None:
    checks = show(sealed, verify=True).checkpoint.checks
    assert {check.status for check in checks.values()} == {"verified"}


def test_seals_cost_one_listing_and_one_read(sealed: str, s3_environment: S3Server) -> None:
    s3_environment.forget()
    shown = show(sealed)
    asked = [target for _, target in s3_environment.requests() if "_holdfast" in target]
    assert len(asked) == 2
    assert shown.checkpoint.checks["metadata"].sealed == 1
    assert shown.checkpoint.checks["offsets"].sealed == 2


def test_an_altered_object_is_named(sealed: str, s3_environment: S3Server) -> None:
    bucket, _, key = sealed.removeprefix("s3://").partition("/")
    client = s3_environment.client()
    client.put_object(Bucket=bucket, Key=f"{key}/commits/3", Body=COMMIT.replace(b"0", b"5"))
    found = show(sealed).checkpoint.warnings
    assert [warning.path for warning in found if warning.code == "HF128"] == ["commits/3"]


def test_status_and_history_read_the_store(sealed: str) -> None:
    target = Target(name=sealed, checkpoint=sealed, declared=False)
    found = job_status(target, FakeMachine())
    assert (found.status, found.batches.committed, found.findings) == ("drained", 3, ())
    assert found.progress == event(3)
    past = history(target, FakeMachine(), limit=3)
    assert [batch.batch for batch in past.batches] == [3, 2, 1]
    assert [run.status for run in past.runs] == ["drained"]


def test_a_checkpoint_that_is_not_there_has_no_batches(s3_checkpoint: str) -> None:
    target = Target(name="x", checkpoint=s3_checkpoint, declared=True)
    found = job_status(target, FakeMachine())
    assert (found.status, found.findings) == ("never-run", ())
