#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs examples/onnx_digits.c and reads its file by onnxruntime: the scores and digits of all images, at once and one by one.

usage: digits_peer.py PROGRAM SOURCE-FOLDER """
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([Path(arguments[0]).resolve(), folder], cwd=arguments[1], check=True, stdout=subprocess.DEVNULL)
        path = Path(folder) / "digits.onnx"
        onnx.checker.check_model(onnx.load(path), full_check=True)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        data = np.load(Path(folder) / "digits.npz")
    scores, digit = session.run(["scores", "digit"], {"images": data["images"]})
    np.testing.assert_allclose(scores, data["scores"], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(digit, data["digit"])
    alone = [session.run(["digit"], {"images": image[None]})[0][0] for image in data["images"]]
    np.testing.assert_array_equal(alone, data["digit"])
    print(f"onnxruntime {onnxruntime.__version__}: {len(digit)} digits as Kiln reads them, {np.mean(digit == data['labels']):.1%} right; "
          f"scores at most {np.abs(scores - data['scores']).max():.1e} apart")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
