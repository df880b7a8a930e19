"""Which jars jobs need, where they are taken from, and which settings bring them in."""

import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from scripts.jars import fetch

from holdfast.adapters import jars
from holdfast.adapters.jars import jar_settings, needs_of, plan_jars, wanted_jars
from holdfast.core.doctor.jars import HEADS, JarPlan, jar_name, judge_jars, misfit
from holdfast.core.job import Declaration
from holdfast.errors import NotInstalledError, UnreachableError, UsageError
from tests.doctor.declarations import declaration, job

DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
LAKE = declaration(job(source="kafka", sink="delta"), job("later", source="delta"))
PACKAGES = "io.delta:delta-spark_4.2_2.13:4.4.0,org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"


@pytest.fixture(autouse=True)
def spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "spark_version", lambda: "4.2.0")


@pytest.fixture
def nowhere(tmp_path: Path) -> Mapping[str, str]:
    return {"HOLDFAST_CACHE": str(tmp_path / "no cache")}


def put_jars(
    folder: Path, spark: str = "4.2.0", needs: tuple[str, ...] = ("delta", "kafka")
) -> str:
    folder.mkdir(parents=True)
    for artifact in wanted_jars(needs, spark):
        (folder / f"{artifact.name}-{artifact.version}.jar").touch()
    return str(folder)


@pytest.mark.parametrize(
    ("jobs", "needs"),
    [
        ([job()], set()),
        ([job(sink="sql")], set()),
        ([job(source="kafka")], {"kafka"}),
        ([job(source="delta")], {"delta"}),
        ([job(sink="delta")], {"delta"}),
        ([job(source="kafka"), job("b", sink="delta")], {"delta", "kafka"}),
    ],
)
def test_needs(jobs: list, needs: set[str]) -> None:
    assert needs_of(declaration(*jobs)) == needs


def test_nothing_is_set_where_nothing_is_needed(nowhere: Mapping[str, str]) -> None:
    assert jar_settings(declaration(job()), nowhere) == {}


def test_spark_fetches_what_is_nowhere(nowhere: Mapping[str, str]) -> None:
    assert jar_settings(LAKE, nowhere) == {"spark.jars.packages": PACKAGES, **DELTA}
    only_kafka = declaration(job(source="kafka"))
    assert jar_settings(only_kafka, nowhere) == {"spark.jars.packages": PACKAGES.split(",")[1]}


@pytest.mark.parametrize(("spark", "minor"), [("4.0.5", "4.0"), ("4.1.4", "4.1")])
def test_versions_follow_the_installed_spark(
    spark: str, minor: str, nowhere: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jars, "spark_version", lambda: spark)
    delta, kafka = jar_settings(LAKE, nowhere)["spark.jars.packages"].split(",")
    assert delta == f"io.delta:delta-spark_{minor}_2.13:4.4.0"
    assert kafka == f"org.apache.spark:spark-sql-kafka-0-10_2.13:{spark}"


def test_delta_is_refused_where_it_has_no_release(
    nowhere: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jars, "spark_version", lambda: "4.3.0")
    with pytest.raises(UsageError) as caught:
        jar_settings(LAKE, nowhere)
    assert caught.value.message == "delta has no release for Spark 4.3.0"
    assert caught.value.next_action == "pip install 'pyspark==4.2.*'"
    only_kafka = declaration(job(source="kafka"))
    assert jar_settings(only_kafka, nowhere)["spark.jars.packages"].endswith(":4.3.0")


def test_pyspark_that_is_missing_is_named(
    nowhere: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jars, "spark_version", lambda: None)
    with pytest.raises(NotInstalledError) as caught:
        jar_settings(LAKE, nowhere)
    assert caught.value.next_action == "pip install 'holdfast[spark]'"


def test_a_folder_of_jars_is_used_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put_jars(tmp_path / "jars")
    Path(folder, "unrelated-1.0.jar").touch()
    monkeypatch.chdir(tmp_path)
    settings = jar_settings(LAKE, {"HOLDFAST_JARS": "jars", "HOLDFAST_CACHE": "none"})
    paths = settings["spark.jars"].split(",")
    assert {os.path.dirname(path) for path in paths} == {folder}
    assert len(paths) == len(wanted_jars(("delta", "kafka"), "4.2.0"))
    assert not any("unrelated" in path for path in paths)
    assert {k: v for k, v in settings.items() if k != "spark.jars"} == DELTA


def test_a_folder_that_lacks_a_jar_is_refused_with_the_line_that_gets_it(tmp_path: Path) -> None:
    folder = put_jars(tmp_path / "jars")
    Path(folder, "delta-storage-4.4.0.jar").unlink()
    with pytest.raises(NotInstalledError) as caught:
        jar_settings(LAKE, {"HOLDFAST_JARS": folder})
    assert caught.value.message == "the folder of jars lacks io.delta:delta-storage:4.4.0"
    assert caught.value.next_action.startswith("for jar in io.delta:delta-storage:4.4.0; do mvn ")
    assert f'-DoutputDirectory="{folder}"' in caught.value.next_action


