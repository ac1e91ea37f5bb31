#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes test cases that the `onnx` package does not have, as folders for build/.../onnx_cases: operators of shapes, indices, texts and
control flow by the rules of earlier opsets, of strings, of no elements and no axes, loops that are long. What is to come out is worked
out by NumPy where a case says so, else by onnxruntime.

usage: onnx-more-cases.py FOLDER       with a Python that has onnx and onnxruntime: build/peers-models/bin/python """
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper, parser

cases = []


def case(name, text, *inputs, outputs=None, opset=21, ml=3, ir=8):
    head = f'<ir_version: {ir}, opset_import: ["": {opset}, "ai.onnx.ml": {ml}]>\n'
    cases.append((name, parser.parse_model(head + "g " + text), [np.asarray(x) for x in inputs], outputs))


def f32(*shape):
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


def i64(*values):
    return np.array(values, np.int64)


def words(*values):
    return np.array(values, object)


# ---- Earlier opsets.
x23, x234 = f32(2, 3), f32(2, 3, 4)
case("reshape_1", "(float[2,3] x) => (float[a,b] y) { y = Reshape <shape = [0, -1]> (x) }", x23, outputs=[x23], opset=1, ir=3)
case("concat_1", "(float[2,3] x) => (float[a,b] y) { y = Concat (x, x) }", x23, outputs=[np.concatenate([x23, x23], 1)], opset=1, ir=3)
case("tile_1", "(float[2,3] x, float t, float a) => (float[a,b] y) { y = Tile (x, t, a) }", x23, np.float32(2), np.float32(1),
     outputs=[np.tile(x23, (1, 2))], opset=1, ir=3)
case("pad_1", "(float[2,3] x) => (float[a,b] y) { y = Pad <paddings = [0, 2, 0, 1], value = 7.0> (x) }", x23,
     outputs=[np.pad(x23, ((0, 0), (2, 1)), constant_values=7)], opset=1, ir=3)
case("pad_2_edge", '(float[2,3] x) => (float[a,b] y) { y = Pad <pads = [1, 2, 0, 1], mode = "edge"> (x) }', x23, opset=2, ir=3)
case("pad_2_negative", "(float[2,3] x) => (float[a,b] y) { y = Pad <pads = [1, -1, -1, 2]> (x) }", x23,
     outputs=[np.pad(x23[:1, 1:], ((1, 0), (0, 2)))], opset=2, ir=3)
case("slice_1", "(float[2,3,4] x) => (float[a,b,c] y) { y = Slice <starts = [0, -3], ends = [2, 1000], axes = [1, 2]> (x) }", x234,
     outputs=[x234[:, 0:2, -3:]], opset=1, ir=3)
case("split_2", "(float[2,3] x) => (float[a,b] y, float[c,d] z) { y, z = Split <axis = 1, split = [1, 2]> (x) }", x23, opset=2, ir=3)
case("split_13_equal", "(float[4,3] x) => (float[a,b] y, float[c,d] z) { y, z = Split (x) }", f32(4, 3), opset=13)
case("top_k_1", "(float[2,3] x) => (float[a,b] y, int64[a,b] i) { y, i = TopK <k = 2> (x) }", x23, opset=1, ir=3,
     outputs=[x23[:, :0:-1], np.array([[2, 1], [2, 1]])])
case("top_k_10", "(float[4] x, int64[1] k) => (float[a] y, int64[a] i) { y, i = TopK (x, k) }", np.float32([3, 1, 3, 2]), i64(3), opset=10)
case("squeeze_1", "(float[1,3,1] x) => (float[a,b] y) { y = Squeeze <axes = [0]> (x) }", f32(1, 3, 1), opset=1, ir=3)
case("squeeze_11_negative", "(float[1,3,1] x) => (float[a,b] y) { y = Squeeze <axes = [-1]> (x) }", f32(1, 3, 1), opset=11)
case("unsqueeze_1", "(float[3] x) => (float[a,b,c] y) { y = Unsqueeze <axes = [0, 2]> (x) }", f32(3), opset=1, ir=3)
case("one_hot_9", "(int64[3] i, int64[1] d, float[2] v) => (float[a,b] y) { y = OneHot (i, d, v) }", i64(0, 2, -1), i64(3),
     np.float32([2, 5]), outputs=[np.float32([[5, 2, 2], [2, 2, 5], [2, 2, 2]])], opset=9)
case("scatter_9", "(float[3] x, int64[2] i, float[2] u) => (float[a] y) { y = Scatter (x, i, u) }", f32(3), i64(2, 0), np.float32([7, 8]),
     opset=9)
case("gather_nd_11", "(float[2,3] x, int64[2,1] i) => (float[a,b] y) { y = GatherND (x, i) }", x23, i64([1], [-2]), opset=11)

# ---- Edges of shapes.
case("reshape_empty", "(float[0,3] x, int64[2] s) => (float[a,b] y) { y = Reshape <allowzero = 1> (x, s) }", f32(0, 3), i64(3, 0), outputs=[f32(3, 0)],
     opset=14)
case("reshape_scalar", "(float[1,1] x) => (float y) { s = Constant <value = int64[0] {}> () y = Reshape (x, s) }", f32(1, 1))
case("flatten_scalar", "(float x) => (float[a,b] y) { y = Flatten <axis = 0> (x) }", np.float32(3))
case("transpose_empty", "(float[2,0,3] x) => (float[a,b,c] y) { y = Transpose <perm = [2, 0, 1]> (x) }", f32(2, 0, 3))
case("size_scalar", "(float x) => (int64 y) { y = Size (x) }", np.float32(3))
case("shape_ends", "(float[2,3,4] x) => (int64[a] y, int64[b] z) { y = Shape <start = -2> (x) z = Shape <start = 2, end = 1> (x) }", x234)
case("slice_backwards", "(float[5] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (float[n] y) { y = Slice (x, s, e, a, t) }", f32(5),
     i64(100), i64(-9223372036854775807), i64(0), i64(-2))
case("slice_backwards_before", "(float[5] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (float[n] y) { y = Slice (x, s, e, a, t) }",
     f32(5), i64(-2), i64(-4), i64(-1), i64(-1))
case("slice_int32", "(bool[5] x, int32[1] s, int32[1] e) => (bool[n] y) { y = Slice (x, s, e) }", np.bool_([1, 0, 1, 1, 0]),
     np.int32([1]), np.int32([-1]))
case("split_num_outputs", "(float[7] x) => (float[a] y, float[b] z, float[c] w) { y, z, w = Split <num_outputs = 3> (x) }", f32(7))
case("pad_negative", "(float[4,4] x, int64[4] p) => (float[a,b] y) { y = Pad (x, p) }", f32(4, 4), i64(-1, 1, 2, -2))
case("pad_reflect_crop", '(float[4,4] x, int64[4] p) => (float[a,b] y) { y = Pad <mode = "reflect"> (x, p) }', f32(4, 4), i64(2, 1, 0, 3))
case("pad_bool", "(bool[2] x, int64[2] p) => (bool[a] y) { y = Pad (x, p) }", np.bool_([1, 1]), i64(1, 1))
case("pad_axes", "(float[2,3] x, int64[2] p, float c, int64[1] a) => (float[u,v] y) { y = Pad (x, p, c, a) }", x23, i64(1, 2), np.float32(9),
     i64(-1))
case("gather_elements_shorter", "(float[3,4] x, int64[2,2] i) => (float[a,b] y) { y = GatherElements <axis = 1> (x, i) }", f32(3, 4),
     i64([3, -1], [0, 2]))
case("gather_scalar", "(float[3,4] x, int64 i) => (float[a] y) { y = Gather <axis = -1> (x, i) }", f32(3, 4), np.int64(-2))
case("gather_nd_batch", "(float[2,3,4] x, int64[2,3,1] i) => (float[a,b] y) { y = GatherND <batch_dims = 2> (x, i) }", x234,
     i64([[0], [-1], [2]], [[3], [1], [0]]))
case("scatter_elements_shorter", "(float[3,4] x, int64[2,2] i, float[2,2] u) => (float[a,b] y) { y = ScatterElements <axis = -1> (x, i, u) }",
     f32(3, 4), i64([3, -4], [0, 2]), -f32(2, 2))
for how in ("add", "mul", "min", "max"):
    case(f"scatter_elements_{how}", f'(double[4] x, int64[5] i, double[5] u) => (double[a] y) {{ y = ScatterElements <reduction = "{how}"> (x, i, u) }}',
         np.float64([1, 2, 3, 4]), i64(0, 0, -1, 1, 1), np.float64([2, 3, -1, 5, 0.5]))
    case(f"scatter_nd_{how}", f'(int32[3,2] x, int64[3,1] i, int32[3,2] u) => (int32[a,b] y) {{ y = ScatterND <reduction = "{how}"> (x, i, u) }}',
         np.int32([[1, 2], [3, 4], [5, 6]]), i64([0], [2], [0]), np.int32([[7, -1], [2, 2], [3, 3]]))
case("one_hot_negative", "(int32[2,2] i, float d, int64[2] v) => (int64[a,b,c] y) { y = OneHot <axis = 1> (i, d, v) }", np.int32([[0, -1], [3, 7]]),
     np.float32(4), i64(0, 1), outputs=[np.array([[[1, 0], [0, 0], [0, 0], [0, 1]], [[0, 0], [0, 0], [0, 0], [1, 0]]])])
case("trilu_wide", "(int64[2,3,4] x, int64 k) => (int64[a,b,c] y) { y = Trilu <upper = 0> (x, k) }", x234.astype(np.int64), np.int64(-1))
case("where_broadcast", "(bool[3,1] c, double[2] x, double y) => (double[a,b] z) { z = Where (c, x, y) }", np.bool_([[1], [0], [1]]),
     np.float64([1, 2]), np.float64(5))
case("non_zero_scalar", "(float x) => (int64[a,b] y) { y = NonZero (x) }", np.float32(3), outputs=[np.zeros((0, 1), np.int64)])
case("compress_short", "(float[4,2] x, bool[2] c) => (float[a,b] y) { y = Compress <axis = 0> (x, c) }", f32(4, 2), np.bool_([0, 1]))
case("unique_first_come", "(int64[6] x) => (int64[a] y, int64[b] i, int64[c] v, int64[d] n) { y, i, v, n = Unique <sorted = 0> (x) }",
     i64(5, 1, 5, 3, 1, 9))
case("unique_axis", "(float[3,2] x) => (float[a,b] y, int64[c] i, int64[d] v, int64[e] n) { y, i, v, n = Unique <axis = 0, sorted = 0> (x) }",
     np.float32([[3, 1], [2, 2], [3, 1]]))
case("top_k_ties", "(int64[2,5] x, int64[1] k) => (int64[a,b] y, int64[a,b] i) { y, i = TopK <largest = 0, axis = 1> (x, k) }",
     i64([3, 1, 3, 1, 2], [9, 9, 0, 9, 0]), i64(3))
case("reverse_sequence_time", "(float[2,4,2] x, int64[2] n) => (float[a,b,c] y) { y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, n) }",
     f32(2, 4, 2), i64(3, 1))

# ---- Texts.
w = words("b", "a", "", "ä", "b", "日本")
w23 = w.reshape(2, 3)
case("text_identity", "(string[2,3] x) => (string[a,b] y) { y = Identity (x) }", w23)
case("text_reshape", "(string[2,3] x, int64[1] s) => (string[a] y) { y = Reshape (x, s) }", w23, i64(-1))
case("text_transpose", "(string[2,3] x) => (string[a,b] y) { y = Transpose (x) }", w23)
case("text_concat", "(string[2,3] x) => (string[a,b] y) { y = Concat <axis = 0> (x, x) }", w23)
case("text_gather", "(string[2,3] x, int64[2] i) => (string[a,b] y) { y = Gather <axis = 1> (x, i) }", w23, i64(2, 0))
case("text_slice", "(string[6] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (string[n] y) { y = Slice (x, s, e, a, t) }", w, i64(-1),
     i64(-5), i64(0), i64(-2))
case("text_expand", "(string[2,1] x, int64[2] s) => (string[a,b] y) { y = Expand (x, s) }", w[:2].reshape(2, 1), i64(2, 2))
case("text_tile", "(string[2] x, int64[1] r) => (string[a] y) { y = Tile (x, r) }", w[:2], i64(2))
case("text_where", "(bool[3] c, string[3] x, string y) => (string[a] z) { z = Where (c, x, y) }", np.bool_([1, 0, 1]), w[:3], words("z").reshape(()))
case("text_unique", "(string[6] x) => (string[a] y, int64[b] i, int64[c] v, int64[d] n) { y, i, v, n = Unique (x) }", w)
case("text_one_hot", "(int64[2] i, int64 d, string[2] v) => (string[a,b] y) { y = OneHot (i, d, v) }", i64(1, 0), np.int64(2), words("off", "on"))
case("text_shape", "(string[2,3] x) => (int64[a] y, int64 n) { y = Shape (x) n = Size (x) }", w23)
case("text_compress", "(string[6] x, bool[6] c) => (string[a] y) { y = Compress (x, c) }", w, np.bool_([1, 0, 0, 1, 0, 1]))
case("text_gather_nd", "(string[2,3] x, int64[2,2] i) => (string[a] y) { y = GatherND (x, i) }", w23, i64([1, 2], [0, -1]))
case("text_gather_elements", "(string[2,3] x, int64[2,1] i) => (string[a,b] y) { y = GatherElements <axis = 1> (x, i) }", w23, i64([2], [1]))
case("text_scatter_nd", "(string[6] x, int64[2,1] i, string[2] u) => (string[a] y) { y = ScatterND (x, i, u) }", w, i64([1], [3]), words("p", "q"))
case("text_split", "(string[6] x, int64[2] s) => (string[a] y, string[b] z) { y, z = Split (x, s) }", w, i64(2, 4))
case("text_squeeze", "(string[1,3] x, int64[1] a) => (string[b] y, string[c,d] z) { y = Squeeze (x, a) z = Unsqueeze (y, a) }", w[:3].reshape(1, 3), i64(0))
case("text_split_rest", "(string[3] x) => (string[a,b] y, int64[c] n) { y, n = StringSplit <maxsplit = 1> (x) }",
     words(" a b  c ", "", "one"), outputs=[np.array([["a", "b  c"], ["", ""], ["one", ""]], object), i64(2, 0, 1)])
for k, (pattern, texts, fits) in enumerate([
        (r"a+(b|c)*", ("aab", "b", "aabcx"), (1, 0, 0)), (r"\s+", (" \t", "\v", ""), (1, 0, 0)), (r"[\S]+", ("ab", "a b", "\v"), (1, 0, 1)),
        (r"(?i)straße", ("STRASSE", "STRAßE", "straße"), (0, 1, 1)), (r"\Qa.b\E", ("a.b", "axb", "a.b "), (1, 0, 0)),
        (r"\p{Greek}{2,}", ("αβ", "α", "ab"), (1, 0, 0)), (r"a{,2}", ("a{,2}", "aa", ""), (1, 0, 0)), (r"a|ab", ("ab", "a", "b"), (1, 1, 0)),
        (r".*", ("x", "x\n", ""), (1, 0, 1)), (r"x$", ("x", "x\n", ""), (1, 0, 0)), (r"(?P<n>\d)\x{41}", ("1A", "1a", "٣A"), (1, 0, 0))]):
    escaped = pattern.replace("\\", "\\\\")
    case(f"regex_{k}", f'(string[3] x) => (bool[a] y) {{ y = RegexFullMatch <pattern = "{escaped}"> (x) }}', words(*texts), outputs=[np.bool_(fits)])

# ---- Labels.
case("label_floats", "(float[4] x) => (int64[a] y) { y = ai.onnx.ml.LabelEncoder <keys_floats = [1.5, 2.5], values_int64s = [7, 8], default_int64 = -5> (x) }",
     np.float32([2.5, 1.5, 0, 9]), ml=2)
case("label_texts", '(string[3] x) => (string[a] y) { y = ai.onnx.ml.LabelEncoder <keys_strings = ["a", "b"], values_strings = ["A", "B"]> (x) }',
     words("b", "c", "a"), ml=2)
case("category_texts", '(string[3] x) => (int64[a] y) { y = ai.onnx.ml.CategoryMapper <cats_strings = ["a", "b"], cats_int64s = [4, 9]> (x) }',
     words("b", "c", "a"), ml=1)
case("category_numbers", '(int64[3] x) => (string[a] y) { y = ai.onnx.ml.CategoryMapper <cats_strings = ["a", "b"], cats_int64s = [4, 9]> (x) }',
     i64(9, 4, 0), ml=1)
case("label_1", '(string[3] x) => (int64[a] y) { y = ai.onnx.ml.LabelEncoder <classes_strings = ["a", "b"]> (x) }', words("b", "c", "a"), ml=1)

case("label_repeated_4", "(float[3] x) => (int64[a] y) { y = ai.onnx.ml.LabelEncoder <keys_floats = [1.0, 2.0, 1.0], values_int64s = [7, 8, 9]> (x) }",
     np.float32([2, 1, 0]), outputs=[i64(8, 9, -1)], ml=4)
case("label_tensors", """(int16[3] x) => (double[a] y) {
    y = ai.onnx.ml.LabelEncoder <keys_tensor = int16[2] {3, 1}, values_tensor = double[2] {0.5, 1.5}, default_tensor = double[1] {-2.0}> (x) }""",
     np.int16([1, 2, 3]), outputs=[np.float64([1.5, -2, 0.5])], ml=4)


def map_proto(pairs, name):
    """A dictionary as ONNX's; numpy_helper.from_dict takes no texts."""
    made = onnx.MapProto(name=name)
    if isinstance(next(iter(pairs)), str):
        made.key_type = onnx.TensorProto.STRING
        made.string_keys.extend(key.encode() for key in pairs)
    else:
        made.key_type = onnx.TensorProto.INT64
        made.keys.extend(pairs)
    values = [np.asarray(v, object if isinstance(v, str) else np.float32) for v in pairs.values()]
    made.values.CopyFrom(numpy_helper.from_list(values, "values"))
    return made


