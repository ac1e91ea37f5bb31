/* SPDX-License-Identifier: Apache-2.0
 * look.c -- looking at arrays: what they are, their values, their text. */
#include "array/handle.h"
#include "array/lift.h"
#include "array/storage.h"
#include "array/op.h"
#include "array/state.h"
#include "base/out.h"
#include "base/str.h"
#include "face/text.h"
#include <math.h>
#include <string.h>

/* ---- Numbers as arrays. */

KNX_HOT kn_array kn_like_array(kn_array x) { return x; }

kn_array kn_like_bool(bool x) { return kna_from_number(KN_DT(BOOL), true, (knx_scalar_bits){.u8 = x}); }

kn_array kn_like_int(int64_t x) { return kna_from_number(KN_DT(I64), true, (knx_scalar_bits){.i64 = x}); }

kn_array kn_like_uint(uint64_t x)
{
    return x <= INT64_MAX ? kn_like_int((int64_t)x) : kna_from_number(KN_DT(U64), true, (knx_scalar_bits){.u64 = x});
}

KNX_HOT kn_array kn_like_double(double x) { return kna_from_number(KN_DT(F64), true, (knx_scalar_bits){.f64 = x}); }

kn_array kn_like_complex(double re, double im)
{
    return kna_from_number(KN_DT(C128), true, (knx_scalar_bits){.c128 = {re, im}});
}

kn_array kn_strong(const void *element, kn_dtype dtype)
{
    knx_scalar_bits bits = {{0}};
    if (!element || !dtype) {
        knx_report_new("scalar", KN_ERROR_TYPE, "null %s", element ? "dtype" : "element");
        return NULL;
    }
    kni_type t = kni_scalar_type(dtype);
    t.weak = dtype == KN_DT(F64) || dtype == KN_DT(C128);
    kn_dtype d = kna_strong_dtype(t);
    if (d == dtype)
        memcpy(&bits, element, dtype->size);
    else
        knx_convert(dtype, element, d, &bits);
    return kna_from_number(d, false, bits);
}

/* ---- What an array is. */

/* *t's dims are in `dim`: they outlive the operation. */
static void begin(kna_op *op, const char *name, kn_array x, kni_type *t, int64_t dim[KN_MAX_NDIM])
{
    kna_begin(op, name);
    *t = kna_type(op, x);
    if (t->weak)
        t->dtype = kna_strong_dtype(*t);
    if (t->ndim)
        memcpy(dim, t->dim, (size_t)t->ndim * sizeof *dim);
    t->dim = dim;
}

bool kn_is_concrete(kn_array x)
{
    kna_op op;
    kna_begin(&op, "is_concrete");
    bool concrete = kna_is_concrete(&op, x);
    return kna_end_plain(&op) && concrete;
}

/* An extent as the user's code is told it; what is asked for from inside of Kiln stays what it is. */
static int64_t tell(const kna_op *op, int64_t d) { return op->outermost ? knx_dim_tell(d) : d; }

static int64_t end_extent(kna_op *op, int64_t d)
{
    d = kna_failed(op) ? -1 : tell(op, d);
    return kna_end_plain(op) ? d : -1;
}

int kn_ndim(kn_array x)
{
    kna_op op;
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    begin(&op, "ndim", x, &t, dim);
    return kna_end_plain(&op) ? t.ndim : -1;
}

int64_t kn_size(kn_array x)
{
    kna_op op;
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    begin(&op, "size", x, &t, dim);
    return end_extent(&op, kni_type_size(t));
}

int64_t kn_itemsize(kn_array x)
{
    kna_op op;
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    begin(&op, "itemsize", x, &t, dim);
    return kna_end_plain(&op) ? t.dtype->size : -1;
}

int64_t kn_nbytes(kn_array x)
{
    kna_op op;
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    begin(&op, "nbytes", x, &t, dim);
    return end_extent(&op, knx_dim_mul(kni_type_size(t), t.dtype->size));
}

int64_t kn_dim(kn_array x, int axis)
{
    kna_op op;
    kna_begin(&op, "dim");
    kni_type t = kna_type(&op, x);
    int a = kna_failed(&op) ? 0 : kna_normalize_axis(&op, axis, t.ndim);
    int64_t n = kna_failed(&op) ? -1 : tell(&op, t.dim[a]);
    return kna_end_plain(&op) ? n : -1;
}

