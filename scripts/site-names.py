#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of the JavaScript package with what they mean, for the editor of the site: {"np.sum": ["sum(a, axis, keepdims)", "the sum ..."], ...},
of the signatures in bindings/shared/names and the descriptions of public functions; and names of WebAssembly's instructions, for the texts of kernels, of the table of the
generator.

usage: site-names.py NAMES.json INSTRUCTIONS.json"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPACES = {"kiln.numpy": "np", "kiln.numpy.linalg": "np.linalg", "kiln.numpy.fft": "np.fft", "kiln.lax": "lax", "kiln.lax.linalg": "lax.linalg", "kiln.nn": "nn",
          "kiln.nn.initializers": "nn.initializers", "kiln.random": "random", "kiln.optim": "optim", "kiln.scipy.special": "scipy.special",
          "kiln.scipy.linalg": "scipy.linalg", "kiln.scipy.signal": "scipy.signal", "kiln.scipy.fft": "scipy.fft", "Array": "Array"}
# Transformations, which are written in JavaScript: their signatures there, and JAX's names.
WRITTEN = {"jit": "jit(f, {staticArgnums, donateArgnums})", "grad": "grad(f, {argnums, hasAux})", "valueAndGrad": "valueAndGrad(f, {argnums, hasAux})",
           "vmap": "vmap(f, inAxes, {outAxes})", "jvp": "jvp(f, primals, tangents)", "vjp": "vjp(f, ...primals)", "linearize": "linearize(f, ...primals)",
           "jacfwd": "jacfwd(f)", "jacrev": "jacrev(f)", "hessian": "hessian(f)", "makeJaxpr": "makeJaxpr(f)(...arguments)"}
HELPERS = {"print": ["print(...values)", "Shows values as text, arrays as NumPy prints them."],
           "plot": ["plot(y) / plot(x, y, {title, kind: 'points', logy}) / plot({series: [{x, y, label, kind}]})", "A plot; two axes are a row for each series."],
           "image": ["image(array, {colours: 'viridis', range: 'auto', scale})", "An array of two axes, or of three with 1, 3 or 4 channels, as pixels."],
           "sound": ["sound(samples, rate)", "A button that plays samples."],
           "time": ["await time(() => f(x), {label, times})", "How long a call takes; returns its result."],
           "explain": ["await explain(f, ...args)", "Shows the jaxpr of f, the kernels that it becomes, their texts and times."]}


def camel(name):
    return re.sub(r"_+([a-z0-9])", lambda m: m[1].upper(), name)


def sentence(doc):
    """The first sentence, without the name that it begins with."""
    text = re.sub(r"^(?:[\w.]+(?:, )?)+: ", "", doc.split("\n")[0])
    text = re.split(r"(?<=[a-z)\]])\. |; ", text)[0].rstrip(".")
    return text + "." if text else ""


def signature(name, parameters):
    """Without what has no meaning in JavaScript, and without Python's signs between parameters."""
    parts = [p.split("=")[0].split(":")[0].strip() for p in re.split(r",\s*(?![^()\[\]]*[)\]])", parameters)]
    drop = {"", "/", "*", "self", "like", "device", "subok", "order", "out_sharding", "out"}
    return f"{name}({', '.join(camel(p) for p in parts if p not in drop)})"


def main():
    functions = json.loads((ROOT / "docs/api.json").read_text())["functions"]
    docs = {n: sentence(f.get("doc", "")) for f in functions for n in [f["name"], *f.get("names", [])]}
    out = {name: list(entry) for name, entry in HELPERS.items()}
    for name, text in WRITTEN.items():
        python = re.sub(r"[A-Z]", lambda m: "_" + m[0].lower(), name)
        out[name] = [text, docs.get(f"jax.{python}", "")]
    for file in sorted((ROOT / "bindings/shared/names").glob("*.txt")):
        module = prefix = None
        for line in file.read_text().splitlines():
            if match := re.match(r"module: (\S+)", line):
                module = match[1]
            elif match := re.match(r"from: (\S+)", line):
                prefix = match[1]
            elif module in SPACES and (match := re.match(r"(\w+)(?: = (kn_\w+))?\((.*?)\)(?: ->.*| \|.*)?$", line)) and not match[1].startswith("_"):
                name, c, parameters = match.groups()
                doc = docs.get(c) or docs.get(f"{prefix}.{name}") or docs.get(f"numpy.ndarray.{name}") or ""
                for spelled in {name, camel(name)}:
                    out[f"{SPACES[module]}.{spelled}"] = [signature(spelled, parameters), doc]
    rows = re.findall(r'KNH_WASM_OP\(\w+, (0x\w+), "(.*?)"\)', (ROOT / "src/host/wasm/ops.def").read_text())
    Path(sys.argv[2]).write_text(json.dumps({int(code, 16): text for code, text in rows}, separators=(",", ":")))
    Path(sys.argv[1]).write_text(json.dumps(dict(sorted(out.items())), ensure_ascii=False, separators=(",", ":")))


main()
