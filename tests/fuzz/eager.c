/* SPDX-License-Identifier: Apache-2.0
 * eager.c -- runs the lines of a program in Kiln, and compares with the model after every look. */
#include "views.h"
#include <kiln/kiln.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char text[4096], error_kind[64], error_text[1024];

const char *v_differs(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

/* Errors are noted by a hook: asking whether one is pending would run what is recorded. */
static void note_error(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    (void)env;
    (void)kind;
    (void)place;
    if (error_kind[0])
        return;
    snprintf(error_kind, sizeof error_kind, "?");
    snprintf(error_text, sizeof error_text, "%s", message);
}

const char *v_error(void)
{
    static char kind[64];
    kind[0] = 0;
    if (error_kind[0]) {
        snprintf(kind, sizeof kind, "%s", kn_error_kind_name());
        error_kind[0] = 0;
        kn_error_clear();
    }
    return kind;
}

void v_listen(void) { kn_on_error(note_error, NULL); }

const char *v_error_text(void) { return error_text; }

/* ---- Lines in Kiln. */

static kn_dtype dtype_of(m_dtype d)
{
    static const int id[M_DTYPES] = {0, 5, 4, 11, 12, 14};
    return kn_dtype_builtin(id[d]);
}

static kn_shape shape_of(const m_shape *s)
{
    kn_shape shape = {.ndim = s->ndim};
    for (int i = 0; i < s->ndim; i++)
        shape.dim[i] = s->dim[i];
    return shape;
}

static kn_axes axes_of(const p_line *line)
{
    kn_axes axes = {.n = line->n_axes + 1};
    for (int i = 0; i < line->n_axes; i++)
        axes.axis[i] = (int32_t)line->axes[i];
    return axes;
}

kn_array v_from_model(const m_array *a)
{
    static unsigned char bytes[M_SIZE * 16];
    int64_t at[M_SIZE], size = m_item_size(a->dtype);
    kn_shape shape = shape_of(&a->shape);
    m_offsets(a, at);
    for (int64_t k = 0; k < m_count(&a->shape); k++)
        memcpy(bytes + k * size, a->store->data + at[k], (size_t)size);
    return kn_from_memory(bytes, &shape, dtype_of(a->dtype));
}

static kn_array operand(const v_run *run, const p_line *line)
{
    if (line->b >= 0)
        return run->var[line->b];
    if (line->number.dtype == M_C128)
        return kn_like_complex(line->number.re, line->number.im);
    return line->number.dtype == M_I64 ? kn_like_int(line->number.i) : kn_like_double(line->number.re);
}

static kn_array item_array(const v_run *run, const p_item *p)
{
    static unsigned char truth[P_VALUES];
    if (p->var >= 0)
        return p->compare ? kn_greater(run->var[p->var], p->limit) : run->var[p->var];
    kn_shape shape = shape_of(&p->shape);
    for (int64_t k = 0; k < m_count(&p->shape); k++)
        truth[k] = p->value[k] != 0;
    return kn_from_memory(p->dtype == M_BOOL ? (const void *)truth : p->value, &shape, dtype_of(p->dtype));
}

/* The arguments that the %s of an index take. */
static int index_args(const v_run *run, const p_line *line, kn_index_arg args[3 * M_ITEMS])
{
    int n = 0;
    for (int i = 0; i < line->n_items; i++) {
        const p_item *p = &line->item[i];
        const m_item *m = &p->item;
        if (m->kind == M_ARRAY)
            args[n++] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = item_array(run, p)};
        else if (p->placeholder && (m->kind == M_INT || (m->kind == M_SLICE && m->has_start)))
            args[n++] = (kn_index_arg){.kind = KN_ARG_INT, .integer = m->start};
        if (p->placeholder && m->kind == M_SLICE && m->has_stop)
            args[n++] = (kn_index_arg){.kind = KN_ARG_INT, .integer = m->stop};
    }
    return n;
}

static void note_release(void *data, void *env)
{
    (void)data;
    ++*(int *)env;
}

