# SPDX-License-Identifier: Apache-2.0
"""Recordings of the bodies of loops and branches that are called outside of other recordings. They are kept for as long
as the bodies stay what they are (_same.py)."""
import collections as _collections
import threading as _threading
import types as _types

from . import _core
from ._config import config as _config
from ._mesh import current_mesh
from ._same import steady as _steady, types_of as _types_of
from ._transforms import Flat

_asarray = _core.functions("kiln.numpy")["asarray"]
_nothing = object()
_numbers = (int, float, complex, bool)


class _Now:
    """A loop that runs by a kept recording: the functions that it was called with; and of what is recorded meanwhile,
    whether anything is, whether that raised, and the structures that were returned, by their body."""
    __slots__ = ("functions", "recorded", "failed", "trees")

    def __init__(self, functions):
        self.functions, self.recorded, self.failed, self.trees = functions, False, False, None


class _State(_threading.local):
    """The innermost one in this thread."""
    now = None


_state = _State()


class _Current:
    """Calls function number `at` of those that the loop was called with this time."""

    def __init__(self, at, function):
        self.at, self.__name__ = at, getattr(function, "__name__", "function")

    def __call__(self, *args):
        now = _state.now
        now.recorded = True
        try:
            return now.functions[self.at](*args)
        except BaseException:
            now.failed = True
            raise


class _KeptBody(Flat):
    """The same of whatever function the loop is called with. Threads may record it at the same time."""
    first, kept = None, None

    @property
    def out_tree(self):
        trees = _state.now.trees
        return trees.get(self, self.first) if trees else self.first

    @out_tree.setter
    def out_tree(self, tree):
        now = _state.now
        now.trees = {**(now.trees or {}), self: tree}
        if self.first is None:
            self.first = tree
        if tree != self.first:
            self.kept.mixed = True  # it depends on the types of the arguments


class _Kept:
    bodies, made, mixed = (), (), False

    def __init__(self, key, tests, classes):
        self.key, self.tests, self.classes, self.dtypes = key, tests, classes, {}

    def fits(self, functions):
        assumed = {}
        try:
            return (all(c.fits(c.value, assumed) for c in self.classes) and
                    all(t.fits(f, assumed) for t, f in zip(self.tests, functions)))
        except RecursionError:
            return False

    def run(self, functions, use):
        """What `use` returns; nothing: it has to be recorded after all, and this is not kept any more."""
        before = _state.now
        now = _state.now = _Now(functions)
        keep = False
        try:
            result = use(self.bodies, self.made, self)
            if not now.recorded:
                keep = not self.mixed
                return result if keep else _nothing
            # what it was may have changed while it was recorded
            keep = not self.mixed and self.fits(functions)
            return result
        except Exception:
            keep = not now.recorded
            if not now.failed:
                raise
            return _nothing  # errors of the functions are those of a recording of the loop
        finally:
            _state.now = before
            if not keep:
                _forget(self)

    def numbers(self, leaves, others=()):
        """(the leaves, what to note their dtypes under). A loop finds the dtypes of Python's numbers by recording its
        body once more; the second time those are known, and need no note (None)."""
        if not any(type(x) in _numbers for x in leaves):
            return leaves, None
        try:
            key = (_config.jax_default_float, len(leaves),
                   *[type(x) if type(x) in _numbers else (x.shape, x.dtype) for x in (*leaves, *others)])
            dtypes = self.dtypes.get(key)
            if not dtypes:
                return leaves, key
            return [_asarray(x, dtype=d) if type(x) in _numbers else x for x, d in zip(leaves, dtypes)], None
        except (AttributeError, OverflowError):  # something else that becomes an array; what the loop has to tell
            return leaves, None

    def note(self, key, results):
        if key and len(self.dtypes) < 64:
            self.dtypes[key] = [x.dtype for x in results]


class Fresh:
    """What stands for a recording that is not kept."""

    @staticmethod
    def numbers(leaves, others=()):
        return leaves, None

    @staticmethod
    def note(key, results):
        pass


_MOST = 512
_recordings = _collections.OrderedDict()  # lists of them by what the loop is and its code, the last used at the end


def _forget(kept):
    try:
        _recordings[kept.key].remove(kept)
    except (KeyError, ValueError):  # another thread was faster
        pass


def _find(what, treedefs, functions, build):
    code = [f.__code__ if type(f) is _types.FunctionType else f for f in functions]
    types = _types_of(treedefs)
    if types is None:
        return None
    # tests know the objects, which live as long; traced arrays say that they are at the default device
    key = what, _core.default_device(None), current_mesh(), *treedefs, *types, *map(id, code)
    known = _recordings.get(key)
    for kept in known or ():
        if kept.fits(functions):
            try:
                _recordings.move_to_end(key)
            except KeyError:  # another thread has put it out
                pass
            return kept
    try:
        tests = _steady(functions, types)
    except RecursionError:  # functions that call functions, too deep to be looked through
        tests = None
    if tests is None:
        return None
    kept = _Kept(key, *tests)
    current = [_Current(i, f) for i, f in enumerate(functions)]
    kept.bodies, made = build(current, _KeptBody)
    kept.made = [m.jit() for m in made]
    for body in kept.bodies:
        body.kept = kept
    if known is None:
        known = _recordings[key] = []
        if len(_recordings) > _MOST:
            _recordings.popitem(last=False)
    known.append(kept)
    del known[:-8]
    return kept


def apply(what, treedefs, functions, build, use):
    """use(bodies, Functions, what keeps the dtypes of numbers) for build(functions, Flat) -> (bodies, Functions); by a
    recording from before, if the functions do the same. what: a name and options that build looks at."""
    if not _core.tracing():
        kept = _find(what, treedefs, functions, build)
        result = kept.run(functions, use) if kept else _nothing
        if result is not _nothing:
            return result
    return use(*build(functions, Flat), Fresh)
