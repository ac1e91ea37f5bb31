#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of safetensors beside the Python package: what it writes Kiln reads, what Kiln writes of it is the same file, and the package reads that.
All dtypes, many shapes, metadata, several files under an index beside huggingface_hub where that is installed.

usage: safetensors_peer.py BUILD     a folder with libkiln.so; 77: the packages are not installed"""
import ctypes
import json
import random
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import safetensors
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ITEM = {"BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8,
        "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "C64": 64, "F64": 64, "I64": 64, "U64": 64}
# The package's own words for what it writes.
WORDS = {"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64",
         "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
         "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu", "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz",
         "F4": "float4_e2m1fn_x2", "C64": "complex64"}


class Kiln:
    def __init__(self, build):
        self.lib = ctypes.CDLL(str(Path(build) / "libkiln.so"))
        for name in ("kn_safetensors_open", "kn_safetensors_name", "kn_safetensors_get", "kn_load_safetensors", "kn_error_message", "kn_tree_get",
                     "kn_safetensors_metadata"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.lib.kn_tobytes.restype = ctypes.c_int64

    def message(self):
        text = ctypes.string_at(self.lib.kn_error_message()).decode()
        self.lib.kn_error_clear()
        return text

    def elements(self, path):
        """The bytes of all tensors by name, a byte for each element below a byte."""
        f = ctypes.c_void_p(self.lib.kn_safetensors_open(str(path).encode(), None))
        assert f.value, self.message()
        out = {}
        for i in range(self.lib.kn_safetensors_count(f)):
            name = ctypes.string_at(self.lib.kn_safetensors_name(f, i))
            x = ctypes.c_void_p(self.lib.kn_safetensors_get(f, name))
            n = self.lib.kn_tobytes(x, None, ctypes.c_size_t(0), None)
            assert n >= 0, self.message()
            to = ctypes.create_string_buffer(max(n, 1))
            self.lib.kn_tobytes(x, to, ctypes.c_size_t(n), None)
            out[name.decode()] = to.raw[:n]
        return out

    def again(self, path, to, metadata):
        """Reads a file and writes it again."""
        class Options(ctypes.Structure):
            _fields_ = [("size_", ctypes.c_size_t), ("metadata", ctypes.c_void_p), ("separator", ctypes.c_char_p), ("file", ctypes.c_void_p)]

        class Texts(ctypes.Structure):
            _fields_ = [("n", ctypes.c_int), ("v", ctypes.POINTER(ctypes.c_char_p))]
        flat = [t.encode() for pair in metadata.items() for t in pair]
        texts = Texts(len(flat), (ctypes.c_char_p * (len(flat) + 1))(*flat))
        options = Options(ctypes.sizeof(Options), ctypes.addressof(texts) if flat else None, b".", None)
        tree = ctypes.c_void_p(self.lib.kn_load_safetensors(str(path).encode(), None))
        assert tree.value, self.message()
        status = self.lib.kn_save_safetensors(str(to).encode(), tree, ctypes.byref(options))
        assert status == 0, self.message()

    def sharded(self, path, folder, most):
        class Options(ctypes.Structure):
            _fields_ = [("size_", ctypes.c_size_t), ("max_shard_size", ctypes.c_int64), ("metadata", ctypes.c_void_p),
                        ("separator", ctypes.c_char_p), ("name", ctypes.c_char_p)]
        options = Options(ctypes.sizeof(Options), most, None, b".", b"model")
        tree = ctypes.c_void_p(self.lib.kn_load_safetensors(str(path).encode(), None))
        status = self.lib.kn_save_safetensors_sharded(str(folder).encode(), tree, ctypes.byref(options))
        assert status == 0, self.message()


def unpacked(kind, data):
    """A byte for each element; truth values are 0 and 1."""
    bits = ITEM[kind]
    if bits >= 8:
        return bytes(map(bool, data)) if kind == "BOOL" else data
    number = int.from_bytes(data, "little")
    return bytes(number >> bits * i & (1 << bits) - 1 for i in range(8 * len(data) // bits))


def some_shape(r, kind):
    shape = [r.choice([0, 1, 2, 3, 4, 5, 8]) for _ in range(r.randrange(4))]
    step = {4: 2, 6: 4}.get(ITEM[kind], 1)
    return shape if step == 1 else shape + [step]


def by_hand(tensors, metadata):
    """A file as the README of the format says it, for dtypes that the package does not write."""
    order = list(ITEM)
    names = sorted(tensors, key=lambda n: (-order.index(tensors[n][0]), n.encode()))
    header, at, body = ({"__metadata__": metadata} if metadata else {}), 0, b""
    for name in names:
        kind, shape, data = tensors[name]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at, body = at + len(data), body + data
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def written(tensors, metadata):
    """By the package, where it can."""
    if any(kind not in WORDS or kind == "F4" for kind, _, _ in tensors.values()):
        return by_hand(tensors, metadata)
    held = {n: np.frombuffer(d + b"\0", np.uint8) for n, (k, s, d) in tensors.items()}
    specs = {n: safetensors.TensorSpec(dtype=WORDS[k], shape=s, data_ptr=held[n].ctypes.data, data_len=len(d)) for n, (k, s, d) in tensors.items()}
    return bytes(safetensors.serialize(specs, metadata or None))


def check(kiln, folder, r, i):
    letters = "ab.w0_é漢\"\\\n\t/"
    tensors = {}
    for _ in range(r.randrange(8)):
        kind = r.choice(list(ITEM))
        shape = some_shape(r, kind)
        n = int(np.prod(shape, dtype=np.int64)) * ITEM[kind] // 8
        data = bytes(r.randrange(2) for _ in range(n)) if kind == "BOOL" else r.randbytes(n)
        tensors["".join(r.choice(letters) for _ in range(1 + r.randrange(6)))] = (kind, shape, data)
    metadata = {"format": "pt"} if r.randrange(2) else {}
    file, again = folder / "theirs.safetensors", folder / "ours.safetensors"
    data = written(tensors, metadata)
    assert data == by_hand(tensors, metadata), (i, "the package writes it another way than its README says")
    file.write_bytes(data)
    have = kiln.elements(file)
    assert have == {n: unpacked(k, d) for n, (k, s, d) in tensors.items()}, (i, tensors, have)
    kiln.again(file, again, metadata)
    assert again.read_bytes() == data, (i, tensors, again.read_bytes(), data)
    read = dict(safetensors.deserialize(again.read_bytes()))
    assert {n: bytes(t["data"]) for n, t in read.items()} == {n: d for n, (k, s, d) in tensors.items()}, i
    return len(tensors)


def check_sharded(kiln, folder, r):
    """Files and index beside huggingface_hub."""
    try:
        from huggingface_hub.serialization._base import split_state_dict_into_shards_factory
    except ImportError as error:
        print(f"sharded files are not compared: {error}")
        return
    for i in range(200):
        tensors = {f"t{k:02}": ("U8", [n], r.randbytes(n)) for k, n in enumerate(r.choices([0, 1, 5, 20, 90], k=1 + r.randrange(10)))}
        most = r.choice([1, 10, 30, 100])
        split = split_state_dict_into_shards_factory({n: d for n, (k, s, d) in tensors.items()}, get_storage_size=len,
                                                     filename_pattern="model{suffix}.safetensors", max_shard_size=most)
        (folder / "whole.safetensors").write_bytes(written(tensors, {}))
        kiln.sharded(folder / "whole.safetensors", folder / "sharded", most)
        have = {p.name: p.read_bytes() for p in (folder / "sharded").iterdir()}
        want = {f: written({n: tensors[n] for n in names}, {"format": "pt"} if split.is_sharded else {})
                for f, names in split.filename_to_tensors.items()}
        if split.is_sharded:
            index = {"metadata": split.metadata, "weight_map": split.tensor_to_filename}
            want["model.safetensors.index.json"] = json.dumps(index, indent=2).encode()
        assert have == want, (i, most, {n: len(d) for n, (k, s, d) in tensors.items()}, sorted(have), sorted(want))
        assert kiln.elements(folder / "sharded") == {n: d for n, (k, s, d) in tensors.items()}
    print("200 models in several files")


def main():
    kiln, r, n = Kiln(sys.argv[1]), random.Random(1), 0
    with tempfile.TemporaryDirectory() as name:
        for i in range(3000):
            n += check(kiln, Path(name), r, i)
        print(f"3000 files with {n} tensors beside safetensors {safetensors.__version__}")
        check_sharded(kiln, Path(name), r)


if __name__ == "__main__":
    main()