def zipped(name, x, rows, **labels):
    """A case of ZipMap: a sequence of dictionaries."""
    key = onnx.TensorProto.STRING if "classlabels_strings" in labels else onnx.TensorProto.INT64
    pairs = onnx.helper.make_map_type_proto(key, onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, []))
    node = onnx.helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", **labels)
    graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
                                   [onnx.helper.make_value_info("y", onnx.helper.make_sequence_type_proto(pairs))])
    opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid("ai.onnx.ml", 3)]
    made = onnx.SequenceProto(name="y", elem_type=onnx.SequenceProto.MAP)
    made.map_values.extend(map_proto(row, "") for row in rows)
    cases.append((name, onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), [x], [made]))


def dictionary(name, op, keys, values, given, output, **attributes):
    """A case of one operator on a dictionary."""
    of = {int: onnx.TensorProto.INT64, float: onnx.TensorProto.FLOAT, str: onnx.TensorProto.STRING}
    pairs = onnx.helper.make_map_type_proto(of[keys], onnx.helper.make_tensor_type_proto(of[values], []))
    kind = onnx.helper.np_dtype_to_tensor_dtype(output.dtype)
    node = onnx.helper.make_node(op, ["x"], ["y"], domain="ai.onnx.ml", **attributes)
    graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_value_info("x", pairs)], [onnx.helper.make_tensor_value_info("y", kind, None)])
    opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid("ai.onnx.ml", 3)]
    cases.append((name, onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), [given], [output]))


