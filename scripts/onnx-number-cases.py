#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes test cases of operators of numbers that the `onnx` package does not have, as folders FOLDER/numbers/NAME: all dtypes, no
elements and no axes, the rules of earlier opsets, quantisation, transforms, losses, ai.onnx.ml. What is to come out is worked out by ONNX's
reference implementation or by onnxruntime, by NumPy where both have no such version or do not follow the text of the operator.

usage: onnx-number-cases.py FOLDER       with a Python that has onnx and onnxruntime: build/peers-models/bin/python """
import itertools
import shutil
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, defs, helper, numpy_helper, reference

rng = np.random.default_rng(7)
f32, f64, i64 = np.float32, np.float64, np.int64
FLOATS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float": f32, "double": f64}
INTEGERS = {"int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": i64,
            "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64}
NUMBERS = {**FLOATS, **INTEGERS}
TOLERANCE = {"float16": (4e-3, 1e-3), "bfloat16": (2e-2, 1e-2), "float": (1e-5, 1e-6), "double": (1e-5, 1e-8)}
ML, NEAR = "ai.onnx.ml", (1e-4, 1e-5)
into, written, left = None, set(), []


# ---- Cases.

def element(x):
    return TensorProto.STRING if x.dtype.kind in "UO" else helper.np_dtype_to_tensor_dtype(x.dtype)


def tensor(x, name):
    if x.dtype.kind in "UO":
        return helper.make_tensor(name, TensorProto.STRING, x.shape, [str(s).encode() for s in x.ravel()])
    return numpy_helper.from_array(np.ascontiguousarray(x).reshape(x.shape), name)


def model_of(op, names, inputs, outputs, attributes, opset, domain, ml):
    given = [n if x is not None else "" for n, x in zip(names, inputs)]
    node = helper.make_node(op, given, [o.name for o in outputs], domain=domain, **attributes)
    infos = [helper.make_tensor_value_info(n, element(x), x.shape) for n, x in zip(names, inputs) if x is not None]
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, ml)] if domain else [])
    version = next(v for least, v in ((25, 13), (24, 12), (23, 11), (21, 10), (19, 9), (9, 8), (0, 3)) if opset >= least)
    return helper.make_model(helper.make_graph([node], "g", infos, outputs), opset_imports=opsets, ir_version=version)


def run_onnxruntime(model, feed):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    model = onnx.shape_inference.infer_shapes(model)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feed)


def run_reference(model, feed):
    return reference.ReferenceEvaluator(model).run(None, feed)


def case(name, op, inputs, opset=22, want=None, by=run_reference, n_out=1, near=None, domain="", ml=1, **attributes):
    """A case of one node. want: its outputs; else `by` says them. What the referee does not have is left out."""
    names = [f"x{i}" for i in range(len(inputs))]
    feed = {n: x for n, x in zip(names, inputs) if x is not None}
    unknown = [onnx.ValueInfoProto(name=f"y{i}") for i in range(n_out)]
    try:
        want = want if want is not None else by(model_of(op, names, inputs, unknown, attributes, opset, domain, ml), feed)
    except Exception as e:  # pylint: disable=broad-except
        left.append(f"{name}: {str(e)[:120]}")
        return
    want = [np.asarray(y) for y in want]
    infos = [helper.make_tensor_value_info(f"y{i}", element(y), y.shape) for i, y in enumerate(want)]
    folder = into / name
    data = folder / "test_data_set_0"
    assert name not in written, name
    written.add(name)
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model_of(op, names, inputs, infos, attributes, opset, domain, ml).SerializeToString())
    (folder / "tolerance").write_text("{} {}\n".format(*(near or (0, 0))))
    for k, (n, x) in enumerate(feed.items()):
        (data / f"input_{k}.pb").write_bytes(tensor(x, n).SerializeToString())
    for k, y in enumerate(want):
        (data / f"output_{k}.pb").write_bytes(tensor(y, f"y{k}").SerializeToString())


def newest(op):
    return max(22, max(s.since_version for s in defs.get_all_schemas_with_history() if s.name == op and not s.domain))


def dtypes_of(op, opset):
    schema = defs.get_schema(op, opset, "")
    allowed = next((c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == schema.inputs[0].type_str), [])
    return [d for d in NUMBERS if f"tensor({d})" in allowed]


def some(dtype, shape, low=-2, high=2):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0 if np.dtype(dtype).kind == "u" else -7, 9, size=shape).astype(dtype)
    return np.asarray(rng.uniform(low, high, size=shape)).astype(dtype)


def normal(*shape):
    return rng.normal(size=shape).astype(f32)


def floats(*shape):
    return [float(x) for x in normal(*shape).ravel()]


# ---- Elementwise, reductions, casts: all dtypes.

UNARY = {"Acos": (-.9, .9), "Acosh": (1.1, 3), "Asin": (-.9, .9), "Atanh": (-.9, .9), "Log": (.1, 3), "Reciprocal": (.5, 3), "Sqrt": (.1, 3),
         "Tan": (-1, 1), **dict.fromkeys("""Abs Asinh Atan Ceil Cos Cosh Erf Exp Floor Neg Round Sign Sin Sinh Tanh Sigmoid Softplus Softsign Relu Elu
         Selu Celu Gelu HardSigmoid HardSwish LeakyRelu Mish Shrink ThresholdedRelu Softmax LogSoftmax Hardmax Swish IsNaN IsInf BitwiseNot""".split(),
                                         (-2, 2))}
BINARY = """Add Sub Mul Div Pow Mod Max Min Greater GreaterOrEqual Less LessOrEqual Equal BitwiseAnd BitwiseOr BitwiseXor Mean Sum PRelu
    SwiGLU""".split()
SHAPES = {"scalars": ((), ()), "scalar": ((2, 3), ()), "vector": ((2, 3), (3,)), "both": ((2, 1), (1, 3)), "nothing": ((0, 3), (1, 3)), "same": ((4,), (4,))}


def elementwise():
    for op, (low, high) in UNARY.items():
        for d in dtypes_of(op, newest(op)):
            for name, shape in {"scalar": (), "nothing": (0, 3), "matrix": (2, 3)}.items():
                if not op.endswith("max") or name == "matrix":
                    case(f"{op}_{d}_{name}", op, [some(NUMBERS[d], shape, low, high)], newest(op), near=TOLERANCE.get(d))
    for op, (name, (a, b)) in itertools.product(BINARY, SHAPES.items()):
        for d in dtypes_of(op, newest(op)):
            x, y = some(NUMBERS[d], a, .5, 3), some(NUMBERS[d], b, .5, 3)
            if (op == "PRelu" and name in ("both", "scalars", "nothing")) or (op == "SwiGLU" and a != b):
                continue
            if np.dtype(NUMBERS[d]).kind in "iu" and op in ("Div", "Mod", "Pow"):
                y = np.where(y == 0, 1, np.abs(y) % 4 if op == "Pow" else y).astype(NUMBERS[d])
            case(f"{op}_{d}_{name}", op, [x, y], newest(op), near=TOLERANCE.get(d))
            if op == "Mod":
                case(f"{op}_fmod_{d}_{name}", op, [x, y], newest(op), near=TOLERANCE.get(d), fmod=1)
    for d, way in itertools.product(INTEGERS, ("LEFT", "RIGHT")):
        case(f"BitShift_{d}_{way}", "BitShift", [some(INTEGERS[d], (4, 5)), np.array([0, 1, 3, 9, 70], INTEGERS[d])], 28, direction=way)
    texts = np.array([["a", "b"], ["c", "d"]], object), np.array(["a", "d"], object)
    case("Equal_strings", "Equal", list(texts), 19, want=[texts[0] == texts[1]])


def reductions():
    axes = {"all": None, "first": [0], "two": [1, 2], "last": [-1], "none": []}
    for op, opset in itertools.product(("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"), (11, 17, 22, 28)):
        as_input = opset >= 18 or (op == "Sum" and opset >= 13)
        for d, (name, axis), keep, none in itertools.product(dtypes_of("Reduce" + op, opset), axes.items(), (0, 1), (0, 1)):
            if (none and (axis or not as_input)) or (axis == [] and not as_input):
                continue
            x = some(NUMBERS[d], (2, 3, 4), .2, 1.5)
            x = (np.abs(x) % 4 + 1).astype(x.dtype) if x.dtype.kind in "iu" else x
            inputs = [x, np.array(axis, i64)] if as_input and axis is not None else [x]
            how = {"keepdims": keep, **({"noop_with_empty_axes": none} if as_input else {"axes": axis} if axis is not None else {})}
            over = () if none else tuple(axis) if axis else None
            want = [np.sum(x * x, axis=over, keepdims=bool(keep), dtype=x.dtype)] if op == "SumSquare" else None
            case(f"Reduce{op}_{opset}_{d}_{name}_{keep}_{none}", "Reduce" + op, inputs, opset, want=want, near=TOLERANCE.get(d), **how)
    for op, opset, d, axis, keep, last in itertools.product(("ArgMax", "ArgMin"), (1, 11, 13), ("float", "int32", "uint8", "float16"), (0, 1, -1), (0, 1),
                                                            (0, 1)):
        if (opset > 1 or axis >= 0) and (opset > 11 or not last):
            more = {"select_last_index": last} if opset > 11 else {}
            x = rng.integers(0, 3, size=(3, 4, 2)).astype(NUMBERS[d])
            case(f"{op}_{opset}_{d}_{axis}_{keep}_{last}", op, [x], opset, axis=axis, keepdims=keep, **more)
    for op, d, axis, exclusive, reverse in itertools.product(("CumSum", "CumProd"), ("float", "double", "int32", "int64", "uint32"), (0, 1, -2), (0, 1),
                                                             (0, 1)):
        case(f"{op}_{d}_{axis}_{exclusive}_{reverse}", op, [some(NUMBERS[d], (3, 4)), np.array(axis)], 26, near=TOLERANCE.get(d),
             exclusive=exclusive, reverse=reverse)


def casts():
    for a, b in itertools.product(NUMBERS, NUMBERS):
        case(f"Cast_{a}_{b}", "Cast", [some(NUMBERS[a], (2, 3), 0, 5)], to=helper.np_dtype_to_tensor_dtype(np.dtype(NUMBERS[b])))
    ends = np.array([0, -0., 1, -1.7, 300, -300, 1e6, -1e6, np.inf, -np.inf, np.nan, 1e-9, 3.3e-3, 57344, 60000, 449, 464, 465, 240, 248, 249])
    for a, to, saturate in itertools.product(FLOATS, (17, 18, 19, 20), (0, 1)):
        case(f"Cast_{a}_float8_{to}_{saturate}", "Cast", [ends.astype(FLOATS[a])], to=to, saturate=saturate)
    for a, to in itertools.product(("int8", "int32", "uint8"), (17, 18, 19, 20)):
        case(f"Cast_{a}_float8_{to}", "Cast", [some(INTEGERS[a], (6,))], to=to)
    for mode in ("up", "down", "nearest"):
        case(f"Cast_float8e8m0_{mode}", "Cast", [np.array([1, 1.5, 1.49, 1.51, 2, 3, 1e30, .9], f32)], 24, to=24, round_mode=mode)
    numbers = [1.5, -2.25, 1e-7, 1e16, 123456.789, 0, np.inf, -np.inf, np.nan, 3, 100, 1e-4, .1, 1 / 3, 1e22]
    for x in (np.array(numbers, f32), np.array(numbers + [1e15]), np.array([1, -5], np.int32), np.array([True, False])):
        case(f"Cast_{x.dtype}_string", "Cast", [x], 13, to=8)
    case("Cast_string_float", "Cast", [np.array(["1.5", "-2e3", "INF", "-inf", "NaN", "+INF", "7"], object)], 13,
         want=[np.array([1.5, -2e3, np.inf, -np.inf, np.nan, np.inf, 7], f32)], to=1)
    case("Cast_string_int64", "Cast", [np.array(["15", "-2", "9223372036854775807", "1e3"], object)], 13,
         want=[np.array([15, -2, 2**63 - 1, 1000])], to=7)
    int4, uint4, int2, float4 = (np.dtype(getattr(ml_dtypes, n)) for n in ("int4", "uint4", "int2", "float4_e2m1fn"))
    for to, x in ((21, np.array([-8, -1, 0, 7], int4)), (22, np.array([0, 9, 15, 3], uint4)), (22, np.array([.5, -6, 0, 1], float4)),
                  (25, np.array([-2, -1, 0, 1], int2)), (12, np.array([1.5, -2], f32)), (13, np.array([1 + 2j, 3 - 4j], np.complex64)),
                  (14, np.array([1, 2**40], np.uint64)), (9, np.array([0, 1], np.uint8))):
        case(f"BitCast_{x.dtype}_{to}", "BitCast", [x], 26, to=to)


# ---- Earlier opsets.

def earlier():
    a = normal(2, 3, 4, 5)
    for op, f in {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}.items():
        for name, shape, axis in (("channel", (3,), 1), ("middle", (3, 4), 1), ("suffix", (4, 5), None), ("prefix", (2, 3), 0), ("one", (1,), None),
                                  ("scalar", (), None)):
            b = normal(*shape)
            where = {} if axis is None else {"axis": axis}
            wide = b if axis is None else b.reshape(shape + (1,) * (4 - axis - len(shape)))
            case(f"{op}_6_{name}", op, [a, b], 6, want=[f(a, wide)], broadcast=1, **where)
    x, b, yes = normal(2, 3, 4), normal(3), rng.random((2, 3)) > .5
    case("Greater_1", "Greater", [x, b], 1, want=[x > b[:, None]], broadcast=1, axis=1)
    case("And_1", "And", [yes, yes[:, 0]], 1, want=[yes & yes[:, :1]], broadcast=1, axis=0)
    case("PRelu_6", "PRelu", [x, b], 6, want=[np.where(x < 0, b[:, None] * x, x)])
    for opset in (1, 6):
        case(f"Clip_{opset}", "Clip", [x], opset, want=[np.clip(x, f32(-.5), f32(.25))], min=-.5, max=.25)
    case("Clip_6_infinite", "Clip", [np.array([np.inf, -np.inf, 1], f32)], 6, want=[np.array([3.4028235e38, -3.4028235e38, 1], f32)])
    case("Clip_13_crossed", "Clip", [x, np.asarray(f32(1)), np.asarray(f32(-1))], 13, by=run_onnxruntime)
    case("Clip_13_max", "Clip", [x, None, np.asarray(f32(.5))], 13, by=run_onnxruntime)
    for op, opset in itertools.product(("Softmax", "LogSoftmax", "Hardmax"), (7, 11, 13)):
        for axis in (None, 0, 1, 2) + ((-1, -2) if opset >= 11 else ()):
            case(f"{op}_{opset}_{axis}", op, [normal(2, 3, 4)], opset, by=run_onnxruntime, near=NEAR, **({} if axis is None else {"axis": axis}))
    case("Dropout_6_test", "Dropout", [x], 6, want=[x], ratio=.3, is_test=1)
    case("Dropout_7", "Dropout", [x], 7, want=[x, np.ones(x.shape, f32)], n_out=2, ratio=.3)
    case("Dropout_10", "Dropout", [x], 10, want=[x, np.ones(x.shape, bool)], n_out=2, ratio=.3)
    case("Cast_1", "Cast", [x], 1, want=[x.astype(f64)], to="DOUBLE")


# ---- What is made of shapes and numbers; transforms, losses, sums of products.

def made():
    for shape in ((5,), (0,), (2, 3), ()):
        case(f"ConstantOfShape_{shape}", "ConstantOfShape", [np.array(shape, i64)], 9, by=run_onnxruntime)
    for dtype, bounds in ((f32, (0, 1, .1)), (f64, (0, 1, .1)), (np.int32, (10, 4, -2)), (i64, (0, 7, 3)), (np.int16, (5, 5, 1)), (f32, (2, -3, -.7)),
                          (i64, (0, -5, 1))):
        case(f"Range_{np.dtype(dtype)}_{bounds}", "Range", [np.asarray(v, dtype) for v in bounds], 11, by=run_onnxruntime, near=NEAR)
    for k in (-1, 0, 2):
        case(f"EyeLike_{k}", "EyeLike", [normal(3, 4)], k=k, dtype=7)
    for op, periodic, dtype, size in itertools.product(("Hann", "Hamming", "Blackman"), (0, 1), (1, 11), (2, 5, 10)):
        case(f"{op}Window_{periodic}_{dtype}_{size}", op + "Window", [np.asarray(size)], 17, by=run_onnxruntime, near=NEAR, periodic=periodic,
             output_datatype=dtype)
    bands = [np.asarray(40), np.asarray(512), np.asarray(16000), np.asarray(f32(80)), np.asarray(f32(7600))]
    case("MelWeightMatrix", "MelWeightMatrix", bands, 17, by=run_onnxruntime, near=NEAR)


def transforms():
    shapes = ((2, 8, 1), (2, 8, 2), (2, 7, 1), (3, 4, 5, 1), (3, 4, 5, 2))
    for opset, shape, inverse, onesided, length, axis in itertools.product((17, 20), shapes, (0, 1), (0, 1), (None, 5, 12), (None, 1)):
        if onesided and (inverse != (shape[-1] == 2) or (opset == 17 and inverse)):
            continue
        inputs, how = [normal(*shape), None if length is None else np.asarray(length)], {"inverse": inverse, "onesided": onesided}
        if axis is not None and opset == 17:
            how["axis"] = axis
        elif axis is not None:
            inputs.append(np.asarray(axis))
        case(f"DFT_{opset}_{shape}_{inverse}_{onesided}_{length}_{axis}", "DFT", inputs, opset, near=(1e-3, 1e-4), **how)
    for onesided, window, length in ((0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 0, 1), (1, 1, 0)):
        inputs = [normal(2, 30, 1), np.asarray(4), normal(9) if window else None, np.asarray(9) if length else None]
        case(f"STFT_{onesided}_{window}_{length}", "STFT", inputs, 17, near=(1e-3, 1e-4), onesided=onesided)


def losses():
    for how, weight, ignored, shape in itertools.product(("none", "mean", "sum"), (0, 1), (None, 1, -5), ((4, 3), (2, 3, 4), (2, 3, 2, 3))):
        target = rng.integers(0, 3, size=(shape[0],) + shape[2:])
        if ignored == -5:
            target.ravel()[1] = -5
        inputs = [normal(*shape), target] + ([np.abs(normal(3))] if weight else [])
        more = {} if ignored is None else {"ignore_index": ignored}
        name = f"{how}_{weight}_{ignored}_{len(shape)}"
        case("NegativeLogLikelihoodLoss_" + name, "NegativeLogLikelihoodLoss", inputs, 13, by=run_onnxruntime, near=NEAR, reduction=how, **more)
        case("SoftmaxCrossEntropyLoss_" + name, "SoftmaxCrossEntropyLoss", inputs, 13, by=run_onnxruntime, n_out=2, near=NEAR, reduction=how, **more)
    products = {"ij,jk->ik": [(2, 3), (3, 4)], "ij->ji": [(2, 3)], "ij->i": [(2, 3)], "bij, bjk -> bik": [(5, 2, 3), (5, 3, 4)], "i,i": [(4,), (4,)],
                "...ii->...i": [(5, 3, 3)], "Ab,bA->A": [(2, 3), (3, 2)], "ba": [(2, 3)], "i->": [(4,)], "a,b,c->abc": [(2,), (3,), (4,)],
                "...ij,...jk->...ik": [(2, 2, 3), (2, 3, 4)], ",ij->ij": [(), (2, 3)]}
    for k, (equation, shapes) in enumerate(products.items()):
        case(f"Einsum_{k}", "Einsum", [normal(*s) for s in shapes], 12, near=NEAR, equation=equation)


# ---- Quantisation.

def quantisation():
    x = (rng.normal(size=(2, 6, 3)) * 20).astype(f32)
    small = {n: np.dtype(getattr(ml_dtypes, n)) for n in ("int4", "uint4", "int2", "uint2")}
    for name, d in {**{n: np.dtype(INTEGERS[n]) for n in ("int8", "uint8", "int16", "uint16")}, **small}.items():
        opset, zero, code = 25 if name.endswith("2") else 21, np.asarray(1, d), helper.np_dtype_to_tensor_dtype(d)
        for f in FLOATS:
            if f != "double":
                case(f"QuantizeLinear_{name}_{f}", "QuantizeLinear", [x.astype(FLOATS[f]), np.asarray(.7, FLOATS[f]), zero], opset)
        y = rng.integers(0, 2, size=x.shape).astype(d)
        for how, shape, more in (("axis", (6,), {"axis": 1}), ("last", (3,), {"axis": -1}), ("blocks", (2, 3, 3), {"axis": 1, "block_size": 2}),
                                 ("short_block", (2, 2, 3), {"axis": 1, "block_size": 4})):
            scale = np.abs(normal(*shape)) + f32(.1)
            case(f"QuantizeLinear_{name}_{how}", "QuantizeLinear", [x, scale, np.ones(shape, d)], opset, **more)
            case(f"DequantizeLinear_{name}_{how}", "DequantizeLinear", [y, scale, np.ones(shape, d)], opset, near=NEAR, **more)
        case(f"QuantizeLinear_{name}_output", "QuantizeLinear", [x, np.asarray(f32(.5))], opset, output_dtype=code)
    for name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"):
        d = np.dtype(getattr(ml_dtypes, name))
        for saturate in (0, 1):
            case(f"QuantizeLinear_{name}_{saturate}", "QuantizeLinear", [x * f32(100), np.asarray(f32(.5)), np.asarray(0, d)], 21, saturate=saturate)
        case(f"DequantizeLinear_{name}", "DequantizeLinear", [x.astype(d), np.asarray(f32(.5)), np.asarray(0, d)], 21)
    case("QuantizeLinear_precision", "QuantizeLinear", [x.astype(np.float16), np.asarray(.3, np.float16), np.asarray(3, np.int8)], 23, precision=1)
    for name, x in {"both": normal(3, 4), "positive": np.abs(normal(5)), "negative": -np.abs(normal(5)), "zeros": np.zeros(4, f32)}.items():
        case(f"DynamicQuantizeLinear_{name}", "DynamicQuantizeLinear", [x], 11, by=run_onnxruntime, n_out=3, near=NEAR)


# ---- ai.onnx.ml.

POSTS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")


def ml_case(name, op, inputs, n_out=1, **attributes):
    case(f"{op}_{name}", op, inputs, 18, by=run_onnxruntime, n_out=n_out, near=NEAR, domain=ML, **attributes)


def linear(x):
    for d in ("float", "double", "int64", "int32"):
        z = np.round(x * 3).astype(NUMBERS[d]) if d in INTEGERS else x.astype(NUMBERS[d])
        z[2] = 0
        for post in POSTS:
            ml_case(f"{d}_{post}", "LinearRegressor", [z], coefficients=floats(12), intercepts=[.1, .2, .3], targets=3, post_transform=post)
            ml_case(f"{d}_{post}", "LinearClassifier", [z], 2, coefficients=floats(12), intercepts=[.1, .2, .3], classlabels_ints=[5, 7, 9],
                    post_transform=post)
            ml_case(f"texts_{d}_{post}", "LinearClassifier", [z], 2, coefficients=floats(8), intercepts=[.1, .3], classlabels_strings=["a", "bb"],
                    post_transform=post)
        for norm in ("MAX", "L1", "L2"):
            ml_case(f"{d}_{norm}", "Normalizer", [z], norm=norm)
        ml_case(d, "Scaler", [z], scale=[1., 2., 3., 4.], offset=[.5, .25, .125, 1.])
        ml_case(d, "Binarizer", [z], threshold=.5)
        ml_case(d, "OneHotEncoder", [z], cats_int64s=[-2, -1, 0, 1, 5])
        ml_case(d, "FeatureVectorizer", [z, z[:, :2]], inputdimensions=[4, 2])
        ml_case(d, "ArrayFeatureExtractor", [z, np.array([2, 0, 0])])
        ml_case(f"row_{d}", "ArrayFeatureExtractor", [z[0], np.array([2, 0])])
    gaps = x.copy()
    gaps[1, 2] = gaps[3, 0] = np.nan
    ml_case("each", "Imputer", [gaps], imputed_value_floats=[1., 2., 3., 4.], replaced_value_float=float("nan"))
    ml_case("one", "Imputer", [gaps], imputed_value_floats=[9.], replaced_value_float=float("nan"))
    words = np.array([["a", "b"], ["zz", "b"]], object)
    ml_case("texts", "OneHotEncoder", [words], cats_strings=["b", "a", "c"])
    ml_case("texts", "ArrayFeatureExtractor", [words, np.array([1])])


def vectors(x):
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        how = {"kernel_type": kernel, "kernel_params": [.3, .2, 3.]}
        for one_class in (0, 1):
            ml_case(f"{kernel}_{one_class}", "SVMRegressor", [x], coefficients=floats(6), support_vectors=floats(24), rho=[.4], n_supports=6,
                    one_class=one_class, **how)
        for k in (2, 3, 4):
            per, pairs = [3, 2, 4, 2][:k], k * (k - 1) // 2
            base = {"coefficients": floats(sum(per) * (k - 1)), "support_vectors": floats(sum(per) * 4), "rho": floats(pairs),
                    "vectors_per_class": per, **how}
            sure = {"prob_a": [-1 - v * v for v in floats(pairs)], "prob_b": [v / 5 for v in floats(pairs)]}
            for post in POSTS:
                if k > 2 or not post.startswith("SOFTMAX"):  # of two classes onnxruntime leaves the scores as they are
                    ml_case(f"{kernel}_{k}_{post}", "SVMClassifier", [x], 2, classlabels_ints=[3, 1, 8, 2][:k], post_transform=post, **base)
                    ml_case(f"texts_{kernel}_{k}_{post}", "SVMClassifier", [x], 2, classlabels_strings=["u", "v", "w", "z"][:k], post_transform=post,
                            **base)
                ml_case(f"sure_{kernel}_{k}_{post}", "SVMClassifier", [x], 2, classlabels_ints=[3, 1, 8, 2][:k], post_transform=post, **base, **sure)


def grown(n_trees, deepest, modes):
    """Trees as attributes, and the places of their leaves."""
    nodes, leaves = [], []

    def grow(tree, depth):
        own = {"treeids": tree, "nodeids": sum(n["treeids"] == tree for n in nodes), "featureids": int(rng.integers(4)),
               "values": float(f32(rng.normal())), "modes": str(rng.choice(modes)), "truenodeids": 0, "falsenodeids": 0}
        nodes.append(own)
        if not depth or (depth < deepest and rng.random() < .2):
            own["modes"] = "LEAF"
            leaves.append((tree, own["nodeids"]))
        else:
            own["truenodeids"], own["falsenodeids"] = grow(tree, depth - 1), grow(tree, depth - 1)
        return own["nodeids"]
    for tree in range(n_trees):
        grow(tree, deepest)
    return {f"nodes_{key}": [n[key] for n in nodes] for key in nodes[0]}, leaves


def votes(kind, which, ids, weights):
    return {f"{kind}_treeids": [t for t, _ in which], f"{kind}_nodeids": [n for _, n in which], f"{kind}_ids": ids, f"{kind}_weights": weights}


def trees(x):
    gaps = x.copy()
    gaps[0, 1] = np.nan
    gaps[3] = np.nan
    for modes in (["LEQ"], ["LT"], ["GTE"], ["GT"], ["EQ"], ["NEQ"], ["LEQ", "GT", "LT"]):
        nodes, leaves = grown(5, 4, ["BRANCH_" + m for m in modes])
        name, tracks = "_".join(modes), [int(v) for v in rng.integers(0, 2, len(nodes["nodes_modes"]))]
        one = votes("target", leaves, [0] * len(leaves), floats(len(leaves)))
        for how in ("SUM", "AVERAGE", "MIN", "MAX"):
            ml_case(f"{name}_{how}", "TreeEnsembleRegressor", [x], aggregate_function=how, n_targets=1, **one, **nodes)
            ml_case(f"gaps_{name}_{how}", "TreeEnsembleRegressor", [gaps], aggregate_function=how, n_targets=1, base_values=[.7],
                    nodes_missing_value_tracks_true=tracks, **one, **nodes)
        for post in POSTS:
            every, ids, weights = [leaf for leaf in leaves for _ in range(3)], [0, 1, 2] * len(leaves), floats(3 * len(leaves))
            classes = votes("class", every, ids, weights)
            ml_case(f"targets_{name}_{post}", "TreeEnsembleRegressor", [x], n_targets=3, post_transform=post, **votes("target", every, ids, weights), **nodes)
            ml_case(f"{name}_{post}", "TreeEnsembleClassifier", [x], 2, classlabels_int64s=[4, 2, 9], post_transform=post, **classes, **nodes)
            ml_case(f"texts_{name}_{post}", "TreeEnsembleClassifier", [gaps], 2, classlabels_strings=["x", "y", "z"], post_transform=post,
                    base_values=[.1, .2, .3], nodes_missing_value_tracks_true=tracks, **classes, **nodes)
        for post, positive in itertools.product(("NONE", "LOGISTIC"), (0, 1)):
            weights = [abs(v) if positive else v for v in floats(len(leaves))]
            ml_case(f"two_{name}_{post}_{positive}", "TreeEnsembleClassifier", [x], 2, classlabels_int64s=[4, 2], post_transform=post,
                    **votes("class", leaves, [0] * len(leaves), weights), **nodes)


def main(arguments):
    global into  # pylint: disable=global-statement
    into = Path(arguments[0]) / "numbers"
    shutil.rmtree(into, ignore_errors=True)
    x = normal(7, 4)
    for write in (elementwise, reductions, casts, earlier, made, transforms, losses, quantisation):
        write()
    for write in (linear, vectors, trees):
        write(x)
    print(f"{len(written)} cases in {into}; {len(left)} that their referee does not have")
    if "-v" in arguments:
        print("\n".join(left))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
