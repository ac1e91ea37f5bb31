# SPDX-License-Identifier: Apache-2.0
"""facade.py -- Kiln under NumPy's names: lines of NumPy code run with `np` being a Facade.

Most names are found in docs/api.json ("numpy.sum" is kn_sum); what NumPy spells in another way is below."""
import operator

import numpy as real

from binding import Array, Error, IndexArg, Kiln, Unsupported  # noqa: F401

IN_PLACE = {"iadd": "iadd", "isub": "isub", "imul": "imul", "itruediv": "idiv", "ipow": "ipow", "iand": "iand",
            "ior": "ior", "ixor": "ixor", "ifloordiv": "ifloordiv", "imod": "imod", "ilshift": "ilshift",
            "irshift": "irshift"}


def literal(dtype, shape, values):
    """A(...) of the programs: the elements one by one."""
    out = real.empty(shape, dtype)
    out.ravel()[...] = real.array(values, dtype=dtype)
    return out


def own(x):
    out = real.empty(x.shape, x.dtype)
    out[...] = x
    return out


def mild(seed, dtype, shape):
    """R(...): many elements, small multiples of 1/4, so that sums and products of some are exact."""
    n = int(real.prod(shape))
    x = (real.arange(n, dtype="uint64") * real.uint64(2654435761) + real.uint64(seed) * real.uint64(40503)) % real.uint64(65521)
    x = (x % real.uint64(97)).astype("int64") - 48
    kind = real.dtype(dtype).kind
    if kind == "b":
        return own((x > 0).reshape(shape))
    if kind == "u":
        return own(real.abs(x).astype(dtype).reshape(shape))
    if kind == "i":
        return own(x.astype(dtype).reshape(shape))
    x = x / 4
    return own((x - 1j * x[::-1] if kind == "c" else x).astype(dtype).reshape(shape))


class View(Array):
    """An array of Kiln that can be indexed and written to as one of NumPy."""
    __slots__ = ()
    facade = None

    def _index(self, index):
        """The text of kn_at and its arguments; lists are arrays of integers where they are empty."""
        items = index if isinstance(index, tuple) else (index,)
        text, arguments = [], []

        def integer(i):
            if not -2**63 <= i < 2**63:
                raise Unsupported("an index beyond 64 bits")
            if self.facade.placeholders:
                arguments.append(IndexArg(0, int(i), None))
                return "%"
            return str(int(i))

        def array(a):
            arguments.append(IndexArg(4, 0, a.handle))
            return "%"
        for item in items:
            if item is None:
                text.append("None")
            elif item is Ellipsis:
                text.append("...")
            elif isinstance(item, (bool, real.bool_)):
                arguments.append(IndexArg(2, int(item), None))
                text.append("%")
            elif isinstance(item, (int, real.integer)):
                text.append(integer(item))
            elif isinstance(item, slice):
                parts = [item.start, item.stop, item.step]
                text.append(":".join("" if p is None else integer(p) for p in (parts if parts[2] is not None else parts[:2])))
            elif isinstance(item, Array):
                text.append(array(item))
            elif isinstance(item, (list, real.ndarray, real.generic)):
                a = real.asarray(item)
                if a.size == 0 and isinstance(item, list):
                    a = a.astype("int64")
                text.append(array(self.kiln.from_numpy(a)))
            else:
                raise Unsupported(f"an index of type {type(item).__name__}")
        return ", ".join(text).encode(), arguments

    def _arguments(self, index):
        text, arguments = self._index(index)
        return text, len(arguments), (IndexArg * (len(arguments) + 1))(*arguments)

    def __getitem__(self, index):
        text, n, arguments = self._arguments(index)
        out = self.kiln.kn_at(self.handle, text, n, arguments)
        self.kiln.check()
        return self.kiln.wrap(out)

    def __setitem__(self, index, v):
        text, n, arguments = self._arguments(index)
        self.facade.write("kn_set_at", self.handle, self.kiln.operand(v), text, n, arguments)

    def _in_place(self, name, v):
        self.facade.write("kn_" + name, self.handle, self.kiln.operand(v))
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("T", "mT", "real", "imag"):
            return getattr(self.facade, {"T": "transpose", "mT": "matrix_transpose"}.get(name, name))(self)
        if name == "astype":
            return lambda dtype, **o: self.kiln.call("kn_astype", self, dtype, **o)
        if name == "view":
            return lambda dtype: self.kiln.call("kn_view", self, dtype)
        if name == "flatten":
            return lambda order=None: self.kiln.call("kn_flatten", self, **({"order": order} if order else {}))
        if name == "fill":
            return lambda v: self.kiln.call("kn_fill", self, v)
        if name == "put":
            return lambda *a, **o: self.facade.put(self, *a, **o)
        if name == "setflags":
            return lambda write: self.kiln.call("kn_setflags", self, write=int(write))
        if name == "item":
            return lambda *index: self.facade.item(self, index)
        return lambda *a, **o: getattr(self.facade, name)(self, *a, **o)