dictionary("dictionary_texts", "DictVectorizer", str, float, {"a": 4.0, "c": 8.0}, np.float32([[4, 8, 0, 0]]), string_vocabulary=["a", "c", "b", "z"])
dictionary("dictionary_numbers", "DictVectorizer", int, float, {7: 1.5}, np.float32([[0, 1.5]]), int64_vocabulary=[5, 7])
dictionary("cast_map_dense", "CastMap", int, float, {3: 1.5, 1: 2.25}, np.float32([[2.25, 1.5]]))
dictionary("cast_map_sparse", "CastMap", int, float, {3: 1.5, 1: 2.25}, np.float32([[0, 2.25, 0, 1.5, 0]]), map_form="SPARSE", max_map=5)
dictionary("cast_map_text", "CastMap", int, float, {3: 1.5, 1: 0.1, 4: 1e10}, np.array([["0.100000", "1.500000", "10000000000.000000"]], object),
           cast_to="TO_STRING")
dictionary("cast_map_whole", "CastMap", int, float, {3: 1.7, 1: -2.7}, i64([-2, 1]), cast_to="TO_INT64")
dictionary("cast_map_read", "CastMap", int, str, {3: "12.5"}, np.float32([[12.5]]))

zipped("zip_map_texts", np.float32([[1, 2], [3, 4]]), [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}], classlabels_strings=["a", "b"])
zipped("zip_map_numbers", np.float32([1, 2]), [{5: 1.0, -7: 2.0}], classlabels_int64s=[5, -7])

