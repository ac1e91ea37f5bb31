# SPDX-License-Identifier: Apache-2.0
"""Whether a Python function will do what it did before. A loop that is called outside of recordings records its body
once for each list of types, and not at each call, if nothing that the body reads can have changed since: its code, the
values in its closure and its defaults, the globals that it names, and those of the functions that it calls. What is
not known to stay as it is, such as an array, a list or an object, makes a function one that is recorded at each call.
"""
import builtins as _builtins
import collections as _collections
import dis as _dis
import enum as _enum
import re as _re
import sys as _sys
import types as _types
import weakref as _weakref

from . import _core

_asarray = _core.functions("kiln.numpy")["asarray"]
_Row = type(_asarray.__self__)
_nothing = object()

# ---- What code reads.

# Instructions that read and write nothing but locals, constants and the names that are looked at below.
_ALLOWED = _re.compile(
    r"(LOAD|STORE)_FAST|LOAD_(CONST|DEREF|CLOSURE|GLOBAL|ATTR|METHOD|SMALL_INT|ASSERTION_ERROR|COMMON_CONSTANT)"
    r"|STORE_(DEREF|SUBSCR|SLICE)|BINARY_|UNARY_|COMPARE_OP|IS_OP|CONTAINS_OP|TO_BOOL|CALL|PRECALL|PUSH_NULL|KW_NAMES"
    r"|RESUME|RETURN_|POP_|(.*_)?JUMP_|FOR_ITER|GET_ITER|END_FOR|BUILD_(?!STRING|TEMPLATE|INTER)|UNPACK_"
    r"|LIST_|SET_|DICT_|MAP_ADD|COPY|SWAP|NOP|NOT_TAKEN|CACHE|EXTENDED_ARG|MAKE_|RAISE_VARARGS|RERAISE|GET_LEN"
    r"|YIELD_VALUE|RETURN_GENERATOR")
# From these one comes to everything.
_FRAMES = {"gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_back", "f_globals", "f_locals", "f_builtins",
           "format", "format_map"}  # "{.__globals__}".format


def _chains(code, free):
    """The globals and the free variables that code reads, each with the attributes that it takes of it at once; None:
    it may read more. free: its free variables that come from outside of the whole function."""
    chains, current = set(), ()
    for i in _dis.get_instructions(code):
        if not _ALLOWED.match(i.opname):
            return None
        if i.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if i.argval.startswith("__") or i.argval in _FRAMES:
                return None
            current = current and (*current, i.argval)
            continue
        if i.opname in ("CACHE", "PUSH_NULL", "EXTENDED_ARG"):
            continue
        if current:
            chains.add(current)
        current = ()
        outside = i.argval in free if i.opname.endswith("_DEREF") else False
        if i.opname == "STORE_DEREF" and outside:
            return None
        if i.opname == "LOAD_GLOBAL":
            current = (False, i.argval)
        elif outside:
            current = (True, i.argval)
    for inner in code.co_consts:
        if isinstance(inner, _types.CodeType):
            more = _chains(inner, free.intersection(inner.co_freevars))
            if more is None:
                return None
            chains |= more
    return chains


_known_code = _collections.OrderedDict()  # the last results, by the code's address


def _chains_of(code):
    known = _known_code.get(id(code))
    if known and known[0]() is code:
        return known[1]
    chains = _chains(code, frozenset(code.co_freevars))
    _known_code[id(code)] = _weakref.ref(code), chains
    if len(_known_code) > 1024:
        _known_code.popitem(last=False)
    return chains


# ---- What is read stays as it is. Each of these tells, for another value, whether it is the same.

class _Is:
    """This very object, which does not change."""
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def fits(self, value, assumed):
        return value is self.value


class _Equal(_Is):
    """A number or a text of this value; -0.0 is not 0.0, and ranges of the same numbers may end at others."""
    __slots__ = ()

    def fits(self, value, assumed):
        mine = self.value
        return value is mine or (type(value) is type(mine) and value == mine and
                                 (type(mine) not in (float, complex, range) or repr(value) == repr(mine)))


class _Tuple:
    __slots__ = ("kind", "items")

    def __init__(self, kind, items):
        self.kind, self.items = kind, items

    def fits(self, value, assumed):
        return (type(value) is self.kind.value and self.kind.fits(type(value), assumed) and
                len(value) == len(self.items) and all(s.fits(v, assumed) for s, v in zip(self.items, value)))


class _Class(_Is):
    """A class that does not change: one of the language's, or a named tuple with nothing added."""
    __slots__ = ("members",)

    def __init__(self, value, members):
        self.value, self.members = value, members

    def fits(self, value, assumed):
        return value is self.value and (self.members is None or dict(vars(value)) == self.members)


class _Jitted(_Is):
    """What kiln.jit made of a function that stays as it is."""
    __slots__ = ("inner",)

    def __init__(self, value, inner):
        self.value, self.inner = value, inner

    def fits(self, value, assumed):
        return value is self.value and _no_attributes(value) and self.inner.fits(value.__wrapped__, assumed)


class _Code:
    """A Python function of this code, whose names mean what they meant. It may be another object: a lambda that is
    made at each call, for example."""
    __slots__ = ("code", "names", "cells", "defaults", "keywords")

    def fits(self, f, assumed):
        if id(self) in assumed:
            return assumed[id(self)] is f
        if type(f) is not _types.FunctionType or f.__code__ is not self.code or not _no_attributes(f):
            return False
        assumed[id(self)] = f
        if not (self.defaults.fits(f.__defaults__, assumed) and
                self.keywords.fits(_keyword_defaults(f), assumed)):
            return False
        try:
            for chain, expected in self.names:
                if not expected.fits(_follow(f, chain), assumed):
                    return False
        except LookupError:
            return False
        return True


