#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy_suite.py -- NumPy's own tests, as they lie in its wheel, with kiln.numpy in NumPy's place.

    numpy_suite.py                        # all files; a table of what passed
    numpy_suite.py lib/test_arraypad      # some files, by a part of their path
    numpy_suite.py --failures ...         # and each test that failed, with its error
    numpy_suite.py --least 90             # fails if the share is lower

The test modules are loaded with an import statement of their own: what they import of NumPy are facades, whose public
names are Kiln's where Kiln has them. A test that fails and has used what Kiln does not have (REASONS) does not apply."""
import argparse
import builtins
import collections
import faulthandler
import importlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import types

import numpy
import pytest

import kiln
import kiln.numpy as knp

# A child has no thread that would dump, and would wait for it at the end.
os.register_at_fork(before=faulthandler.cancel_dump_traceback_later)
WHEEL = pathlib.Path(numpy.__file__).parent
FILES = """_core/test_array_api_info _core/test_arrayprint _core/test_einsum _core/test_function_base _core/test_getlimits
 _core/test_indexing _core/test_item_selection _core/test_multiarray _core/test_nep50_promotions _core/test_numeric
 _core/test_print _core/test_scalarmath _core/test_shape_base _core/test_ufunc _core/test_umath _core/test_umath_complex
 fft/test_helper fft/test_pocketfft lib/test_array_utils lib/test_arraypad lib/test_arraysetops lib/test_format
 lib/test_function_base lib/test_histograms lib/test_index_tricks lib/test_io lib/test_loadtxt lib/test_nanfunctions
 lib/test_packbits lib/test_polynomial lib/test_shape_base lib/test_stride_tricks lib/test_twodim_base lib/test_type_check
 lib/test_ufunclike linalg/test_linalg""".split()

# What Kiln does not have, and what a failure says that is due to it. Before its text stands, as "<name> ", what the test has
# used of NumPy's that Kiln does not have. The first row that fits counts.
REASONS = [(why, re.compile(pattern, re.S)) for why, pattern in (
    ("records and void", r"Cannot interpret '[\[{]|Cannot interpret '\(|data type '[^']*,|data type '\(|'V\d*'|'[|]?V\d|'void|<void>|<rec|"
                         r"structured arrays|subarray dtype|<internal recfunctions>|fields is"),
    ("dates", r"datetime64|timedelta64|'[<>=|]?[mM](8|'|\[)|<isnat>.*NaT|<busday|<is_busday"),
    ("texts", r"data type '[<>=|]?[SUac]\d*'|<str_>|<bytes_>|<character>|StringDType|<char>|<strings>|<fromregex>|arrays of texts|'str_'|'bytes_'|"
              r"<internal strings>|<class 'str'>|<class 'bytes'>"),
    ("long doubles", r"long double|longdouble|<float128>|<complex256>|complex256|float128"),
    ("objects", r"dtype object is not a valid array type|<class 'object'>|'object'|data type 'O'|<object_>|numpy\.object_|PyObject|'O'"),
    ("other byte orders", r"in the other byte order|newbyteorder"),
    ("subclasses and matrices", r"<subclass>|<matrix>|<asmatrix>|<bmat>|numpy\.matrix|Cannot interpret '<class 'test_|acceptable base type"),
    ("masked arrays", r"<internal ma>|masked arrays|MaskedArray|<ma>|numpy\.ma\.|\bma\b"),
    ("printing as older versions", r"legacy|<internal arrayprint>"),
    ("NumPy's internal modules", r"<internal _|<internal (?!umath|numeric|multiarray|fromnumeric|shape_base)"),
    ("metadata of dtypes", r"metadata|function takes at most 1 argument \(2 given\)"),
    ("nditer", r"<nditer>|<nested_iters>"),
    ("memory maps", r"mmap|memmap"),
)]

# Tests about something else than results, by their names.
TESTS = [(why, re.compile(pattern)) for why, pattern in (
    ("reference counts and memory of NumPy's C code", r"refcount|leak|incref|decref|dealloc|getbuffer|PEP3118|WRITEBACK|writebackifcopy|"
                                                      r"elide|UPDATEIFCOPY|mem_policy|buffersize|getbufsize"),
    ("subclasses and matrices", r"[Ss]ubclass|[Mm]atrix(?!_|Power|power|Rank|rank|Transpose|transpose|Norm|norm|Cond)|__array_wrap__|"
                                r"array_wrap|array_prepare|__array_finalize__|test_wrap"),
    ("docstrings", r"add_doc|docstring|_doc\b|newdoc"),
)]

