"""S3, against a real server: the same answers as on disk, few requests, errors that are clear."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.servers.moto import SECRET, S3Server

from holdfast.flows.fleet import fleet
from holdfast.flows.show import show
from holdfast.surfaces.render.show_json import show_result
from tests.golden_cases import GOLDEN

pytestmark = pytest.mark.server

HOLDFAST = str(Path(sys.executable).parent / "holdfast")
REQUESTS_MAX = 25
LISTING_PAGE_KEYS = 1000
CASES = (
    "agg_hdfs_two_runs",
    "agg_rocksdb_changelog_format2",
    "agg_watermark_hdfs",
    "async_progress",
    "continuous",
    "delta_schema_tracking",
    "file_compacted",
    "join_v2_rocksdb_format2",
    "kafka_two_topics",
    "killed_stateful",
    "limit",
    "offline_repartition_resumed",
    "purged_logs",
    "tws_avro",
    "two_sources_one_silent",
)
BY_STORE = ("committed_at_ms", "planned_at_ms", "integrity")
"""Times are the store's; and on a store only the needed files are read, so fewer are checked."""


def holdfast(
    *words: str, env: dict[str, str], limit_seconds: int = 120
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [HOLDFAST, *words], capture_output=True, text=True, env=env, timeout=limit_seconds
    )


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key not in BY_STORE}


def without_checksums(checkpoint: Path, target: Path) -> Path:
    """A copy as any other store would have it: only file:// keeps Hadoop's checksums."""
    shutil.copytree(checkpoint, target, ignore=shutil.ignore_patterns(".*.crc"))
    return target


@pytest.mark.parametrize("name", CASES)
def test_show_says_the_same_as_on_disk(
    name: str, s3_environment: S3Server, bucket: str, tmp_path: Path
) -> None:
    checkpoint = without_checksums(GOLDEN / "4.2.0" / name / "checkpoint", tmp_path / "ck")
    s3_environment.upload(bucket, "a/b", checkpoint)
    on_disk = show(str(checkpoint))
    s3_environment.forget()
    on_store = show(f"s3://{bucket}/a/b")
    requests = s3_environment.requests()
    assert comparable(show_result(on_store)) == comparable(show_result(on_disk))
    # HF105 counts what was checked, which is less on a store.
    assert [(f.code, f.path) for f in on_store.checkpoint.warnings if f.code != "HF105"] == [
        (f.code, f.path) for f in on_disk.checkpoint.warnings if f.code != "HF105"
    ]
    assert len(requests) <= REQUESTS_MAX
    assert {method for method, _ in requests} == {"GET"}


