# SPDX-License-Identifier: Apache-2.0
"""Arrays by name in .npz and .json files, which `tw saved-model --run` reads and writes."""

from __future__ import annotations

import base64
import json
import pathlib
import sys
from typing import Any

import numpy as np

_SUFFIXES = (".npz", ".json")


def check_out(path: str) -> None:
    """ValueError for a file that `write` would not know how to write."""
    if not path.endswith(_SUFFIXES):
        raise ValueError(f"{path}: a file ends in .npz or .json")


def read(path: str) -> dict[str, Any]:
    """Reads arrays from a file, by name; `-` is JSON from the standard input.

    An .npz file holds arrays, a .json file nested lists.  Nothing is unpickled.  Raises OSError if the file cannot be
    read, ValueError if it holds something else.
    """
    if path == "-":
        return _parse(sys.stdin.read(), "the standard input")
    check_out(path)
    if path.endswith(".json"):
        return _parse(pathlib.Path(path).read_text(), path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, AttributeError, EOFError, KeyError) as error:
        raise ValueError(f"{path} is no .npz file of arrays: {error}") from error
    except Exception as error:
        if type(error).__name__ == "BadZipFile":
            raise ValueError(f"{path} is no .npz file of arrays: {error}") from error
        raise


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where} is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise ValueError(f'{where} needs an object: {{"name of input": value, ...}}')
    return {name: _decode(value) for name, value in values.items()}


def _decode(value: Any) -> Any:
    """Bytes in the place of strings and of {"b64": "..."}."""
    if isinstance(value, list):
        return [_decode(v) for v in value]
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        if set(value) != {"b64"} or not isinstance(value["b64"], str):
            raise ValueError(f'{value} is no value; bytes are {{"b64": "..."}}')
        return base64.b64decode(value["b64"], validate=True)
    return value


def as_dtype(value: Any, name: str) -> np.ndarray:
    """An array of that dtype; ValueError if the value would not be the same in it."""
    from tensorwright.python.framework import dtypes

    dtype = dtypes.as_dtype(name)
    if dtype == dtypes.string:
        # A dtype of NumPy's with a fixed length would drop zeros at the end.
        array = np.array(value, dtype=object)
        if not all(isinstance(x, bytes | str) for x in array.flat):
            raise ValueError("strings are needed")
        return array
    wanted = np.dtype(dtype.as_numpy_dtype)
    array = np.asarray(value)
    if array.dtype == wanted:
        return array
    if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize:
        # np.savez writes a dtype that is not NumPy's own without its name.
        return array.view(wanted)
    if array.dtype.kind not in "biufc":
        raise ValueError(f"{name} is needed, not {array.dtype}")
    if array.size == 0:
        return array.astype(wanted)
    with np.errstate(all="ignore"):
        made = array.astype(wanted)
    exact = wanted.kind in "biu"
    if array.dtype.kind == "c" and wanted.kind != "c":
        raise ValueError(f"{name} is needed, not {array.dtype}")
    if (array.dtype.kind == "b") != (wanted.kind == "b"):
        raise ValueError(f"{name} is needed, not {array.dtype}")
    if exact and not np.array_equal(made.astype(array.dtype), array):
        raise ValueError(f"{name} does not have all of the values")
    return made


def write(path: str, values: dict[str, np.ndarray]) -> None:
    """Writes arrays to an .npz or a .json file."""
    check_out(path)
    if path.endswith(".json"):
        pathlib.Path(path).write_text(json.dumps(to_json(values)) + "\n")
        return
    with open(path, "wb") as file:
        np.savez(file, **{name: _of_numpy(array) for name, array in values.items()})


def _of_numpy(array: np.ndarray) -> np.ndarray:
    """The same values in a dtype that a .npy file can name."""
    array = np.asarray(array)
    if array.dtype == object:
        texts = np.array([_text_or_none(x) for x in array.flat], dtype=object)
        if None not in texts:
            return texts.astype(np.str_).reshape(array.shape)
        ends_in_zero = any(x.endswith(b"\0") for x in array.flat)
        if ends_in_zero:
            raise ValueError("bytes that end in zero fit .json files only")
        return array.astype(np.bytes_)
    if array.dtype.kind == "V" or array.dtype.type.__module__ != "numpy":
        return array.astype(np.float32)
    return array


def _text_or_none(value: bytes) -> str | None:
    """Text that NumPy keeps as it is."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return None
    return None if text.endswith("\0") else text


def to_json(values: dict[str, Any]) -> dict[str, Any]:
    """Arrays as nested lists; complex numbers are refused with ValueError."""
    made = {}
    for name, value in values.items():
        array = np.asarray(value)
        if array.dtype.kind == "c":
            raise ValueError(f"JSON has no complex numbers: write {name!r} to an .npz")
        if array.dtype.kind == "V" or array.dtype.type.__module__ != "numpy":
            array = array.astype(np.float32)
        made[name] = _encode(array.tolist())
    return made


def _encode(value: Any) -> Any:
    if isinstance(value, list):
        return [_encode(v) for v in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"b64": base64.b64encode(value).decode()}
    return value
