#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models in ONNX's format: Kiln beside onnxruntime, by turns in one run, outputs compared first. A line of a table for each model and number
of threads: minima and medians in milliseconds, how far outputs are apart, how much faster Kiln is.

usage: onnx.py ONNX_RUN FOLDER [NAME...]   FOLDER has NAME.onnx and NAME.npz (scripts/models.py) """
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

TURNS = 15


class Kiln:
    def __init__(self, program, model, inputs, threads):
        self.process = subprocess.Popen([program, model, inputs, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline().split()
        if not first or first[0] != "ready":
            raise RuntimeError(" ".join(first) or "it ended")
        self.load, self.compile = float(first[1]), float(first[2])

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            self.ask(f"save {folder}/out.npz")
            return dict(np.load(f"{folder}/out.npz"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(program, model, data, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    loaded = time.perf_counter() - begin
    inputs = dict(np.load(data))
    names = [o.name for o in session.get_outputs()]
    wanted = dict(zip(names, session.run(None, inputs)))
    kiln = Kiln(program, model, data, threads)
    got = kiln.outputs()
    far = max(float(np.max(np.abs(got[n.replace("/", "/")].astype(np.float64) - wanted[n].astype(np.float64)), initial=0)) for n in names)
    begin = time.perf_counter()
    session.run(None, inputs)
    count = max(1, min(200, int(0.05 / max(time.perf_counter() - begin, 1e-6))))
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(float(kiln.ask(str(count))[0]))
        best = []
        for _ in range(count):
            begin = time.perf_counter()
            session.run(None, inputs)
            best.append(time.perf_counter() - begin)
        theirs.append(min(best))
    kiln.close()
    return {"far": far, "ours": ours, "theirs": theirs, "load": (kiln.load, kiln.compile, loaded)}


def main(arguments):
    program, folder, only = arguments[0], Path(arguments[1]), arguments[2:]
    print(f"onnxruntime {onnxruntime.__version__}; ms: least and median of {TURNS} turns; ratio: onnxruntime / Kiln")
    print(f"{'model':26} threads   Kiln            onnxruntime     ratio  difference  load+first run, load (ms)")
    behind = 0
    for model in sorted(folder.glob("*.onnx")):
        if only and not any(x in model.stem for x in only):
            continue
        for threads in (1, 2):
            try:
                r = measure(program, str(model), str(model.with_suffix(".npz")), threads)
            except (RuntimeError, KeyError, OSError) as e:
                print(f"{model.stem:26} {threads}  {e}")
                behind += 1
                continue
            a, b = min(r["ours"]) * 1e3, min(r["theirs"]) * 1e3
            am, bm = statistics.median(r["ours"]) * 1e3, statistics.median(r["theirs"]) * 1e3
            behind += a > b
            print(f"{model.stem:26} {threads}  {a:9.3f} {am:9.3f}  {b:9.3f} {bm:9.3f}  {b / a:5.2f}  {r['far']:.2e}"
                  f"    {r['load'][0] * 1e3:.0f}+{r['load'][1] * 1e3:.0f}, {r['load'][2] * 1e3:.0f}")
    print(f"{behind} lines behind")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