def test_show_at_default_retention_stays_below_the_limit_beyond_its_pages(
    s3_environment: S3Server, bucket: str
) -> None:
    golden = GOLDEN / "4.2.0" / "agg_watermark_hdfs" / "checkpoint"
    s3_environment.upload(bucket, "ck", golden)
    client = s3_environment.client()
    delta = (golden / "state/0/0/1.delta").read_bytes()
    plan, commit = (golden / "offsets/5").read_bytes(), (golden / "commits/5").read_bytes()
    for batch in range(14, 101):
        client.put_object(Bucket=bucket, Key=f"ck/offsets/{batch}", Body=plan)
        client.put_object(Bucket=bucket, Key=f"ck/commits/{batch}", Body=commit)
        for partition in range(10):
            key = f"ck/state/0/{partition}/{batch + 1}.delta"
            client.put_object(Bucket=bucket, Key=key, Body=delta)
    s3_environment.forget()
    shown = show(f"s3://{bucket}/ck")
    requests = s3_environment.requests()
    assert shown.checkpoint.offsets.last == 100
    assert shown.checkpoint.file_count > LISTING_PAGE_KEYS
    pages = [target for _, target in requests if "list-type=2" in target]
    assert len(requests) - len(pages) <= REQUESTS_MAX
    # One look at the checkpoint, its pages, and one at the seals beside it: s3fs asks twice for a
    # folder that is not there.
    assert len(pages) == 3 + -(-shown.checkpoint.file_count // LISTING_PAGE_KEYS)


def test_the_command_line_gives_the_same_json_by_every_spelling(
    server: S3Server, bucket: str
) -> None:
    server.upload(bucket, "ck", GOLDEN / "4.2.0" / "kafka_two_topics" / "checkpoint")
    answers = []
    for location in (f"s3://{bucket}/ck", f"s3a://{bucket}/ck/", f"s3n://{bucket}/ck/offsets"):
        done = holdfast("show", location, "--output", "json", env=server.environment())
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert SECRET not in done.stdout
        answer = json.loads(done.stdout)
        assert answer["target"] == f"{location.partition('://')[0]}://{bucket}/ck"
        answers.append(answer["result"])
    assert answers[0] == answers[1] == answers[2]


def test_directory_markers_and_leftovers_of_stores_are_no_batches(
    s3_environment: S3Server, bucket: str
) -> None:
    s3_environment.upload(bucket, "ck", GOLDEN / "4.2.0" / "rate" / "checkpoint")
    client = s3_environment.client()
    before = show(f"s3://{bucket}/ck")
    for key in ("ck/", "ck/offsets/", "ck/commits/", "ck/state/", "ck/sources/0/"):
        client.put_object(Bucket=bucket, Key=key, Body=b"")
    after = show(f"s3://{bucket}/ck")
    assert show_result(after)["offsets"] == show_result(before)["offsets"]
    assert after.checkpoint.file_count == before.checkpoint.file_count
    assert after.checkpoint.warnings == before.checkpoint.warnings


def test_keys_that_could_not_be_paths_are_named_and_left_alone(
    s3_environment: S3Server, bucket: str
) -> None:
    s3_environment.upload(bucket, "ck", GOLDEN / "4.2.0" / "rate" / "checkpoint")
    client = s3_environment.client()
    for key in ("ck/offsets/../../../outside", "ck//double"):
        client.put_object(Bucket=bucket, Key=key, Body=b"x")
    found = show(f"s3://{bucket}/ck").checkpoint.warnings
    odd = {finding.path for finding in found if finding.code == "HF114"}
    assert odd == {"offsets/../../../outside", "/double"}


class TestErrors:
    def refused(self, location: str, env: dict[str, str]) -> str:
        done = holdfast("show", location, "--output", "json", env=env)
        assert done.returncode == 2
        said = json.loads(done.stdout)
        assert "Traceback" not in done.stderr
        assert SECRET not in done.stdout + done.stderr
        assert said["error"]["next_action"]
        return f"{said['error']['code']} {said['error']['message']}"

    def test_a_bucket_or_prefix_that_is_not_there(self, server: S3Server, bucket: str) -> None:
        for location in ("s3://no-such-bucket/ck", f"s3://{bucket}/nothing/here"):
            said = self.refused(location, server.environment())
            assert said == "HF007 there is nothing at this location"

    def test_no_credentials_are_said_to_be_missing_soon(
        self, server: S3Server, bucket: str, tmp_path: Path
    ) -> None:
        env = {k: v for k, v in server.environment().items() if "_KEY" not in k}
        env.pop("AWS_EC2_METADATA_DISABLED")
        env["HOME"] = str(tmp_path)
        said = self.refused(f"s3://{bucket}/ck", env)
        assert said == "HF007 the store refused access"

    def test_nobody_listens_at_the_endpoint(self, server: S3Server, bucket: str) -> None:
        env = {**server.environment(), "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
        said = self.refused(f"s3://{bucket}/ck", env)
        assert said == "HF007 the store gave no answer (EndpointConnectionError)"

    def test_a_password_in_the_location_is_refused_and_never_shown(self, server: S3Server) -> None:
        location = f"s3a://user:{SECRET}@bucket/ck?token={SECRET}#{SECRET}"
        assert self.refused(location, server.environment()).startswith("HF001 credentials")

    def test_the_library_is_not_installed(self, server: S3Server, tmp_path: Path) -> None:
        (tmp_path / "s3fs.py").write_text("raise ImportError('not here')\n")
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        said = self.refused("s3://bucket/ck", {**server.environment(), "PYTHONPATH": path})
        assert said.startswith("HF008")


class TestFleet:
    @pytest.fixture
    def three_levels(self, s3_environment: S3Server, bucket: str) -> str:
        golden = GOLDEN / "4.2.0" / "rate" / "checkpoint"
        for team in ("red", "blue"):
            for job in range(3):
                for checkpoint in ("one", "two"):
                    s3_environment.upload(bucket, f"{team}/job-{job}/{checkpoint}", golden)
        s3_environment.client().put_object(Bucket=bucket, Key="red/readme.txt", Body=b"x")
        return bucket

    @pytest.mark.parametrize(("base", "count"), [("", 12), ("/red", 6), ("/red/job-0", 2)])
    def test_finds_checkpoints_at_every_level(
        self, three_levels: str, base: str, count: int
    ) -> None:
        seen: list[tuple[int, int]] = []
        found = fleet(f"s3://{three_levels}{base}", lambda done, known: seen.append((done, known)))
        assert len(found.members) == count
        assert seen[-1][0] == seen[-1][1]
        assert {member.files for member in found.members} == {found.members[0].files}

    def test_takes_few_requests_for_each(self, three_levels: str, s3_environment: S3Server) -> None:
        s3_environment.forget()
        found = fleet(f"s3://{three_levels}")
        assert len(s3_environment.requests()) <= 8 * len(found.members)