static kn_array wrapped(v_run *run, const p_line *line, int i)
{
    kn_shape shape = shape_of(&line->shape);
    size_t bytes = (size_t)(m_count(&line->shape) * m_item_size(line->dtype));
    if (!(run->memory[i] = malloc(bytes + 1)))
        abort();
    memcpy(run->memory[i], line->data, bytes);
    return kn_wrap(run->memory[i], shape, dtype_of(line->dtype), .release = note_release, .env = &run->released);
}

static kn_array make_variable(v_run *run, const p_line *line, int i)
{
    kn_array a = run->var[line->a];
    kn_shape shape = shape_of(&line->shape);
    kn_axes axes = axes_of(line);
    kn_index_arg args[3 * M_ITEMS];
    char index[P_TEXT];
    int n;
    switch (line->kind) {
    case P_NEW: return line->wrap ? wrapped(run, line, i) : kn_from_memory(line->data, &shape, dtype_of(line->dtype));
    case P_ARGUMENT_PART: {
        kn_array part = kn_at(run->argument, "%:%", line->lo, line->lo + m_count(&line->shape));
        kn_array shaped = kn_reshape(part, shape);
        return line->copy ? kn_copy(shaped) : shaped;
    }
    case P_AT:
        p_index_text(line, true, index);
        n = index_args(run, line, args);
        return (kn_at)(a, index, n, args);
    case P_RESHAPE: return kn_reshape(a, shape);
    case P_RAVEL: return kn_ravel(a);
    case P_TRANSPOSE: return kn_transpose(a, .axes = axes);
    case P_FLIP: return kn_flip(a, .axis = axes);
    case P_EXPAND: return kn_expand_dims(a, KN_AXIS((int32_t)line->axes[0]));
    case P_SQUEEZE: return kn_squeeze(a, .axis = axes);
    case P_BROADCAST: return kn_broadcast_to(a, shape);
    case P_DIAGONAL: return kn_diagonal(a);
    case P_REAL: return kn_real(a);
    case P_IMAG: return kn_imag(a);
    case P_COPY: return kn_copy(a);
    case P_ASTYPE: return kn_astype(a, dtype_of(line->dtype));
    default: break;
    }
    static kn_array (*const function[M_UFUNCS])(kn_array, kn_array) = {(kn_add),     (kn_subtract), (kn_multiply),
                                                                       (kn_maximum), (kn_minimum),  (kn_greater)};
    return function[line->ufunc](a, operand(run, line));
}

/* Writes element `lo` at memory where the array's elements lie. */
static void poke(const p_line *line, m_dtype dtype, void *memory)
{
    m_heap heap = {0};
    m_array x;
    m_shape scalar = {0};
    int64_t size = m_item_size(dtype);
    if (!memory || m_new(&heap, dtype, &scalar, &x))
        return;
    m_put(&x, 0, line->number);
    memcpy((unsigned char *)memory + line->lo * size, x.store->data, (size_t)size);
    m_heap_free(&heap);
}

static void write_memory(v_run *run, const p_run *model, const p_line *line)
{
    kn_array a = run->var[line->a];
    const m_array *x = &model->var[line->a];
    if (line->kind == P_COPY_FROM) {
        kn_copy_from(a, line->data, (size_t)(m_count(&x->shape) * m_item_size(x->dtype)));
    } else if (line->kind == P_POKE) {
        if (kn_touch(a) == 0)
            poke(line, model->var[line->b].dtype, run->memory[line->b]);
    } else {
        void *memory = (kn_data_mut_bytes)(a, dtype_of(x->dtype));
        if (line->lo < m_count(&x->shape))
            poke(line, x->dtype, memory);
    }
}

static void write_line(v_run *run, const p_line *line)
{
    kn_array a = run->var[line->a], v = operand(run, line);
    kn_index_arg args[3 * M_ITEMS];
    char index[P_TEXT];
    p_index_text(line, true, index);
    int n = index_args(run, line, args);
    switch (line->kind) {
    case P_SET: (kn_set_at)(a, v, index, n, args); break;
    case P_IN_PLACE:
        if (line->ufunc == M_ADD)
            kn_iadd(a, v);
        else if (line->ufunc == M_SUBTRACT)
            kn_isub(a, v);
        else
            kn_imul(a, v);
        break;
    case P_IN_PLACE_AT:
        if (line->ufunc == M_ADD)
            (kn_iadd_at)(a, v, index, n, args);
        else if (line->ufunc == M_SUBTRACT)
            (kn_isub_at)(a, v, index, n, args);
        else
            (kn_imul_at)(a, v, index, n, args);
        break;
    default: {
        static const kn_ufunc ufunc[M_UFUNCS] = {kn_ufunc_add, kn_ufunc_subtract, kn_ufunc_multiply, kn_ufunc_maximum,
                                                 kn_ufunc_minimum};
        (kn_ufunc_at)(ufunc[line->ufunc], a, v, index, n, args);
    }
    }
}