# ---- Control flow.
case("if_traced", """(bool c, float[3] x) => (float[a] y, float z) {
    d = Add (x, x)
    y, z = If (c) <then_branch = t () => (float[3] u, float v) { u = Mul (d, x) v = ReduceSum <keepdims = 0> (d) },
                   else_branch = e () => (float[3] u, float v) { u = Identity (x) v = ReduceMax <keepdims = 0> (x) }> }""",
     np.bool_(True), f32(3))
case("if_one_element", """(bool[1] c, float[3] x) => (float[a] y) {
    y = If (c) <then_branch = t () => (float[3] u) { u = Neg (x) }, else_branch = e () => (float[3] v) { v = Abs (x) }> }""",
     np.bool_([False]), -f32(3))
case("if_shapes", """(float[3] x) => (float[a] y) {
    c = Constant <value = bool {1}> ()
    y = If (c) <then_branch = t () => (float[6] u) { u = Concat <axis = 0> (x, x) }, else_branch = e () => (float[3] v) { v = Abs (x) }> }""", f32(3))
case("if_traced_shapes", """(bool c, float[3] x) => (float[a] y) {
    y = If (c) <then_branch = t () => (float[6] u) { u = Concat <axis = 0> (x, x) }, else_branch = e () => (float[3] v) { v = Abs (x) }> }""",
     np.bool_(True), f32(3))
