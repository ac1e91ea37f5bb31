# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/text_files.txt: what NumPy's loadtxt, genfromtxt and savetxt do with small texts, errors included.

usage: python scripts/golden/make_text_files.py (with NumPy 2)

A line is: function, options, input, result, with tabs between. Options are name=value, with '|' between. Values of
results: integers, floats in hexadecimal, complex numbers as two floats."""
import os
import tempfile
import warnings

import numpy as np

cases = []
path = os.path.join(tempfile.mkdtemp(), "case.txt")


def file_of(text):
    with open(path, "wb") as f:
        f.write(text.encode())
    return path


def escaped(text):
    out = ""
    for c in text.encode():
        out += chr(c) if 32 <= c < 127 and chr(c) not in "\\|" else "\\x%02x" % c
    return out


def shown(x):
    x = np.asarray(x)
    values = []
    for v in x.ravel().tolist():
        if isinstance(v, complex):
            values += [float(v.real).hex(), float(v.imag).hex()]
        else:
            values.append(float(v).hex() if isinstance(v, float) else str(int(v)))
    return " ".join([str(x.dtype), ",".join(map(str, x.shape)) or "-"] + values)


def option_text(options):
    def one(v):
        if isinstance(v, (list, tuple)):
            return "\\x01".join(escaped(str(e)) for e in v)
        if isinstance(v, bool):
            return str(int(v))
        return escaped(str(v.__name__ if isinstance(v, type) else v))
    return "|".join(f"{k}={one(v)}" for k, v in options.items())


def run(function, options, text, call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = "ok " + call()
        except Exception as e:  # whatever NumPy raises is the expectation
            name = type(e).__name__
            kind = "ValueError" if name in ("UnicodeEncodeError", "UnicodeDecodeError", "AttributeError") else name
            result = f"{kind}: {escaped(str(e))}"
    cases.append("\t".join([function, option_text(options), escaped(text), result]))


def load(text, **o):
    given = {k: v for k, v in o.items()}
    if "several_comments" in given:
        given["comments"] = given.pop("several_comments")
    if given.get("comments") == "None":
        given["comments"] = None
    run("loadtxt", o, text, lambda: shown(np.loadtxt(file_of(text), **given)))


def gen(text, **o):
    given = {k: v for k, v in o.items()}
    if given.get("comments") == "None":
        given["comments"] = None
    if "widths" in given:
        widths = given.pop("widths")
        given["delimiter"] = widths if len(widths) > 1 else widths[0]
    if given.pop("detect", False):
        given.update(dtype=None, encoding=None)
    run("genfromtxt", o, text, lambda: shown(np.genfromtxt(file_of(text), **given)))


def save(x, **o):
    given = {k: v for k, v in o.items()}
    if "fmts" in given:
        given["fmt"] = list(given.pop("fmts"))

    def call():
        np.savetxt(path, x, **given)
        with open(path, "rb") as f:
            return escaped(f.read().decode())
    run("savetxt", o, shown(x), call)


def loads():
    load("1 2 3\n4 5 6\n")
    load("1 2 3\r\n4 5 6\r\n")
    load("1 2\r3 4\r")
    load("1 2 3\n4 5 6")
    load("  1\t 2 \n\n # only a comment\n3 4 # behind\n")
    load("1,2,3\n4,5,6\n", delimiter=",")
    load(" 1 , 2\n3,4 \n", delimiter=",")
    load("1,,2\n", delimiter=",")
    load("1,2,\n", delimiter=",")
    load("1;2\n", delimiter=",")
    load("1\u00a72\n", delimiter="\u00a7")
    load("1\u00a02\u20033\n")
    for d in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
              "complex64", "complex128", "bool"):
        load("1 0\n2 3\n", dtype=d)
        load("1 x\n", dtype=d)
        load("300 -1\n", dtype=d)
        load("1.5\n", dtype=d)
    load("-128 127\n", dtype="int8")
    load("-129\n", dtype="int8")
    load("-9223372036854775808 9223372036854775807\n", dtype="int64")
    load("9223372036854775808\n", dtype="int64")
    load("18446744073709551615\n", dtype="uint64")
    load("18446744073709551616\n", dtype="uint64")
    load("+5 -0\n", dtype="int64")
    load("- 5\n", dtype="int64", delimiter=",")
    load("True\n", dtype="bool")
    load("0.1 1e400 -1e400 1e-400 nan -nan inf Infinity -iNf .5 5. 1e5 1E+5 1e-5\n")
    load("1e\n")
    load("0x10\n")
    load("1_0\n")
    load("1e5e5\n")
    load("123456789012345678901234567890 0.1234567890123456789012345 2.2250738585072011e-308 4.9e-324 1.7976931348623159e308\n")
    load("9007199254740993 9007199254740992.9999999999999 0.30000000000000004 1e23\n")
    load("1+2j (3-4j) 5j -6j 7 (8) 1e3-infj 1+-2j 1++2j\n", dtype="complex128")
    for bad in ("1+2", "(1", "1)", "1 +2j", "j", "1j2", "()", "1+2i", "nanj+1"):
        load(bad + "\n", dtype="complex128", delimiter=",")
    load("1 2 3\n4 5\n")
    load("1 2\n3 4 5\n")
    load("1 2 3\n4 5 6\n7 8\n")
    load("1 2 3\n4 5\n", usecols=[0, 1])
    load("1 2 3\n4 5\n", usecols=[0, -1])
    load("1 2 3\n4 5\n", usecols=[2])
    load("1 2 3\n4 5 6\n", usecols=[-4])
    load("1 2 3\n4 5 6\n", usecols=[2, 0, 2])
    load("1 x 3\n4 y 6\n", usecols=[0, 2])
    load("1 x 3\n4 y 6\n", usecols=[0, -2])
    load("1 2 3\n4 5 6\n", unpack=True)
    load("1 2 3\n", unpack=True)
    load("1 2 3\n4 5 6\n7 8 9\n", skiprows=1)
    load("1 2 3\n4 5 6\n7 8 9\n", skiprows=5)
    load("a\n\n1 2\n", skiprows=2)
    load("1 2 3\n4 5 6\n7 8 9\n", max_rows=2)
    load("1 2 3\n\n7 8 9\n5 5 5\n", max_rows=2)
    load("1 2\n", max_rows=0)
    load("1\n", skiprows=-1)
    load("1\n", max_rows=-2)
    for n in (0, 1, 2, 3, -1):
        load("1 2 3\n", ndmin=n)
        load("1\n2\n", ndmin=n)
        load("7\n", ndmin=n)
        load("", ndmin=n)
        load("1 2\n3 4\n", ndmin=n)
    load("", usecols=[0, 1])
    load("# nothing\n")
    load("1 2 % c\n3 4 % d\n", comments="%")
    load("1 2 # c\n", comments="None")
    load("1 2 // c\n3 4\n", comments="//")
    load("1 2 // c\n3 4 # d\n", several_comments=["#", "//"])
    load("1 2 xcab\n", several_comments=["ab", "ca", "x"])
    load("1,2\n", several_comments=["#", ","], delimiter=",")
    load("1\n", comments="")
    load("1\n", several_comments=["#", "//"], quotechar='"')
    load('"1" "2"\n', quotechar='"')
    load('"1"\n"2"\n', quotechar='"')
    load('"1""0",2\n', quotechar='"', delimiter=",")
    load('"1\n2",3\n', quotechar='"', delimiter=",")
    load('"1"2,3\n', quotechar='"', delimiter=",")
    load('1"2",3\n', quotechar='"', delimiter=",")
    load('"1#2",3\n', quotechar='"', delimiter=",")
    load('"1",3', quotechar='"', delimiter=",")
    load('"1', quotechar='"')
    load('"",3\n', quotechar='"', delimiter=",")
    load('""\n1\n', quotechar='"')
    load("'1' 2\n", quotechar="'")
    for d in (",,", "", "#", "\n", "\r", "\u00a7\u00a7"):
        load("1\n", delimiter=d)
    load("1\n", quotechar="#")
    load("1\n", quotechar=" ")
    load("1\n", quotechar="\n")
    load("1\n", quotechar=",", delimiter=",")
    load("1\n", comments=" ")
    load("1\n", comments="\n")
    load("x" * 300 + "\n")
    load("x'" * 60 + "\n")
    load("a'b\n")
    load("a'b\"c\n")
    load("a\\b\n")
    load("\u00e9\t\n", delimiter=",")
    load("\u20ac\u00ad\u0001\n")
    load("1e5\n", delimiter="e")
    load("infinity\n", delimiter="i")
    load("1 2 3" * 50 + "\n")


def gens():
    gen("1 2 3\n4 5 6\n")
    gen("1,2,3\n4,,6\n", delimiter=",")
    gen("1,2,3\n4,x,6\n", delimiter=",")
    gen("1,2,3\n4,x,6\n", delimiter=",", loose=False)
    gen("1,2,3\n4,,6\n", delimiter=",", loose=False)
    gen("1,2,3\n4,N/A,6\n", delimiter=",", missing_values="N/A,x", loose=False)
    gen("1,2,3\n4,N/A,6\n", delimiter=",", missing_values="N/A,x", filling_values=-1)
    gen("1,,3\n4,,6\n,5,7\n", delimiter=",", filling_values=7)
    gen("1,,3\n4,,6\n,5,7\n", delimiter=",", filling_values=(8, 9))
    gen("1,,3\n", delimiter=",", filling_values=(8, 9, 10, 11))
    for d in ("bool", "int8", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64",
              "complex128"):
        gen("1 0\n", dtype=d)
        gen("1.5 x\n", dtype=d)
        gen("True FALSE\n", dtype=d)
        gen("300 1_0\n", dtype=d)
        gen("nan inf\n", dtype=d)
        gen("99999999999999999999\n", dtype=d)
        gen("-7 +7\n", dtype=d)
    gen("x 1\n", dtype="int64", filling_values=float("nan"))
    gen("x 1\n", dtype="int64", filling_values=2.7)
    gen("1 2 3\n4 5\n6 7 8\n")
    gen("1 2 3\n4 5\n6 7 8\n9\n")
    gen("1 2 3\n4 5\n6 7 8\n", invalid_raise=False)
    gen("1 2 3\n4 5\n6 7 8\n", skip_footer=2)
    gen("1 2 3\n4 5 6\n7 8\n", skip_footer=1)
    gen("1 2 3\n4 5\n6 7 8\n", skip_footer=1)
    gen("1 2\n3 4\n5 6\n", skip_footer=1)
    gen("1 2\n3 4\n5 6\n", skip_footer=9)
    gen("a b\n1 2\n3 4\n", skip_header=1)
    gen("1 2\n", skip_header=5)
    gen("1 2\n3 4\n5 6\n", max_rows=2)
    gen("1 2\n3 4 5\n5 6\n", max_rows=2)
    gen("1 2\n", max_rows=0)
    gen("1 2\n", max_rows=1, skip_footer=1)
    gen("1 2 3\n4 5 6\n", usecols=[0, 2])
    gen("1 2 3\n4 5 6\n", usecols=[2, -3])
    gen("1 2 3\n4 5\n", usecols=[0, 2])
    gen("1 2 3\n4 5 6\n", usecols=[0, 5])
    gen("1 2 # c\n# d\n3 4\n")
    gen("1 2 // c\n3 4\n", comments="//")
    gen("1 2 # c\n", comments="None")
    gen("1 2\n", comments="")
    gen("123456\n789\n", widths=[3])
    gen("123456\n789\n", widths=[3, 2, 1])
    gen(" 1  2 \n\n 3  4 \n", widths=[3, 3])
    gen("1\u00e92\n", widths=[1, 1, 1])
    gen("1; 2\n", delimiter="; ")
    gen("1;;2\n", delimiter=";;")
    gen("1,2\n", delimiter="")
    gen(" 1 , 2 \n", delimiter=",", autostrip=True)
    gen("1,N/A \n", delimiter=",", missing_values="N/A", loose=False)
    for n in (0, 1, 2, 3):
        gen("1 2\n", ndmin=n)
        gen("1\n2\n", ndmin=n)
        gen("5\n", ndmin=n)
        gen("", ndmin=n)
        gen("1 2\n3 4\n", ndmin=n)
    gen("1 2 3\n4 5 6\n", unpack=True)
    gen("1 2\n3 4\n", detect=True)
    gen("1.5 2\n3 4.5\n", detect=True)
    gen("1j 2j\n3 4.5\n", detect=True, usecols=[0])
    gen("True False\nfalse TRUE\n", detect=True)
    gen("1,2\n,3\n", detect=True, delimiter=",")
    gen("9223372036854775808\n", detect=True)
    gen("1\n\n2\n", detect=True)
    gen("j 1+j 1+2j (3) nan\n", dtype="complex128")
    gen("1+ 1+2 (1 1j2 +-1\n", dtype="complex128")


def saves():
    m = np.array([[1.5, -2.25, 3e100], [0.1, np.nan, -np.inf]])
    i = np.array([[1, -2, 300], [0, 7, -9223372036854775808]])
    u = np.array([[0, 18446744073709551615]], np.uint64)
    z = np.array([[1 + 2j, -3.5 - 4j], [complex("nan"), complex(0, -0.0)]])
    for f in ("%.18e", "%e", "%.3f", "%10.3f", "%-10.3f|", "%+.2e", "% .2E", "%010.2f", "%g", "%.3G", "%#.0f", "%s",
              "%r", "%.2s", "%12s", "%F", "%f%%", "x", "%"):
        save(m, fmt=f)
        save(np.array([[1.5, -2.25, 3e30]], np.float32), fmt=f)
    for f in ("%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%#X", "%o", "%#o", "%i", "%u", "%5.3d", "%.18e", "%g",
              "%s", "%r", "%c", "%ld", "%q", "%(a)d", "%*d", "%5", "%.d"):
        save(i, fmt=f)
    save(u, fmt="%d")
    save(u, fmt="%x")
    save(np.array([65, 8364, 128512]), fmt="%c", delimiter="")
    save(np.array([1.9, -1.9, 1e300, -0.5]), fmt="%d")
    save(np.array([np.inf]), fmt="%d")
    save(np.array([np.nan]), fmt="%d")
    save(m, fmt="%x")
    save(np.array([True, False]))
    save(np.array([True, False]), fmt="%d")
    save(np.array([True, False]), fmt="%s")
    save(np.array([True, False]), fmt="%r")
    save(np.array([1.5, 2.5], np.float16))
    for f in ("%.18e", "%.3f", "%s", "%g", "%r"):
        save(z, fmt=f)
    save(z, fmt=" %.4e %+.4ej %.2f %+.2fj")
    save(z, fmts=("%.3e + %.3ej", "(%.15e%+.15ej)"))
    save(z, fmts=("%.3e", "%.3e"))
    save(z, fmt="%d %d %d")
    save(m, fmts=("%d", "%.2f", "%s"))
    save(m, fmts=("%d", "%.2f"))
    save(m, fmt="%.1f, %.2f; %.3f")
    save(m, fmt="%.1f %.2f")
    save(m[:1], delimiter=",", newline="\r\n", fmt="%.1f")
    save(m[:1], header="a\nb", footer="end", fmt="%.1f")
    save(m[:1], header="a\nb", footer="c\n", comments="", fmt="%.1f")
    save(m[:1], header="h", comments="// ", fmt="%.1f")
    save(np.zeros((0, 3)))
    save(np.zeros((2, 0)))
    save(np.float64(3))
    save(np.zeros((1, 1, 1)))
    save(i[0], fmt="%d")


loads()
gens()
saves()
golden = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "golden", "text_files.txt")
with open(golden, "w", encoding="ascii") as f:
    f.write("\n".join(cases) + "\n")
print(len(cases))
