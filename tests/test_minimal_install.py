"""The base install alone, in a clean environment: no pyspark, no cloud library, no test tool."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .golden_cases import GOLDEN

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clean")
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, ROOT], check=True)
    return folder / "env" / "bin"


def run(command: list[object], **options: object) -> "subprocess.CompletedProcess[str]":
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_help_and_show_work(clean: Path) -> None:
    assert "show" in run([clean / "holdfast", "--help"]).stdout
    case = GOLDEN / "4.2.0" / "killed_in_sink"
    done = run([clean / "holdfast", "show", case, "--output", "json"])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["in_flight"] == 2
    assert run([clean / "holdfast", "show", case]).returncode == 0
    assert run([clean / "holdfast", "schema", "show"]).returncode == 0


def test_our_own_codes_are_explained_from_the_page_that_the_wheel_brings(clean: Path) -> None:
    done = run([clean / "holdfast", "explain", "HF106", "--output", "json"], cwd=clean)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)["result"]["explanations"][0]
    assert said["found_by"] == "HF106" and "query id" in said["cause"]


def test_a_store_whose_library_is_missing_says_what_to_install(clean: Path) -> None:
    done = run([clean / "holdfast", "show", "s3://bucket/key"])
    assert done.returncode == 2
    assert "HF008" in done.stderr and "pip install 'holdfast[s3]'" in done.stderr


def test_show_imports_neither_spark_nor_what_it_does_not_need(clean: Path) -> None:
    program = (
        "import sys\n"
        "from holdfast.flows.show import show\n"
        f"show({str(GOLDEN / '4.2.0' / 'agg_rocksdb')!r})\n"
        "print(sorted({'pyspark','pydantic','fsspec','rich','yaml','s3fs'} & set(sys.modules)))\n"
    )
    done = run([clean / "python", "-c", program])
    assert done.stdout.strip() == "[]", done.stderr