case("loop_while_grows", """(float[1] x, float h) => (float[a] y) { t = Constant <value = bool {1}> ()
    y = Loop ("", t, x) <body = b (int64 i, bool go, float[n] s) => (bool on, float[k] s2) { s2 = Concat <axis = 0> (s, x)
        u = ReduceSum <keepdims = 0> (s2) on = Less (u, h) }> }""", f32(1), np.float32(7))
case("loop_long_grows", """(float[1] x) => (float[a] y) { t = Constant <value = bool {1}> () m = Constant <value = int64 {300}> ()
    y = Loop (m, t, x) <body = b (int64 i, bool go, float[n] s) => (bool on, float[k] s2) { on = Identity (go) s2 = Concat <axis = 0> (s, x) }> }""",
     f32(1))
case("sequence_at_traced", """(float[3] x, int64 i) => (float[3] y) { d = Add (x, x) s = SequenceConstruct (x, d) y = SequenceAt (s, i) }""",
     f32(3), np.int64(-1))
case("sequence_at_shapes", """(float[3] x, float[2] z, int64 i) => (float[a] y) { s = SequenceConstruct (x, z) y = SequenceAt (s, i) }""",
     f32(3), f32(2), np.int64(1))
case("sequence_carried", """(float[3] x) => (float[a] y, int64 n) { t = Constant <value = bool {1}> () m = Constant <value = int64 {20}> ()
    e = SequenceEmpty ()
    s = Loop (m, t, e) <body = b (int64 i, bool go, seq(float[n]) q) => (bool on, seq(float[k]) r) {
        on = Identity (go) f = Cast <to = 1> (i) p = Mul (x, f) r = SequenceInsert (q, p) }>
    y = ConcatFromSequence <axis = 0> (s) n = SequenceLength (s) }""", f32(3))
