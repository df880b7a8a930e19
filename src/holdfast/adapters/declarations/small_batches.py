"""A declaration with other options, so that few data make many batches."""

from collections.abc import Mapping
from typing import Any

import yaml

FILES_OPTION = "maxFilesPerTrigger"


def with_small_batches(
    text: str, *, profile: str, files: Mapping[str, int], spark: Mapping[str, str]
) -> str:
    """The text of a declaration whose sources take this many files a batch; comments are lost."""
    declaration: dict[str, Any] = yaml.safe_load(text)
    declaration.setdefault("spark", {}).update(spark)
    sources = declaration["profiles"][profile]["sources"]
    for name, count in files.items():
        sources[name].setdefault("options", {})[FILES_OPTION] = count
    return str(yaml.dump(declaration, Dumper=_Dumper, sort_keys=False, allow_unicode=True))


class _Dumper(yaml.SafeDumper):
    """Writes a line break as it is written by hand, in double quotes."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
