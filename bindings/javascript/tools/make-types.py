#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-types.py API OUT NAMES... -- makes kiln/index.d.ts: the types of the functions of the table, of what
docs/api.json and the files of names say; of functions that are written by hand, of their signatures in
kiln/*.js; and what is declared in types/*.d.ts, which wins. A file there that begins with "// needs: FILE" is
left out where kiln/FILE is not."""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE.parent / "shared"))
import generate  # noqa: E402

# kind of rows.h -> type of an argument
TYPES = {
    "ARRAY": "ArrayLike",
    "POSITIONS": "ArrayLike",
    "VALUES": "ArrayLike",
    "OPTIONAL_ARRAY": "ArrayLike | null",
    "ARRAYS": "readonly ArrayLike[] | Array",
    "SHAPE": "Shape",
    "SHAPE_POINTER": "Shape | null",
    "SHAPE_OR_NULL": "Shape | null",
    "AXES": "Axes",
    "AXES_POINTER": "Axes",
    "DTYPE": "DType | null",
    "BOOL": "boolean",
    "INT": "number | bigint",
    "DIAGONAL": "number",
    "INT32": "number",
    "FLOAT": "number",
    "FLOAT32": "number",
    "STRING": "string | null",
    "CHARACTER": "string",
    "DTYPE_LIKE": "ArrayLike | DType",
    "OUT_ARRAY": "boolean",
    "OUT_PAIR": "boolean",
    "INTERVAL": "readonly [number, number]",
    "INTERVALS": "readonly (readonly [number, number])[]",
    "OUT": "Array",
    "DEVICE": "Device | null",
    "TREE": "any",
    "FUNCTION": "any",
    "OBJECT": "any",
    "PADS": "string | readonly (readonly [number, number])[]",
    "PADDING": "readonly (readonly [number, number, number])[]",
    "CONV_NUMBERS": "readonly [string, string, string] | null",
    "FOUR_AXES": "readonly any[]",
    "FIVE_AXES": "readonly any[]",
    "AXIS_NAMES": "string | readonly string[]",
    "AXIS_GROUPS": "readonly (readonly number[])[] | null",
    "LANE_PAIRS": "readonly (readonly [number, number])[]",
    "LANES": "readonly number[]",
}
RESULTS = {
    "ARRAY": "Array",
    "OPTIONAL_ARRAY": "Array | null",
    "ARRAYS": "Array[]",
    "SHAPE": "number[]",
    "AXES": "number[]",
    "DTYPE": "DTypeName",
    "BOOL": "boolean",
    "INT": "number",
    "INT32": "number",
    "FLOAT": "number",
    "STRING": "string",
    "CHARACTER": "string",
    "STATUS": "void",
    "NOTHING": "void",
    "TREE": "Array[]",
    "OBJECT": "any",
}
# what parameters of functions that are written by hand take, by their names
BY_NAME = {
    "axis": "Axes",
    "axes": "Axes",
    "shape": "Shape",
    "dtype": "DType | null",
    "out": "Array",
    "device": "Device | null",
    **dict.fromkeys(
        "keepdims cov full density copy sparse hermitian full_matrices compute_uv sorted is_stable tiled lower "
        "permute_l pivoting conjugate eigvals_only unit_diagonal calc_q compute_expm disp return_sign is_causal "
        "unique_indices indices_are_sorted upper symmetrize_input replace independent return_onesided padded "
        "input_onesided transpose_kernel use_consistent_padding overwrite_a overwrite_b check_finite "
        "overwrite_c allow_negative_indices compute_left_eigenvectors compute_right_eigenvectors "
        "compute_schur_vectors flip_sign".split(),
        "boolean",
    ),
    **dict.fromkeys(
        "mode trim UPLO output side method casting sep impl fft_type scaling average select kind".split(), "string"
    ),
    **dict.fromkeys(
        "k n N M deg count offset num rcond rtol tol edge_order minval maxval dimension num_keys".split(), "number"
    ),
    **dict.fromkeys(
        "padding axis_name dimension_numbers num string nperseg noverlap nfft detrend boundary "
        "window spacing axis_index_groups perm source lwork window_strides window_dimensions "
        "lhs_dilation rhs_dilation slice_sizes dimensions".split(),
        "any",
    ),
    **dict.fromkeys("f func function mask_func computation step_size_fn".split(), "(...args: any[]) => any"),
}
BY_NAME |= {
    "bins": "number | string | ArrayLike | readonly ArrayLike[]",
    "ord": "number | string",
    "range": "readonly [number, number] | readonly (readonly [number, number])[]",
}
# namespace: its type, the module of the table, where functions are written by hand: (file, constant)
SPACES = {
    "numpy": (
        "Numpy",
        "kiln.numpy",
        [
            ("creation.js", "creation"),
            ("numpy-dtypes.js", "dtypes"),
            ("numpy-functional.js", "functional"),
            ("numpy-linalg.js", "polynomials"),
            ("numpy-more.js", "more"),
        ],
    ),
    "numpy.linalg": ("NumpyLinalg", "kiln.numpy.linalg", [("numpy-linalg.js", "linalg")]),
    "numpy.fft": ("NumpyFft", "kiln.numpy.fft", []),
    "numpy.emath": ("NumpyEmath", "kiln.numpy.emath", []),
    "lax": ("Lax", "kiln.lax", [("lax.js", "own")]),
    "lax.linalg": ("LaxLinalg", "kiln.lax.linalg", [("lax.js", "linalg")]),
    "nn": ("Nn", "kiln.nn", [("nn.js", "own")]),
    "nn.initializers": ("NnInitializers", "kiln.nn.initializers", []),
    "random": ("Random", "kiln.random", [("random.js", "own")]),
    "scipy.special": ("ScipySpecial", "kiln.scipy.special", [("scipy.js", "specialOwn")]),
    "scipy.linalg": ("ScipyLinalg", "kiln.scipy.linalg", [("scipy.js", "linalgOwn")]),
    "scipy.signal": ("ScipySignal", "kiln.scipy.signal", [("scipy.js", "signalOwn")]),
    "scipy.fft": ("ScipyFft", "kiln.scipy.fft", []),
    "scipy.integrate": ("ScipyIntegrate", "kiln.scipy.integrate", []),
    "ops": ("Ops", "kiln.ops", []),
    "optim": ("Optim", "kiln.optim", []),
}


def camel(name):
    return re.sub(r"_+([a-z0-9])", lambda m: m[1].upper(), name, flags=re.I)


def doc_of(text, indent="    "):
    text = re.sub(r"^[\w.]+:\s*", "", (text or "").strip())
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    return f"{indent}/** {text.replace('*/', '* /')}{'' if text.endswith('.') else '.'} */\n"