ROUNDS = "(float[3] x, float[3] w) => (float[3] y, float[a,3] ys) {{ n = Constant <value = int64 {{{n}}}> () t = Constant <value = bool {{1}}> () " \
    "y, ys = Loop (n, {go}, x) <body = b (int64 i, bool go, float[3] s) => (bool on, float[3] s2, float[3] out) {{ " \
    "on = Identity (go) f = Cast <to = 1> (i) p = Mul (s, w) s2 = Add (p, f) out = Mul (s2, s2) }}> }}"
for n in (0, 1, 5, 40):
    case(f"loop_{n}", ROUNDS.format(n=n, go="t"), f32(3), np.float32([0.5, -0.25, 0.125]))
case("loop_no_condition", ROUNDS.format(n=30, go='""'), f32(3), np.float32([0.5, -0.25, 0.125]))
case("loop_traced_rounds", """(int64 n, float[3] x) => (float[3] y) { t = Constant <value = bool {1}> ()
    y = Loop (n, t, x) <body = b (int64 i, bool go, float[3] s) => (bool on, float[3] s2) { on = Identity (go) s2 = Add (s, x) }> }""",
     np.int64(7), f32(3))
case("loop_while", """(float x) => (float y, int64 k) { t = Constant <value = bool {1}> () z = Constant <value = int64 {0}> ()
    o = Constant <value = int64 {1}> () h = Constant <value = float {100.0}> ()
    y, k = Loop ("", t, x, z) <body = b (int64 i, bool go, float s, int64 c) => (bool on, float s2, int64 c2) {
        s2 = Add (s, s) c2 = Add (c, o) on = Less (s2, h) }> }""", np.float32(3))
