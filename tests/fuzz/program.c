/* SPDX-License-Identifier: Apache-2.0
 * program.c -- runs programs in the model, prints them as NumPy code. */
#include "program.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const p_ufunc_name[M_UFUNCS] = {"add", "subtract", "multiply", "maximum", "minimum", "greater"};

const char *p_error_name(int error)
{
    static const char *const name[] = {"",          "ValueError",    "IndexError", "TypeError",
                                       "AxisError", "OverflowError", "limit",      "missing"};
    return name[error];
}

const char *p_dtype_name(m_dtype dtype)
{
    static const char *const name[] = {"bool", "uint8", "int64", "float32", "float64", "complex128"};
    return name[dtype];
}

bool p_makes_variable(p_kind kind) { return kind <= P_BINARY; }

/* ---- Running. */

void p_begin(p_run *run, const double argument[P_ARGUMENT])
{
    memset(run, 0, sizeof *run);
    for (int i = 0; i < P_SLOTS; i++)
        run->slot[i] = -1;
    m_shape flat = {1, {P_ARGUMENT}};
    m_new(&run->heap, M_F64, &flat, &run->argument_array);
    run->argument_array.readonly = true;
    memcpy(run->argument_array.store->data, argument, sizeof(double) * P_ARGUMENT);
}

void p_end(p_run *run) { m_heap_free(&run->heap); }

bool p_value(const p_run *run, const p_line *line, m_value *v)
{
    *v = (m_value){.weak = line->b < 0, .number = line->number};
    if (line->b >= 0 && !run->alive[line->b])
        return false;
    if (line->b >= 0)
        v->array = run->var[line->b];
    return true;
}

/* The array of an item. */
static int item_array(p_run *run, const p_item *p, m_array *out)
{
    if (p->var < 0) {
        m_error e = m_new(&run->heap, p->dtype, &p->shape, out);
        for (int64_t k = 0; !e && k < m_count(&p->shape); k++)
            m_put(out, k * m_item_size(p->dtype), (m_number){.dtype = M_I64, .i = p->value[k]});
        return e;
    }
    if (!run->alive[p->var])
        return M_MISSING;
    *out = run->var[p->var];
    const m_value limit = {.weak = true, .number = {.dtype = M_I64, .i = p->limit}};
    m_array from = *out;
    if (p->compare)
        return m_binary(&run->heap, M_GREATER, &from, &limit, out);
    return out->dtype == M_I64 || out->dtype == M_BOOL ? M_OK : M_MISSING;
}

int p_places(p_run *run, const p_line *line, m_places *out)
{
    m_item item[M_ITEMS];
    for (int i = 0; i < line->n_items; i++) {
        item[i] = line->item[i].item;
        int e = item[i].kind == M_ARRAY ? item_array(run, &line->item[i], &item[i].array) : M_OK;
        if (e)
            return e;
    }
    return m_select(&run->var[line->a], line->n_items, item, out);
}

static m_error make_new(p_run *run, const p_line *line, m_array *out)
{
    m_error e = m_new(&run->heap, line->dtype, &line->shape, out);
    if (!e)
        memcpy(out->store->data, line->data, (size_t)out->store->bytes);
    return e;
}

static m_error part_of_argument(p_run *run, const p_line *line, m_array *out)
{
    m_array part = run->argument_array, shaped;
    part.offset = line->lo * 8;
    part.shape.dim[0] = m_count(&line->shape);
    m_error e = m_reshape(&run->heap, &part, &line->shape, &shaped);
    *out = shaped;
    return e || !line->copy ? e : m_copy(&run->heap, &shaped, M_F64, out);
}