WORDS = {"function", "in", "with", "this", "default", "new", "delete"}  # that are no names in JavaScript


def name_of(parameter):
    n = camel(parameter)
    return n + "_" if n in WORDS else n


class Function:
    """name, doc, [(name, type, required, keyword, rest)], result"""

    def __init__(self, name, doc, params, result, positional=None):
        self.name, self.doc, self.params, self.result = name, doc, params, result

    def options(self):
        named = [
            f"{camel(n)}?: {t if 'null' in t or t == 'any' else t + ' | null'}"
            for n, t, required, _, rest in self.params
            if not required and not rest
        ]
        return "{" + "; ".join(named) + "}" if named else None

    def arguments(self):
        required = [p for p in self.params if p[2]]
        optional = [p for p in self.params if not p[2] and not p[3] and not p[4]]
        spread = next((p for p in self.params if p[4]), None)
        options = self.options()
        head = [f"{name_of(n)}: {t}" for n, t, *_ in required]
        if spread:
            return head + [f"...{name_of(spread[0])}: {self.spread(spread[1], options)}"]
        if optional:
            return head + [f"...rest: More<[{', '.join(f'{name_of(n)}: {t}' for n, t, *_ in optional)}], {options}>"]
        return head + [f"options?: {options}"] if options else head

    @staticmethod
    def spread(t, options):
        of = f"({t})[]" if " " in t else f"{t}[]"
        return f"[...{of}, {options}] | {of}" if options else of

    def text(self):
        name = camel(self.name)
        ufunc = getattr(self, "ufunc", None)
        if ufunc:
            return f"{doc_of(self.doc)}    readonly {name}: {ufunc};\n"
        return f"{doc_of(self.doc)}    {name}({', '.join(self.arguments())}): {self.result};\n"