for _python, _kiln in IN_PLACE.items():
    setattr(View, f"__{_python}__", lambda self, v, n=_kiln: self._in_place(n, v))


class Place:
    """I(x, index): x[index] as the left side of an in-place operation: I(x, index).iadd(v) is x[index] += v."""

    def __init__(self, x, index):
        self.x, self.index = x, index

    def __getattr__(self, name):
        def write(v):
            if not isinstance(self.x, Array):
                self.x[self.index] = getattr(operator, name)(self.x[self.index], v)
                return
            text, n, arguments = self.x._arguments(self.index)
            View.facade.write(f"kn_{IN_PLACE[name]}_at", self.x.handle, self.x.kiln.operand(v), text, n, arguments)
        return write


def printed(x, how, **options):
    """P(x, 'repr', precision=3): the text under print options."""
    if not isinstance(x, Array):
        with real.printoptions(**options):
            return getattr(real, "array_" + how)(x)
    return x.kiln.call("kn_repr" if how == "repr" else "kn_array_str", x, **options)


class Ufunc:
    def __init__(self, facade, name):
        self.facade, self.name = facade, name

    def __call__(self, *a, **o):
        return self.facade.call(self.name, *a, **o)

    def number(self):
        name = "kn_ufunc_" + {"true_divide": "divide", "mod": "remainder", "pow": "power"}.get(self.name, self.name)
        if name not in self.facade.kiln.ufunc:
            raise Unsupported(f"{self.name} as an object")
        return name

    def reduce(self, x, **o):
        return self.facade.kiln.call("kn_ufunc_reduce", self.number(), x, **o)

    def accumulate(self, x, **o):
        return self.facade.kiln.call("kn_ufunc_accumulate", self.number(), x, **o)

    def reduceat(self, x, indices, **o):
        return self.facade.kiln.call("kn_ufunc_reduceat", self.number(), x, indices, **o)

    def outer(self, x, y):
        return self.facade.kiln.call("kn_ufunc_outer", self.number(), x, y)

    def at(self, x, index, v):
        text, n, arguments = x._arguments(index)
        self.facade.write("kn_ufunc_at", self.facade.kiln.ufunc[self.number()], x.handle, self.facade.kiln.operand(v),
                          text, n, arguments)


# NumPy's name: (Kiln's function, names of options in Kiln)
RENAMED = {"place": "place_mask", "array_repr": "repr", "linalg.outer": "linalg_outer"}
OPTIONS = {"select": {"default": "default_"}}


