"""A file of weights is read as if its writer wished us ill; whatever it holds, one reason comes."""

import contextlib
import json
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from course.grading.reference.weights import BadWeights, parse, read

ONE = struct.pack("<f", 1.5)


def made(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(shape: list[Any], start: Any, end: Any, dtype: Any = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def reason(data: bytes) -> str:
    with pytest.raises(BadWeights) as caught:
        parse(data)
    return str(caught.value.args[0])


def test_what_the_library_writes_is_read(tmp_path: Path) -> None:
    written = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.array([1.5, -2], np.float16),
        "c": np.array([[[0.1]]]),
    }
    path = tmp_path / "model.safetensors"
    path.write_bytes(save(written, metadata={"format": "x"}))
    found = read(path, 10_000)
    assert set(found) == set(written)
    for name, wanted in written.items():
        assert found[name].dtype == np.float32
        np.testing.assert_array_equal(found[name], wanted.astype(np.float32))


def test_the_short_kind_that_numpy_does_not_know_is_read() -> None:
    # Half the bits of a 32-bit number: 1.5, -2 and a third as near as it comes.
    data = struct.pack("<3H", 0x3FC0, 0xC000, 0x3EAB)
    found = parse(made({"a": tensor([3], 0, 6, "BF16")}, data))["a"]
    np.testing.assert_array_equal(found, np.array([1.5, -2, 0.333984375], np.float32))


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", "damaged"),
        (b"\x01\x02", "damaged"),
        (struct.pack("<Q", 2**63 - 1) + b"{", "damaged"),
        (struct.pack("<Q", 2**20 + 1) + b" " * (2**20 + 1), "damaged"),
        (pickle.dumps({"a": [1.0]}), "damaged"),
        (made(b"\xff\xfe{}"), "damaged"),
        (made(b"["), "damaged"),
        (made([]), "damaged"),
        (made(b"[" * 100_000), "damaged"),
        (made(b'{"a":' * 100_000), "damaged"),
        (made({"a": 5}), "damaged"),
        (made({"a": {}}), "damaged"),
        (made({"a": tensor([1], 0, 8, "I64")}, ONE * 2), "dtype"),
        (made({"a": tensor([1], 0, 1, "BOOL")}, b"\x01"), "dtype"),
        (made({"a": tensor([1], 0, 4, ["F32"])}, ONE), "damaged"),
        (made({"a": tensor([0, 2**62], 0, 0)}), "shape"),
        (made({"a": tensor([1] * 99, 0, 4)}, ONE), "shape"),
        (made({"a": {"dtype": "F32", "shape": "1", "data_offsets": [0, 4]}}, ONE), "damaged"),
        (made({"a": tensor([1.0], 0, 4)}, ONE), "damaged"),
        (made({"a": tensor([True], 0, 4)}, ONE), "damaged"),
        (made({"a": tensor([-1], 0, 4)}, ONE), "damaged"),
        (made({"a": tensor([2**63, 2], 0, 4)}, ONE), "damaged"),
        (made({"a": tensor([2], 0, 4)}, ONE), "damaged"),
        (made({"a": tensor([1], -4, 0)}, ONE), "damaged"),
        (made({"a": tensor([1], 4, 8)}, ONE * 2), "damaged"),
        (made({"a": tensor([1], 0, 4)}, ONE * 2), "damaged"),
        (made({"a": tensor([1], 0, 4)}, ONE[:2]), "damaged"),
        (made({"a": tensor([1], 0, 4), "b": tensor([1], 0, 4)}, ONE), "damaged"),
        (made({"a": tensor([2], 0, 8), "b": tensor([1], 4, 8)}, ONE * 2), "damaged"),
        (made({"a": tensor([1], 0, 4), "b": tensor([1], 8, 12)}, ONE * 3), "damaged"),
        (made({"__metadata__": 5, "a": tensor([1], 0, 4)}, ONE), "damaged"),
        (made(b'{"a":{"dtype":"F32","shape":[' + b"9" * 5_000 + b']}}'), "damaged"),
        (made(b'{"\\ud800":{"dtype":"I8","shape":[1],"data_offsets":[0,4]}}', ONE), "damaged"),
        (made({"a": tensor([1], 0, 4)}, struct.pack("<f", float("nan"))), "not-finite"),
        (made({"a": tensor([1], 0, 4)}, struct.pack("<f", float("-inf"))), "not-finite"),
        (made({"a": tensor([1], 0, 8, "F64")}, struct.pack("<d", 1e300)), "not-finite"),
        (made({"a": tensor([1], 0, 2, "BF16")}, b"\x80\x7f"), "not-finite"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_refused_for_a_reason(data: bytes, wanted: str) -> None:
    assert reason(data) == wanted


def test_a_file_over_the_cap_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with path.open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(BadWeights) as caught:
        read(path, 10**6)
    assert caught.value.args[0] == "too-large"
    path.write_bytes(data := made({"a": tensor([1], 0, 4)}, ONE))
    assert list(read(path, len(data))) == ["a"]
    with pytest.raises(BadWeights) as caught:
        read(path, len(data) - 1)
    assert caught.value.args[0] == "too-large"


@pytest.mark.skipif(os.name == "nt", reason="pipes and links of another kind")
@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe", "folder", "device"])
def test_only_a_regular_file_is_opened(tmp_path: Path, kind: str) -> None:
    real, path = tmp_path / "real", tmp_path / "model.safetensors"
    real.write_bytes(made({"a": tensor([1], 0, 4)}, ONE))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/zero")
    else:
        path.symlink_to(real if kind == "link" else tmp_path / "gone")
    with pytest.raises(BadWeights) as caught:
        read(path, 10**6)
    assert caught.value.args[0] == "not-regular"


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(BadWeights) as caught:
        read(tmp_path / "none", 10**6)
    assert caught.value.args[0] == "unreadable"


def sound(data: bytes) -> None:
    """Expect of any bytes at all: tensors of finite numbers, or a reason."""
    found: dict[str, Any] = {}
    with contextlib.suppress(BadWeights):
        found = parse(data)
    for array in found.values():
        assert array.dtype == np.float32
        assert np.isfinite(array).all()
    assert 4 * sum(array.size for array in found.values()) <= 2 * len(data)


NUMBER = st.integers(-2, 12) | st.integers() | st.floats() | st.none()
ENTRY = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "F16", "BF16", "F64", "I64", "f32", 4]),
        "shape": st.lists(NUMBER, max_size=3) | NUMBER,
        "data_offsets": st.lists(NUMBER, min_size=1, max_size=3) | NUMBER,
    }
)


@settings(max_examples=150)
@given(st.dictionaries(st.text(max_size=5), ENTRY | NUMBER, max_size=3), st.binary(max_size=24))
def test_no_header_brings_anything_down(header: dict[str, Any], data: bytes) -> None:
    sound(made(header, data))