def test_of_several_versions_the_known_one_is_taken_else_the_newest(tmp_path: Path) -> None:
    folder = Path(put_jars(tmp_path / "jars"))
    (folder / "delta-storage-4.10.0.jar").touch()
    (folder / "kafka-clients-3.9.2.jar").unlink()
    for version in ("3.9.1", "3.10.0", "3.9.9"):
        (folder / f"kafka-clients-{version}.jar").touch()
    chosen = jar_settings(LAKE, {"HOLDFAST_JARS": str(folder)})["spark.jars"]
    assert "/delta-storage-4.4.0.jar" in chosen
    assert "/delta-storage-4.10.0.jar" not in chosen
    assert "/kafka-clients-3.10.0.jar" in chosen


def test_a_connector_of_another_spark_is_not_taken(tmp_path: Path) -> None:
    folder = Path(put_jars(tmp_path / "jars", needs=("kafka",)))
    connector = folder / "spark-sql-kafka-0-10_2.13-4.2.0.jar"
    connector.rename(folder / "spark-sql-kafka-0-10_2.13-4.1.1.jar")
    with pytest.raises(NotInstalledError, match=r"lacks org\.apache\.spark:spark-sql-kafka-0-10"):
        jar_settings(declaration(job(source="kafka")), {"HOLDFAST_JARS": str(folder)})


def test_the_cache_is_used_only_when_it_is_whole(tmp_path: Path) -> None:
    folder = put_jars(tmp_path / "cache" / "jars" / "lake")
    environ = {"HOLDFAST_CACHE": str(tmp_path / "cache")}
    assert jar_settings(LAKE, environ)["spark.jars"].count(folder) == 11
    Path(folder, "delta-storage-4.4.0.jar").unlink()
    settings = jar_settings(LAKE, environ)
    assert "spark.jars" not in settings
    assert settings["spark.jars.packages"] == PACKAGES
    # Kafka alone needs nothing of what is gone.
    assert "spark.jars" in jar_settings(declaration(job(source="kafka")), environ)


def test_a_cache_of_another_spark_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_jars(tmp_path / "jars" / "lake")
    monkeypatch.setattr(jars, "spark_version", lambda: "4.1.4")
    settings = jar_settings(LAKE, {"HOLDFAST_CACHE": str(tmp_path)})
    assert "spark.jars" not in settings
    assert "_4.1_" in settings["spark.jars.packages"]


@pytest.mark.parametrize("key", ["spark.jars", "spark.jars.packages"])
def test_what_was_given_by_hand_is_left_alone(key: str, tmp_path: Path) -> None:
    given = declaration(*LAKE.jobs, spark={key: "mine"})
    assert jar_settings(given, {"HOLDFAST_JARS": put_jars(tmp_path / "jars")}) == DELTA


def test_extensions_of_others_are_kept(nowhere: Mapping[str, str]) -> None:
    spark = {"spark.sql.extensions": "a.B, c.D", "spark.sql.catalog.spark_catalog": "e.F"}
    settings = jar_settings(declaration(*LAKE.jobs, spark=spark), nowhere)
    assert settings["spark.sql.extensions"] == f"a.B,c.D,{DELTA['spark.sql.extensions']}"
    assert "spark.sql.catalog.spark_catalog" not in settings
    spark["spark.sql.extensions"] = settings["spark.sql.extensions"]
    again = jar_settings(declaration(*LAKE.jobs, spark=spark), nowhere)
    assert "spark.sql.extensions" not in again


def test_under_spark_submit_all_is_left_alone(tmp_path: Path) -> None:
    environ = {"PYSPARK_GATEWAY_PORT": "1", "HOLDFAST_JARS": put_jars(tmp_path / "jars")}
    assert jar_settings(LAKE, environ) == {}


def test_folders_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="comma"):
        jar_settings(LAKE, {"HOLDFAST_JARS": put_jars(tmp_path / "a,b")})
    (tmp_path / "file").touch()
    with pytest.raises(UnreachableError):
        jar_settings(LAKE, {"HOLDFAST_JARS": str(tmp_path / "file")})
    with pytest.raises(NotInstalledError):
        jar_settings(LAKE, {"HOLDFAST_JARS": str(tmp_path / "not there")})


def test_the_list_names_the_artifact_of_each_need_first() -> None:
    text = (files("holdfast.adapters") / "jars.toml").read_text(encoding="utf-8")
    needs = tomllib.loads(text)
    assert set(needs) == set(HEADS)
    for need, entry in needs.items():
        assert entry["artifacts"][0].split(":")[1].startswith(f"{HEADS[need]}_")
        assert all(text.count(":") == 2 for text in entry["artifacts"])