class Facade:
    """`np` of the lines, for Kiln."""

    def __init__(self, kiln, prefix=""):
        self.kiln, self.prefix, self.placeholders = kiln, prefix, False
        if not prefix:
            View.facade = self
            self.linalg = Facade2(self, "linalg.")
            self.emath = Facade2(self, "emath.")
            self.fft = Facade2(self, "fft.")

    def write(self, name, *values):
        function = getattr(self.kiln.lib, name)
        if not function.argtypes:
            import ctypes as c
            function.argtypes = {2: [c.c_void_p] * 2, 5: [c.c_void_p, c.c_void_p, c.c_char_p, c.c_int, c.c_void_p],
                                 6: [c.c_int, c.c_void_p, c.c_void_p, c.c_char_p, c.c_int, c.c_void_p]}[len(values)]
            function.restype = c.c_int
        function(*values)
        self.kiln.check()

    def call(self, name, *arguments, **options):
        plain = RENAMED.get(name, name)
        function = self.kiln.names.get(plain) or "kn_" + plain.replace(".", "_")
        if function not in self.kiln.functions:
            raise Unsupported(f"no function {name}")
        renamed = OPTIONS.get(name)
        if renamed:
            options = {renamed.get(k, k): v for k, v in options.items()}
        f = self.kiln.functions[function]
        n = len(f["arguments"])
        if len(arguments) > n and f.get("options"):  # further positions are options in their order
            members = [m["name"] for m in self.kiln.options[f["options"]]["members"]]
            options.update(zip(members, arguments[n:]))
            arguments = arguments[:n]
        elif len(arguments) < n:  # arguments by name
            arguments = list(arguments)
            for a in f["arguments"][len(arguments):]:
                if a["name"] not in options:
                    raise Unsupported(f"{name} without {a['name']}")
                arguments.append(options.pop(a["name"]))
        return self.kiln.call(function, *arguments, **options)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        u = getattr(real, name, None)
        return Ufunc(self, name) if isinstance(u, real.ufunc) else lambda *a, **o: self.call(name, *a, **o)

    # ---- what NumPy spells in another way
    def array(self, x, dtype=None, **o):
        if not isinstance(x, Array):
            x = self.kiln.wrap(self.kiln.operand(x))
        copy = o.pop("copy", True)
        return self.kiln.call("kn_asarray", x, copy=-1 if copy is None else int(copy), **({"dtype": dtype} if dtype else {}), **o)

    def asarray(self, x, copy=None, **o):
        if copy is not None:
            o["copy"] = int(copy)
        return self.kiln.call("kn_asarray", x, **o)

    def astype(self, x, dtype, **o):
        return self.kiln.call("kn_astype", x, dtype, **o)

    def reshape(self, x, shape, copy=None, **o):
        if copy is not None:
            o["copy"] = int(copy)
        return self.kiln.call("kn_reshape", x, shape, **o)

    def tensordot(self, x, y, axes=2):
        if isinstance(axes, int):
            return self.kiln.call("kn_tensordot", x, y, axes=axes)
        return self.kiln.call("kn_tensordot", x, y, a_axes=axes[0], b_axes=axes[1])

    def tile(self, x, reps):
        return self.kiln.call("kn_tile", x, reps)

    def gradient(self, f, *spacing, **o):
        if spacing:
            o["spacing"] = list(spacing)
        out = self.kiln.call("kn_gradient", f, **o)
        return out[0] if len(out) == 1 and not isinstance(o.get("axis", 0), tuple) else tuple(out)

    def einsum(self, subscripts, *operands, **o):
        import ctypes as c
        kiln = self.kiln
        vector = (c.c_void_p * (len(operands) + 1))(*[kiln.operand(v) for v in operands])
        f = kiln.lib.kn_einsum
        f.restype, f.argtypes = c.c_void_p, [c.c_char_p, c.c_int, c.c_void_p, c.c_void_p]
        if o:
            raise Unsupported("options of einsum")
        out = f(subscripts.encode(), len(operands), vector, None)
        kiln.check()
        return kiln.wrap(out)

    def broadcast_arrays(self, *arrays):
        return tuple(self.kiln.call("kn_broadcast_arrays", list(arrays)))

    def meshgrid(self, *arrays, **o):
        return tuple(self.kiln.call("kn_meshgrid", list(arrays), **o))

    def ix_(self, *arrays):
        return tuple(self.kiln.call("kn_ix_", list(arrays)))

    def atleast_1d(self, x):
        return self.kiln.call("kn_atleast_1d", x)

    def nonzero(self, x):
        return tuple(self.kiln.call("kn_nonzero", x))

    def unravel_index(self, *a, **o):
        return tuple(self.kiln.call("kn_unravel_index", *a, **o))

    def unstack(self, *a, **o):
        return tuple(self.kiln.call("kn_unstack", *a, **o))

    def indices(self, dimensions, sparse=False, **o):
        if sparse:
            return tuple(self.kiln.call("kn_indices_sparse", dimensions, **o))
        return self.kiln.call("kn_indices", dimensions, **o)

    def max(self, x, **o):
        return self.kiln.call("kn_max", x, **o)

    def min(self, x, **o):
        return self.kiln.call("kn_min", x, **o)

    def block(self, rows):
        import ctypes as c
        rows = rows if isinstance(rows[0], list) else [rows]
        vector = (c.c_void_p * len(rows))(*[self.kiln.list(r) for r in rows])
        f = self.kiln.lib.kn_block
        f.restype, f.argtypes = c.c_void_p, [c.c_int, c.c_void_p]
        out = f(len(rows), vector)
        self.kiln.check()
        return self.kiln.wrap(out)

    def histogram(self, a, bins=None, range=None, name="kn_histogram", **o):
        if range is not None:
            o["range"] = range
        if isinstance(bins, str):
            o["estimator"] = bins
        elif bins is not None:
            o["bins"] = bins
        return self.kiln.call(name, a, **o)

    def histogram_bin_edges(self, a, bins=None, range=None, **o):
        return self.histogram(a, bins, range, "kn_histogram_bin_edges", **o)

    def broadcast_shapes(self, *shapes):
        import ctypes as c
        from binding import Shape
        vector = (Shape * (len(shapes) + 1))(*[self.kiln.shape(s) for s in shapes])
        f = self.kiln.lib.kn_broadcast_shapes
        f.restype, f.argtypes = Shape, [c.c_int, c.c_void_p]
        out = f(len(shapes), vector)
        self.kiln.check()
        return tuple(out.dim[:out.ndim])

    def result_type(self, *items):
        import ctypes as c
        from binding import DtypeLike
        vector = (DtypeLike * (len(items) + 1))(*[self.kiln.dtype_like(v) for v in items])
        f = self.kiln.lib.kn_result_type
        f.restype, f.argtypes = c.c_void_p, [c.c_int, c.c_void_p]
        out = f(len(items), vector)
        self.kiln.check()
        return self.kiln.kn_dtype_name(out).decode()

    def common_type(self, *arrays):
        import ctypes as c
        vector = (c.c_void_p * (len(arrays) + 1))(*[self.kiln.operand(v) for v in arrays])
        f = self.kiln.lib.kn_common_type
        f.restype, f.argtypes = c.c_void_p, [c.c_int, c.c_void_p]
        out = f(len(arrays), vector)
        self.kiln.check()
        return self.kiln.kn_dtype_name(out).decode()

    def where(self, *a):
        return self.nonzero(a[0]) if len(a) == 1 else self.kiln.call("kn_where", *a)

    def copyto(self, to, source, **o):
        self.kiln.call("kn_copyto", to, source, **o)

    def item(self, x, index):
        dtype = self.kiln.dtype_of(x)
        kind = {"b": "bool", "i": "int", "u": "int", "c": "complex"}.get(real.dtype(dtype).kind)
        name = "kn_item" + ("_" + kind if kind else "")
        return self.kiln.call(name + "_at", x, index) if index else self.kiln.call(name, x)

    def shares_memory(self, a, b):
        return self.kiln.call("kn_shares_memory", a, b)


