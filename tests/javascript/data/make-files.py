#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes files.json: small files as NumPy, Python's zipfile and safetensors write them, with what is in them.
Needs numpy, ml_dtypes and safetensors. usage: make-files.py > files.json"""
import base64
import io
import json
import zipfile

import ml_dtypes
import numpy as np
from safetensors.numpy import save as save_tensors

rng = np.random.default_rng(7)
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


def some(dtype, shape):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    x = rng.standard_normal(shape) * 100
    return (x + 1j * rng.standard_normal(shape)).astype(dtype) if dtype.startswith("complex") else np.asarray(x).astype(dtype)


def b64(data):
    return base64.b64encode(data).decode()


def values(x):
    """The elements in C order and in this machine's order."""
    x = np.asarray(x)
    return {"dtype": x.dtype.newbyteorder("=").name, "shape": list(x.shape), "elements": b64(np.ascontiguousarray(x, x.dtype.newbyteorder("=")).tobytes())}


def npy(x, version=None):
    f = io.BytesIO()
    np.lib.format.write_array(f, np.asarray(x), version=version)
    return f.getvalue()


files = []


def file(name, data, x, **more):
    files.append({"name": name, "file": b64(data), **values(x), **more})


for d in DTYPES:
    x = some(d, (2, 3))
    file(f"{d}", npy(x), x, same=True)
    file(f"{d}, Fortran order", npy(np.asfortranarray(x)), x)
    if np.dtype(d).itemsize > 1:
        file(f"{d}, big endian", npy(x.astype(np.dtype(d).newbyteorder(">"))), x)
file("0-d", npy(np.float32(1.5)), np.float32(1.5), same=True)
file("empty", npy(np.zeros((0, 3), np.int16)), np.zeros((0, 3), np.int16), same=True)
file("one element", npy(np.ones(1)), np.ones(1), same=True)
x = some("float32", (2, 1, 3, 1, 2))
file("five axes", npy(x), x, same=True)
file("Fortran and big endian", npy(np.asfortranarray(x.astype(">f4"))), x)
for v in (2, 3):
    file(f"version {v}", npy(x, (v, 0)), x, version=v, same=True)
x = some("float32", (3, 2)).astype(ml_dtypes.bfloat16)
file("bfloat16", npy(x), x)

arrays = {"w": some("float32", (3, 4)), "b": some("int64", (5,)), "ünï": some("float64", ()), "sub/dir": some("bool", (4,))}
z, zc = io.BytesIO(), io.BytesIO()
np.savez(z, **arrays)
np.savez_compressed(zc, **arrays)
with zipfile.ZipFile(zc, "a") as f:
    f.comment = b"a comment"
    f.writestr("notes.txt", "no array")
with zipfile.ZipFile(big := io.BytesIO(), "w") as f, f.open("x.npy", "w", force_zip64=True) as g:
    g.write(npy(arrays["w"]))
members = {k: values(v) for k, v in arrays.items()}
archives = {"stored": b64(z.getvalue()), "deflated": b64(zc.getvalue()), "zip64": b64(big.getvalue()), "members": members}

tensors = {f"t.{d}": some(d, (2, 3)) for d in DTYPES if d != "complex128"}
tensors |= {"scalar": some("float32", ()), "empty": np.zeros((0, 2), np.float32), "bf": some("float32", (3,)).astype(ml_dtypes.bfloat16)}
tensors['na"me\u00e9'] = some("int8", (2,))
every = np.arange(256, dtype=np.uint8)
float8 = {}
for theirs, dtype in [("F8_E4M3", ml_dtypes.float8_e4m3fn), ("F8_E5M2", ml_dtypes.float8_e5m2), ("F8_E8M0", ml_dtypes.float8_e8m0fnu)]:
    head = json.dumps({"x": {"dtype": theirs, "shape": [256], "data_offsets": [0, 256]}}).encode()
    head += b" " * (-len(head) % 8)
    float8[theirs] = {"file": b64(len(head).to_bytes(8, "little") + head + every.tobytes()), **values(every.view(dtype).astype(np.float32))}
plain = {k: v for k, v in tensors.items() if k != "bf"}
safe = {"file": b64(save_tensors(tensors, {"format": "np"})), "tensors": {k: values(v) for k, v in tensors.items()},
        "without": b64(save_tensors(plain)), "float8": float8}
print(json.dumps({"npy": files, "npz": archives, "safetensors": safe}, ensure_ascii=True, indent=0))