# Lines of modules that find fault with what Kiln does not have.
LINES = [("_core/tests/test_ufunc.py", "UNARY_OBJECT_UFUNCS.remove(np.bitwise_count)")]

touched = set()  # what the test that runs has used and Kiln does not have


def own(x):
    """Is it NumPy's? (Facades of it are made then.)"""
    return isinstance(x, types.ModuleType) and x.__name__.split(".")[0] == "numpy"


def convert(x, into):
    """The arrays in x, also in sequences, as those of the other side."""
    if isinstance(x, kiln.Array) and into is numpy:
        a = numpy.asarray(x)
        return a if a.ndim else a[()]
    if isinstance(x, knp.dtype) and into is numpy:
        return numpy.dtype(x.name)
    if type(x) is numpy.ndarray and into is knp and x.dtype.kind in "biufc" and x.dtype.isnative and x.dtype.char not in "gG":
        return knp.array(x, order="K")
    if isinstance(x, numpy.generic) and into is knp and x.dtype.kind in "biufc" and x.dtype.char not in "gG":
        return knp.array(x)
    if type(x) in (list, tuple):
        return type(x)(convert(e, into) for e in x)
    if type(x) is dict and x:
        return {k: convert(e, into) for k, e in x.items()}
    return x


def taking(f):
    """f, which takes NumPy's arrays (of numpy.testing)."""
    def call(*args, **kwargs):
        return f(*convert(args, numpy), **convert(kwargs, numpy))
    return call


class TypeOf:
    """`type` in the modules: an element's is its dtype, which stands for NumPy's class of scalars."""

    def __call__(self, *args):
        x = args[0]
        return x.dtype if len(args) == 1 and isinstance(x, kiln.Array) and x.ndim == 0 else type(*args)

    def __instancecheck__(self, x):
        return isinstance(x, (type, knp.dtype))

    def __mro_entries__(self, bases):
        return (type,)

    def __getattr__(self, name):
        return getattr(type, name)


def returning(f):
    """f, whose arrays are Kiln's unless modules are loaded with NumPy."""
    def call(*args, **kwargs):
        value = f(*convert(args, numpy), **convert(kwargs, numpy))
        return value if Suite.loading == "NumPy" else convert(value, knp)
    return call


class Type:
    """A class of NumPy's for isinstance, for calls and as a base: Kiln's, where it can be, else NumPy's."""

    def __init__(self, real, mine):
        self.real, self.mine = real, mine

    def __instancecheck__(self, x):
        return isinstance(x, (self.real, self.mine))

    def __subclasscheck__(self, c):
        return issubclass(c, (self.real, self.mine))

    def __call__(self, *args, **kwargs):
        try:
            if Suite.loading != "NumPy":
                return self.mine(*args, **kwargs)
        except TypeError:
            if not Suite.loading:
                raise
        return self.real(*convert(args, numpy), **convert(kwargs, numpy))

    def __mro_entries__(self, bases):
        touched.add("subclass")
        real = self.real

        class Subclass(real):
            def __new__(cls, *args, **kwargs):
                touched.add("subclass")
                return real.__new__(cls, *args, **kwargs)

            def __array_finalize__(self, obj):
                touched.add("subclass")
        return (Subclass,)

    def __getattr__(self, name):
        return getattr(self.mine, name)

    def __eq__(self, other):
        return other in (self.real, self.mine) or isinstance(other, Type) and other.real is self.real

    def __hash__(self):
        return hash(self.real)