/* A line that makes an array from an array. */
static int make_variable(p_run *run, const p_line *line, m_array *out)
{
    const m_array *a = &run->var[line->a];
    static m_places places;
    m_value v;
    int e;
    switch (line->kind) {
    case P_AT: return (e = p_places(run, line, &places)) ? e : (int)m_take(&run->heap, a, &places, out);
    case P_RESHAPE: return m_reshape(&run->heap, a, &line->shape, out);
    case P_RAVEL: return m_ravel(&run->heap, a, out);
    case P_TRANSPOSE: return m_transpose(a, line->n_axes, line->axes, out);
    case P_FLIP: return m_flip(a, line->n_axes, line->axes, out);
    case P_EXPAND: return m_expand(a, line->axes[0], out);
    case P_SQUEEZE: return m_squeeze(a, line->n_axes, line->axes, out);
    case P_BROADCAST: return m_broadcast(a, &line->shape, out);
    case P_DIAGONAL: return m_diagonal(a, out);
    case P_REAL:
    case P_IMAG: return m_part(a, line->kind == P_IMAG, out);
    case P_COPY: return m_copy(&run->heap, a, a->dtype, out);
    case P_ASTYPE: return m_copy(&run->heap, a, line->dtype, out);
    case P_BINARY: return p_value(run, line, &v) ? (int)m_binary(&run->heap, line->ufunc, a, &v, out) : M_MISSING;
    default: return M_MISSING;
    }
}

static int write_elements(p_run *run, const p_line *line)
{
    const m_array *a = line->kind == P_POKE ? &run->var[line->b] : &run->var[line->a];
    int64_t at[M_SIZE], n = m_count(&a->shape), size = m_item_size(a->dtype);
    if (line->kind == P_POKE && (a->store != run->var[line->a].store || line->lo >= n))
        return M_MISSING;
    if (line->kind != P_POKE && (a->readonly || (line->kind == P_DATA_MUT && !m_is_ordered(a))))
        return M_VALUE;
    m_offsets(a, at);
    if (line->kind != P_COPY_FROM && line->lo < n)
        m_put(a, at[line->lo], line->number);
    for (int64_t k = 0; line->kind == P_COPY_FROM && k < n; k++)
        memcpy(a->store->data + at[k], line->data + k * size, (size_t)size);
    return M_OK;
}

static int write_line(p_run *run, const p_line *line)
{
    const m_array *a = &run->var[line->a];
    static m_places places;
    m_value v;
    if (line->kind >= P_COPY_FROM)
        return write_elements(run, line);
    if (!p_value(run, line, &v))
        return M_MISSING;
    if (line->kind == P_IN_PLACE)
        return m_in_place(line->ufunc, a, &v);
    int e = p_places(run, line, &places);
    if (e)
        return e;
    if (line->kind == P_SET)
        return m_set(a, &places, &v);
    return line->kind == P_UFUNC_AT ? m_ufunc_at(line->ufunc, a, &places, &v)
                                    : m_in_place_at(line->ufunc, a, &places, &v);
}

int p_step(p_run *run, const p_program *program, int i)
{
    const p_line *line = &program->line[i];
    m_array out;
    int e;
    if (line->dropped)
        return M_MISSING;
    if (line->kind == P_NEW)
        e = make_new(run, line, &out);
    else if (line->kind == P_ARGUMENT_PART)
        e = part_of_argument(run, line, &out);
    else if (line->kind == P_CHECK)
        return M_OK;
    else if (!run->alive[line->a] || (line->kind == P_SHARES && !run->alive[line->b]))
        return M_MISSING;
    else if (line->kind == P_LOOK || line->kind == P_SHARES)
        return M_OK;
    else if (!p_makes_variable(line->kind))
        return write_line(run, line);
    else
        e = make_variable(run, line, &out);
    if (e)
        return e;
    if (run->slot[line->slot] >= 0)
        run->alive[run->slot[line->slot]] = false;
    run->slot[line->slot] = i;
    run->alive[i] = true;
    run->var[i] = out;
    return M_OK;
}

/* ---- Printing. */

typedef struct {
    char *text;
    size_t at, size;
} text_out;

static void put(text_out *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text_out *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->text + t->at, t->size - t->at, format, args);
    va_end(args);
    t->at += n > 0 ? (size_t)n : 0;
    t->at = t->at < t->size ? t->at : t->size - 1;
}