case("loop_while_most", """(float x) => (float y) { t = Constant <value = bool {1}> () m = Constant <value = int64 {4}> ()
    h = Constant <value = float {100.0}> ()
    y = Loop (m, t, x) <body = b (int64 i, bool go, float s) => (bool on, float s2) { s2 = Add (s, s) on = Less (s2, h) }> }""", np.float32(3))
case("loop_while_collects", """(float x) => (float y, float[a] ys) { t = Constant <value = bool {1}> () m = Constant <value = int64 {20}> ()
    h = Constant <value = float {100.0}> ()
    y, ys = Loop (m, t, x) <body = b (int64 i, bool go, float s) => (bool on, float s2, float o) { s2 = Add (s, s) on = Less (s2, h) o = Neg (s2) }> }""",
     np.float32(3))
case("loop_grows", """(float[2] x) => (float[a] y) { t = Constant <value = bool {1}> () m = Constant <value = int64 {20}> ()
    y = Loop (m, t, x) <body = b (int64 i, bool go, float[n] s) => (bool on, float[k] s2) { on = Identity (go) s2 = Concat <axis = 0> (s, x) }> }""",
     f32(2))
case("loop_slices", """(float[20,2] x, float[2] z) => (float[2] y) { t = Constant <value = bool {1}> () m = Constant <value = int64 {20}> ()
    o = Constant <value = int64[1] {1}> () a = Constant <value = int64[1] {0}> ()
    y = Loop (m, t, z) <body = b (int64 i, bool go, float[2] s) => (bool on, float[2] s2) { on = Identity (go)
        j = Unsqueeze (i, a) k = Add (j, o) p = Slice (x, j, k, a) q = Squeeze (p, a) s2 = Add (s, q) }> }""", f32(20, 2), np.float32([0, 0]))
