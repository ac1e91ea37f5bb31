#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what tests/models/onnx/export.c wrote by onnxruntime and compares; the onnx package checks each file.

usage: export_peer.py FOLDER """
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime


def main(arguments):
    bad = count = 0
    for path in sorted(Path(arguments[0]).glob("*.onnx")):
        count += 1
        try:
            onnx.checker.check_model(onnx.load(path), full_check=True)
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            data = np.load(path.with_suffix(".npz"))
            got = session.run(None, {i.name: data[i.name] for i in session.get_inputs()})[0]
            np.testing.assert_allclose(got, data["output"], rtol=2e-5, atol=2e-6)
        except Exception as e:  # whatever a peer says
            bad += 1
            print(f"{path.stem}: {str(e)[:400]}")
    print(f"onnxruntime {onnxruntime.__version__}: {count} files, {bad} failed")
    return bad != 0 or count == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
