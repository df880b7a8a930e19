"""docs/jobs.md, the reference of holdfast.yaml, and its JSON Schema."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from holdfast.adapters.declarations.loading import load_declaration
from holdfast.adapters.declarations.model import (
    MODELS,
    DeclarationModel,
    JobModel,
    ProfileModel,
    declaration_schema,
)
from holdfast.flows.init import TEMPLATES, init

PAGE = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ENVIRON = {
    "LAKE": "s3a://lake",
    "KAFKA_SERVERS": "broker:9092",
    "KAFKA_JAAS": "a login",
    "GOLD_URL": "postgresql://user@host/orders",
    "GOLD_PASSWORD": "a password",
}
HOLDFAST = Path(sys.executable).with_name("holdfast")


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_load_in_every_profile(text: str, tmp_path: Path) -> None:
    (tmp_path / "holdfast.yaml").write_text(text, encoding="utf-8")
    for profile in [None, *yaml.safe_load(text).get("profiles", {})]:
        assert load_declaration(tmp_path, profile=profile, environ=ENVIRON).jobs
    jsonschema.validate(yaml.safe_load(text), declaration_schema())


def test_every_field_is_explained() -> None:
    explained = set(re.findall(r"`([a-z_]+)`", PAGE))
    for model in (DeclarationModel, JobModel, ProfileModel, *MODELS.values()):
        fields = {field.alias or name for name, field in model.model_fields.items()}
        assert fields <= explained, model


def test_every_kind_is_named() -> None:
    formats = MODELS["\0source"].model_json_schema()["properties"]["format"]["enum"]
    assert all(f"`{name}`" in PAGE for name in (*formats, "file", "sql", "delta"))


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_fit_the_schema(template: str, tmp_path: Path) -> None:
    init(str(tmp_path), template=template)
    text = (tmp_path / "holdfast.yaml").read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(text), declaration_schema())


def test_the_command_prints_the_schema() -> None:
    command = [str(HOLDFAST), "schema", "declaration"]
    printed = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert printed == declaration_schema()
    jsonschema.Draft202012Validator.check_schema(printed)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"jobs": {"a": {"source": "x", "sync": "y"}}}, printed)