case("loop_gathers", """(float[20,2] x, float[2] z) => (float[2] y) { t = Constant <value = bool {1}> () m = Constant <value = int64 {20}> ()
    y = Loop (m, t, z) <body = b (int64 i, bool go, float[2] s) => (bool on, float[2] s2) { on = Identity (go)
        q = Gather <axis = 0> (x, i) s2 = Add (s, q) }> }""", f32(20, 2), np.float32([0, 0]))
case("loop_nested", """(float[3] x) => (float[3] y) { t = Constant <value = bool {1}> () m = Constant <value = int64 {20}> ()
    h = Constant <value = float {50.0}> ()
    y = Loop (m, t, x) <body = b (int64 i, bool go, float[3] s) => (bool on, float[3] s2) { on = Identity (go)
        u = ReduceSum <keepdims = 0> (s) c = Less (u, h)
        s2 = If (c) <then_branch = p () => (float[3] v) { v = Add (s, x) },
                     else_branch = q () => (float[3] r) { r = Loop (m, t, s) <body = d (int64 j, bool g2, float[3] e) => (bool o2, float[3] e2) {
                         o2 = Identity (g2) k = Mul (x, h) l = Div (e, h) e2 = Sub (l, x) }> }> }> }""", f32(3))
SCAN = "(float[2] z, float[{shape}] x) => (float[2] y, float[a,b] ys) {{ y, ys = Scan <num_scan_inputs = 1, {how} body = b (float[2] s, float[2] e) => " \
    "(float[2] s2, float[2] o) {{ s2 = Add (s, e) o = Mul (s2, e) }}> (z, x) }}"
for n in (0, 3, 20):
    case(f"scan_{n}", SCAN.format(shape=f"{n},2", how=""), np.float32([1, 2]), f32(n, 2),
         outputs=None if n else [np.float32([1, 2]), f32(0, 2)])
BACK = "scan_input_axes = [1], scan_input_directions = [1], scan_output_axes = [-1], scan_output_directions = [1],"
case("scan_backwards", SCAN.format(shape="2,20", how=BACK),
     np.float32([1, 2]), f32(2, 20) / 8)
x8, s8 = f32(2, 3, 2), np.float32([[1, 2], [3, 4]])
case("scan_8_lengths", """(int64[2] n, float[2,2] z, float[2,3,2] x) => (float[a,b] y, float[c,d,e] ys) {
    y, ys = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] e) => (float[2] s2, float[2] o) { s2 = Add (s, e) o = Identity (s2) }> (n, z, x) }""",
     i64(2, 3), s8, x8, opset=8, ir=3,
     outputs=[np.stack([s8[0] + x8[0, :2].sum(0), s8[1] + x8[1].sum(0)]),
              np.stack([np.pad(s8[0] + x8[0, :2].cumsum(0), ((0, 1), (0, 0))), s8[1] + x8[1].cumsum(0)])])


def expected(model, inputs):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})


def main(arguments):
    into, bad = Path(arguments[0]) / "more", 0
    shutil.rmtree(into, ignore_errors=True)
    for name, model, inputs, outputs in cases:
        try:
            outputs = expected(model, inputs) if outputs is None else outputs
        except Exception as e:  # pylint: disable=broad-except
            print(f"{name}: {str(e)[:300]}")
            bad += 1
            continue
        data = into / name / "test_data_set_0"
        data.mkdir(parents=True)
        (into / name / "model.onnx").write_bytes(model.SerializeToString())
        (into / name / "tolerance").write_text("1e-5 1e-6\n")
        for what, values, infos in (("input", inputs, model.graph.input), ("output", outputs, model.graph.output)):
            for k, (x, info) in enumerate(zip(values, infos)):
                made = x if isinstance(x, onnx.SequenceProto) else map_proto(x, info.name) if isinstance(x, dict) else \
                    numpy_helper.from_array(np.asarray(x), info.name)
                (data / f"{what}_{k}.pb").write_bytes(made.SerializeToString())
    print(f"{len(cases) - bad} cases in {into}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
