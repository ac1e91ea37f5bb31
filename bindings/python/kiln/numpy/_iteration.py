# SPDX-License-Identifier: Apache-2.0
"""np.nditer and np.nested_iters: arrays together, element by element, in the order in which they lie in memory."""
from .. import _core
from .._core import Array
from ._creation import asarray

_c = _core.functions("iteration")
_shares_memory = _core.functions("kiln.numpy")["shares_memory"]


def _words(flags, error):
    if flags is None:
        return ""
    if isinstance(flags, str) or not all(isinstance(f, str) for f in flags):
        raise ValueError(error)
    return " ".join(flags)


_FLAGS = "Iterator global flags must be a list or tuple of strings"
_OP_FLAGS = "op_flags must be a tuple or array of per-op flag-tuples"


def _operands(op):
    op = list(op) if isinstance(op, (tuple, list)) else [op]
    if not op:
        raise ValueError("Must provide at least one operand")
    return [o if o is None or isinstance(o, Array) else asarray(o) for o in op]


def _for_each(op_flags, op_dtypes, operands):
    """The words and the dtype of every operand."""
    n = len(operands)
    if op_flags is None:
        words = ["writeonly allocate" if o is None else "readonly" for o in operands]
    elif isinstance(op_flags, (tuple, list)) and op_flags and all(isinstance(f, str) for f in op_flags):
        words = [_words(op_flags, _OP_FLAGS)] * n
    else:
        words = [_words(f, _OP_FLAGS) for f in op_flags]
        if len(words) != n:
            raise ValueError(_OP_FLAGS)
    words = [w or ("writeonly allocate" if o is None else "readonly") for w, o in zip(words, operands)]
    dtypes = list(op_dtypes) if isinstance(op_dtypes, (tuple, list)) else [op_dtypes] * n
    if len(dtypes) != n:
        raise ValueError("op_dtypes must be a tuple/list matching the number of ops")
    return words, dtypes


def _axes_of(op_axes, itershape, n):
    if op_axes is None:
        return [], None if itershape is None else tuple(itershape)
    if not isinstance(op_axes, (tuple, list)) or len(op_axes) != n:
        raise ValueError("op_axes must be a tuple/list matching the number of ops")
    lists = [None if a is None else [-1 if i is None else i for i in a] for a in op_axes]
    given = [len(a) for a in lists if a is not None]
    if not given:
        return [], None if itershape is None else tuple(itershape)
    if len(set(given)) > 1:
        raise ValueError("Each entry of op_axes must have the same size")
    return lists, None if itershape is None else tuple(itershape)


def _number_of(name, doc, writes=False):
    get = _c["" + name]

    def read(self):
        value = get(self._it)
        return tuple(value) if name == "iterrange" else value

    def write(self, value):
        _c["set_" + name](self._it, *(value if name == "iterrange" else (value,)))
        self._moved()
    return property(read, write if writes else None, doc=doc)


class nditer:
    """Arrays together, element by element. (numpy.nditer) What it yields are arrays over the elements' memory; they are
    good until its next step.

    >>> import kiln.numpy as knp
    >>> with knp.nditer([knp.arange(3), None]) as it:
    ...     for x, y in it:
    ...         y[...] = x * 2
    ...     result = it.operands[1]
    >>> result
    array([0, 2, 4])
    """

    def __init__(self, op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None,
                 itershape=None, buffersize=0):
        operands, flags = _operands(op), _words(flags, _FLAGS)
        words, dtypes = _for_each(op_flags, op_dtypes, operands)
        axes, itershape = _axes_of(op_axes, itershape, len(operands))
        it = _core.nditer(operands, flags, words, dtypes, order, casting, axes, itershape, buffersize, None)
        self._begin(it, operands, words, "external_loop" in flags.split())

    def _begin(self, it, operands, words, many):
        self._it, self._given, self._many, self._started, self._inner = it, operands, many, False, None
        self._writes = [not {"readonly"} & set(w.split()) for w in words]

    def __iter__(self):
        return self

    def __next__(self):
        if self.finished:
            raise StopIteration
        if self._started and not self.iternext():
            raise StopIteration
        self._started = True
        return self.value[0] if self.nop == 1 else self.value

    def iternext(self):
        """On to the next element, or with external_loop the next ones; False at the end."""
        more = _c["next"](self._it)
        self._moved()
        return more

    def _moved(self):
        """The element here has not been yielded; those inside of it begin anew."""
        while self is not None:
            self._started, self = False, self._inner

    def reset(self):
        """To the first element."""
        _c["reset"](self._it)
        self._moved()

    def copy(self):
        """Another one at the same place."""
        other = object.__new__(nditer)
        other.__dict__.update(self.__dict__, _it=_c["copy"](self._it))
        return other

    __copy__ = copy

    def close(self):
        """Writes back what buffers and copies hold."""
        _c["close"](self._it)

    def __enter__(self):
        self.nop
        return self

    def __exit__(self, *exc):
        self.close()

    def remove_axis(self, i, /):
        """It stays at position 0 of that axis."""
        _c["remove_axis"](self._it, i)

    def remove_multi_index(self):
        """Axes become one where that is possible."""
        _c["remove_multi_index"](self._it)

    def enable_external_loop(self):
        """Chunks of elements from here on."""
        _c["enable_external_loop"](self._it)
        self._many = True

    finished = _number_of("finished", "Is it behind the last element?")
    ndim = _number_of("ndim", "How many axes it has.")
    nop = _number_of("nop", "How many operands it has.")
    shape = _number_of("shape", "How many positions each of its axes has.")
    itersize = _number_of("itersize", "How many positions it has.")
    has_index = _number_of("has_index", "Does it know an index?")
    has_multi_index = _number_of("has_multi_index", "Does it know a multi-index?")
    has_delayed_bufalloc = _number_of("has_delayed_bufalloc", "Does it wait for a reset?")
    iterindex = _number_of("iterindex", "The number of the position, in its own order.", True)
    index = _number_of("index", "The number of the element in C's or Fortran's order.", True)
    multi_index = _number_of("multi_index", "The position.", True)
    iterrange = _number_of("iterrange", "From which iterindex to which it goes.", True)
    iterationneedsapi = property(lambda self: False, doc="No element is an object of Python.")

    @property
    def dtypes(self):
        """As which dtypes the operands are seen."""
        return tuple(_c["dtypes"](self._it, i) for i in range(self.nop))

    @property
    def value(self):
        """The elements at which it is."""
        return tuple(self[i] for i in range(self.nop))

    @property
    def operands(self):
        """The arrays that were given, or that were made for it."""
        arrays = [_core.nditer_operand(self._it, i) for i in range(self.nop)]
        return tuple(g if g is not None and g.dtype == a.dtype and _shares_memory(g, a) else a
                     for g, a in zip(self._given, arrays))

    @property
    def itviews(self):
        """Views of the operands with its axes."""
        return tuple(_c["itviews"](self._it, i) for i in range(self.nop))

    def __len__(self):
        return self.nop

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self.value[i]
        n = self.nop
        if not -n <= i < n:
            raise IndexError(f"Iterator operand index {i} is out of bounds")
        i = i + n if i < 0 else i
        if self.finished:
            raise ValueError("Iterator is past the end")
        return _core.nditer_view(self._it, i, self._writes[i], self._many)

    def __setitem__(self, i, value):
        if isinstance(i, slice):
            for k, v in zip(range(self.nop)[i], value, strict=True):
                self[k] = v
            return
        if not self._writes[i]:
            raise RuntimeError(f"Iterator operand {i} is not writeable")
        self[i][...] = value


