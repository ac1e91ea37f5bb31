#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model of GPT-2's smallest shape (124 million parameters) with random weights, as a safetensors file.

    scripts/make-gpt2.py FILE [--layers 12] [--width 768] [--vocabulary 50257] [--context 1024] [--seed 0]

Names and shapes are those of the published files; tensors lie in the order of the model, without gaps.
The same arguments give the same file, byte for byte."""
import argparse
import json

import numpy as np


def shapes(layers, width, vocabulary, context):
    yield "wte.weight", (vocabulary, width)
    yield "wpe.weight", (context, width)
    for i in range(layers):
        for name, shape in (("ln_1.weight", (width,)), ("ln_1.bias", (width,)), ("attn.c_attn.weight", (width, 3 * width)),
                            ("attn.c_attn.bias", (3 * width,)), ("attn.c_proj.weight", (width, width)), ("attn.c_proj.bias", (width,)),
                            ("ln_2.weight", (width,)), ("ln_2.bias", (width,)), ("mlp.c_fc.weight", (width, 4 * width)),
                            ("mlp.c_fc.bias", (4 * width,)), ("mlp.c_proj.weight", (4 * width, width)), ("mlp.c_proj.bias", (width,))):
            yield f"h.{i}.{name}", shape
    yield "ln_f.weight", (width,)
    yield "ln_f.bias", (width,)


def tensor(random, name, shape):
    """Weights of products have a deviation of 0.02, as in GPT-2; the rest is not quite 0 and 1, so that it shows in the results."""
    x = random.standard_normal(shape, dtype=np.float32)
    if name.split(".")[-2].startswith("ln_") and name.endswith("weight"):
        return 1 + np.float32(0.05) * x
    return np.float32(0.02) * x


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    for name, default in (("layers", 12), ("width", 768), ("vocabulary", 50257), ("context", 1024), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    o = parser.parse_args()
    header, end, listed = {}, 0, list(shapes(o.layers, o.width, o.vocabulary, o.context))
    for name, shape in listed:
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    random = np.random.default_rng(o.seed)
    with open(o.file, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text)
        for name, shape in listed:
            tensor(random, name, shape).tofile(f)


if __name__ == "__main__":
    main()