class Random:
    """A generator of NumPy's whose arrays are Kiln's."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        value = getattr(self._real, name)
        if name in ("RandomState", "default_rng", "Generator"):
            return lambda *args: Random(value(*args))
        return returning(value) if callable(value) and not isinstance(value, type) else value


class Facade(types.ModuleType):
    """A module of NumPy's: Kiln's names first; what Kiln has not is remembered, and is NumPy's."""

    def __init__(self, real):
        super().__init__(real.__name__)
        path = real.__name__.split(".")[1:]
        self._real, self._mine, self._types = real, knp, {}
        for part in path:
            self._mine = getattr(self._mine, part, None) if isinstance(self._mine, types.ModuleType) else None
        self._public = not path or self._mine is not None

    @property
    def __dict__(self):
        return {name: getattr(self, name) for name in vars(self._real) if not name.startswith("__")}

    def __getattr__(self, name):
        mine = getattr(self._mine, name, None) if self._mine else None
        if name.startswith("__"):
            return getattr(self._real, name)
        try:
            real = getattr(self._real, name)
        except AttributeError:
            if mine is not None:
                return mine
            raise
        if own(real):
            if real.__name__ == "numpy.random":
                return Random(real)
            return Suite.facade(real)
        if name == "finfo" and Suite.loading:
            return lambda d: real(convert(d, numpy))
        if name in ("ndarray", "dtype", "ufunc", "broadcast", "vectorize", "poly1d", "generic") and self._mine is not None:
            return self._types.setdefault(name, Type(real, getattr(knp, name)))
        if mine is None and not self._public:
            for public, kilns in ((numpy, knp), (numpy.linalg, knp.linalg), (numpy.fft, knp.fft), (numpy.lib, knp.lib)):
                if getattr(public, name, self) is real and hasattr(kilns, name):
                    return getattr(Suite.facade(public), name)
        if mine is not None or self._mine is not None and hasattr(self._mine, name):
            return self.while_loading(mine, real) if callable(mine) and Suite.loading else mine
        if self._real.__name__.startswith(("numpy.testing", "numpy.ma.testutils")):
            return taking(real) if name.startswith("assert_") and "raises" not in name and "warn" not in name else real
        touched.add(name if self._public else "internal " + self._real.__name__.split(".")[-1])
        return real

    @staticmethod
    def while_loading(mine, real):
        """In a module's body and in lists of parameters, what Kiln refuses is NumPy's."""
        if not isinstance(mine, types.BuiltinFunctionType | types.FunctionType):
            return mine

        def call(*args, **kwargs):
            try:
                return mine(*args, **kwargs)
            except Exception:
                if not Suite.loading:
                    raise
                return real(*args, **kwargs)

        def plain(*args, **kwargs):
            return real(*convert(args, numpy), **convert(kwargs, numpy)) if Suite.loading else mine(*args, **kwargs)
        return plain if Suite.loading == "NumPy" else call


class Suite:
    """The plugin: it loads the modules and notes what became of each test."""
    loading = ""  # or with whom a module is loaded
    facades = {}

    def __init__(self, report, seconds):
        self.report, self.seconds = report, seconds

    @staticmethod
    def facade(real):
        return Suite.facades.setdefault(real.__name__, Facade(real))

    @staticmethod
    def imported(name, globals=None, locals=None, fromlist=(), level=0):
        if level or name.split(".")[0] != "numpy":
            return builtins.__import__(name, globals, locals, fromlist, level)
        importlib.import_module(name)
        for item in fromlist or ():
            if item != "*" and not hasattr(sys.modules[name], item):
                importlib.import_module(f"{name}.{item}")
        return Suite.facade(sys.modules[name if fromlist else "numpy"])

    @staticmethod
    def source(path):
        text = path.read_text()
        for name, line in LINES:
            text = text.replace(line, "pass", 1) if str(path).endswith(name) else text
        return text

    def pytest_collection_finish(self):
        Suite.loading = ""

    @staticmethod
    def load(path):
        """The module. Where its body asks for more than Kiln has, it runs with NumPy, and its arrays become Kiln's."""
        for Suite.loading in ("Kiln", "NumPy"):
            module = types.ModuleType(path.stem)
            module.__file__ = str(path)
            module.__builtins__ = {**vars(builtins), "__import__": Suite.imported, "type": TypeOf()}
            sys.modules[path.stem] = module
            try:
                exec(compile(Suite.source(path), str(path), "exec"), module.__dict__)
                break
            except Exception:
                if Suite.loading == "NumPy":
                    raise
        if Suite.loading == "NumPy":
            for owner in [module, *(c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__)]:
                for name, value in list(vars(owner).items()):
                    if isinstance(value, (numpy.ndarray, list, tuple, dict, numpy.generic)):
                        setattr(owner, name, convert(value, knp))
        return module

    def pytest_pycollect_makemodule(self, module_path, parent):
        class Module(pytest.Module):
            def _getobj(self):
                return Suite.load(self.path)
        return Module.from_parent(parent, path=module_path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        touched.clear()
        if hasattr(item, "callspec"):
            item.callspec.params.update(convert(item.callspec.params, knp))
        self.note(item.nodeid, "started")
        signal.signal(signal.SIGALRM, self.late)
        signal.alarm(self.seconds)
        faulthandler.dump_traceback_later(2 * self.seconds, exit=True)  # if it is in C
        try:
            return (yield)
        finally:
            signal.alarm(0)
            faulthandler.cancel_dump_traceback_later()

    @staticmethod
    def late(*_):
        raise TimeoutError("too slow")

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome == "failed" or report.outcome == "skipped":
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr or "")
            text = "".join(f"<{t}> " for t in sorted(touched)) + text
            self.note(report.nodeid, report.outcome, text, report.longreprtext)

    def note(self, test, outcome, text="", whole=""):
        name = test.split("::", 1)[1] if "::" in test else test
        with open(self.report, "a") as f:
            f.write(json.dumps([name, outcome, text, whole]) + "\n")


