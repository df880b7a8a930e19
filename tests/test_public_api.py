"""The public names are a promise: they change on purpose or not at all."""

import types

import holdfast


def test_public_names_are_sorted_and_complete() -> None:
    public = {
        name
        for name, value in vars(holdfast).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert holdfast.__all__ == sorted(holdfast.__all__)
    assert set(holdfast.__all__) == public
    assert len(holdfast.__all__) <= 20
