/* SPDX-License-Identifier: Apache-2.0
 * python.c -- prints programs as Python scripts that compare NumPy with the model: `views --python | python3`. */
#include "views.h"
#include <inttypes.h>

static const char prelude[] =
    "import sys, warnings\n"
    "import numpy as np\n"
    "warnings.simplefilter('ignore')\n"
    "np.seterr(all='ignore')\n"
    "nan, inf = float('nan'), float('inf')\n"
    "bad, done = 0, set()\n"
    "def C(x): return np.array(x, order='C', copy=True)\n"
    "def K(x): return np.array(x, order='K', copy=True)\n"
    "def AT(a, r):\n"
    "    if not isinstance(r, np.ndarray): return C(r)\n"
    "    return r if np.may_share_memory(a, r) or not r.size else C(r)\n"
    "def AT_UFUNC(f, a, index, v):\n"
    "    # NumPy's own reads outside of v when v has fewer axes, writes to what is read-only, and casts as it likes\n"
    "    if not a.flags.writeable: raise ValueError('read-only')\n"
    "    where = np.arange(a.size).reshape(a.shape)[index]\n"
    "    none, w = np.zeros(0, a.dtype), np.zeros(0, v.dtype) if isinstance(v, np.ndarray) else v\n"
    "    f(none, w, out=none)  # complains about dtypes\n"
    "    dtype = np.result_type(a, v)\n"
    "    v = np.broadcast_to(np.array(v, dtype), np.shape(where)).ravel()\n"
    "    flat = a.ravel()\n"
    "    for k, i in enumerate(np.ravel(where)): flat[i] = f(flat[i], v[k], dtype=dtype)\n"
    "    a[...] = flat.reshape(a.shape)\n"
    "def wrap(x): return x\n"
    "def touch(x): pass\n"
    "def memory(x): return x.reshape(-1)\n"
    "def data_mut(x):\n"
    "    if not x.flags.writeable or not x.flags.c_contiguous: raise ValueError\n"
    "    return x.reshape(-1)\n"
    "def complain(text):\n"
    "    global bad\n"
    "    if seed in done: return\n"
    "    done.add(seed)\n"
    "    bad += 1\n"
    "    print(f'{seed}: {text}')\n"
    "def run(line, want):\n"
    "    try: exec(line, globals())\n"
    "    except Exception as e: got = [k.__name__ for k in type(e).__mro__]\n"
    "    else: got = ['']\n"
    "    if want not in got: complain(f'{line}: {got[0]}, the model says {want}')\n"
    "def check(line, name, dtype, shape, data, strides):\n"
    "    x = globals()[name]\n"
    "    y = np.frombuffer(bytes.fromhex(data), dtype).reshape(shape)\n"
    "    if x.shape != shape or x.dtype != dtype: complain(f'{line}: {name} is {x.dtype}{x.shape}, model "
    "{dtype}{shape}')\n"
    "    elif x.tobytes() != y.tobytes() and not np.array_equal(x, y, equal_nan=dtype[0] in 'fc'):\n"
    "        complain(f'{line}: {name} is\\n{x!r}\\nmodel\\n{y!r}')\n"
    "    elif y.size and any(s != t for n, s, t in zip(shape, x.strides, strides) if n > 1):\n"
    "        complain(f'{line}: {name} has strides {x.strides}, model {strides}')\n"
    "def shares(a, b, want):\n"
    "    if np.shares_memory(globals()[a], globals()[b]) != want: complain(f'shares_memory({a}, {b}) is not {want}')\n";

static void print_check(const p_run *run, int line, int var)
{
    const m_array *a = &run->var[var];
    int64_t at[M_SIZE];
    m_offsets(a, at);
    printf("check(%d, 'v%d', '%s', (", line, var, p_dtype_name(a->dtype));
    for (int i = 0; i < a->shape.ndim; i++)
        printf("%" PRId64 ",", a->shape.dim[i]);
    printf("), '");
    for (int64_t k = 0; k < m_count(&a->shape); k++)
        for (int64_t i = 0; i < m_item_size(a->dtype); i++)
            printf("%02x", a->store->data[at[k] + i]);
    printf("', (");
    for (int i = 0; i < a->shape.ndim; i++)
        printf("%" PRId64 ",", a->stride[i]);
    printf("))\n");
}

void v_python(const p_program *program, bool first)
{
    static p_run run;
    double argument[P_ARGUMENT];
    if (first)
        fputs(prelude, stdout);
    v_argument(program, 0, argument);
    p_begin(&run, argument);
    printf("seed = %" PRIu64 "\nx = np.array([", program->seed);
    for (int i = 0; i < P_ARGUMENT; i++)
        printf("float.fromhex('%a'), ", argument[i]);
    printf("])\n");
    for (int i = 0; i < program->n; i++) {
        const p_line *line = &program->line[i];
        int e = p_step(&run, program, i);
        if (e >= M_LIMIT)
            continue;
        if (line->kind == P_SHARES) {
            printf("shares('v%d', 'v%d', %s)\n", line->a, line->b,
                   m_shares(&run.var[line->a], &run.var[line->b]) ? "True" : "False");
            continue;
        }
        if (line->kind == P_LOOK || line->kind == P_CHECK) {
            for (int k = 0; k < P_SLOTS; k++)
                if (run.slot[k] >= 0 && (line->kind == P_CHECK || run.slot[k] == line->a))
                    print_check(&run, i, run.slot[k]);
            continue;
        }
        printf("run(\"");
        p_print_line(stdout, program, i);
        printf("\", '%s')\n", p_error_name(e));
        if (!e && p_makes_variable(line->kind))
            print_check(&run, i, i);
        else if (run.alive[line->a])
            print_check(&run, i, line->a);
    }
    p_end(&run);
}