def rows_of(api, names):
    """module -> functions of the table"""
    maker = generate.Maker(json.loads(Path(api).read_text()), Path(api).parent.parent)
    all_rows = {}
    for path in names:
        module = prefix = None
        for line in Path(path).read_text().splitlines():
            if line.startswith("module:"):
                module = line.split()[1]
            elif line.startswith("from:"):
                prefix = line.split()[1]
            elif line.strip() and not line.startswith("#"):
                maker.out.clear()
                maker.row(module, prefix, line)
                all_rows.setdefault(module, []).append(row_of("\n".join(maker.out), maker))
    return all_rows


def row_of(text, maker):
    head = re.search(
        r'knb_row row_\w+ = \{"(\w+)", \w+, call_(\w+), \w+, (\d+), (\d+), (\d+), (KNB_\w+), (\d), \d, \w+, (&?\w+)\}',
        text,
    )
    name, c, _, positional, _, result, _, structure = head.groups()
    params, outs = [], []
    for p in re.findall(r'\{"(\w+)", KNB_(\w+), (\d), (\d), (\d), (\d), (\d), ', text):
        pname, kind, _, keyword, _, required, rest = p
        if kind in ("IGNORED", "HINT"):
            if not keyword == "1":  # it holds its position
                params.append((pname, "any", False, False, False))
            continue
        if kind.startswith("OUT_"):
            outs.append(pname)
        t = TYPES[kind]
        if rest == "1":
            t = {"ARRAYS": "ArrayLike", "SHAPE": "number", "AXES": "number"}.get(kind, t)
        params.append((pname, t, required == "1", keyword == "1", rest == "1"))
    kind = result.removeprefix("KNB_")
    if kind == "STRUCT":
        members = [
            (
                m["name"],
                (
                    "Array"
                    if m["kind"] == "array"
                    else RESULTS.get({"count": "INT", "int": "INT"}.get(m["kind"], m["kind"].upper()), "any")
                ),
            )
            for m in maker.structs[structure.removeprefix("&struct_")]["members"]
        ]
        made = f"[{', '.join(t for _, t in members)}] & {{{'; '.join(f'{camel(n)}: {t}' for n, t in members)}}}"
    else:
        made = RESULTS[kind]
    if outs:
        made = f"{made} | Array[]" if made == "Array" else made
    f = Function(name, maker.functions[c].get("doc"), params, made)
    f.outs = outs
    return f


def by_hand(path, constant, results, space):
    """Functions of the signatures in `export const CONSTANT`."""
    source = path.read_text()
    at = re.search(rf"^export const {constant} = ", source, re.M)
    if not at:
        return
    end = re.search(r"^[\])}]+;$", source[at.end() :], re.M)
    for m in re.finditer(
        r"\[((?:'[^']*'(?:\s*\+\s*)?)+),", source[at.end() : at.end() + (end.end() if end else 10**9)]
    ):
        signature = "".join(re.findall(r"'([^']*)'", m[1]))
        s = re.fullmatch(r"(\w+)\((.*)\)", signature)
        if not s:
            continue
        params, keyword = [], False
        for p in filter(None, (x.strip() for x in s[2].split(","))):
            if p == "*":
                keyword = True
            elif not p.startswith("**"):
                rest, n = p.startswith("*"), p.lstrip("*").split("=")[0]
                params.append(
                    (
                        n,
                        BY_NAME.get(n, "any" if n.endswith("_") else "ArrayLike"),
                        "=" not in p and not rest,
                        keyword,
                        rest,
                    )
                )
                keyword = keyword or rest
        yield Function(s[1], None, params, results.get(f"{space}.{s[1]}", "Array"))