def child(o):
    """Runs one file in this process; skips the tests that ended an earlier one."""
    import hypothesis
    hypothesis.settings.register_profile("suite", deadline=None, max_examples=10, database=None, derandomize=True,
                                         suppress_health_check=list(hypothesis.HealthCheck))
    hypothesis.settings.load_profile("suite")
    os.environ["NPY_AVAILABLE_MEM"] = "1 GB"
    done = read(o.report)

    class Skip:
        @staticmethod
        def pytest_collection_modifyitems(items):
            items[:] = [i for i in items if i.nodeid.split("::", 1)[1] not in done]
    path = WHEEL / (o.child.replace("/", "/tests/") + ".py")
    arguments = [str(path), "-q", "--noconftest", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=short", "--color=no", "-W", "ignore",
                 "--rootdir", str(WHEEL), "-o", "python_files=test_*.py", "-c", os.devnull]
    if o.k:
        arguments += ["-k", o.k]
    return pytest.main(arguments, plugins=[Suite(o.report, o.seconds), Skip])


def reason(test, text):
    """Why a test that failed does not apply, or None."""
    return next((why for why, pattern in TESTS if pattern.search(test)), None) or next(
        (why for why, pattern in REASONS if pattern.search(text)), None)


def read(report):
    """{test: (outcome, error, whole)} of what has run; "started" is what did not end."""
    results = {}
    for line in open(report) if os.path.exists(report) else ():
        test, outcome, text, whole = json.loads(line)
        if outcome != "started" or test not in results:
            results[test] = (outcome, text, whole)
    return results


def run_file(file, o):
    """[(test, outcome, error, whole)] of a file; a test that ends the process has failed."""
    command = [sys.executable, __file__, "--child", file, "--seconds", str(o.seconds), *(["-k", o.k] if o.k else [])]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        ended = 0
        for _ in range(60):
            r = subprocess.run([*command, "--report", report], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            ended, before = sum(v[0] == "started" for v in read(report).values()), ended
            if ended == before:
                break
        if r.returncode not in (0, 1, 5):
            print(r.stdout[-3000:])
        return [(t, "failed" if r[0] == "started" else r[0], "ended the process" if r[0] == "started" else r[1], r[2])
                for t, r in read(report).items()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("files", nargs="*")
    p.add_argument("-k", help="only tests with such names, as pytest's")
    p.add_argument("--failures", action="store_true")
    p.add_argument("--whole", action="store_true", help="with tracebacks")
    p.add_argument("--log", help="a folder for what failed")
    p.add_argument("--least", type=float, default=0)
    p.add_argument("--seconds", type=int, default=10, help="of one test")
    p.add_argument("--child")
    p.add_argument("--report")
    o = p.parse_args()
    if o.child:
        return child(o)
    if tuple(int(k) for k in numpy.__version__.split(".")[:2]) != (2, 4):
        print(f"skipped: NumPy {numpy.__version__} is not 2.4, whose tests the reasons are about")
        return 77
    total, reasons = collections.Counter(), collections.Counter()
    print(f"{'NumPy ' + numpy.__version__:28}{'passed':>8}{'failed':>8}{'not applicable':>16}{'share':>8}", flush=True)
    for file in FILES:
        if o.files and not any(f in file for f in o.files):
            continue
        counts, failures = collections.Counter(), []
        for test, outcome, text, whole in run_file(file, o):
            if outcome == "skipped":
                continue
            why = reason(test, text) if outcome == "failed" else None
            if why:
                reasons[why] += 1
            elif outcome == "failed":
                failures.append((test, text, whole))
            counts["not" if why else outcome] += 1
        total += counts
        tell(file, counts)
        for test, text, whole in failures if o.failures else ():
            print(f"    {test}\n        " + (whole if o.whole else text[:400]).strip().replace("\n", "\n        "), flush=True)
        if o.log:
            with open(os.path.join(o.log, file.replace("/", "_")), "w") as f:
                f.writelines(f"#### {test}\n{text}\n{whole}\n\n" for test, text, whole in failures)
    tell("all", total)
    for why, n in reasons.most_common():
        print(f"    {n:6} not applicable: {why}")
    return 1 if share(total) < o.least else 0


def share(counts):
    return 100 * counts["passed"] / max(counts["passed"] + counts["failed"], 1)


def tell(name, counts):
    print(f"{name:28}{counts['passed']:8}{counts['failed']:8}{counts['not']:16}{share(counts):7.1f}%", flush=True)


if __name__ == "__main__":
    sys.exit(main())