def _no_attributes(f):
    """Has f no attribute of the user's? (functools.wraps sets some with two underscores, which code may not read.)"""
    return not f.__dict__ or all(k.startswith("__") for k in f.__dict__)


def _keyword_defaults(f):
    return tuple(sorted(f.__kwdefaults__.items())) if f.__kwdefaults__ else None


def _follow(f, chain):
    """What the chain means in f; attributes of what is no module are left. LookupError: nothing."""
    closure, name, *attributes = chain
    if closure:
        try:
            value = f.__closure__[f.__code__.co_freevars.index(name)].cell_contents
        except ValueError:
            raise LookupError from None
    else:
        value = f.__globals__.get(name, _nothing)
        if value is _nothing:
            value = f.__builtins__[name]
    for a in attributes:
        if type(value) is not _types.ModuleType:
            break
        value = value.__dict__[a]
    return value


# ---- What is known to stay as it is.

_ATOMS = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range)
_BUILTINS = {getattr(_builtins, n) for n in (
    "abs all any bool complex dict divmod enumerate filter float int isinstance issubclass iter len list map max min "
    "next pow print range reversed round slice sorted sum tuple zip").split()}
_PURE_MODULES = ("math", "cmath", "_operator")
# Files, settings and what is printed with them are not the same at each call.
_UNSTEADY = {"_files", "_errors", "_printing", "_config", "_progress", "_display"}
_NAMED_TUPLE = {"__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__doc__",
                "__firstlineno__", "__getnewargs__", "__match_args__", "__module__", "__new__", "__orig_bases__",
                "__replace__", "__repr__", "__slots__", "__static_attributes__", "_asdict", "_field_defaults",
                "_fields", "_make", "_replace"}
_package = __name__.partition(".")[0]


def _of_package(f):
    name = f.__globals__.get("__name__")
    return (isinstance(name, str) and name.partition(".")[0] == _package and
            getattr(_sys.modules.get(name), "__dict__", None) is f.__globals__)


def _class(c):
    if c in _BUILTINS or c in (object, type(None)) or (
            issubclass(c, Exception) and getattr(_builtins, c.__name__, None) is c):
        return _Class(c, None)
    members = dict(vars(c))
    fields = members.get("_fields")
    if (c.__bases__ == (tuple,) and type(c) is type and type(fields) is tuple and
            members.get("_field_defaults") == {} and members.keys() <= _NAMED_TUPLE.union(fields) and
            type(c.__new__) is _types.FunctionType and not c.__new__.__defaults__ and
            all(type(members.get(n)).__name__ == "_tuplegetter" for n in fields)):
        return _Class(c, members)
    return None


def _function(f, building):
    if f.__code__ in building:
        return building[f.__code__][1] if building[f.__code__][0] is f else None  # two of one code are not told apart
    known = _of_package(f)
    if known and f.__globals__["__name__"].rpartition(".")[2] in _UNSTEADY:
        return None
    if known and not f.__closure__:
        return _Is(f)
    chains = {(True, n) for n in f.__code__.co_freevars} if known else _chains_of(f.__code__)
    if chains is None or not _no_attributes(f):
        return None
    result = _Code()
    building[f.__code__] = f, result
    result.code, result.names = f.__code__, []
    result.defaults = _steady(f.__defaults__, building)
    result.keywords = _steady(_keyword_defaults(f), building)
    if not result.defaults or not result.keywords:
        return None
    for chain in chains:
        try:
            expected = _steady(_follow(f, chain), building)
        except LookupError:
            return None
        if not expected:
            return None
        result.names.append((chain, expected))
    return result


def _is_of_library(v):
    if type(v) is _types.BuiltinFunctionType:
        return v in _BUILTINS or type(v.__self__) is _Row or (
            type(v.__self__) is _types.ModuleType and v.__self__.__name__ in _PURE_MODULES)
    if type(v) is _core.ufunc:
        from .numpy._ufuncs import UFUNCS  # and not one that np.frompyfunc made
        return UFUNCS.get(v.__name__) is v
    return type(v) is _core.dtype or (isinstance(v, _enum.EnumMeta) and v.__module__.partition(".")[0] == _package)


def _steady(v, building):
    """How to tell that a value is the same as v; None: it is not known how."""
    kind = type(v)
    if kind in _ATOMS:
        return _Equal(v)
    if kind is _types.FunctionType:
        return _function(v, building)
    if kind is type:
        return _class(v)
    if isinstance(v, tuple):
        items, its = [_steady(x, building) for x in v], _Is(tuple) if kind is tuple else _class(kind)
        return _Tuple(its, items) if its and all(items) else None
    if kind is _core.Jit:
        inner = _no_attributes(v) and _steady(v.__wrapped__, building)
        return _Jitted(v, inner) if inner else None
    return _Is(v) if _is_of_library(v) else None


_KEYS = {int, bool, str, bytes, type(None)}  # two of one type that are equal do the same


def types_of(treedefs):
    """What equal treedefs differ in that matters: named tuples, and the types of dicts' keys (1 == True). None: there
    is what may change, such as the data of a class of the user's."""
    found = []
    for t in treedefs:
        types = t.types()
        if types is None or not _KEYS.issuperset(types[1]):
            return None
        found.append(types)
    return found


def steady(functions, types):
    """Tests of (functions, named tuples in trees of these types) that say whether other functions do the same; None:
    what they do may change. Each test has fits(value, assumed), where assumed is an empty dictionary."""
    classes = [_class(c) for c in {c for named, _ in types for c in named}]
    if not all(classes):
        return None
    building = {}
    tests = []
    for f in functions:
        test = _steady(f, building)
        if not test:
            return None
        tests.append(test)
    return tests, classes
