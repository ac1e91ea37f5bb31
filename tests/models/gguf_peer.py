#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gguf files beside the Python package gguf, which writes them: names, shapes, metadata of all types, and the bits of dequantised numbers of all kinds
that it knows, of random bytes.

usage: gguf_peer.py BUILD     a folder with libkiln.so and libkiln_models.so; 77: the package is not installed"""
import ctypes
import sys
import tempfile
from pathlib import Path

try:
    import gguf
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

KINDS = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "TQ1_0", "TQ2_0",
         "MXFP4", "NVFP4"]
UNKNOWN = ["IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ1_S", "IQ1_M"]
PLAIN = {"I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "F64": np.float64, "F32": np.float32, "F16": np.float16}


class Kiln:
    def __init__(self, build):
        core = ctypes.CDLL(str(Path(build) / "libkiln.so"), mode=ctypes.RTLD_GLOBAL)
        self.lib = ctypes.CDLL(str(Path(build) / "libkiln_models.so"))
        for name in ("kn_gguf_open", "kn_gguf_name", "kn_gguf_get", "kn_gguf_blocks", "kn_gguf_metadata_name", "kn_gguf_metadata",
                     "kn_gguf_metadata_text"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        core.kn_error_message.restype = core.kn_dtype_name.restype = core.kn_dtype_of.restype = ctypes.c_void_p
        core.kn_tobytes.restype = self.lib.kn_gguf_metadata_length.restype = ctypes.c_int64
        self.core = core

    def message(self):
        text = ctypes.string_at(self.core.kn_error_message()).decode()
        self.core.kn_error_clear()
        return text

    def array(self, handle):
        x = ctypes.c_void_p(handle)
        name = self.core.kn_dtype_name(ctypes.c_void_p(self.core.kn_dtype_of(x)))
        n = self.core.kn_tobytes(x, None, ctypes.c_size_t(0), None)
        if n < 0:
            raise ValueError(self.message())
        to = ctypes.create_string_buffer(max(n, 1))
        self.core.kn_tobytes(x, to, ctypes.c_size_t(n), None)
        dtype = ctypes.string_at(name).decode()
        return np.frombuffer(to.raw[:n], np.uint16 if dtype == "bfloat16" else dtype)

    def open(self, path):
        f = ctypes.c_void_p(self.lib.kn_gguf_open(str(path).encode()))
        if not f.value:
            raise ValueError(self.message())
        return f


def same(a, b):
    """Bits, but for those of what is no number."""
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    u = {2: np.uint16, 4: np.uint32, 8: np.uint64}[a.dtype.itemsize]
    return a.dtype == b.dtype and bool(np.all((a.view(u) == b.view(u)) | (np.isnan(a) & np.isnan(b))))


def check_kinds(kiln, folder, rng):
    n = 0
    for seed in range(20):
        path, want = folder / "a.gguf", {}
        w = gguf.GGUFWriter(str(path), "test")
        for kind in KINDS + UNKNOWN:
            k = gguf.GGMLQuantizationType[kind]
            block, size = gguf.GGML_QUANT_SIZES[k]
            shape = (1 + seed % 3, (1 + seed) * size)
            data = rng.integers(0, 256, shape, np.uint8)
            if seed % 2:  # scales that are ordinary numbers: high bytes of float16 that are small
                data = (data & 0x3f).astype(np.uint8)
            w.add_tensor(kind, data, raw_dtype=k)
            want[kind] = data
        for name, dtype in PLAIN.items():
            x = rng.integers(-100, 100, (2, 3, 4)).astype(dtype)
            w.add_tensor("plain." + name, x)
            want["plain." + name] = x
        w.write_header_to_file(), w.write_kv_data_to_file(), w.write_tensors_to_file(), w.close()
        f = kiln.open(path)
        names = [ctypes.string_at(kiln.lib.kn_gguf_name(f, i)).decode() for i in range(kiln.lib.kn_gguf_count(f))]
        assert names == [t.name for t in gguf.GGUFReader(path).tensors], names
        for t in gguf.GGUFReader(path).tensors:
            blocks = kiln.array(kiln.lib.kn_gguf_blocks(f, t.name.encode()))
            assert blocks.tobytes() == t.data.tobytes() == want[t.name].tobytes(), t.name
            if t.name in UNKNOWN:
                try:
                    kiln.array(kiln.lib.kn_gguf_get(f, t.name.encode()))
                    raise SystemExit(f"{t.name} is known")
                except ValueError as error:
                    assert "is not known here" in str(error), error
                continue
            have = kiln.array(kiln.lib.kn_gguf_get(f, t.name.encode()))
            if t.name.startswith("plain.") or t.name in ("F32", "F16", "BF16"):
                assert have.tobytes() == t.data.tobytes(), t.name
            else:
                with np.errstate(all="ignore"):
                    numbers = gguf.dequantize(t.data, t.tensor_type).ravel()
                assert same(have, numbers), (t.name, seed, have[have != numbers][:5], numbers[have != numbers][:5])
                n += numbers.size
    print(f"{n} numbers of {len(KINDS) - 3} kinds")


def check_metadata(kiln, folder):
    path = folder / "m.gguf"
    w = gguf.GGUFWriter(str(path), "test")
    numbers = {"uint8": 200, "int8": -100, "uint16": 60000, "int16": -30000, "uint32": 4000000000, "int32": -2000000000, "uint64": 2**63 + 1,
               "int64": -2**62, "float32": 1.5, "float64": 1e300, "bool": True}
    for kind, v in numbers.items():
        getattr(w, "add_" + kind)("number." + kind, v)
    w.add_string("text", "grüße")
    w.add_array("texts", ["a", "", "漢字", "x" * 300])
    w.add_array("integers", [1, -2, 3])
    w.add_array("floats", [0.5, 2.0])
    w.add_array("truth", [True, False])
    w.write_header_to_file(), w.write_kv_data_to_file(), w.write_tensors_to_file(), w.close()
    f = kiln.open(path)
    names = [ctypes.string_at(kiln.lib.kn_gguf_metadata_name(f, i)).decode() for i in range(kiln.lib.kn_gguf_metadata_count(f))]
    reader = gguf.GGUFReader(path)
    assert names == [k for k in reader.fields if not k.startswith("GGUF.")], names
    for kind, v in numbers.items():
        x = kiln.array(kiln.lib.kn_gguf_metadata(f, f"number.{kind}".encode()))
        assert x.dtype == np.dtype(kind) and x[0] == np.dtype(kind).type(v), kind
    for name, v in {"integers": [1, -2, 3], "floats": [0.5, 2.0], "truth": [True, False]}.items():
        assert kiln.array(kiln.lib.kn_gguf_metadata(f, name.encode())).tolist() == v, name
    texts = [ctypes.string_at(kiln.lib.kn_gguf_metadata_text(f, b"texts", ctypes.c_int64(i))).decode()
             for i in range(kiln.lib.kn_gguf_metadata_length(f, b"texts"))]
    assert texts == ["a", "", "漢字", "x" * 300], texts
    assert ctypes.string_at(kiln.lib.kn_gguf_metadata_text(f, b"text", ctypes.c_int64(0))).decode() == "grüße"
    print(f"{len(names)} entries of metadata")


def main():
    kiln, rng = Kiln(sys.argv[1]), np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        check_kinds(kiln, Path(name), rng)
        check_metadata(kiln, Path(name))


if __name__ == "__main__":
    main()