def nested_iters(op, axes, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", buffersize=0):
    """Iterators inside each other, the outermost first. (numpy.nested_iters)

    >>> import kiln.numpy as knp
    >>> i, j = knp.nested_iters(knp.arange(4).reshape(2, 2), [[1], [0]])
    >>> [[int(y) for y in j] for x in i]
    [[0, 2], [1, 3]]
    """
    operands, flags = _operands(op), _words(flags, _FLAGS)
    words, dtypes = _for_each(op_flags, op_dtypes, operands)
    its = _core.nditer(operands, flags, words, dtypes, order, casting, [], None, buffersize, [list(a) for a in axes])
    made = []
    for k, it in enumerate(its):
        one = object.__new__(nditer)
        one._begin(it, operands, words, k == len(its) - 1 and "external_loop" in flags.split())
        one._nest = its
        made.append(one)
    for outer, inner in zip(made, made[1:]):
        outer._inner = inner
    return tuple(made)


class Arrayterator:
    """An array as blocks of at most buf_size elements. (numpy.lib.Arrayterator)

    >>> import kiln.numpy as knp
    >>> list(knp.lib.Arrayterator(knp.arange(6).reshape(2, 3), 4))
    [array([[0, 1, 2]]), array([[3, 4, 5]])]
    """

    __module__ = "kiln.numpy.lib"

    def __init__(self, var, buf_size=None):
        self.var, self.buf_size = var, buf_size
        self.start, self.stop, self.step = [0] * var.ndim, list(var.shape), [1] * var.ndim

    def __getattr__(self, attr):
        return getattr(self.var, attr)

    def _part(self):
        return self.var[tuple(map(slice, self.start, self.stop, self.step))]

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        whole = [slice(None)] * (self.var.ndim - sum(i is not Ellipsis for i in index))
        at = next((k for k, i in enumerate(index) if i is Ellipsis), len(index))
        items = [*index[:at], *whole, *(i for i in index[at:] if i is not Ellipsis)]
        if len(items) > self.var.ndim:
            raise IndexError("too many indices for array")
        part = type(self)(self.var, self.buf_size)
        for d, i in enumerate(items):
            i = i if isinstance(i, slice) else slice(i, i + 1, 1)
            start, step = i.start or 0, i.step or 1
            part.start[d] = self.start[d] + start
            part.stop[d] = min(self.start[d] + (i.stop or self.stop[d] - self.start[d]), self.stop[d])
            part.step[d] = self.step[d] * step
        return part

    def __array__(self, dtype=None, copy=None):
        return self._part().__array__(dtype)

    def __kiln_array__(self):
        return self._part()

    @property
    def flat(self):
        """The elements, block by block."""
        for block in self:
            yield from block.flat

    @property
    def shape(self):
        """The shape of what it goes through."""
        return tuple((stop - start - 1) // step + 1 for start, stop, step in zip(self.start, self.stop, self.step))

    def __iter__(self):
        it = _c["arrayterator_new"](self._part(), self.buf_size or 0)
        while (block := _c["arrayterator_next"](it)) is not None:
            yield block


__all__ = ["nditer", "nested_iters"]
