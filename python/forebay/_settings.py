"""Settings as the extension takes them: one JSON object."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping

import numpy as np

from ._errors import UsageError

__all__ = ["keywords", "settings_text", "state_text"]


def keywords(of_call: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """The keywords of a call that say anything, from its ``locals()``, without these."""
    return {name: value for name, value in of_call.items() if name not in others and value is not None}


def settings_text(options: Mapping[str, Any]) -> str:
    """The text of settings. NumPy's numbers are numbers; what JSON has not is refused with the name of its setting."""
    try:
        return json.dumps(options, allow_nan=False, default=_plain)
    except (TypeError, ValueError):
        for name, value in options.items():
            try:
                json.dumps(value, allow_nan=False, default=_plain)
            except ValueError as e:
                message = f"the option {name!r} is not a valid number: {e}"
                raise UsageError("usage.argument", "usage", message) from None
            except TypeError as e:
                raise UsageError("usage.argument", "usage", f"the option {name!r}: {e}") from None
        raise


def state_text(state: Any) -> str:
    """The text of a saved state, also where a checkpoint made arrays of its numbers."""
    if not isinstance(state, Mapping):
        message = f"a state is what state_dict() gave, and not of the type {type(state).__name__}"
        raise UsageError("usage.argument", "usage", message)
    return json.dumps(dict(state), allow_nan=False, default=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "_json"):
        return value._json()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "__array__"):
        return np.asarray(value).tolist()
    raise TypeError(f"{type(value).__name__} is no setting: {value!r}")