kn_shape kn_shape_of(kn_array x)
{
    kna_op op;
    kni_type t;
    kn_shape s = {.ndim = -1};
    begin(&op, "shape", x, &t, s.dim);
    for (int d = 0; d < t.ndim; d++)
        s.dim[d] = tell(&op, s.dim[d]);
    if (kna_end_plain(&op))
        s.ndim = t.ndim;
    return s;
}

kn_dtype kn_dtype_of(kn_array x)
{
    kna_op op;
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    begin(&op, "dtype", x, &t, dim);
    return kna_end_plain(&op) ? t.dtype : NULL;
}

/* ---- Items. */

/* The position of x[index] among the elements; NULL: there is one alone. */
static int64_t position(kna_op *op, const kni_type *t, const kn_shape *index)
{
    knx_text text = {0};
    int64_t at = 0, size = kni_type_size(*t);
    if (!index && size != 1)
        kna_fail(op, KN_ERROR_VALUE, "can only convert an array of size 1 to a scalar, not one of shape %s",
                 knx_show_shape(&text, t->ndim, t->dim));
    bool flat = index && index->ndim == 1 && t->ndim != 1;
    if (index && !flat && index->ndim != t->ndim)
        kna_fail(op, KN_ERROR_VALUE, "incorrect number of indices for array");
    for (int d = 0; index && d < index->ndim && !kna_failed(op); d++) {
        int64_t i = index->dim[d], n = flat ? size : t->dim[d];
        if (i < -n || i >= n)
            flat ? kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for size %lld", (long long)i, (long long)n)
                 : kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)i,
                            d, (long long)n);
        at = at * n + (i < 0 ? i + n : i);
    }
    return at;
}

/* Is it an extent that is an expression, taken for a number? */
static bool is_extent(const kni_type *t, const void *data, int64_t *extent)
{
    if (!t->weak || t->dtype != KN_DT(I64) || !knx_dim_now())
        return false;
    memcpy(extent, data, sizeof *extent);
    return knx_is_symbolic(*extent);
}

static bool item(const char *name, kn_array x, const kn_shape *index, kn_dtype to, void *out)
{
    kna_op op;
    kni_type t;
    kna_begin(&op, name);
    kni_type given = kna_type(&op, x);
    int64_t at = kna_failed(&op) || (index && kni_type_is_symbolic(given)) ? 0 : position(&op, &given, index);
    if (!kna_failed(&op) && given.dtype == KN_DT(KEY))
        kna_fail(&op, KN_ERROR_TYPE, "a key is not a number");
    const char *data = kna_failed(&op) ? NULL : kna_look(&op, x, &t);
    int64_t extent;
    if (data && is_extent(&t, data, &extent) && to != KN_DT(I64)) {
        kna_need_number(&op, extent, "a value");
        data = NULL;
    }
    if (data)
        knx_convert(t.dtype, data + at * t.dtype->size, to, out);
    return kna_end_plain(&op) && data;
}

double kn_item_at(kn_array x, const kn_shape *index)
{
    double v;
    return item("item", x, index, KN_DT(F64), &v) ? v : NAN;
}

int64_t kn_item_int_at(kn_array x, const kn_shape *index)
{
    int64_t v;
    return item("item_int", x, index, KN_DT(I64), &v) ? v : 0;
}

bool kn_item_bool_at(kn_array x, const kn_shape *index)
{
    uint8_t v;
    return item("item_bool", x, index, KN_DT(BOOL), &v) ? v != 0 : false;
}

kn_c128 kn_item_complex_at(kn_array x, const kn_shape *index)
{
    kn_c128 v;
    return item("item_complex", x, index, KN_DT(C128), &v) ? v : (kn_c128){NAN, NAN};
}

double kn_item(kn_array x) { return kn_item_at(x, NULL); }
int64_t kn_item_int(kn_array x) { return kn_item_int_at(x, NULL); }
bool kn_item_bool(kn_array x) { return kn_item_bool_at(x, NULL); }
kn_c128 kn_item_complex(kn_array x) { return kn_item_complex_at(x, NULL); }

/* ---- Text. */

/* A call of the user's function for an element. */
typedef struct asked {
    kn_element_text function;
    void *env;
    kn_array element;
    knx_str *out;
    bool answered;
} asked;

static void call_function(void *arg) /* what it makes goes when the call ends */
{
    asked *a = arg;
    const char *text = a->function(a->env, a->element);
    a->answered = text != NULL;
    knx_str_puts(a->out, text ? text : "");
}

