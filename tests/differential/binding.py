# SPDX-License-Identifier: Apache-2.0
"""binding.py -- Kiln's C functions as Python functions, made of docs/api.json with ctypes.

`Kiln(library)` has a method `call(name, *arguments, **options)` for every function whose arguments are arrays, numbers,
shapes, axes, dtypes, texts and lists. Arrays are handles of the open scope (`Array`); Python numbers become C numbers
(kn_like_int and its kin); a failure is an `Error` with Kiln's kind and text."""
import ctypes as c
import json
import pathlib

import numpy as np

MAX_NDIM = 64
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Error(Exception):
    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind, self.text = kind, text


class Unsupported(Exception):
    """The call cannot be said in C: no defect, the line is skipped."""


class Shape(c.Structure):
    _fields_ = [("ndim", c.c_int), ("dim", c.c_int64 * MAX_NDIM)]


class Axes(c.Structure):
    _fields_ = [("n", c.c_int), ("axis", c.c_int32 * MAX_NDIM)]


class Strides(c.Structure):
    _fields_ = [("ndim", c.c_int), ("stride", c.c_int64 * MAX_NDIM)]


class Flags(c.Structure):
    _fields_ = [(name, c.c_bool) for name in ("c_contiguous", "f_contiguous", "owndata", "writeable")]


class Scope(c.Structure):
    _fields_ = [("id", c.c_uint64), ("context", c.c_void_p)]


class IndexArg(c.Structure):
    _fields_ = [("kind", c.c_int), ("integer", c.c_int64), ("array", c.c_void_p)]


class Complex(c.Structure):
    _fields_ = [("re", c.c_double), ("im", c.c_double)]


class Part(c.Structure):
    _fields_ = [("at", c.c_void_p), ("bytes", c.c_size_t)]


class Parts(c.Structure):
    _fields_ = [("n", c.c_int), ("part", Part * 8)]


CALL = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.POINTER(c.c_void_p))


class Function(c.Structure):
    _fields_ = [("size_", c.c_size_t), ("name", c.c_char_p), ("call", CALL), ("env_bytes", c.c_size_t),
                ("captured_bytes", c.c_size_t), ("out_bytes", c.c_size_t), ("n_args", c.c_int),
                ("arg_bytes", c.c_size_t * 8), ("out_fields", c.c_void_p), ("arg_fields", c.c_void_p * 8)]


class DtypeLike(c.Structure):
    _fields_ = [("dtype", c.c_void_p), ("text", c.c_char_p), ("array", c.c_void_p)]


STRUCTS = {"kn_dtype_like": DtypeLike, "kn_shape": Shape, "kn_axes": Axes, "kn_strides": Strides, "kn_flags": Flags, "kn_c128": Complex}
PLAIN = {"bool": c.c_bool, "int": c.c_int, "int32_t": c.c_int32, "int64_t": c.c_int64, "uint32_t": c.c_uint32,
         "uint64_t": c.c_uint64, "size_t": c.c_size_t, "double": c.c_double, "char": c.c_char, "void": None,
         "const char *": c.c_char_p}


def ctype(text):
    """The ctypes type of a type of the interface; pointers and handles are void *."""
    text = text.strip()
    if text in PLAIN:
        return PLAIN[text]
    if text.endswith("]"):
        base, count = text[:-1].split("[", 1)
        sizes = [int(n) for n in count.split("][") if n.isdigit()]
        kind = ctype(base)
        for n in reversed(sizes):
            kind = kind * n
        return kind if sizes else c.c_void_p
    return STRUCTS.get(text, c.c_int if text in ("kn_ufunc", "kn_error_kind") else c.c_void_p)


class Array:
    """A handle. What NumPy's arrays can do is in facade.py."""
    __slots__ = ("handle", "kiln")

    def __init__(self, kiln, handle):
        self.kiln, self.handle = kiln, handle


