#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/quantized.npz: weights rounded to integers as the package gguf does (Q8_0, Q4_0), and ONNX's DynamicQuantizeLinear.

usage: make_quantized.py DIRECTORY    (pip install gguf onnx numpy)

"w" is (6, 128) float32 with a row of zeros; "q8 values" (6, 128) and "q8 scales" (6, 4) those of groups of 32, "q4 values" (6, 64) two numbers in a
byte, the first in the low half, and "q4 scales"; "back" what gguf makes of them again, with scales that are rounded to float16. "row", "row values",
"row scale", "row zero": of one row, with a zero point, from 0 to 255."""
import pathlib
import sys

import gguf
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

Q = gguf.GGMLQuantizationType
rng = np.random.default_rng(5)
w = (rng.standard_normal((6, 128)) * np.array([1, 10, 0.01, 3, 0, 100])[:, None]).astype(np.float32) + 0  # no -0
out = {"w": w}
eight = gguf.quantize(w, Q.Q8_0).reshape(6, 4, 34)
out["q8 values"] = eight[..., 2:].view(np.int8).reshape(6, 128)
out["q8 scales"] = eight[..., :2].copy().view(np.float16).reshape(6, 4)
out["q8 back"] = gguf.dequantize(eight.reshape(6, -1), Q.Q8_0)
four = gguf.quantize(w, Q.Q4_0).reshape(6, 4, 18)
halves = np.concatenate([four[..., 2:] & 15, four[..., 2:] >> 4], -1).reshape(6, 128)  # gguf has the second half of a block in the high halves
out["q4 values"] = halves[:, 0::2] | halves[:, 1::2] << 4
out["q4 scales"] = four[..., :2].copy().view(np.float16).reshape(6, 4)
out["q4 back"] = gguf.dequantize(four.reshape(6, -1), Q.Q4_0)

names = ["y", "scale", "zero"]
node = onnx.helper.make_node("DynamicQuantizeLinear", ["x"], names)
info = lambda n: onnx.helper.make_tensor_value_info(n, onnx.TensorProto.UNDEFINED, None)
graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, None)], [info(n) for n in names])
row = (rng.standard_normal(64) + 0.7).astype(np.float32)
y, scale, zero = ReferenceEvaluator(onnx.helper.make_model(graph)).run(None, {"x": row})
out.update({"row": row, "row values": y, "row scale": scale, "row zero": zero})

pathlib.Path(sys.argv[1]).mkdir(exist_ok=True)
np.savez_compressed(pathlib.Path(sys.argv[1]) / "quantized.npz", **out)