def test_the_jars_of_tests_are_those_of_jobs() -> None:
    made = fetch.coordinates("lake")["artifacts"]
    of_jobs = [artifact.name for artifact in wanted_jars(("delta", "kafka"), "4.2.0")]
    assert [text.split(":")[1] for text in made] == [*of_jobs, "postgresql"]
    assert not any("{" in text for text in made)


def test_jars_of_several_groups_are_fetched_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fetch, "folder", lambda group: tmp_path / group)
    assert fetch.main(["lake", "kafka-broker"]) == 0
    told = capsys.readouterr().out.split()
    assert told == [str(tmp_path / "lake"), str(tmp_path / "kafka-broker")]
    assert fetch.main([]) == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("spark-sql-kafka-0-10_2.13-4.2.0.jar", ("spark-sql-kafka-0-10_2.13", "4.2.0")),
        ("/a b/delta-spark_4.2_2.13-4.4.0.jar", ("delta-spark_4.2_2.13", "4.4.0")),
        ("file:///x/delta-storage-4.4.0-SNAPSHOT.jar", ("delta-storage", "4.4.0-SNAPSHOT")),
        ("mine.jar", ("", "")),
    ],
)
def test_a_jar_says_its_version_in_its_name(name: str, told: tuple[str, str]) -> None:
    assert jar_name(name) == told


@pytest.mark.parametrize(
    ("artifact", "version", "spark", "why"),
    [
        ("delta-spark_4.2_2.13", "4.4.0", "4.2.0", ""),
        ("delta-spark_4.2_2.13", "4.4.0", "4.1.4", "is built for Spark 4.2, and Spark is 4.1.4"),
        ("delta-spark_2.13", "4.0.0", "4.0.5", ""),
        ("delta-spark_2.13", "4.0.0", "4.2.0", "is built for Spark 4.0, and Spark is 4.2.0"),
        ("delta-spark_2.13", "3.3.0", "4.2.0", "is built for Spark 3.x, and Spark is 4.2.0"),
        ("delta-spark_2.13", "4.4.0", "4.2.0", ""),
        ("delta-spark_2.12", "3.3.0", "4.2.0", "Scala 2.12"),
        ("spark-sql-kafka-0-10_2.13", "4.2.1", "4.2.0", ""),
        ("spark-sql-kafka-0-10_2.13", "4.1.1", "4.2.0", "is built for Spark 4.1"),
        ("spark-sql-kafka-0-10_2.12", "4.2.0", "4.2.0", "Scala 2.12"),
        ("spark-token-provider-kafka-0-10_2.13", "4.0.0", "4.2.0", ""),
        ("kafka-clients", "3.9.2", "4.2.0", ""),
    ],
)
def test_what_does_not_fit(artifact: str, version: str, spark: str, why: str) -> None:
    said = misfit(artifact, version, spark)
    assert why in said
    assert bool(said) is bool(why)


def judged(plan: JarPlan) -> list[tuple[str, str]]:
    return [(check.status, check.code) for check in judge_jars(plan, "lake")]


def given(spark: Mapping[str, str]) -> JarPlan:
    made: Declaration = declaration(*LAKE.jobs, spark=spark)
    return plan_jars(made, {})


def test_jars_are_judged(
    tmp_path: Path, nowhere: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ok = [("ok", ""), ("ok", "")]
    assert judged(plan_jars(declaration(job()), nowhere)) == [("ok", "")]
    assert judged(plan_jars(LAKE, nowhere)) == [("warning", "HF508")]
    folder = put_jars(tmp_path / "jars")
    assert judged(plan_jars(LAKE, {"HOLDFAST_JARS": folder})) == ok
    assert judged(given({"spark.jars.packages": PACKAGES})) == ok
    listed = ",".join(str(path) for path in Path(folder).iterdir())
    assert judged(given({"spark.jars": listed})) == ok
    assert judged(given({"spark.jars": "udf.jar"})) == [("error", "HF509")] * 2
    wrong = PACKAGES.replace("_4.2_", "_4.1_")
    assert judged(given({"spark.jars.packages": wrong})) == [("error", "HF510"), ("ok", "")]
    Path(folder, "delta-storage-4.4.0.jar").unlink()
    assert judged(plan_jars(LAKE, {"HOLDFAST_JARS": folder})) == [("error", "HF509")]
    assert judged(plan_jars(LAKE, {"PYSPARK_GATEWAY_PORT": "1"})) == [("skipped", "")]
    monkeypatch.setattr(jars, "spark_version", lambda: "4.3.0")
    assert judged(plan_jars(LAKE, nowhere)) == [("error", "HF510")]
    monkeypatch.setattr(jars, "spark_version", lambda: None)
    assert judged(plan_jars(LAKE, nowhere)) == [("skipped", "")]
