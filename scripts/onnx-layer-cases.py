#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes test cases of layers that the `onnx` package does not have, as folders for build/.../onnx_cases: earlier opsets, pads, groups,
dilations, recurrent layers with all of their attributes, ways to resize, pictures. What is to come out is worked out by onnxruntime, by the
package's reference where onnxruntime has no such case, and by Pillow for pictures.

usage: onnx-layer-cases.py FOLDER       with a Python that has onnx, onnxruntime and pillow: build/peers-models/bin/python """
import io
import itertools
import shutil
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

made, bad = [], []
random = np.random.default_rng(7)


def f(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def whole(dtype, *shape, below=100):
    return random.integers(0, below, shape).astype(dtype)


def number(x, dtype=np.float32):
    return np.array(x, dtype)


def model_of(op, inputs, opset, outputs, attributes):
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(names, inputs) if n]
    graph = helper.make_graph([helper.make_node(op, names, outputs, **attributes)], "g", infos,
                              [onnx.ValueInfoProto(name=o) for o in outputs if o])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9 if opset >= 15 else 7)
    return onnx.shape_inference.infer_shapes(model), {n: x for n, x in zip(names, inputs) if n}


def expected(model, feeds, by):
    if by == "reference":
        from onnx.reference import ReferenceEvaluator
        return ReferenceEvaluator(model).run(None, feeds)
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def case(name, op, inputs, opset, n=1, wanted=None, by="onnxruntime", rtol=1e-4, atol=1e-5, outputs=None, **attributes):
    """A model of one node; inputs that are None are absent."""
    outputs = outputs or [f"y{i}" for i in range(n)]
    try:
        model, feeds = model_of(op, inputs, opset, outputs, attributes)
        values = wanted if wanted is not None else expected(model, feeds, by)
    except Exception as e:  # pylint: disable=broad-except
        bad.append(f"{name}: {str(e)[:200]}")
        return
    for info, value in zip(model.graph.output, values):
        value = np.asarray(value)
        info.CopyFrom(helper.make_tensor_value_info(info.name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
    made.append((name, model, list(feeds.items()), list(zip([o for o in outputs if o], values)), f"{rtol:g} {atol:g}\n"))


def convolutions():
    shapes = [((2, 4, 7, 8), (6, 2, 3, 3), {"group": 2, "strides": [2, 1], "pads": [1, 0, 2, 1], "dilations": [1, 2]}),
              ((1, 3, 9), (5, 3, 4), {"auto_pad": "SAME_UPPER", "strides": [2]}),
              ((1, 3, 9), (5, 3, 4), {"auto_pad": "SAME_LOWER", "strides": [3]}),
              ((1, 2, 5, 6, 4), (3, 2, 2, 3, 2), {"auto_pad": "VALID", "strides": [1, 2, 1]}),
              ((2, 4, 6, 6), (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}), ((2, 4, 6, 6), (8, 4, 1, 1), {})]
    for i, (x, w, more) in enumerate(shapes):
        case(f"conv_{i}", "Conv", [f(*x), f(*w), f(w[0])], 11, **more)
        case(f"conv_1_{i}", "Conv", [f(*x), f(*w)], 1, **more)
    shapes = [((2, 4, 5, 6), (4, 3, 3, 3), {"group": 2, "strides": [2, 1], "pads": [1, 0, 2, 1], "output_padding": [1, 0]}),
              ((1, 3, 5), (3, 2, 4), {"strides": [3], "dilations": [2]}),
              ((1, 3, 5, 4), (3, 2, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
              ((1, 3, 5, 4), (3, 2, 3, 3), {"auto_pad": "SAME_LOWER", "strides": [2, 3]}),
              ((1, 3, 5, 4), (3, 2, 3, 3), {"strides": [2, 2], "output_shape": [10, 8]}),
              ((1, 3, 5, 4), (3, 2, 3, 3), {"strides": [2, 2], "output_shape": [11, 9], "auto_pad": "SAME_UPPER"}),
              ((1, 2, 3, 4, 3), (2, 2, 2, 2, 2), {"strides": [2, 1, 2], "pads": [0, 1, 0, 1, 0, 1]}),
              ((1, 3, 5, 4), (3, 2, 3, 3), {"auto_pad": "VALID", "strides": [2, 2]})]
    for i, (x, w, more) in enumerate(shapes):
        case(f"conv_transpose_{i}", "ConvTranspose", [f(*x), f(*w), f(w[1] * more.get("group", 1))], 11, **more)
    case("deform_conv", "DeformConv", [f(2, 4, 6, 7), f(6, 2, 3, 2), f(2, 24, 4, 6), f(6), np.abs(f(2, 12, 4, 6))], 19, group=2, offset_group=2,
         rtol=1e-3, atol=1e-4)
    case("col2im", "Col2Im", [f(2, 18, 20), number([6, 6], np.int64), number([2, 3], np.int64)], 18)


def integers():
    for a, b in itertools.product([np.uint8, np.int8], repeat=2):
        name, group = f"{a.__name__}_{b.__name__}", {"group": 2, "pads": [1, 1, 0, 1]}
        x, w = whole(a, 3, 5), whole(b, 5, 4)
        case(f"matmul_integer_{name}", "MatMulInteger", [x, w], 10)
        case(f"matmul_integer_zero_{name}", "MatMulInteger", [x, w, number(3, a), number([1, 2, 3, 4], b)], 10)
        image, kernel = whole(a, 2, 4, 6, 5), whole(b, 6, 2, 3, 2)
        case(f"conv_integer_{name}", "ConvInteger", [image, kernel, number(5, a), number(2, b)], 10, **group)
        if (a, b) == (np.int8, np.uint8):
            continue  # onnxruntime has no such operators of quantised numbers
        case(f"qlinear_matmul_{name}", "QLinearMatMul", [x, number(.02), number(3, a), w, number([.1, .2, .3, .4]), number([1, 2, 3, 4], b),
                                                         number(.5), number(9, a)], 10)
        case(f"qlinear_conv_{name}", "QLinearConv", [image, number(.02), number(3, a), kernel, number([.1, .2, .3, .4, .5, .6]), number([4] * 6, b),
                                                     number(7.5), number(9, a), whole(np.int32, 6, below=1000)], 10, **group)
    case("conv_integer_plain", "ConvInteger", [whole(np.uint8, 2, 4, 6, 5, below=255), whole(np.uint8, 3, 4, 2, 2, below=255)], 10)


def products():
    for i, (a, b) in enumerate([((5,), (5,)), ((5,), (5, 3)), ((2, 5), (5,)), ((2, 1, 3, 5), (4, 5, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3))]):
        case(f"matmul_{i}", "MatMul", [f(*a), f(*b)], 13)
    for dtype in (np.int32, np.int64, np.uint32, np.uint64, np.float64):
        case(f"matmul_{dtype.__name__}", "MatMul", [whole(dtype, 3, 4), whole(dtype, 4, 2)], 13)
    for opset in (7, 9, 11, 13):
        case(f"gemm_{opset}", "Gemm", [f(4, 3), f(5, 4), f(5)], opset, transA=1, transB=1, alpha=.5, beta=2.)
    case("gemm_int32", "Gemm", [whole(np.int32, 3, 4), whole(np.int32, 4, 2), number([1, 2], np.int32)], 13, by="reference")


def pools():
    x = f(2, 3, 7, 8)
    ways = [{"strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1}, {"strides": [2, 2], "ceil_mode": 1}, {"auto_pad": "SAME_LOWER"},
            {"dilations": [2, 1]}, {"strides": [3, 2], "pads": [1, 1, 1, 1]}]
    for i, more in enumerate(ways):
        more["kernel_shape"] = [3, 2] if i == 0 else [3, 3]
        for yes in (0, 1):
            case(f"max_pool_{i}_{yes}", "MaxPool", [x], 12, 2, storage_order=yes, **more)
            case(f"average_pool_19_{i}_{yes}", "AveragePool", [x], 19, count_include_pad=yes, **more)
            if "dilations" not in more:
                case(f"average_pool_{i}_{yes}", "AveragePool", [x], 11, count_include_pad=yes, **more)
        case(f"max_pool_int8_{i}", "MaxPool", [whole(np.int8, 1, 3, 7, 8)], 12, **more)
        case(f"lp_pool_18_{i}", "LpPool", [x], 18, p=1, **more)
        if "dilations" not in more and "ceil_mode" not in more:
            case(f"lp_pool_{i}", "LpPool", [x], 11, p=3, **more)
    cube = f(1, 2, 5, 6, 7)
    for order in (0, 1):
        case(f"max_pool_3d_{order}", "MaxPool", [cube], 12, 2, kernel_shape=[2, 3, 2], strides=[2, 1, 2], storage_order=order)
    for dtype in (np.float16, np.float32, np.float64):
        case(f"max_pool_1d_{dtype.__name__}", "MaxPool", [f(1, 2, 9, dtype=dtype)], 12, kernel_shape=[3], strides=[2], pads=[1, 1])
    case("global_lp_pool", "GlobalLpPool", [f(2, 3, 4, 5)], 2, p=3)
    case("global_max_pool", "GlobalMaxPool", [f(2, 3, 4)], 1)
    case("global_average_pool", "GlobalAveragePool", [f(2, 3, 4, 2, 2)], 1)


def regions():
    image, boxes = f(2, 3, 10, 12), number([[0, 0, 11, 9], [2, 3, 8, 8], [5, 5, 6, 6], [-2, -3, 20, 20]])
    which, size = number([0, 1, 0, 1], np.int64), {"output_height": 3, "output_width": 2, "spatial_scale": .7}
    with_batch = number([[0, 0, 0, 11, 9], [1, 2, 3, 8, 8], [0, 5, 5, 6, 6], [1, 0, 0, 20, 20]])
    case("max_roi_pool", "MaxRoiPool", [image, with_batch], 1, pooled_shape=[3, 2], spatial_scale=.7)
    for mode, place, ratio in itertools.product(("avg", "max"), ("half_pixel", "output_half_pixel"), (0, 2)):
        case(f"roi_align_{mode}_{place}_{ratio}", "RoiAlign", [image, boxes, which], 16, mode=mode, sampling_ratio=ratio,
             coordinate_transformation_mode=place, by="onnxruntime" if mode == "avg" else "reference", **size)
    case("roi_align_10", "RoiAlign", [image, boxes[:3], which[:3]], 10, **size)
    boxes, scores = random.random((2, 20, 4)).astype(np.float32), random.random((2, 3, 20)).astype(np.float32)
    limits = [number([5], np.int64), number([.3]), number([.2])]
    case("nms", "NonMaxSuppression", [boxes, scores] + limits, 11)
    case("nms_centre", "NonMaxSuppression", [boxes, scores] + limits[:2], 11, center_point_box=1)
    case("nms_none", "NonMaxSuppression", [boxes, scores], 11)


def normal():
    x, v = f(3, 4, 5, 2), [f(4), f(4), f(4), np.abs(f(4)) + .1]
    for size in (1, 3, 5):
        case(f"lrn_{size}", "LRN", [f(2, 6, 3, 4)], 13, size=size, alpha=.5, beta=.7, bias=1.5)
    for opset in (7, 9, 14, 15):
        case(f"batch_normalization_{opset}", "BatchNormalization", [x] + v, opset, epsilon=1e-3)
    case("batch_normalization_training", "BatchNormalization", [x] + v, 15, 3, training_mode=1, momentum=.8, by="reference")
    case("batch_normalization_rows", "BatchNormalization", [f(3, 4)] + v, 15)
    case("batch_normalization_places", "BatchNormalization", [x] + [np.abs(f(4, 5, 2)) for _ in range(4)], 7, spatial=0)
    case("instance_normalization", "InstanceNormalization", [x] + v[:2], 6, epsilon=1e-2)
    case("layer_normalization", "LayerNormalization", [x, f(5, 2), f(5, 2)], 17, 3, axis=-2)
    case("layer_normalization_no_bias", "LayerNormalization", [x, f(2)], 17)
    case("group_normalization_18", "GroupNormalization", [x, f(2), f(2)], 18, num_groups=2)
    case("group_normalization_21", "GroupNormalization", [x] + v[:2], 21, num_groups=2)
    case("rms_normalization", "RMSNormalization", [x, f(2)], 23, by="reference")
    case("mvn_9", "MeanVarianceNormalization", [x], 9)
    case("mvn_13", "MeanVarianceNormalization", [x], 13, axes=[0, 2])
    for p in (1, 2):
        case(f"lp_normalization_{p}", "LpNormalization", [x], 1, axis=1, p=p)


def recurrent(op, gates, direction):
    steps, batch, size, hidden, both = 5, 3, 4, 6, 2 if direction == "bidirectional" else 1
    x, w, r, b = f(steps, batch, size), f(both, gates * hidden, size), f(both, gates * hidden, hidden), f(both, 2 * gates * hidden)
    h, more = f(both, batch, hidden), [f(both, batch, hidden), f(both, 3 * hidden)] if op == "LSTM" else []
    lengths, name, n = number([5, 2, 3], np.int32), f"{op.lower()}_{direction}", 3 if op == "LSTM" else 2
    rules = {"hidden_size": hidden, "direction": direction}
    for opset in (7, 14):
        case(f"{name}_{opset}_plain", op, [x, w, r], opset, n, **rules)
        case(f"{name}_{opset}_all", op, [x, w, r, b, None, h] + more, opset, n, **rules)
    case(f"{name}_lengths", op, [x, w, r, b, lengths, h] + more, 14, n, **rules)
    case(f"{name}_clip", op, [x, w, r, b, lengths, h] + more, 14, n, clip=.5, **rules)
    case(f"{name}_last_state", op, [x, w, r], 14, outputs=["", "y"], **rules)
    swapped = [a.swapaxes(0, 1).copy() for a in [x, h] + more[:1]]
    case(f"{name}_layout", op, [swapped[0], w, r, b, None, swapped[1]] + swapped[2:], 14, n, layout=1, by="reference", **rules)
    if op == "GRU":
        case(f"{name}_linear_first", op, [x, w, r, b, None, h], 14, n, linear_before_reset=1, **rules)
        case(f"{name}_linear_first_plain", op, [x, w, r], 14, n, linear_before_reset=1, **rules)
    if op == "LSTM":
        case(f"{name}_coupled", op, [x, w, r, b, lengths, h] + more, 14, n, input_forget=1, **rules)
    count = both * {"RNN": 1, "GRU": 2, "LSTM": 3}[op]
    for function in ("Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus"):
        case(f"{name}_{function}", op, [x * .3, w * .3, r * .1, b * .3, None, h * .3] + [a * .3 for a in more], 14, n, rtol=1e-3,
             activations=[function] * count, activation_alpha=[.3 + .1 * k for k in range(count)],
             activation_beta=[.4 + .1 * k for k in range(count)], **rules)


def resizes():
    x = f(1, 2, 5, 7)
    places = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn", "half_pixel_symmetric")
    for opset, mode, place in itertools.product((11, 13, 18, 19), ("nearest", "linear", "cubic"), places):
        if (place == "half_pixel_symmetric" and opset < 19) or (place == "tf_half_pixel_for_nn" and opset > 11):
            continue
        crop = place == "tf_crop_and_resize"
        roi = number([0, 0, .1, .2, 1, 1, .9, .7]) if crop else number([]) if opset < 13 else None
        ways = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil") if mode == "nearest" else ("floor",)
        for way, scale in itertools.product(ways, (.6, 1.7, 2)):
            if place in ("align_corners", "half_pixel_symmetric") and scale != 2:
                continue  # sizes that are no whole numbers: ONNX's own cases and onnxruntime do not agree
            case(f"resize_{opset}_{mode}_{place}_{way}_{scale}", "Resize", [x, roi, number([1, 1, scale, 3 if scale == 2 else .8])], opset, rtol=1e-3,
                 mode=mode, coordinate_transformation_mode=place, nearest_mode=way, **({"extrapolation_value": 9.} if crop else {}))
    for mode, scale, outside in itertools.product(("linear", "cubic"), ([.6, .45], [2, .3], [.1, 1.5]), (0, 1)):
        if mode == "linear" or outside:
            case(f"resize_antialias_{mode}_{scale[0]}_{outside}", "Resize", [f(1, 2, 25, 20), None, number([1, 1] + scale)], 18, mode=mode,
                 antialias=1, exclude_outside=outside, rtol=1e-3)
    for policy in ("not_larger", "not_smaller"):
        case(f"resize_{policy}", "Resize", [x, None, None, number([8, 9], np.int64)], 18, mode="linear", axes=[3, 2], keep_aspect_ratio_policy=policy)
    for dtype in (np.uint8, np.int32):
        case(f"resize_{dtype.__name__}", "Resize", [whole(dtype, 1, 1, 5, 5), None, number([1, 1, 2, 2])], 13, mode="nearest")
    for scale, mode in itertools.product(([1, 1, .6, .6], [1, 1, 2, 1.5]), ("nearest", "linear")):
        case(f"resize_10_{mode}_{scale[2]}", "Resize", [f(1, 1, 4, 6), number(scale)], 10, mode=mode)
    for mode in ("nearest", "linear"):
        case(f"upsample_7_{mode}", "Upsample", [x], 7, mode=mode, scales=[1., 1., 2., 3.])
        case(f"upsample_9_{mode}", "Upsample", [x, number([1, 1, 1.5, 2])], 9, mode=mode)


def grids():
    modes = [(16, m) for m in ("bilinear", "nearest", "bicubic")] + [(20, m) for m in ("linear", "nearest", "cubic")]
    for (opset, mode), padding, aligned in itertools.product(modes, ("zeros", "border", "reflection"), (0, 1)):
        more = {"mode": mode, "padding_mode": padding, "align_corners": aligned, "rtol": 1e-3, "atol": 1e-4}
        name = f"{opset}_{mode}_{padding}_{aligned}"
        case(f"grid_sample_{name}", "GridSample", [f(2, 3, 5, 6), (random.random((2, 4, 3, 2)) * 4 - 2).astype(np.float32)], opset, **more)
        if opset == 20 and mode != "cubic":
            case(f"grid_sample_3d_{name}", "GridSample", [f(2, 2, 4, 5, 6), (random.random((2, 3, 4, 3, 3)) * 4 - 2).astype(np.float32)], opset, **more)
    for aligned in (0, 1):
        case(f"affine_grid_2d_{aligned}", "AffineGrid", [f(2, 2, 3), number([2, 3, 4, 5], np.int64)], 20, align_corners=aligned)
        case(f"affine_grid_3d_{aligned}", "AffineGrid", [f(2, 3, 4), number([2, 3, 4, 5, 6], np.int64)], 20, align_corners=aligned)


def bitmap(width, height, bits, compression, palette, pixels, masks=b""):
    start = 54 + len(masks) + len(palette)
    head = struct.pack("<IHHI", start + len(pixels), 0, 0, start)
    head += struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(pixels), 0, 0, len(palette) // 4, 0)
    return b"BM" + head + masks + palette + pixels


def pictures():
    from PIL import Image

    def picture(name, data, wanted=None, atol=1e-7):
        for pixels in ("RGB", "BGR", "Grayscale") if wanted is None else ("RGB",):
            y = wanted
            if y is None:
                y = np.asarray(Image.open(io.BytesIO(data)).convert("L" if pixels == "Grayscale" else "RGB"))
                y = y[..., None] if pixels == "Grayscale" else y[..., ::-1].copy() if pixels == "BGR" else y
            case(f"picture_{name}_{pixels}", "ImageDecoder", [np.frombuffer(data, np.uint8)], 20, wanted=[y], rtol=0, atol=atol, pixel_format=pixels)

    image = Image.fromarray(random.integers(0, 255, (9, 11, 3)).astype(np.uint8)).resize((37, 29), Image.BICUBIC)
    kinds = [("BMP", m, {}) for m in ("RGB", "1", "L", "P", "RGBA")] + [("PNG", m, {}) for m in ("L", "P", "RGBA", "LA", "1")] + \
            [("PPM", m, {}) for m in ("RGB", "L", "1")] + [("JPEG", "RGB", {"subsampling": s}) for s in (0, 1, 2)] + \
            [("JPEG", "RGB", {"progressive": True}), ("JPEG", "L", {}), ("JPEG", "CMYK", {}), ("WEBP", "RGB", {}), ("WEBP", "RGB", {"lossless": True}),
             ("JPEG2000", "RGB", {}), ("JPEG2000", "L", {})] + \
            [("TIFF", "RGB", {"compression": c}) for c in ("tiff_lzw", "tiff_adobe_deflate", "packbits", None)] + [("TIFF", "L", {}), ("TIFF", "P", {})]
    for i, (kind, mode, options) in enumerate(kinds):
        out = io.BytesIO()
        image.convert(mode).save(out, format=kind, **options)
        picture(f"{kind.lower()}_{mode}_{i}", out.getvalue(), atol=1 if mode == "CMYK" else 1e-7)
    colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [7, 8, 9]]
    palette = b"".join(bytes(c[::-1] + [0]) for c in colors)
    runs = bitmap(6, 3, 8, 1, palette, bytes([3, 1, 0, 3, 2, 3, 0, 0, 0, 0, 2, 2, 0, 2, 1, 0, 3, 3, 0, 0, 6, 0, 0, 1]))
    picture("bmp_runs_8", runs, number([[colors[k] for k in row] for row in ([0] * 6, [2, 2, 0, 3, 3, 3], [1, 1, 1, 2, 3, 0])], np.uint8))
    runs = bitmap(6, 2, 4, 2, palette, bytes([5, 0x12, 0, 0, 0, 3, 0x23, 0x10, 3, 0x31, 0, 1]))
    picture("bmp_runs_4", runs, number([[colors[k] for k in row] for row in ([2, 3, 1, 3, 1, 3], [1, 2, 1, 2, 1, 0])], np.uint8))
    pixels = struct.pack("<HHHH", 0xf800, 0x07e0, 0x001f, 0x8410)
    picture("bmp_masks", bitmap(2, -2, 16, 3, b"", pixels, struct.pack("<III", 0xf800, 0x07e0, 0x1f)),
            number([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [132, 130, 132]]], np.uint8))
    picture("none", b"not a picture", np.zeros((0, 0, 3), np.uint8))


def write(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, model, inputs, outputs, tolerance in made:
        data = folder / name / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / name / "model.onnx").write_bytes(model.SerializeToString())
        (folder / name / "tolerance").write_text(tolerance)
        for what, values in (("input", inputs), ("output", outputs)):
            for k, (label, x) in enumerate(values):
                (data / f"{what}_{k}.pb").write_bytes(numpy_helper.from_array(np.asarray(x), label).SerializeToString())


def main(arguments):
    for part in (convolutions, integers, products, pools, regions, normal, resizes, grids, pictures):
        part()
    for (op, gates), direction in itertools.product((("RNN", 1), ("GRU", 3), ("LSTM", 4)), ("forward", "reverse", "bidirectional")):
        recurrent(op, gates, direction)
    write(Path(arguments[0]) / "layer")
    print("\n".join(bad + [f"{len(made)} cases of layers, {len(bad)} could not be made"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
