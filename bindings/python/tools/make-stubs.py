#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-stubs.py CORE API FOLDER -- type stubs of the package beside this folder: of every module the names that it has,
with the signatures that Python sees and the types that the description of the C library (docs/api.json) knows. CORE is
the built extension; FOLDER gets kiln/**.pyi and kiln/py.typed."""

import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import keyword
import pkgutil
import sys
import types
from pathlib import Path

sys.dont_write_bytecode = True
import mesh_stubs

HEAD = """from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Union, overload

"""
OWN = """
class _ShowsMemory(Protocol):
    def __buffer__(self, flags: builtins.int, /) -> memoryview: ...

class _IsArray(Protocol):
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...

_Scalar = Union[builtins.bool, builtins.int, builtins.float, builtins.complex]
ArrayLike = Union[Array, _Scalar, _ShowsMemory, _IsArray, Sequence[Any]]
DTypeLike = Union[dtype, builtins.str, builtins.type, Any]
ShapeLike = Union[builtins.int, Sequence[builtins.int]]

class _At:
    def __getitem__(self, index: Any, /) -> _Place: ...

class _Place:
PLACE

UFUNCS
"""
PLACE = "\n".join(
    f"    def {name}(self, {values}*, indices_are_sorted: builtins.bool = ..., unique_indices: builtins.bool = ..., "
    f"mode: Any = ..., {fill}wrap_negative_indices: builtins.bool = ...) -> Array: ..."
    for name, values, fill in [
        ("get", "", "fill_value: ArrayLike | None = ..., "),
        ("apply", "func: Callable[[Array], Array], ", ""),
        *((n, "values: ArrayLike, ", "") for n in "set add subtract multiply mul divide power min max".split()),
    ]
)


def ufunc_class(nin, nout):
    """Ufuncs of so many operands and results."""
    operands = ", ".join(f"x{i + 1}: ArrayLike" for i in range(nin))
    result = "Array" if nout == 1 else f"builtins.tuple[{', '.join(['Array'] * nout)}]"
    out = "Array | builtins.tuple[Array | None, ...] | None"
    more = "axis: ShapeLike | None = ..., dtype: DTypeLike | None = ..., out: Array | None = ..."
    lines = [
        f"class _Ufunc{nin}{nout}:",
        *(f"    {n}: builtins.int" for n in ("nin", "nout", "nargs", "ntypes")),
        "    types: builtins.list[builtins.str]",
        "    signature: builtins.str | None",
        "    identity: Any",
        "    __name__: builtins.str",
        f"    def __call__(self, {operands}, /, out: {out} = ..., *, where: ArrayLike = ..., axes: Any = ..., "
        "axis: Any = ..., keepdims: builtins.bool = ..., casting: builtins.str = ..., order: builtins.str = ..., "
        f"dtype: DTypeLike | None = ..., subok: builtins.bool = ..., signature: Any = ...) -> {result}: ...",
        f"    def at(self, a: Array, indices: Any, {'b: ArrayLike, ' if nin > 1 else ''}/) -> None: ...",
        "    def resolve_dtypes(self, dtypes: builtins.tuple[Any, ...], /, **kwargs: Any) -> Any: ...",
    ]
    if (nin, nout) == (2, 1):
        lines += [
            f"    def reduce(self, array: ArrayLike, {more}, keepdims: builtins.bool = ..., "
            "initial: ArrayLike | None = ..., where: ArrayLike = ...) -> Array: ...",
            f"    def accumulate(self, array: ArrayLike, {more}) -> Array: ...",
            f"    def reduceat(self, array: ArrayLike, indices: ArrayLike, {more}) -> Array: ...",
            "    def outer(self, A: ArrayLike, B: ArrayLike, /, **kwargs: Any) -> Array: ...",
        ]
    return "\n".join(lines) + "\n"


OWN = OWN.replace("PLACE", PLACE).replace(
    "UFUNCS", "\n".join(ufunc_class(*n) for n in [(1, 1), (2, 1), (1, 2), (2, 2)]))
KINDS = {
    "array": "ArrayLike",
    "arrays": "Sequence[ArrayLike] | Array",
    "dtype": "DTypeLike",
    "bool": "builtins.bool",
    "int": "builtins.int",
    "float": "builtins.float",
    "string": "builtins.str",
    "shape": "ShapeLike",
    "axes": "ShapeLike",
    "character": "builtins.str",
}
RESULTS = {
    "array": "Array",
    "arrays": "builtins.tuple[Array, ...]",
    "dtype": "dtype",
    "bool": "builtins.bool",
    "int": "builtins.int",
    "float": "builtins.float",
    "string": "builtins.str",
    "shape": "builtins.tuple[builtins.int, ...]",
    "axes": "builtins.tuple[builtins.int, ...]",
    "character": "builtins.str",
    "nothing": "None",
}
BY_NAME = {
    "dtype": "DTypeLike | None",
    "axis": "ShapeLike | None",
    "shape": "ShapeLike",
    "out": "Array | None",
    "device": "Any",
    "like": "Any",
    "where": "ArrayLike | None",
    "initial": "ArrayLike | None",
    "weights": "ArrayLike | None",
    "order": "builtins.str | None",
    "kind": "builtins.str | None",
    "casting": "builtins.str",
    "keepdims": "builtins.bool | None",
    "overwrite_input": "builtins.bool",
    "returned": "builtins.bool",
    "stable": "builtins.bool | None",
    "subok": "builtins.bool",
    "copy": "builtins.bool | None",
    "ndmin": "builtins.int",
    "ddof": "builtins.float",
    "axes": "Any",
    "method": "builtins.str",
}
OPERANDS = set("a b m v x y x1 x2 a1 a2 ar1 ar2 arr ary p q A M seq1 seq2 filt sample start stop step object elements "
               "condition coords values xp fp z start_or_stop array tolerance".split())
PROPERTIES = {
    "shape": "builtins.tuple[builtins.int, ...]",
    "strides": "builtins.tuple[builtins.int, ...]",
    "ndim": "builtins.int",
    "size": "builtins.int",
    "itemsize": "builtins.int",
    "nbytes": "builtins.int",
    "dtype": "dtype",
    "base": "Array | None",
    "T": "Array",
    "mT": "Array",
    "real": "Array",
    "imag": "Array",
    "device": "Any",
    "flags": "Any",
    "at": "_At",
    "flat": "Any",
    "__array_interface__": "builtins.dict[builtins.str, Any]",
    **mesh_stubs.PROPERTIES,
}
# of functions that are written in Python
ARRAYS = "builtins.tuple[Array, ...]"
RETURNS = {
    f"{module}.{name}": result
    for module, result, names in [
        ("kiln.numpy", "Array", "apply_along_axis apply_over_axes arange array asanyarray asarray asarray_chkfinite "
         "ascontiguousarray asfortranarray astype block clip delete einsum from_dlpack frombuffer fromfile "
         "fromfunction fromiter fromstring genfromtxt histogram_bin_edges indices insert loadtxt nan_to_num pad "
         "piecewise poly polyadd polyder polyint polymul polysub polyval roots tensordot trim_zeros"),
        ("kiln.numpy", ARRAYS, "histogram mask_indices unique_all unique_counts unique_inverse top_k polydiv"),
        ("kiln.numpy", "builtins.str", "array2string array_repr array_str"),
        ("kiln.numpy", "builtins.bool", "can_cast isdtype issubdtype iterable"),
        ("kiln.numpy", "dtype", "common_type result_type"),
        ("kiln.numpy", "builtins.tuple[builtins.int, ...]", "broadcast_shapes"),
        ("kiln.numpy", "builtins.int", "size"),
        ("kiln.numpy", "builtins.list[Array]", "meshgrid"),
        ("kiln.numpy", "None", "save savetxt savez savez_compressed set_printoptions"),
        ("kiln.numpy", "builtins.tuple[nditer, ...]", "nested_iters"),
        ("kiln.numpy.linalg", "Array", "cond eigvals matrix_norm matrix_rank norm pinv tensordot"),
        ("kiln.numpy.linalg", "builtins.tuple[Array, Array]", "eig eigh slogdet"),
        ("kiln.numpy.linalg", "builtins.tuple[Array, Array, Array, Array]", "lstsq"),
        ("kiln.numpy.fft", "Array", "fftfreq rfftfreq"),
        ("Array", "Array", "astype clip view to_device block_until_ready"),
        ("Array", "builtins.bytes", "tobytes"),
        ("Array", "None", "tofile"),
    ]
    for name in names.split()
} | mesh_stubs.RETURNS
OVERLOADS = {
    "kiln.numpy.where": [
        "condition: ArrayLike, /) -> builtins.tuple[Array, ...]",
        "condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array",
    ],
    **{
        f"kiln.numpy.atleast_{n}d": [
            "ary: ArrayLike, /) -> Array",
            "ary1: ArrayLike, ary2: ArrayLike, /, *arys: ArrayLike) -> builtins.tuple[Array, ...]",
        ]
        for n in (1, 2, 3)
    },
    "kiln.numpy.linalg.svd": [
        "a: ArrayLike, full_matrices: builtins.bool = ..., *, hermitian: builtins.bool = ...) "
        "-> builtins.tuple[Array, Array, Array]",
        "a: ArrayLike, full_matrices: builtins.bool = ..., compute_uv: builtins.bool = ..., "
        "hermitian: builtins.bool = ...) -> Any",
    ],
    "kiln.numpy.linalg.qr": [
        "a: ArrayLike) -> builtins.tuple[Array, Array]",
        "a: ArrayLike, mode: builtins.str) -> Any",
    ],
}
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
FIXED = {
    "__len__": "builtins.int",
    "__bool__": "builtins.bool",
    "__int__": "builtins.int",
    "__float__": "builtins.float",
    "__complex__": "builtins.complex",
    "__index__": "builtins.int",
    "__repr__": "builtins.str",
    "__str__": "builtins.str",
}


def load(core):
    spec = importlib.util.spec_from_file_location(
        "kiln._core", core, loader=importlib.machinery.ExtensionFileLoader("kiln._core", core)
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["kiln._core"] = module
    spec.loader.exec_module(module)
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    return importlib.import_module("kiln")


class Stubs:
    def __init__(self, api):
        self.c = {f["name"]: f for f in api["functions"]}

    def in_c(self, f):
        doc = inspect.getdoc(f) or ""
        return self.c.get(doc.rpartition("In C: ")[2].strip()) if "In C: " in doc else None

    def type_of(self, p, c, module):
        if p.name in BY_NAME:
            return BY_NAME[p.name]
        for a in (c or {}).get("arguments", []):
            if a["name"].rstrip("_") == p.name and a["kind"] in KINDS:
                return KINDS[a["kind"]] + (" | None" if p.default is None else "")
        if p.name in OPERANDS and module.startswith("kiln.numpy"):
            return "ArrayLike" + (" | None" if p.default is None else "")
        known = {t: f"builtins.{t.__name__}" for t in (bool, int, float, str)}.get(type(p.default))
        return known if known and (c or type(p.default) in (bool, str)) else "Any"

    def signature(self, f, method=False, module=""):
        try:
            s = inspect.signature(f)
        except (TypeError, ValueError):
            return ("self, " if method else "") + "*args: Any, **kwargs: Any"
        c = self.in_c(f)
        parts, star, slash = [], False, False
        parameters = list(s.parameters.values())
        for i, p in enumerate(parameters):
            if slash and p.kind != p.POSITIONAL_ONLY:
                parts.append("/")
                slash = False
            if p.kind == p.KEYWORD_ONLY and not star:
                parts.append("*")
                star = True
            if p.kind == p.POSITIONAL_ONLY:
                slash = True
            if method and i == 0:
                parts.append("self")
                continue
            name = p.name + ("_" if keyword.iskeyword(p.name) else "")
            prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            star = star or p.kind == p.VAR_POSITIONAL
            parts.append(
                f"{prefix}{name}: {'Any' if prefix else self.type_of(p, c, module)}"
                + ("" if p.default is p.empty else " = ...")
            )
        if slash:
            parts.append("/")
        if method and not parameters:
            parts.insert(0, "self")
        return ", ".join(parts)

    def result(self, f, module=""):
        c = self.in_c(f)
        if not c:
            return RETURNS.get(f"{module}.{f.__name__}", "Any")
        kind = c["result"]["kind"] if c else None
        status = kind == "int" and c["result"]["type"] == "int"  # 0 or an error
        return "None" if status else RESULTS.get(kind, "Any")

    def array(self, cls):
        lines = ["class Array:"]
        for name, value in sorted(vars(cls).items()):
            if name in PROPERTIES or isinstance(value, property):
                lines += ["    @property", f"    def {name}(self) -> {PROPERTIES.get(name, 'Any')}: ..."]
                if name in ("real", "imag", "shape", "flat"):
                    lines += [f"    @{name}.setter", f"    def {name}(self, value: Any, /) -> None: ..."]
            elif name in FIXED:
                lines.append(f"    def {name}(self) -> {FIXED[name]}: ...")
            elif not name.startswith("__") and callable(value):
                lines.append(f"    def {name}({self.signature(value, True)}) -> {self.result(value, 'Array')}: ...")
        for op in BINARY:
            for before in ("", "r", "i"):
                lines.append(f"    def __{before}{op}__(self, other: ArrayLike, /) -> Array: ...")
        lines += [f"    def __{op}__(self) -> Array: ..." for op in ("neg", "pos", "abs", "invert")]
        lines += [f"    def __{op}__(self, other: ArrayLike, /) -> Array: ..." for op in ("lt", "le", "gt", "ge")]
        lines += [
            f"    def __{op}__(self, other: Any, /) -> Array: ...  # type: ignore[override]" for op in ("eq", "ne")
        ]
        lines += [
            "    def __divmod__(self, other: ArrayLike, /) -> builtins.tuple[Array, Array]: ...",
            "    def __rdivmod__(self, other: ArrayLike, /) -> builtins.tuple[Array, Array]: ...",
            "    def __getitem__(self, key: Any, /) -> Array: ...",
            "    def __setitem__(self, key: Any, value: Any, /) -> None: ...",
            "    def __iter__(self) -> Iterator[Array]: ...",
            "    def __contains__(self, x: Any, /) -> builtins.bool: ...",
            "    def __array__(self, dtype: Any = ..., copy: builtins.bool | None = ...) -> Any: ...",
            "    def __dlpack__(self, **kwargs: Any) -> Any: ...",
            "    def __dlpack_device__(self) -> builtins.tuple[builtins.int, builtins.int]: ...",
            "    def __buffer__(self, flags: builtins.int, /) -> memoryview: ...",
        ]
        return lines

    def cls(self, name, cls, module=""):
        own = mesh_stubs.CLASSES.get(cls.__name__) if cls.__module__.startswith("kiln.") else None
        if own and module == mesh_stubs.HOME:
            return [own]
        if own:
            there = f"from {mesh_stubs.HOME} import {cls.__name__} as {cls.__name__}"
            return [there] if name == cls.__name__ else [there, f"{name} = {cls.__name__}"]
        lines = [f"class {name}:"]
        if issubclass(cls, BaseException):
            bases = [b.__name__ for b in cls.__bases__ if b.__module__ == "builtins"]
            return [f"class {name}({', '.join(bases) or 'Exception'}): ..."]
        if cls.__init__ is not object.__init__ or cls.__new__ is not object.__new__:
            lines.append("    def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
        known = {
            "__enter__": f"self) -> {name}",
            "__exit__": "self, *exc: Any) -> None",
            "__iter__": f"self) -> {name}" if hasattr(cls, "__next__") else "self) -> Iterator[Any]",
            "__next__": "self) -> Any",
            "__len__": "self) -> builtins.int",
            "__contains__": "self, key: Any, /) -> builtins.bool",
            "__getitem__": "self, key: Any, /) -> Any",
            "__setitem__": "self, key: Any, value: Any, /) -> None",
        }
        lines += [f"    def {n}({text}: ..." for n, text in known.items() if hasattr(cls, n)]
        return lines + [
            "    def __getattr__(self, name: builtins.str, /) -> Any: ...",
            "    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...",
        ]

    def module(self, module, names, inside):
        lines = ['"""' + (module.__doc__ or "").strip().split("\n")[0].replace("\\", "\\\\") + '"""', HEAD]
        if module.__name__ == "kiln._core":
            lines.append(f"from {mesh_stubs.HOME} import Shard, Sharding\n")
            lines += self.array(module.Array)
            lines += [
                "class dtype:",
                "    name: builtins.str",
                "    itemsize: builtins.int",
                "    kind: builtins.str",
                "    str: Any",
                "    def __init__(self, dtype: Any) -> None: ...",
                "    def __call__(self, x: Any, /) -> Array: ...",
                "    def __getattr__(self, name: Any, /) -> Any: ...",
                OWN,
            ]
        else:
            lines.append("from kiln._core import Array, ArrayLike, DTypeLike, ShapeLike, dtype\n")
            if module.__name__ == mesh_stubs.HOME:
                lines.append(mesh_stubs.IMPORTS)
            if module.__name__ == "kiln.numpy":
                lines.append("from kiln._core import _Ufunc11, _Ufunc21, _Ufunc12, _Ufunc22\n")
        for name in sorted(names):
            value = getattr(module, name)
            if not name.isidentifier() or keyword.iskeyword(name) or name in ("Array", "dtype"):
                continue
            if isinstance(value, types.ModuleType):
                if value.__name__ in inside:
                    lines.append(
                        f"from {value.__name__.rpartition('.')[0]} import {value.__name__.rpartition('.')[2]} as {name}"
                    )
            elif isinstance(value, type):
                if value.__name__ == "Array" and value.__module__.startswith("kiln"):
                    lines.append(f"{name} = Array")
                else:
                    lines += self.cls(name, value, module.__name__)
            elif type(value).__name__ == "ufunc":
                lines.append(f"{name}: _Ufunc{value.nin}{value.nout}")
            elif type(value).__name__ == "dtype":
                lines.append(f"{name}: dtype")
            elif callable(value) and hasattr(value, "__name__"):
                where = module.__name__
                for text in OVERLOADS.get(f"{where}.{name}", []):
                    lines += ["@overload", f"def {name}({text}: ..."]
                if f"{where}.{name}" not in OVERLOADS:
                    signature = self.signature(value, module=where)
                    lines.append(f"def {name}({signature}) -> {self.result(value, where)}: ...")
            elif isinstance(value, (bool, int, float, str)):
                lines.append(f"{name}: builtins.{type(value).__name__}")
            else:
                lines.append(f"{name}: Any")
        return "\n".join(lines) + "\n"


def public(module):
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n in vars(module) if not n.startswith("_")]
    return [
        n
        for n in {*names, *(n for n in ("__version__", "__array_api_version__", "__array_namespace_info__"))}
        if hasattr(module, n)
    ]


def main():
    core, api, into = sys.argv[1:]
    kiln = load(core)
    stubs = Stubs(json.loads(Path(api).read_text()))
    found = [
        m.name
        for m in pkgutil.walk_packages(kiln.__path__, "kiln.")
        if not any(part.startswith("_") for part in m.name.split(".")[1:]) and m.name != "kiln.demo"
    ]
    inside = {"kiln": kiln, "kiln._core": sys.modules["kiln._core"], **{n: importlib.import_module(n) for n in found}}
    for name, module in inside.items():
        parts = name.split(".")
        path = (
            Path(into, *parts, "__init__.pyi")
            if hasattr(module, "__path__")
            else Path(into, *parts[:-1], parts[-1] + ".pyi")
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stubs.module(module, public(module), inside))
    Path(into, "kiln", "py.typed").write_text("")


main()