def optimizers():
    """Functions of the lists of signatures in optim-base.js."""
    path = HERE / "kiln/optim-base.js"
    if not path.exists():
        return
    numbers = "number | null"
    for constant, result in (("SIGNATURES", "GradientTransformation"), ("SCHEDULES", "Schedule")):
        text = re.search(rf"^const {constant} = `(.*?)`", path.read_text(), re.M | re.S)[1].replace(",\n    ", ", ")
        for name, inner in re.findall(r"^(\w+)\((.*)\)$", text, re.M):
            params, keyword = [], False
            for p in filter(None, (x.strip() for x in inner.split(","))):
                if p == "*":
                    keyword = True
                    continue
                n = p.split("=")[0]
                t = (
                    "Rate"
                    if "learning_rate" in n
                    else (
                        "any"
                        if "mask" in n or n == "key"
                        else (
                            "DType | null"
                            if "dtype" in n
                            else "string" if n == "variant" else "boolean" if n in BOOLEANS else numbers
                        )
                    )
                )
                params.append((n, t, "=" not in p, keyword, False))
            yield Function(name, None, params, result)


BOOLEANS = set(
    "nesterov multiply_by_parameter_scale factored eps_in_sqrt centered bias_correction bias_correction_mu "
    "bias_correction_nu debias scaling staircase".split()
)


def main():
    api, out, *names = sys.argv[1:]
    rows = rows_of(api, names)
    results = dict(
        line.split(": ", 1) for line in (HERE / "types/results.txt").read_text().splitlines() if ": " in line
    )
    for line in results:
        results[line] = results[line].strip()
    parts, members = [], {}
    for path in sorted((HERE / "types").glob("*.d.ts")):
        text = path.read_text()
        needs = re.match(r".*\n// needs: (\S+)\n", text)
        if needs and not (HERE / "kiln" / needs[1]).exists():
            continue
        body = "\n".join(x for x in text.splitlines() if not re.match(r"// (SPDX|needs)", x)) + "\n"
        space = path.name.removesuffix(".d.ts")
        base = space.split("+")[0]  # lax+loops.d.ts: more of lax
        if base in SPACES:
            members[base] = (
                members.get(base, "") + "\n".join(x for x in body.splitlines() if not x.startswith("//")) + "\n"
            )
        else:
            parts.append(re.sub(r"^(// .*\n)+\n?", "", body))
    made = "// Made by bindings/javascript/tools/make-types.py.\n"
    text = ['/// <reference lib="esnext.disposable" />', made, *parts]
    for space, (name, module, files) in SPACES.items():
        own = members.get(space, "")
        said = set(re.findall(r"^    (?:readonly )?(\w+)\??[(:<]", own, re.M))
        functions = {}
        for f in rows.get(module, []):
            if not f.name.startswith("_"):
                f.ufunc = ufunc_of(f) if space == "numpy" else None
                if f"{space}.{f.name}" in results:
                    f.result, f.ufunc = results[f"{space}.{f.name}"], None
                functions[f.name] = f
        for file, constant in files:
            if (HERE / "kiln" / file).exists():
                for f in by_hand(HERE / "kiln" / file, constant, results, space):
                    before = functions.get(f.name)
                    f.doc = before.doc if before else None
                    if before and f"{space}.{f.name}" not in results:
                        f.result = before.result
                    functions[f.name] = f
        if space == "optim":
            functions |= {f.name: f for f in optimizers()}
            if not own:
                continue
        lines = [own]
        for f in sorted(functions.values(), key=lambda f: f.name):
            if camel(f.name) not in said:
                lines.append(f.text())
        if space == "numpy":
            lines += [f'    readonly {n}: "{d}";\n' for n, d in dtype_names()]
        made = "".join(lines)
        spelled = sorted(n for n in [*functions] if camel(n) != n)
        known = set(re.findall(r"^    (?:readonly )?(\w+)\??[(:<]", made, re.M))
        snake = [f"    {n}: {name}[\"{camel(n)}\"];\n" for n in spelled if n not in known and camel(n) in known]
        text.append(f"export interface {name} {{\n{made}{''.join(snake)}}}\n")
    text.append(exports())
    Path(out).write_text("\n".join(text))
    optax = HERE / "kiln/optax.js"
    if optax.exists():  # the same names as exports of a module of their own
        source = re.search(r"export const \{(.*?)\} = optim", optax.read_text(), re.S)[1].replace("\n", " ")
        names = [n.strip() for n in source.split(",") if n.strip()] + re.findall(
            r"^(?:export const|   ) (\w+) = loss\(", optax.read_text(), re.M
        )
        lines = [
            "// Made by bindings/javascript/tools/make-types.py.",
            'import { Optim, optim } from "./index.js";',
            *(f'export declare const {n}: Optim["{n}"];' for n in names),
            "export default optim;",
        ]
        Path(out).with_name("optax.d.ts").write_text("\n".join(lines) + "\n")


