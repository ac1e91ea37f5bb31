#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model of GPT-2's shape in Kiln (bench_gpt2.c), PyTorch and onnxruntime: reading a prompt, writing token after token, a step of training.

    bench/peer_gpt2.py PROGRAM FILE [--rounds 5] [--threads 1,2] [--tokens 32] [--train] [--narrow]

PROGRAM is bench_gpt2 of the build, FILE what scripts/make-gpt2.py wrote. Logits are compared first (1e-4); then all take turns, and the least and
the median of each are told. PyTorch or onnxruntime may be missing. Sessions sleep between turns, so that no threads of others still spin."""
import argparse
import os
import statistics
import subprocess
import time

import numpy as np

LAYERS, WIDTH, HEADS, SIZE, WORDS, CONTEXT = 12, 768, 12, 64, 50257, 1024
PROMPT, EPSILON, BATCH, LENGTH = 128, 1e-5, 4, 128


def tokens(n):
    return (np.arange(n, dtype=np.int64) * 7919) % WORDS


class Kiln:
    def __init__(self, program, file, weights):
        self.name = f"kiln {weights}"
        self.process = subprocess.Popen([program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.loaded = float(self.process.stdout.readline().split()[1])
        self.ask(f"weights {weights}")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def threads(self, n):
        self.ask(f"threads {n}")

    def logits(self, n):
        return [float(x) for x in self.ask(f"logits {n}")]

    def read(self):
        return float(self.ask(f"read {PROMPT}")[0])

    def write(self, n):
        return [float(x) for x in self.ask(f"write {n}")]

    def train(self):
        return [float(x) for x in self.ask(f"train {BATCH} {LENGTH}")]

    def roof(self):
        return float(self.ask("roof")[0])


def summary(y):
    return [float(y.sum(dtype=np.float64)), float((y.astype(np.float64) ** 2).sum()), *map(float, y[:4])]


class Torch:
    name = "torch"

    def __init__(self, file):
        import torch
        from safetensors.torch import load_file
        self.torch, self.f = torch, torch.nn.functional
        self.w, self.trained = load_file(file), None

    def threads(self, n):
        self.torch.set_num_threads(n)

    def block(self, w, i, x, attend):
        f, p, t = self.f, f"h.{i}.", self.torch
        shape = x.shape
        y = f.layer_norm(x, (WIDTH,), w[p + "ln_1.weight"], w[p + "ln_1.bias"]).reshape(-1, WIDTH)
        qkv = t.addmm(w[p + "attn.c_attn.bias"], y, w[p + "attn.c_attn.weight"])
        found = attend(qkv.view(*shape[:-1], 3, HEADS, SIZE)).reshape(-1, WIDTH)
        x = x + t.addmm(w[p + "attn.c_proj.bias"], found, w[p + "attn.c_proj.weight"]).view(shape)
        y = f.layer_norm(x, (WIDTH,), w[p + "ln_2.weight"], w[p + "ln_2.bias"]).reshape(-1, WIDTH)
        y = f.gelu(t.addmm(w[p + "mlp.c_fc.bias"], y, w[p + "mlp.c_fc.weight"]), approximate="tanh")
        return x + t.addmm(w[p + "mlp.c_proj.bias"], y, w[p + "mlp.c_proj.weight"]).view(shape)

    def step(self, given, place):
        t, f, w, n = self.torch, self.f, self.w, len(given)

        def attend(cache):
            def f_(qkv):
                q, k, v = qkv.permute(1, 2, 0, 3)
                cache[0][:, place:place + n] = k
                cache[1][:, place:place + n] = v
                seen = [c[None, :, :place + n] for c in cache]
                return f.scaled_dot_product_attention(q[None], *seen, is_causal=n > 1)[0].transpose(0, 1)
            return f_
        with t.no_grad():
            x = w["wte.weight"][given] + w["wpe.weight"][place:place + n]
            for i in range(LAYERS):
                x = self.block(w, i, x, attend(self.cache[i]))
            x = f.layer_norm(x[-1], (WIDTH,), w["ln_f.weight"], w["ln_f.bias"])
            return t.mv(w["wte.weight"], x)

    def empty(self):
        self.cache = [[self.torch.zeros(HEADS, CONTEXT, SIZE) for _ in range(2)] for _ in range(LAYERS)]
        self.place = 0

    def advance(self, given):
        y = self.step(given, self.place)
        self.place += len(given)
        self.next = y.argmax().view(1)
        return y

    def logits(self, n):
        self.empty()
        return summary(self.advance(self.torch.from_numpy(tokens(n))).numpy())

    def read(self):
        self.empty()
        given = self.torch.from_numpy(tokens(PROMPT))
        start = time.perf_counter()
        self.advance(given)
        return time.perf_counter() - start

    def write(self, n):
        times = []
        for _ in range(n):
            start = time.perf_counter()
            self.advance(self.next)
            times.append(time.perf_counter() - start)
        return times

    def loss(self, texts):
        f, w = self.f, self.trained

        def attend(qkv):
            q, k, v = qkv.permute(2, 0, 3, 1, 4)
            return f.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
        x = f.embedding(texts[:, :-1], w["wte.weight"]) + w["wpe.weight"][:texts.shape[1] - 1]
        for i in range(LAYERS):
            x = self.block(w, i, x, attend)
        x = f.layer_norm(x, (WIDTH,), w["ln_f.weight"], w["ln_f.bias"])
        return f.cross_entropy(f.linear(x, w["wte.weight"]).view(-1, WORDS), texts[:, 1:].reshape(-1))

    def train(self):
        if self.trained is None:
            self.trained = {k: v.clone().requires_grad_() for k, v in self.w.items()}
            self.optimizer = self.torch.optim.AdamW(self.trained.values(), lr=1e-5, weight_decay=0.01)
        texts = self.torch.from_numpy(tokens(BATCH * (LENGTH + 1)).reshape(BATCH, LENGTH + 1))
        start = time.perf_counter()
        self.optimizer.zero_grad()
        loss = self.loss(texts)
        loss.backward()
        self.optimizer.step()
        return [time.perf_counter() - start, loss.item()]


def onnx_model(file):
    """The same graph; its initializers lie in the file of the weights. Inputs: tokens (T), place (1), a mask (T, P + T), keys and values of each layer
    (HEADS, P, SIZE); results: logits, keys and values of all places so far."""
    import json

    from onnx import TensorProto as T
    from onnx import helper as h
    with open(file, "rb") as f:
        start = 8 + int.from_bytes(f.read(8), "little")
        header = json.loads(f.read(start - 8))
    nodes, numbers, count = [], [], [0]

    def stored(name, entry):
        t = T(name=name, data_type=T.FLOAT, dims=entry["shape"], data_location=T.EXTERNAL)
        begin, end = entry["data_offsets"]
        for key, value in (("location", os.path.basename(file)), ("offset", start + begin), ("length", end - begin)):
            t.external_data.add(key=key, value=str(value))
        return t

    def constant(values, kind=T.INT64):
        name = f"c{len(numbers)}"
        numbers.append(h.make_tensor(name, kind, [] if np.isscalar(values) else [len(values)], [values] if np.isscalar(values) else values))
        return name

    def op(kind, *inputs, n=1, **attributes):
        count[0] += 1
        out = [f"v{count[0]}_{i}" for i in range(n)]
        nodes.append(h.make_node(kind, inputs, out, **attributes))
        return out[0] if n == 1 else out

    def norm(x, name):
        return op("LayerNormalization", x, name + ".weight", name + ".bias", axis=-1, epsilon=EPSILON)

    def linear(x, name):
        return op("Add", op("MatMul", x, name + ".weight"), name + ".bias")

    ends = constant([-1, WIDTH])
    heads = constant([-1, HEADS, SIZE])
    size = op("Shape", "tokens")
    places = op("Add", op("Range", constant(0), op("Squeeze", size), constant(1)), "place")
    x = op("Add", op("Gather", "wte.weight", "tokens"), op("Gather", "wpe.weight", places))
    inputs = [h.make_tensor_value_info("tokens", T.INT64, ["T"]), h.make_tensor_value_info("place", T.INT64, [1]),
              h.make_tensor_value_info("mask", T.FLOAT, ["T", "S"])]
    outputs = []
    for i in range(LAYERS):
        p = f"h.{i}."
        q, k, v = op("Split", linear(norm(x, p + "ln_1"), p + "attn.c_attn"), n=3, axis=-1, num_outputs=3)
        q, k, v = (op("Transpose", op("Reshape", y, heads), perm=[1, 0, 2]) for y in (q, k, v))
        whole = []
        for name, y in (("k", k), ("v", v)):
            inputs.append(h.make_tensor_value_info(f"{name}{i}", T.FLOAT, [HEADS, "P", SIZE]))
            nodes.append(h.make_node("Concat", [f"{name}{i}", y], [f"{name}{i}_next"], axis=1))
            outputs.append(h.make_tensor_value_info(f"{name}{i}_next", T.FLOAT, [HEADS, "S", SIZE]))
            whole.append(f"{name}{i}_next")
        scores = op("Mul", op("MatMul", q, op("Transpose", whole[0], perm=[0, 2, 1])), constant(SIZE ** -0.5, T.FLOAT))
        found = op("MatMul", op("Softmax", op("Add", scores, "mask"), axis=-1), whole[1])
        found = op("Reshape", op("Transpose", found, perm=[1, 0, 2]), ends)
        x = op("Add", x, linear(found, p + "attn.c_proj"))
        y = op("Gelu", linear(norm(x, p + "ln_2"), p + "mlp.c_fc"), approximate="tanh")
        x = op("Add", x, linear(y, p + "mlp.c_proj"))
    last = op("Gather", norm(x, "ln_f"), constant([-1]), axis=0)
    nodes.append(h.make_node("Gemm", [last, "wte.weight"], ["logits"], transB=1))
    outputs.insert(0, h.make_tensor_value_info("logits", T.FLOAT, [1, WORDS]))
    weights = [stored(name, entry) for name, entry in header.items() if name != "__metadata__"]
    graph = h.make_graph(nodes, "gpt2", inputs, outputs, weights + numbers)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=10)


class Onnx:
    name = "onnxruntime"

    def __init__(self, file, threads):
        import onnx
        import onnxruntime
        path = os.path.splitext(file)[0] + ".onnx"
        onnx.save(onnx_model(file), path)
        self.sessions = {}
        for n in threads:
            o = onnxruntime.SessionOptions()
            o.intra_op_num_threads, o.inter_op_num_threads = n, 1
            self.sessions[n] = onnxruntime.InferenceSession(path, o, providers=["CPUExecutionProvider"])
        self.threads(threads[0])

    def threads(self, n):
        self.session = self.sessions[n]

    def empty(self):
        self.cache = [np.zeros((HEADS, 0, SIZE), np.float32)] * (2 * LAYERS)
        self.place = 0

    def advance(self, given):
        n = len(given)
        seen = np.arange(self.place + n) <= self.place + np.arange(n)[:, None]
        feed = {"tokens": given, "place": np.array([self.place]), "mask": np.where(seen, 0, -np.inf).astype(np.float32)}
        for i in range(LAYERS):
            feed[f"k{i}"], feed[f"v{i}"] = self.cache[2 * i], self.cache[2 * i + 1]
        logits, *self.cache = self.session.run(None, feed)
        self.place += n
        self.next = logits.argmax(-1)
        return logits[0]

    def logits(self, n):
        self.empty()
        return summary(self.advance(tokens(n)))

    def read(self):
        self.empty()
        start = time.perf_counter()
        self.advance(tokens(PROMPT))
        return time.perf_counter() - start

    write = Torch.write


def make_subjects(o, threads):
    subjects = [Kiln(o.program, o.file, name) for name in (["f32", "bf16", "i8", "i4"] if o.narrow else ["f32"])]
    print(f"kiln has the model after {subjects[0].loaded * 1e3:.2f} ms")
    for make in (lambda: Torch(o.file), lambda: Onnx(o.file, threads)):
        try:
            subjects.append(make())
        except ImportError as e:
            print(f"left out: {e}")
    return subjects


def compare(subjects):
    want = None
    for s in subjects:
        got = s.logits(8)
        if s.name in ("kiln f32", "torch", "onnxruntime"):
            want = want or got
            assert np.allclose(got[2:], want[2:], atol=1e-4), (s.name, got, want)
        print(f"{s.name:12} sum {got[0]:.4f}, first logits " + " ".join(f"{x:.5f}" for x in got[2:]))


def write(subjects, threads, n, times):
    """A token each by turns: neighbours on the machine disturb all of them alike. The first one compiles."""
    for i in range(n + 1):
        for s in subjects:
            time.sleep(0.02)
            took = s.write(1)
            if i:
                times.setdefault((s.name, threads, "write"), []).extend(took)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--narrow", action="store_true", help="also weights of bf16, int8 and 4 bits")
    o = parser.parse_args()
    threads = [int(n) for n in o.threads.split(",")]
    subjects = make_subjects(o, threads)
    compare(subjects)
    times = {}
    for round_ in range(o.rounds):
        for n in threads:
            times.setdefault(("roof", n), []).append((subjects[0].threads(n), subjects[0].roof())[1])
            for s in subjects:
                s.threads(n)
                time.sleep(0.3)
                times.setdefault((s.name, n, "read"), []).append(s.read())
                if o.train and hasattr(s, "train") and s.name in ("kiln f32", "torch"):
                    times.setdefault((s.name, n, "train"), []).append(s.train()[0])
            write(subjects, n, o.tokens, times)
    for n in threads:
        print(f"{n} thread{'s' * (n > 1)}, memory {max(times['roof', n]) * 1e-9:.1f} GB/s")
        for s in subjects:
            for what, unit in (("read", PROMPT), ("write", 1), ("train", 1)):
                x = times.get((s.name, n, what))
                if x:
                    print(f"  {s.name:12} {what:5} least {min(x) * 1e3:9.2f} ms, median {statistics.median(x) * 1e3:9.2f} ms" +
                          (f", {unit / min(x):7.1f} tokens/s at best" if what != "train" else ""))


if __name__ == "__main__":
    main()