static void put_double(text_out *t, double x)
{
    if (isnan(x) || isinf(x))
        put(t, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    else
        put(t, rint(x) == x && fabs(x) < 1e15 ? "%.1f" : "%.17g", x);
}

static void put_number(text_out *t, m_number x)
{
    if (x.dtype == M_BOOL) {
        put(t, x.i ? "True" : "False");
    } else if (x.dtype <= M_I64) {
        put(t, "%" PRId64, x.i);
    } else if (x.dtype < M_C128) {
        put_double(t, x.re);
    } else {
        put(t, "complex(");
        put_double(t, x.re);
        put(t, ", ");
        put_double(t, x.im);
        put(t, ")");
    }
}

static void put_shape(text_out *t, const m_shape *shape)
{
    put(t, "(");
    for (int i = 0; i < shape->ndim; i++)
        put(t, "%" PRId64 "%s", shape->dim[i], shape->ndim == 1 || i + 1 < shape->ndim ? "," : "");
    put(t, ")");
}

static void put_item_array(text_out *t, const p_item *p)
{
    if (p->var >= 0) {
        put(t, "v%d", p->var);
        if (p->compare)
            put(t, " > %" PRId64, p->limit);
        return;
    }
    put(t, "np.array([");
    for (int64_t k = 0; k < m_count(&p->shape); k++)
        put(t, "%s%" PRId64, k ? "," : "", p->value[k]);
    put(t, "], '%s').reshape(", p_dtype_name(p->dtype));
    put_shape(t, &p->shape);
    put(t, ")");
}

static void put_bound(text_out *t, bool given, int64_t value, bool placeholder)
{
    if (given && placeholder)
        put(t, "%%");
    else if (given)
        put(t, "%" PRId64, value);
}

static void put_index(text_out *t, const p_line *line, bool for_kiln)
{
    for (int i = 0; i < line->n_items; i++) {
        const p_item *p = &line->item[i];
        const m_item *m = &p->item;
        bool percent = for_kiln && p->placeholder;
        put(t, i ? ", " : "");
        switch (m->kind) {
        case M_INT: put_bound(t, true, m->start, percent); break;
        case M_SLICE:
            put_bound(t, m->has_start, m->start, percent);
            put(t, ":");
            put_bound(t, m->has_stop, m->stop, percent);
            if (m->has_step)
                put(t, ":");
            put_bound(t, m->has_step, m->step, false);
            break;
        case M_ELLIPSIS: put(t, "..."); break;
        case M_NEW_AXIS: put(t, "None"); break;
        case M_ARRAY:
            if (for_kiln)
                put(t, "%%");
            else
                put_item_array(t, p);
            break;
        }
    }
    if (!for_kiln && line->n_items <= 1)
        put(t, line->n_items ? "," : "()");
}

void p_index_text(const p_line *line, bool for_kiln, char text[P_TEXT])
{
    text_out t = {text, 0, P_TEXT};
    text[0] = 0;
    put_index(&t, line, for_kiln);
}

static void put_operand(text_out *t, const p_line *line)
{
    if (line->b >= 0)
        put(t, "v%d", line->b);
    else
        put_number(t, line->number);
}

/* line->data as an array. */
static void put_data(text_out *t, const p_line *line)
{
    m_heap heap = {0};
    m_array x;
    m_new(&heap, line->dtype, &line->shape, &x);
    memcpy(x.store->data, line->data, (size_t)x.store->bytes);
    put(t, "np.array([");
    for (int64_t k = 0; k < m_count(&line->shape); k++) {
        put(t, k ? ", " : "");
        put_number(t, m_get(&x, k * m_item_size(line->dtype)));
    }
    put(t, "], '%s').reshape(", p_dtype_name(line->dtype));
    put_shape(t, &line->shape);
    put(t, ")");
    m_heap_free(&heap);
}

static void put_axes(text_out *t, const p_line *line, const char *if_none)
{
    if (line->n_axes < 0)
        put(t, "%s", if_none);
    for (int i = 0; i < line->n_axes; i++)
        put(t, "%s%" PRId64 "%s", i ? " " : "(", line->axes[i], i + 1 == line->n_axes ? ",)" : ",");
    if (line->n_axes == 0)
        put(t, "()");
}

/* NumPy keeps the layout of its operands in some copies; C() lays them out in C order, as Kiln does. */
static void put_maker(text_out *t, const p_line *line)
{
    int a = line->a;
    switch (line->kind) {
    case P_NEW:
        put(t, line->wrap ? "wrap(" : "(");
        put_data(t, line);
        put(t, ")");
        break;
    case P_ARGUMENT_PART:
        put(t, "%sx[%" PRId64 ":%" PRId64 "].reshape(", line->copy ? "C(" : "(", line->lo,
            line->lo + m_count(&line->shape));
        put_shape(t, &line->shape);
        put(t, "))");
        break;
    case P_AT:
        put(t, "AT(v%d, v%d[", a, a);
        put_index(t, line, false);
        put(t, "])");
        break;
    case P_RESHAPE:
    case P_BROADCAST:
        put(t, "np.%s(v%d, ", line->kind == P_RESHAPE ? "reshape" : "broadcast_to", a);
        put_shape(t, &line->shape);
        put(t, ")");
        break;
    case P_RAVEL: put(t, "np.ravel(v%d)", a); break;
    case P_TRANSPOSE:
    case P_FLIP:
    case P_SQUEEZE:
        put(t, "np.%s(v%d, ", line->kind == P_TRANSPOSE ? "transpose" : line->kind == P_FLIP ? "flip" : "squeeze", a);
        put_axes(t, line, "None");
        put(t, ")");
        break;
    case P_EXPAND: put(t, "np.expand_dims(v%d, %" PRId64 ")", a, line->axes[0]); break;
    case P_DIAGONAL: put(t, "np.diagonal(v%d)", a); break;
    case P_REAL:
    case P_IMAG: put(t, "v%d.%s", a, line->kind == P_REAL ? "real" : "imag"); break;
    case P_COPY: put(t, "K(v%d)", a); break;
    case P_ASTYPE: put(t, "K(v%d.astype('%s'))", a, p_dtype_name(line->dtype)); break;
    case P_BINARY:
        put(t, "K(np.%s(v%d, ", p_ufunc_name[line->ufunc], a);
        put_operand(t, line);
        put(t, "))");
        break;
    default: break;
    }
}

static void put_write(text_out *t, const p_line *line)
{
    static const char *const sign[M_UFUNCS] = {"+", "-", "*", "max", "min", ">"};
    if (line->kind == P_DATA_MUT || line->kind == P_POKE) {
        if (line->kind == P_DATA_MUT)
            put(t, "data_mut(v%d)[%" PRId64 "] = ", line->a, line->lo);
        else
            put(t, "touch(v%d); memory(v%d)[%" PRId64 "] = ", line->a, line->b, line->lo);
        put_number(t, line->number);
        return;
    }
    if (line->kind == P_COPY_FROM) {
        put(t, "v%d[...] = ", line->a);
        put_data(t, line);
        return;
    }
    if (line->kind == P_UFUNC_AT) {
        put(t, "AT_UFUNC(np.%s, v%d, np.s_[", p_ufunc_name[line->ufunc], line->a);
        put_index(t, line, false);
        put(t, "], ");
        put_operand(t, line);
        put(t, ")");
        return;
    }
    put(t, "v%d", line->a);
    if (line->kind != P_IN_PLACE) {
        put(t, "[");
        put_index(t, line, false);
        put(t, "]");
    }
    put(t, " %s= ", line->kind == P_SET ? "" : sign[line->ufunc]);
    put_operand(t, line);
}

void p_print_line(FILE *to, const p_program *program, int i)
{
    static char buffer[32768];
    const p_line *line = &program->line[i];
    text_out t = {buffer, 0, sizeof buffer};
    buffer[0] = 0;
    if (p_makes_variable(line->kind)) {
        put(&t, "v%d = ", i);
        put_maker(&t, line);
    } else if (line->kind == P_LOOK) {
        put(&t, "look(v%d)", line->a);
    } else if (line->kind == P_SHARES) {
        put(&t, "np.shares_memory(v%d, v%d)", line->a, line->b);
    } else if (line->kind == P_CHECK) {
        put(&t, "check_all()");
    } else {
        put_write(&t, line);
    }
    fprintf(to, "%s", buffer);
}
