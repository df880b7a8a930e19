"""Google Cloud Storage, against a server that speaks its protocol."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.servers.gcs import GcsServer, gcs_server

from holdfast.flows.show import show
from tests.storage import same_answers

pytestmark = pytest.mark.server

BUCKET = "lake"


@pytest.fixture(scope="module")
def server() -> Iterator[GcsServer]:
    with same_answers.or_skip(gcs_server()) as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.variables().items():
            patch.setenv(name, value)
        running.create_bucket(BUCKET)
        for name, content in same_answers.all_golden_files().items():
            running.put(BUCKET, name, content)
        yield running


@pytest.mark.parametrize("name", same_answers.CASES)
def test_show_says_the_same_as_on_disk(name: str, server: GcsServer, tmp_path: Path) -> None:
    same_answers.check_show(f"gs://{BUCKET}/jobs/{name}", name, tmp_path / "ck")


def test_the_bucket_itself_is_a_folder(server: GcsServer) -> None:
    for root in (f"gs://{BUCKET}", f"gs://{BUCKET}/", f"gcs://{BUCKET}"):
        same_answers.check_root(root)


def test_fleet_finds_all(server: GcsServer) -> None:
    same_answers.check_fleet(f"gs://{BUCKET}/jobs")


def test_nothing_is_written(server: GcsServer) -> None:
    url = f"gs://{BUCKET}/jobs/agg_rocksdb"
    same_answers.check_unwritten(
        lambda: server.objects(BUCKET), lambda: show(url, verify=True, state=True)
    )


def test_markers_of_directories_are_no_batches(server: GcsServer) -> None:
    server.create_bucket("marked")
    files = same_answers.golden_files("kafka")
    for name, content in files.items():
        server.put("marked", f"ck/{name}", content)
    before = show("gs://marked/ck").checkpoint
    for marker in ("ck/", "ck/offsets/", "ck/sources/0/"):
        server.put("marked", marker, b"")
    after = show("gs://marked/ck").checkpoint
    assert after.offsets == before.offsets
    assert after.file_count == before.file_count == len(files)
    assert after.warnings == before.warnings


def test_a_bucket_or_folder_that_is_not_there(server: GcsServer) -> None:
    for url in ("gs://no-such-bucket/ck", f"gs://{BUCKET}/nothing/here"):
        said = same_answers.refused(url, server.environment())
        assert said == "HF007 there is nothing at this location"


def test_nobody_listens_at_the_endpoint(server: GcsServer) -> None:
    env = {**server.environment(), "STORAGE_EMULATOR_HOST": "http://127.0.0.1:9"}
    said = same_answers.refused(f"gs://{BUCKET}/ck", env)
    assert said == "HF007 the store gave no answer (ClientConnectorError)"
