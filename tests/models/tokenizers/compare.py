# SPDX-License-Identifier: Apache-2.0
"""compare.py -- what the program `encode` writes for lines of text, beside PyPI's tokenizers (for tokenizer.json: ids and offsets) or tiktoken (for its
files: ids alone), line by line; and the speed of all of them in turns.
usage: compare.py ENCODE TOKENIZER TEXTS [PATTERN] [--speed]"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def reference(path, lines, pattern):
    if path.endswith(".tiktoken") or path.endswith(".npm.json"):
        import tiktoken
        from tiktoken.load import load_tiktoken_bpe

        special = {}
        base = path.replace(".npm.json", ".tiktoken")
        if path.endswith(".npm.json"):
            with open(path, encoding="utf-8") as f:
                package = json.load(f)
            special, pattern = package["special_tokens"], package["pat_str"]
        e = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(base), special_tokens=special)
        return lambda batch, threads: e.encode_batch(batch, num_threads=threads, allowed_special="all", disallowed_special=()), False
    import tokenizers

    t = tokenizers.Tokenizer.from_file(path)

    return lambda batch, threads: t.encode_batch(batch), True


def compare(mine, lines, encode, offsets):
    at = bad = tokens = 0
    for start in range(0, len(lines), 1000):
        for k, e in enumerate(encode(lines[start:start + 1000], 1)):
            n = int(mine[at])
            block = mine[at + 1:at + 1 + 3 * n].reshape(n, 3)
            at += 1 + 3 * n
            tokens += n
            ids = e.ids if offsets else e
            same = n == len(ids) and block[:, 0].tolist() == ids
            if same and offsets:
                same = block[:, 1:].tolist() == [list(o) for o in e.offsets]
            if not same:
                bad += 1
                if bad <= 4:
                    theirs = [(i, *o) for i, o in zip(ids, e.offsets)] if offsets else ids
                    ours = block.tolist() if offsets else block[:, 0].tolist()
                    where = next((i for i, (x, y) in enumerate(zip(ours, theirs)) if (tuple(x) if offsets else x) != y), min(len(ours), len(theirs)))
                    print(f"  line {start + k}: {lines[start + k][:200]!r}")
                    print(f"   ours {ours[max(0, where - 2):where + 5]}\n   ref. {theirs[max(0, where - 2):where + 5]}")
    return bad, tokens


def measure(path, texts, pattern, threads):
    """In a process of its own, since the number of threads is fixed when the first text is encoded."""
    with open(texts, "rb") as f:
        lines = [x.decode("utf-8", "replace") for x in f.read().split(b"\0")[:-1]]
    encode, _ = reference(path, lines, pattern)
    encode(lines[:100], threads)
    begin, cpu = time.perf_counter(), time.process_time()
    for start in range(0, len(lines), 4096):
        encode(lines[start:start + 4096], threads)
    print(time.perf_counter() - begin, time.process_time() - cpu)


def speed(program, path, texts, pattern):
    size = os.path.getsize(texts) / 1e6
    for threads in (1, 2):
        ours, theirs = [], []
        for _ in range(3):
            out = subprocess.run([program, path, texts, "-", pattern, str(threads)], check=True, capture_output=True, text=True).stdout
            ours.append([size / float(x) for x in out.split()[:2]])
            env = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
            out = subprocess.run([sys.executable, __file__, program, path, texts, pattern, f"--measure={threads}"], check=True, capture_output=True,
                                 text=True, env=env).stdout
            theirs.append([size / float(x) for x in out.split()])
        for k, what in enumerate(("passed", "of the processor")):
            a, b = sorted(x[k] for x in ours)[1], sorted(x[k] for x in theirs)[1]
            print(f"{os.path.basename(path)}, {threads} thread(s), MB for each second {what}: ours {a:.2f}, reference {b:.2f}: {a / b:.2f} times", flush=True)


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, path, texts = args[:3]
    pattern = args[3] if len(args) > 3 else ""
    if "--speed" in sys.argv:
        speed(program, path, texts, pattern)
        return
    if sys.argv[-1].startswith("--measure="):
        measure(path, texts, pattern, int(sys.argv[-1].split("=")[1]))
        return
    with open(texts, "rb") as f:
        lines = [x.decode("utf-8", "replace") for x in f.read().split(b"\0")[:-1]]
    encode, offsets = reference(path, lines, pattern)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        took = subprocess.run([program, path, texts, out, pattern], check=True, capture_output=True, text=True).stdout.strip()
        bad, tokens = compare(np.fromfile(out, np.int32), lines, encode, offsets)
    print(f"{os.path.basename(path)}: {bad} of {len(lines)} lines differ, {tokens} tokens ({took})", flush=True)
    sys.exit(bad > 0)


main()
