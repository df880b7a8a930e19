"""Azure, against Azurite: every spelling that Spark users have, and never another account."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.servers.azure import ACCOUNT, KEY, AzureServer, azure_server

from holdfast.adapters.storage.azure import _account
from holdfast.flows.show import show
from tests.storage import same_answers

pytestmark = pytest.mark.server

CONTAINER = "lake"
BASE = f"abfss://{CONTAINER}@{ACCOUNT}.dfs.core.windows.net"
SPELLINGS = (
    BASE,
    f"abfs://{CONTAINER}@{ACCOUNT}.dfs.core.windows.net",
    f"wasbs://{CONTAINER}@{ACCOUNT}.blob.core.windows.net",
    f"wasb://{CONTAINER}@{ACCOUNT}.blob.core.windows.net/",
    f"abfs://{CONTAINER}",
)


@pytest.fixture(scope="module")
def server() -> Iterator[AzureServer]:
    with same_answers.or_skip(azure_server()) as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.variables().items():
            patch.setenv(name, value)
        running.create_container(CONTAINER)
        running.put(CONTAINER, same_answers.all_golden_files())
        yield running


@pytest.mark.parametrize("name", same_answers.CASES)
def test_show_says_the_same_as_on_disk(name: str, server: AzureServer, tmp_path: Path) -> None:
    same_answers.check_show(f"{BASE}/jobs/{name}", name, tmp_path / "ck")


@pytest.mark.parametrize("root", SPELLINGS)
def test_the_container_itself_is_a_folder_by_every_spelling(root: str, server: AzureServer) -> None:
    same_answers.check_root(root)


def test_fleet_finds_all(server: AzureServer) -> None:
    same_answers.check_fleet(f"{BASE}/jobs")


def test_nothing_is_written(server: AzureServer) -> None:
    url = f"{BASE}/jobs/agg_rocksdb"
    same_answers.check_unwritten(
        lambda: server.objects(CONTAINER), lambda: show(url, verify=True, state=True)
    )


def test_a_container_or_folder_that_is_not_there(server: AzureServer) -> None:
    nowhere = BASE.replace(CONTAINER, "no-such-container")
    for url in (f"{nowhere}/ck", f"{BASE}/nothing/here"):
        said = same_answers.refused(url, server.environment(), KEY)
        assert said == "HF007 there is nothing at this location"


def test_a_wrong_key_is_refused_access(server: AzureServer) -> None:
    wrong = base64.b64encode(b"not the key of this account").decode()
    env = server.environment(server.connection_string(key=wrong))
    said = same_answers.refused(f"{BASE}/jobs/kafka", env, wrong)
    assert said == "HF007 the store refused access"


def test_the_connection_string_of_another_account_shows_nothing(server: AzureServer) -> None:
    url = f"abfss://{CONTAINER}@other.dfs.core.windows.net/jobs/kafka"
    said = same_answers.refused(url, server.environment(), KEY)
    assert said == (f"HF001 the location names the account other, the connection string {ACCOUNT}")


def test_nobody_listens_at_the_endpoint(server: AzureServer) -> None:
    env = server.environment(AzureServer(port=9).connection_string())
    said = same_answers.refused(f"{BASE}/jobs/kafka", env, KEY)
    assert said == "HF007 the store gave no answer (ServiceRequestError)"


def test_no_account_is_named_anywhere(server: AzureServer) -> None:
    env = {k: v for k, v in server.environment().items() if not k.startswith("AZURE_")}
    said = same_answers.refused(f"abfs://{CONTAINER}/jobs/kafka", env)
    assert said.startswith("HF007")


def test_the_account_reaches_the_library_in_every_cloud() -> None:
    assert _account("abfs://c@a.dfs.core.windows.net/ck") == {"account_name": "a"}
    assert _account("abfs://c@a.blob.core.windows.net") == {"account_name": "a"}
    assert _account("abfs://c@a.dfs.core.chinacloudapi.cn/ck") == {
        "account_name": "a",
        "account_host": "a.blob.core.chinacloudapi.cn",
    }
    assert _account("abfs://w@onelake.dfs.fabric.microsoft.com/x")["account_name"] == "onelake"
    assert _account("abfs://container/ck") == {}