static knx_error *ask(const kn_formatter *formatter, kn_element_text function, kn_dtype dtype, const void *element,
                      knx_str *out)
{
    kn_scope scope = kn_scope_begin();
    knx_scalar_bits bits = {0};
    memcpy(&bits, element, dtype->size);
    asked a = {.function = function, .env = formatter->env, .element = kna_from_number(dtype, false, bits), .out = out};
    knx_error *error = a.element ? kna_call_user(call_function, &a) : knx_error_nomem();
    if (!error && !a.answered)
        error = knx_error_new(KN_ERROR_TYPE, "a formatter gave NULL, not a text");
    kn_scope_end(&scope);
    return error;
}

char *knface_text(kna_op *op, kn_array x, const kn_print_opts *opts, const knx_text_form *form)
{
    kni_type t;
    char *text = NULL;
    const void *data = kna_look(op, x, &t);
    int64_t extent;
    knx_str s = {0};
    knx_text_form asking = *form;
    asking.ask = ask;
    if (data && is_extent(&t, data, &extent))
        text = knx_dim_text(&s, extent) ? s.s : NULL;
    else if (data)
        kna_fail_with(op, knx_array_text(t.dtype, t.ndim, t.dim, data, opts, &asking, &text));
    return text;
}

static char *text_of(const char *name, kn_array x, const kn_print_opts *opts, bool repr)
{
    const knx_text_form form = {.what = repr ? KNX_TEXT_REPR : KNX_TEXT_STR};
    kna_op op;
    kna_begin(&op, name);
    char *text = knface_text(&op, x, opts, &form);
    return kna_end_plain(&op) ? text : NULL;
}

static void drop_text(void *p) { knx_free(p); }

const char *knface_own_text(char *text) { return text && kna_handle_new(KN_H_TEXT, text, drop_text) ? text : ""; }

const char *kn_repr(kn_array x, const kn_print_opts *opts) { return knface_own_text(text_of("repr", x, opts, true)); }

const char *kn_array_repr(kn_array x, const kn_print_opts *opts)
{
    return knface_own_text(text_of("array_repr", x, opts, true));
}

const char *kn_array_str(kn_array x, const kn_print_opts *opts)
{
    return knface_own_text(text_of("array_str", x, opts, false));
}

void kn_print(kn_array x, const kn_print_opts *opts)
{
    char *text = text_of("print", x, opts, false);
    if (text)
        knx_out_line(text);
    knx_free(text);
}

static void wait_for(const char *operation, kn_array x, knx_error *(*then)(knx_buffer *b))
{
    kna_op op;
    kna_begin(&op, operation);
    kna_wait_for(&op, x, then);
    kna_end_plain(&op);
}

KNX_HOT void kn_eval(kn_array x) { wait_for("eval", x, NULL); }

kn_array kn_block_until_ready(kn_array x)
{
    wait_for("block_until_ready", x, knd_wait);
    return x;
}

kn_array kn_copy_to_host_async(kn_array x)
{
    wait_for("copy_to_host_async", x, knd_begin_fetch);
    return x;
}

/* What it stands for, without what is at it: a new reference. */
static knx_error *ground_of(kn_array x, kna_value **ground)
{
    kna_value *v = NULL;
    KN_TRY(kna_array_value(x, &v));
    *ground = kna_value_retain(kna_lift_ground(v));
    kna_value_release(v);
    return NULL;
}

bool kn_ok(kn_array x)
{
    kna_value *v = NULL;
    knx_error *error = ground_of(x, &v);
    if (!error && v->state == KN_V_PENDING) {
        error = kna_force(1, &v);
        knx_report(error);
    }
    if (!error && (error = kna_doubt(v)))
        knx_report(error);
    bool ok = !error;
    knx_error_release(error);
    kna_value_release(v);
    return ok;
}

const char *kn_error_of(kn_array x)
{
    kna_value *v = NULL;
    knx_error *error = ground_of(x, &v);
    if (!error)
        error = kna_force(1, &v);
    if (!error)
        error = kna_doubt(v);
    kna_value_release(v);
    if (!error)
        return "";
    char *owned;
    const char *text = knx_error_text(error, &owned);
    char *copy = owned ? owned : knx_alloc(strlen(text) + 1);
    if (copy && !owned)
        strcpy(copy, text);
    knx_error_release(error);
    return knface_own_text(copy);
}