class Kiln:
    def __init__(self, library, array=Array):
        self.lib = c.CDLL(str(library))
        self.array_type = array
        api = json.loads((ROOT / "docs/api.json").read_text())
        self.options = {o["name"]: o for o in api["options"]}
        self.functions = {f["name"]: f for f in api["functions"]}
        self.results = {}
        for s in api["structs"]:
            if s["name"].endswith("_result"):
                self.results[s["name"]] = s
        names = next(e["values"] for e in api["enums"] if e["name"] == "kn_ufunc")
        first = -1 if names[0] == "kn_ufunc_none" else 0
        self.ufunc = {name: i for i, name in enumerate(names, first)}
        self.names = {}
        for f in api["functions"]:
            for name in f.get("names", ()):
                if name.startswith("numpy.") and not name.startswith("numpy.ndarray."):
                    self.names.setdefault(name[6:], f["name"])
        self.made = {}
        self.raw("kn_dtype_named", c.c_void_p, c.c_char_p)
        self.raw("kn_dtype_of", c.c_void_p, c.c_void_p)
        self.raw("kn_dtype_name", c.c_char_p, c.c_void_p)
        self.raw("kn_error_pending", c.c_bool)
        self.raw("kn_error_message", c.c_char_p)
        self.raw("kn_error_kind_name", c.c_char_p)
        self.raw("kn_error_clear", None)
        self.raw("kn_scope_begin", Scope)
        self.raw("kn_scope_end", None, c.POINTER(Scope))
        self.raw("kn_like_int", c.c_void_p, c.c_int64)
        self.raw("kn_like_uint", c.c_void_p, c.c_uint64)
        self.raw("kn_like_bool", c.c_void_p, c.c_bool)
        self.raw("kn_like_double", c.c_void_p, c.c_double)
        self.raw("kn_like_complex", c.c_void_p, c.c_double, c.c_double)
        self.raw("kn_from_memory", c.c_void_p, c.c_void_p, c.POINTER(Shape), c.c_void_p)
        self.raw("kn_copy_to", c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
        self.raw("kn_shape_of", Shape, c.c_void_p)
        self.raw("kn_strides_of", Strides, c.c_void_p)
        self.raw("kn_flags_of", Flags, c.c_void_p)
        self.raw("kn_shares_memory", c.c_bool, c.c_void_p, c.c_void_p)
        self.raw("kn_list_from", c.c_void_p, c.c_void_p, c.c_int)
        self.raw("kn_list_count", c.c_int, c.c_void_p)
        self.raw("kn_list_get", c.c_void_p, c.c_void_p, c.c_int)
        self.raw("kn_ok", c.c_bool, c.c_void_p)
        self.raw("kn_eval", None, c.c_void_p)
        self.raw("kn_set_threads", c.c_int, c.c_int)
        self.raw("kn_set_lazy", c.c_bool, c.c_bool)
        self.raw("kn_fn_of", c.c_void_p, c.POINTER(Function), c.c_void_p)
        self.raw("kn_jit", c.c_void_p, c.c_void_p, c.c_void_p)
        self.raw("kn_call", c.c_int, c.c_void_p, c.POINTER(Parts), c.POINTER(Parts))
        self.raw("kn_at", c.c_void_p, c.c_void_p, c.c_char_p, c.c_int, c.c_void_p)
        self.dtypes = {}

    def raw(self, name, result, *arguments):
        f = getattr(self.lib, name)
        f.restype, f.argtypes = result, list(arguments)
        setattr(self, name, f)

    # ---- errors
    def check(self):
        if self.kn_error_pending():
            kind, text = self.kn_error_kind_name().decode(), self.kn_error_message().decode("utf-8", "replace")
            self.kn_error_clear()
            raise Error(kind, text)

    # ---- values in
    def dtype(self, d):
        if d is None:
            return None
        name = np.dtype(d).name if not isinstance(d, str) else d
        if name not in self.dtypes:
            self.dtypes[name] = self.kn_dtype_named(name.encode())
            self.check()
        return self.dtypes[name]

    def shape(self, s):
        s = (s,) if isinstance(s, (int, np.integer)) else tuple(s)
        if len(s) > MAX_NDIM:
            raise Unsupported("more than 64 axes")
        return Shape(len(s), (c.c_int64 * MAX_NDIM)(*[int(n) for n in s]))

    def axes(self, a):
        """None: kn_axes of None; an int or a tuple: the axes."""
        if a is None:
            return Axes(-1)
        a = (a,) if isinstance(a, (int, np.integer)) else tuple(a)
        if any(not -2**31 <= n < 2**31 for n in a):
            raise Unsupported("an axis beyond 32 bits")
        return Axes(len(a) + 1, (c.c_int32 * MAX_NDIM)(*a))

    def wrap(self, handle):
        return self.array_type(self, handle)

    def handle(self, x):
        return x.handle

    def from_numpy(self, a):
        a = np.asarray(a, order="C")
        x = self.kn_from_memory(a.ctypes.data, self.shape(a.shape), self.dtype(a.dtype))
        self.check()
        return self.wrap(x)

    def operand(self, v):
        """A handle of an array or of a number."""
        if isinstance(v, Array):
            return v.handle
        if v is None:
            return None
        if isinstance(v, (bool, np.bool_)):
            return self.kn_like_bool(bool(v))
        if isinstance(v, int):
            if -2**63 <= v < 2**63:
                return self.kn_like_int(v)
            if 0 <= v < 2**64:
                return self.kn_like_uint(v)
            raise Unsupported("an integer beyond 64 bits")
        if isinstance(v, complex):
            return self.kn_like_complex(v.real, v.imag)
        if isinstance(v, float):
            return self.kn_like_double(v)
        if isinstance(v, (list, tuple)) and any(isinstance(e, Array) for e in v):
            raise Unsupported("a list of arrays as an array")
        if isinstance(v, list) and not v:
            v = np.zeros(0, "int64")
        return self.from_numpy(v).handle

    def list(self, items):
        items = [self.operand(v) for v in items]
        vector = (c.c_void_p * (len(items) + 1))(*items)
        return self.kn_list_from(vector, len(items))

    def dtype_like(self, v):
        """A dtype by its name, or that of an array or a number."""
        return DtypeLike(None, v.encode(), None) if isinstance(v, str) else DtypeLike(None, None, self.operand(v))

    def value(self, kind, ctext, v, keep):
        """The C value of a Python one for an argument or an option of this kind."""
        if kind == "array":
            return self.operand(v)
        if kind == "arrays":
            return self.list(v) if v is not None else None
        if kind in ("shape", "axes"):
            if v is None and kind == "shape":
                return None
            s = self.shape(v) if kind == "shape" else self.axes(v)
            if "*" in ctext:
                keep.append(s)
                return c.addressof(s)
            return s
        if kind == "dtype":
            return self.dtype(v)
        if kind == "string":
            return None if v is None else v.encode()
        if kind == "character":
            return v.encode()
        if ctext == "kn_dtype_like":
            return self.dtype_like(v)
        if kind == "enum":
            return self.ufunc[v] if isinstance(v, str) else v
        if "[" in ctext:
            t = ctype(ctext)
            flat = [float(e) for e in np.ravel(v)]
            out = t()
            c.memmove(c.byref(out), (c.c_double * len(flat))(*flat), 8 * len(flat))
            return out
        if kind == "int":
            if not isinstance(v, (int, np.integer)) or not -2**63 <= v < 2**63 or ("64" not in ctext and not -2**31 <= v < 2**31):
                raise Unsupported("no C integer")
            return int(v)
        if kind in ("bool", "float"):
            return v
        raise Unsupported(f"an argument of kind {kind}")

    # ---- functions
    def make(self, name):
        f = self.functions[name]
        function = getattr(self.lib, name)
        types = [ctype(a["type"]) for a in f["arguments"]]
        members, struct, default = {}, None, None
        if f.get("options"):
            members = {m["name"]: m for m in self.options[f["options"]]["members"]}
            struct = type(f["options"], (c.Structure,), {"_fields_": [("size_", c.c_size_t)] + [
                (m["name"], ctype(m["type"])) for m in members.values()]})
            default = getattr(self.lib, f["options"] + "_default", None)
            if default:
                default.restype, default.argtypes = struct, []
            types.append(c.c_void_p)
        result = f["result"]
        shown = None
        if result["kind"] == "struct" and result["type"] in self.results:
            shown = self.results[result["type"]]["members"]
            if any(m["kind"] not in ("array", "arrays", "int", "bool") for m in shown):
                shown = None
            else:
                function.restype = type(result["type"], (c.Structure,), {"_fields_": [
                    (m["name"], ctype(m["type"])) for m in shown]})
        if not shown:
            function.restype = ctype(result["type"])
        function.argtypes = types
        self.made[name] = (f, function, members, struct, default, result, shown)
        return self.made[name]

    def call(self, name, *arguments, **given):
        f, function, members, struct, default, result, shown = self.made.get(name) or self.make(name)
        keep, values, places = [], [], []
        if len(arguments) != len(f["arguments"]):
            raise Unsupported(f"{name} takes {len(f['arguments'])} arguments in C")
        for a, v in zip(f["arguments"], arguments):
            values.append(self.value(a["kind"], a["type"], v, keep))
        if f.get("options"):
            if given:
                opts = default() if default else struct()
                opts.size_ = c.sizeof(struct)
                for key, v in given.items():
                    if key not in members:
                        raise Unsupported(f"{name} has no option {key}")
                    m = members[key]
                    if m.get("out") or "kn_array *" in m["type"]:
                        if v:
                            place = (c.c_void_p * (2 if "[" in m["type"] else 1))()
                            if "[" in m["type"]:
                                field = getattr(opts, key)
                                for i in range(2):
                                    field[i] = c.addressof(place) + 8 * i
                            else:
                                setattr(opts, key, c.addressof(place))
                            places.append(place)
                    else:
                        setattr(opts, key, self.value(m["kind"], m["type"], v, keep))
                keep.append(opts)
                values.append(c.addressof(opts))
            else:
                values.append(None)
        elif given:
            raise Unsupported(f"{name} has no options")
        out = function(*values)
        self.check()
        if shown:
            return tuple(self.result(m["kind"], getattr(out, m["name"])) for m in shown if getattr(out, m["name"]) is not None)
        out = self.result(result["kind"], out)
        if places:
            return (out, *[self.wrap(h) for place in places for h in place])
        return out

    def result(self, kind, out):
        if kind == "array":
            return self.wrap(out)
        if kind == "arrays":
            items = [self.wrap(self.kn_list_get(out, i)) for i in range(self.kn_list_count(out))]
            self.check()
            return items
        if kind == "shape":
            return tuple(out.dim[:out.ndim])
        if kind == "string":
            return out.decode() if out is not None else None
        if kind == "complex":
            return complex(out.re, out.im)
        if kind == "dtype":
            return self.kn_dtype_name(out).decode()
        return out

    # ---- values out
    def shape_of(self, x):
        s = self.kn_shape_of(x.handle)
        return tuple(s.dim[:max(s.ndim, 0)])

    def dtype_of(self, x):
        d = self.kn_dtype_of(x.handle)
        return self.kn_dtype_name(d).decode() if d else "none"

    def to_numpy(self, x):
        shape, dtype = self.shape_of(x), self.dtype_of(x)
        self.check()
        out = np.empty(shape, dtype)
        self.kn_copy_to(x.handle, out.ctypes.data, out.nbytes)
        self.check()
        return out

    def strides_of(self, x):
        s = self.kn_strides_of(x.handle)
        return tuple(s.stride[:max(s.ndim, 0)])

    def flags_of(self, x):
        f = self.kn_flags_of(x.handle)
        return {name: getattr(f, name) for name, _ in Flags._fields_}

    # ---- a Python function of arrays, under kn_jit: f(list of arrays) -> list of arrays
    def jit(self, f, inputs, n_out):
        failure = []

        def run(_env, out, parts):
            try:
                given = c.cast(parts[0], c.POINTER(c.c_void_p))
                got = f([self.wrap(given[i]) for i in range(len(inputs))])
                to = c.cast(out, c.POINTER(c.c_void_p))
                for i, x in enumerate(got):
                    to[i] = x.handle if isinstance(x, Array) else self.operand(x)
            except BaseException as e:  # it must not unwind through C
                failure.append(e)
        self.serial = getattr(self, "serial", 0) + 1
        env = c.c_int64(self.serial)
        function = Function(c.sizeof(Function), b"program", CALL(run), 8, 0, 8 * n_out, 1)
        function.arg_bytes[0] = 8 * len(inputs)
        fn = self.kn_jit(self.kn_fn_of(c.byref(function), c.addressof(env)), None)
        vector = (c.c_void_p * len(inputs))(*[x.handle for x in inputs])
        out = (c.c_void_p * n_out)()
        arguments, outs = Parts(1), Parts(1)
        arguments.part[0] = Part(c.addressof(vector), 8 * len(inputs))
        outs.part[0] = Part(c.addressof(out), 8 * n_out)
        self.kn_call(fn, c.byref(outs), c.byref(arguments))
        if failure:
            self.kn_error_clear()
            raise failure[0]
        self.check()
        return [self.wrap(h) for h in out]
