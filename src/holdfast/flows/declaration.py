"""Read a declaration with the environment of this process."""

import importlib

from holdfast.adapters.surroundings.process_environment import variables
from holdfast.core.job import Declaration


def load(file: str, profile: str | None) -> Declaration:
    """The declaration in a file or folder, one profile chosen; raises UsageError with problems."""
    # pydantic and PyYAML are loaded only by who reads a declaration.
    loading = importlib.import_module("holdfast.adapters.declarations.loading")
    declaration: Declaration = loading.load_declaration(file, profile=profile, environ=variables())
    return declaration
