"""YAML with the line of every value.

YAML 1.2's core types only: text, whole numbers, true and false, null. Whatever else a YAML 1.1
reader would make of plain text (dates, `yes`, `1:30`, `0o17`, 1.50) stays the text that was
written, because options are handed to Spark as they stand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

TEXT_CHARACTERS_MAX = 256 * 1024
"""A declaration of a thousand jobs has about 150 kB; PyYAML reads 100 kB a second."""

VALUES_MAX = 50_000
"""Values once aliases are written out: nine lines of aliases can stand for a billion."""

DEPTH_MAX = 30
"""Nesting; ours is seven deep."""

Steps = tuple[str | int, ...]

_MAP = "tag:yaml.org,2002:map"
_SEQ = "tag:yaml.org,2002:seq"
_STR = "tag:yaml.org,2002:str"
_INT = "tag:yaml.org,2002:int"
_BOOL = "tag:yaml.org,2002:bool"
_NULL = "tag:yaml.org,2002:null"


class YamlError(Exception):
    """The text is no YAML that we take; the line counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(slots=True)
class Located:
    """Plain values, and the line on which each begins."""

    value: Any = None
    lines: dict[Steps, int] = field(default_factory=dict)
    """By the way to a value; for an entry of a mapping it is the line of its key."""
    duplicates: list[tuple[int, Steps]] = field(default_factory=list)
    """Keys that were written twice, which YAML forbids and most readers pass over."""

    def line(self, steps: Steps) -> int:
        """The line of a value, or of the nearest one around it that was written."""
        while steps and steps not in self.lines:
            steps = steps[:-1]
        return self.lines.get(steps, 1)


def read_yaml(text: str) -> Located:
    """Read one document; raises YamlError and nothing else."""
    if len(text) > TEXT_CHARACTERS_MAX:
        raise YamlError(1, f"is longer than {TEXT_CHARACTERS_MAX:,} characters")
    try:
        _check_depth(text)
        node = yaml.compose(text, Loader=_CoreLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        told = " ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(mark.line + 1 if mark else 1, f"is no YAML: {told}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(line, "is no YAML: a character that YAML does not allow") from None
    except (yaml.YAMLError, ValueError, OverflowError):
        # PyYAML hands escapes such as "\UFFFFFFFF" to chr() as they are.
        raise YamlError(1, "is no YAML: an escape that stands for no character") from None
    located = Located()
    if node is not None:
        located.value = _Reader(located).read(node, ())
    return located


class _CoreLoader(yaml.SafeLoader):
    """The safe loader with YAML 1.2's core types in place of 1.1's; it only composes."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_CoreLoader.add_implicit_resolver(
    _BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), None
)
_CoreLoader.add_implicit_resolver(_NULL, re.compile(r"^(?:null|Null|NULL|~|)$"), None)
# 18 digits fit into 64 bits; longer numbers, and those with leading zeros, stay text.
_CoreLoader.add_implicit_resolver(_INT, re.compile(r"^-?(?:0|[1-9][0-9]{0,17})$"), None)


def _check_depth(text: str) -> None:
    """The parser of events is no recursion, but the composer is."""
    depth = 0
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEPTH_MAX:
            raise YamlError(event.start_mark.line + 1, f"is nested more than {DEPTH_MAX} deep")


def _events(text: str) -> Iterator[Any]:
    yield from yaml.parse(text, Loader=_CoreLoader)


@dataclass(slots=True)
class _Reader:
    """Turns nodes into plain values; an alias is read again each time it is used."""

    located: Located
    values: int = 0

    def read(self, node: yaml.Node, steps: Steps) -> Any:
        line = node.start_mark.line + 1
        self.values += 1
        if self.values > VALUES_MAX:
            raise YamlError(line, f"stands for more than {VALUES_MAX:,} values")
        if len(steps) > DEPTH_MAX:
            raise YamlError(line, f"is nested more than {DEPTH_MAX} deep")
        self.located.lines.setdefault(steps, line)
        if isinstance(node, yaml.MappingNode) and node.tag == _MAP:
            return self._mapping(node, steps)
        if isinstance(node, yaml.SequenceNode) and node.tag == _SEQ:
            return [self.read(item, (*steps, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node, line)
        raise YamlError(line, f"is no YAML that we take: the tag {node.tag}")

    def _mapping(self, node: yaml.MappingNode, steps: Steps) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise YamlError(line, "is no YAML that we take: a key that is no plain text")
            key = _checked(key_node.value, line)
            if not key.isprintable():
                raise YamlError(line, "is no YAML that we take: a key with control characters")
            if key in result:
                self.located.duplicates.append((line, (*steps, key)))
                continue
            self.located.lines[(*steps, key)] = line
            result[key] = self.read(value_node, (*steps, key))
        return result


def _scalar(node: yaml.ScalarNode, line: int) -> str | int | bool | None:
    text = _checked(node.value, line)
    if node.tag == _BOOL:
        return text.lower() == "true"
    if node.tag == _NULL:
        return None
    if node.tag == _INT and re.fullmatch(r"-?[0-9]{1,18}", text, re.ASCII):
        return int(text)
    if node.tag in (_STR, _INT):
        return text
    raise YamlError(line, f"is no YAML that we take: the tag {node.tag}")


def _checked(text: str, line: int) -> str:
    """Refuse halves of surrogate pairs, which no file name and no other program can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise YamlError(line, "is no YAML: an escape that stands for no character") from None
    return text