UFUNCS = None


def ufunc_of(f):
    global UFUNCS
    if UFUNCS is None:
        source = (HERE / "kiln/ufuncs.js").read_text()
        UFUNCS = set(re.search(r"const names = `([^`]*)`", source)[1].split())
    if f.name not in UFUNCS:
        return None
    n, two = sum(p[2] for p in f.params), f.result != "Array"
    return {(1, False): "UnaryUfunc", (2, False): "BinaryUfunc", (1, True): "PairUfunc", (2, True): "PairOfTwoUfunc"}[
        n, two
    ]


def dtype_names():
    source = (HERE / "kiln/numpy-dtypes.js").read_text()
    aliases = re.search(r"const aliases = \{(.*?)\};", source, re.S)[1]
    pairs = re.findall(r"(\w+): '(\w+)'", aliases)
    names = re.search(r"const abstract = \[(.*?)\]", source, re.S)[1]
    types = re.findall(
        r": '(\w+)'", re.search(r"DType = Object.freeze\(\{(.*?)\}\)", (HERE / "kiln/dtype.js").read_text(), re.S)[1]
    )
    seen = dict(pairs)
    return [*pairs, *((t, t) for t in types if t not in seen), *((n, n) for n in re.findall(r"'(\w+)'", names))]


def exports():
    index = (HERE / "kiln/index.js").read_text()
    lines = [
        "export declare const numpy: Numpy;",
        "export { numpy as np };",
        "export declare const lax: Lax & { linalg: LaxLinalg };",
        "export declare const nn: Nn & { initializers: NnInitializers };",
        "export declare const random: Random;",
        "export declare const scipy: { special: ScipySpecial; linalg: ScipyLinalg; signal: ScipySignal; fft: ScipyFft; "
        "integrate: ScipyIntegrate };",
        "export declare const ops: Ops;",
    ]
    jax = HERE / "kiln/jax.js"  # names of JAX's beside those of jax-js
    for name, spelled in re.findall(r"\b(\w+) as (\w+_\w+)", jax.read_text() if jax.exists() else ""):
        lines.append(f"export {{ {name} as {spelled} }};")
    for name, t in (("optim", "Optim"), ("scipySpecial", "ScipySpecial"), ("scipyLinalg", "ScipyLinalg")):
        if re.search(rf"\b{name}\b", index):
            lines.append(f"export declare const {name}: {t};")
    return "\n".join(lines) + "\n"


main()