class Facade2:
    """np.linalg and its kin."""

    def __init__(self, facade, prefix):
        self.facade, self.prefix = facade, prefix

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *a, **o: self.facade.call(self.prefix + name, *a, **o)

    def multi_dot(self, arrays):
        return self.facade.kiln.call("kn_linalg_multi_dot", arrays)

    def outer(self, a, b):
        return self.facade.kiln.call("kn_linalg_outer", a, b)

    def norm(self, x, ord=None, **o):
        return self.facade.kiln.call("kn_linalg_norm", x, **norm_order(ord), **o)

    def matrix_norm(self, x, ord="fro", **o):
        return self.facade.kiln.call("kn_linalg_matrix_norm", x, **norm_order(ord), **o)

    def vector_norm(self, x, ord=2, **o):
        return self.facade.kiln.call("kn_linalg_vector_norm", x, ord=float(ord), **o)

    def cond(self, x, p=None):
        return self.facade.kiln.call("kn_linalg_cond", x, **({"named": p} if isinstance(p, str) else {} if p is None else {"p": float(p)}))

    def svd(self, a, compute_uv=True, **o):
        out = self.facade.kiln.call("kn_linalg_svd", a, compute_uv=compute_uv, **o)
        return out if compute_uv else out[-1]

    def qr(self, a, mode="reduced"):
        out = self.facade.kiln.call("kn_linalg_qr", a, mode=mode)
        return out[-1] if mode == "r" else out


def norm_order(ord):
    return {"named": ord} if isinstance(ord, str) else {} if ord is None else {"ord": float(ord)}