void v_step(v_run *run, const p_run *model, const p_program *program, int i)
{
    const p_line *line = &program->line[i];
    KN_SCOPE;
    v_running(program, i);
    if (line->kind >= P_COPY_FROM) {
        write_memory(run, model, line);
        return;
    }
    if (!p_makes_variable(line->kind)) {
        write_line(run, line);
        return;
    }
    kn_array made = make_variable(run, line, i);
    if (error_kind[0])
        return;
    kn_assign(&run->slot[line->slot], made);
    run->var[i] = run->slot[line->slot];
}

/* ---- Comparing. */

static bool same_real(const unsigned char *x, const unsigned char *y, bool single)
{
    double a = 0, b = 0;
    float fa, fb;
    if (!memcmp(x, y, single ? 4 : 8))
        return true;
    memcpy(&fa, x, 4);
    memcpy(&fb, y, 4);
    if (!single) {
        memcpy(&a, x, 8);
        memcpy(&b, y, 8);
    }
    return single ? isnan(fa) && isnan(fb) : isnan(a) && isnan(b);
}

static bool same_element(m_dtype d, const unsigned char *x, const unsigned char *y)
{
    if (d < M_F32)
        return !memcmp(x, y, (size_t)m_item_size(d));
    return same_real(x, y, d == M_F32) && (d != M_C128 || same_real(x + 8, y + 8, false));
}

static const char *shape_text(const int64_t *dim, int ndim, char to[P_TEXT])
{
    int at = snprintf(to, P_TEXT, "(");
    for (int i = 0; i < ndim && at < P_TEXT - 32; i++)
        at += snprintf(to + at, (size_t)(P_TEXT - at), "%s%lld", i ? "," : "", (long long)dim[i]);
    snprintf(to + at, (size_t)(P_TEXT - at), ")");
    return to;
}

const char *v_compare(kn_array x, const m_array *a, const char *what, int number)
{
    static unsigned char have[M_SIZE * 16];
    char left[P_TEXT], right[P_TEXT];
    int64_t at[M_SIZE], n = m_count(&a->shape), size = m_item_size(a->dtype);
    kn_shape s = kn_shape_of(x);
    bool same = s.ndim == a->shape.ndim && kn_dtype_of(x) == dtype_of(a->dtype);
    for (int i = 0; same && i < s.ndim; i++)
        same = s.dim[i] == a->shape.dim[i];
    if (!same)
        return v_differs("%s%d is %s%s, not %s%s %s", what, number,
                         kn_dtype_of(x) ? kn_dtype_name(kn_dtype_of(x)) : "an error", shape_text(s.dim, s.ndim, left),
                         p_dtype_name(a->dtype), shape_text(a->shape.dim, a->shape.ndim, right), kn_error_of(x));
    if (kn_copy_to(x, have, (size_t)(n * size)))
        return v_differs("%s%d: %s", what, number, kn_error_message());
    m_offsets(a, at);
    for (int64_t k = 0; k < n; k++)
        if (!same_element(a->dtype, have + k * size, a->store->data + at[k])) {
            kn_array want = v_from_model(a);
            return v_differs("%s%d differs at element %lld:\n%s\nthe model has\n%s", what, number, (long long)k,
                             kn_repr(x), kn_repr(want));
        }
    return NULL;
}

static const char *check_shares(const v_run *run, const p_run *model, int a, int b)
{
    bool want = m_shares(&model->var[a], &model->var[b]);
    if (kn_shares_memory(run->var[a], run->var[b]) == want)
        return NULL;
    return v_differs("shares_memory(v%d, v%d) is %s", a, b, want ? "False" : "True");
}

/* NumPy's strides and flags. (Strides of axes of extent 1 say nothing, nor those of arrays without elements.) */
static const char *check_layout(kn_array x, const m_array *a, int number)
{
    kn_strides have = kn_strides_of(x);
    kn_flags flags = kn_flags_of(x);
    for (int i = 0; i < a->shape.ndim && m_count(&a->shape); i++)
        if (a->shape.dim[i] > 1 && have.stride[i] != a->stride[i])
            return v_differs("stride %d of v%d is %lld, not %lld", i, number, (long long)have.stride[i],
                             (long long)a->stride[i]);
    if (flags.writeable == a->readonly)
        return v_differs("v%d is %s", number, a->readonly ? "writeable" : "not writeable");
    if (flags.c_contiguous != m_is_ordered(a))
        return v_differs("v%d is %sC-contiguous", number, flags.c_contiguous ? "" : "not ");
    return NULL;
}

static const char *check_all(const v_run *run, const p_run *model)
{
    int before = -1;
    for (int i = 0; i < P_SLOTS; i++) {
        int v = model->slot[i];
        const char *d = v < 0 ? NULL : v_compare(run->var[v], &model->var[v], "v", v);
        if (!d && v >= 0)
            d = check_layout(run->var[v], &model->var[v], v);
        if (!d && v >= 0 && before >= 0)
            d = check_shares(run, model, before, v);
        if (d)
            return d;
        before = v >= 0 ? v : before;
    }
    return NULL;
}

/* The memory of wrapped arrays holds what the model's does, once everything was looked at. */
static const char *check_memory(const v_run *run, const p_run *model)
{
    for (int i = 0; i < P_LINES; i++) {
        const m_array *a = &model->var[i];
        int64_t size = m_item_size(a->dtype);
        for (int64_t k = 0; run->memory[i] && k < m_count(&a->shape); k++)
            if (!same_element(a->dtype, run->memory[i] + k * size, a->store->data + k * size))
                return v_differs("element %lld of the memory of v%d differs", (long long)k, i);
    }
    return NULL;
}

static const char *step_and_compare(v_run *run, p_run *model, const p_program *program, int i)
{
    const p_line *line = &program->line[i];
    int e = p_step(model, program, i);
    if (e >= M_LIMIT)
        return NULL;
    if (line->kind >= P_LOOK) {
        KN_SCOPE;
        v_running(program, i);
        if (line->kind == P_CHECK) {
            const char *d = check_all(run, model);
            return d ? d : check_memory(run, model);
        }
        return line->kind == P_LOOK ? v_compare(run->var[line->a], &model->var[line->a], "v", line->a)
                                    : check_shares(run, model, line->a, line->b);
    }
    v_step(run, model, program, i);
    const char *got = v_error();
    if (!strcmp(got, p_error_name(e)))
        return NULL;
    return v_differs("line %d gives %s (%s), not %s", i, *got ? got : "no error", *got ? error_text : "",
                     e ? p_error_name(e) : "no error");
}

const char *v_eager(const p_program *program)
{
    static p_run model;
    static v_run run;
    double argument[P_ARGUMENT];
    const char *difference = NULL;
    int64_t live = kn_live_count();
    v_listen();
    bool lazy = kn_set_lazy(!program->eager);
    v_argument(program, 0, argument);
    p_begin(&model, argument);
    memset(&run, 0, sizeof run);
    {
        KN_SCOPE;
        for (int i = 0; i < program->n && !difference; i++)
            difference = step_and_compare(&run, &model, program, i);
        if (!difference && kn_error_pending())
            difference = v_differs("an error is left: %s", kn_error_message());
    }
    int wraps = 0;
    for (int i = 0; i < P_LINES; i++)
        wraps += run.memory[i] != NULL;
    if (!difference)
        difference = check_memory(&run, &model);
    if (!difference && run.released != wraps)
        difference = v_differs("%d of %d wrapped memories were released", run.released, wraps);
    for (int i = 0; i < P_LINES; i++)
        free(run.memory[i]);
    p_end(&model);
    kn_set_lazy(lazy);
    if (!difference && kn_live_count() != live)
        difference = v_differs("%lld handles are alive, %lld were before", (long long)kn_live_count(), (long long)live);
    return difference;
}
