/* SPDX-License-Identifier: Apache-2.0
 * numpy_calls.c -- a reader of stored calls (the format is described in scripts/golden/make_numpy.py) and a table of
 * the functions. */
#include "support/numpy_calls.h"
#include "support/bits.h"
#include "support/expect.h"
#include <stdio.h>
#include <stdlib.h>

typedef numpy_call call;

/* ---- Reading. */

static int hex(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

typedef struct stored {
    kn_dtype dtype;
    kn_shape shape;
    int64_t size;
    unsigned char *bytes;
} stored;

/* float32[2,1]:00..; the bytes are the caller's to free. */
static stored read_stored(const char *s)
{
    stored r = {.size = 1};
    char name[16] = {0};
    size_t n = strcspn(s, "[");
    memcpy(name, s, n < sizeof name ? n : sizeof name - 1);
    r.dtype = kn_dtype_named(name);
    assert_non_null(r.dtype);
    for (s += n + 1; *s != ']';) {
        char *end;
        r.shape.dim[r.shape.ndim] = strtoll(s, &end, 10);
        r.size *= r.shape.dim[r.shape.ndim++];
        s = *end == ',' ? end + 1 : end;
    }
    s += 2;
    size_t bytes = (size_t)r.size * kn_dtype_size(r.dtype);
    r.bytes = calloc(bytes + 16, 1);
    for (size_t i = 0; i < bytes; i++)
        r.bytes[i] = (unsigned char)(hex(s[2 * i]) << 4 | hex(s[2 * i + 1]));
    size_t number = kn_dtype_size(r.dtype) / (kn_dtype_kind(r.dtype) == 'c' ? 2 : 1);
    bits_from_little(r.bytes, number, bytes / number);
    return r;
}

static kn_array read_array(const char *s)
{
    stored r = read_stored(s);
    kn_array x = (kn_from_memory)(r.bytes, &r.shape, r.dtype);
    free(r.bytes);
    return x;
}

static kn_array read_weak(const char *s)
{
    char *end;
    if (!strncmp(s, "w:bool:", 7))
        return kn_like_bool(s[7] == '1');
    if (!strncmp(s, "w:int:", 6))
        return s[6] == '-' ? kn_like_int(strtoll(s + 6, NULL, 10)) : kn_like_uint(strtoull(s + 6, NULL, 10));
    if (!strncmp(s, "w:float:", 8))
        return kn_like_double(strtod(s + 8, NULL));
    double re = strtod(s + 10, &end);
    return kn_like_complex(re, strtod(end + 1, NULL));
}

static kn_shape read_list(const char *s)
{
    kn_shape r = {.ndim = 0};
    while (*s && *s != ';') {
        char *end;
        r.dim[r.ndim++] = strtoll(s, &end, 10);
        s = *end == ',' ? end + 1 : end;
    }
    return r;
}

static void read_word(call *c, char *w)
{
    char *equals = strchr(w, '=');
    assert_true(c->n < NUMPY_MAX_ARGS && c->n_index < NUMPY_MAX_ARGS && c->n_list < NUMPY_MAX_ARGS &&
                c->n_option < NUMPY_MAX_OPTIONS && c->n_text < 4);
    if (*w == '"') {
        c->text = c->texts[c->n_text++] = w + 1;
        w[strlen(w) - 1] = '\0';
    } else if (!strncmp(w, "i:", 2)) {
        c->list[c->n_list++] = read_list(w + 2);
        c->index[c->n_index++] = (kn_index_arg){.kind = KN_ARG_INT, .integer = strtoll(w + 2, NULL, 10)};
    } else if (equals) {
        *equals = '\0';
        c->key[c->n_option] = w;
        c->value[c->n_option++] = equals + 1;
    } else {
        kn_array x = !strncmp(w, "w:", 2) ? read_weak(w) : read_array(w);
        c->array[c->n++] = x;
        c->index[c->n_index++] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = x};
    }
}

/* Cuts the line into words; a quoted one may hold blanks. */
static call read_call(char *line)
{
    call c = {.line = line};
    char *arrow = strstr(line, " -> ");
    assert_non_null(arrow);
    *arrow = '\0';
    c.result = arrow + 4;
    c.result += strspn(c.result, " ");
    c.name = line;
    char *s = line + strcspn(line, " ");
    while (*s) {
        *s++ = '\0';
        char *w = s;
        if (*s == '"')
            s = strchr(s + 1, '"') + 1;
        else
            s += strcspn(s, " ");
        char saved = *s;
        *s = '\0';
        read_word(&c, w);
        *s = saved;
    }
    return c;
}

static const char *option(const call *c, const char *key)
{
    for (int i = 0; i < c->n_option; i++)
        if (!strcmp(c->key[i], key))
            return c->value[i];
    return NULL;
}

static kn_axes axes_option(const call *c, const char *key)
{
    const char *v = option(c, key);
    kn_axes a = {.n = 0};
    if (!v)
        return a;
    if (!strcmp(v, "none"))
        return KN_AXIS_NONE;
    kn_shape s = read_list(v);
    a.n = s.ndim + 1;
    for (int i = 0; i < s.ndim; i++)
        a.axis[i] = (int32_t)s.dim[i];
    return a;
}

static kn_axes axes_of(kn_shape s)
{
    kn_axes a = {.n = s.ndim + 1};
    for (int i = 0; i < s.ndim; i++)
        a.axis[i] = (int32_t)s.dim[i];
    return a;
}

static kn_dtype dtype_option(const call *c) { return option(c, "dtype") ? kn_dtype_named(option(c, "dtype")) : NULL; }
static kn_array array_option(const call *c, const char *key)
{
    const char *v = option(c, key);
    return !v ? NULL : !strncmp(v, "w:", 2) ? read_weak(v) : read_array(v);
}
static bool flag(const call *c, const char *key, bool otherwise)
{
    return option(c, key) ? option(c, key)[0] == '1' : otherwise;
}
static double number(const call *c, const char *key, double otherwise)
{
    return option(c, key) ? strtod(option(c, key), NULL) : otherwise;
}

const char *numpy_option(const numpy_call *c, const char *key) { return option(c, key); }
kn_axes numpy_axes(const numpy_call *c, const char *key) { return axes_option(c, key); }
kn_axes numpy_axes_of(kn_shape s) { return axes_of(s); }
kn_dtype numpy_dtype(const numpy_call *c) { return dtype_option(c); }
kn_array numpy_array(const numpy_call *c, const char *key) { return array_option(c, key); }
bool numpy_flag(const numpy_call *c, const char *key, bool otherwise) { return flag(c, key, otherwise); }
double numpy_number(const numpy_call *c, const char *key, double otherwise) { return number(c, key, otherwise); }

numpy_result numpy_one(kn_array x) { return (numpy_result){1, {x}}; }
numpy_result numpy_list(kn_list list)
{
    numpy_result r = {.n = kn_list_count(list)};
    assert_true(r.n <= NUMPY_MAX_ARGS);
    for (int i = 0; i < r.n; i++)
        r.x[i] = kn_list_get(list, i);
    return r;
}

/* ---- The functions. */

typedef kn_array (*one)(kn_array);
typedef kn_array (*two)(kn_array, kn_array);

static const struct {
    const char *name;
    one f;
    double tolerance;
} ones[] = {
#define ONE(name, tolerance) {#name, kn_##name, tolerance},
    ONE(negative, 0) ONE(positive, 0) ONE(absolute, 0) ONE(sign, 0) ONE(square, 0) ONE(reciprocal, 0) ONE(real, 0)
        ONE(imag, 0) ONE(conjugate, 0) ONE(isnan, 0) ONE(isinf, 0) ONE(isfinite, 0) ONE(logical_not, 0)
            ONE(bitwise_not, 0) ONE(sqrt, 0) ONE(exp, 2) ONE(log, 2) ONE(sin, 2) ONE(cos, 2) ONE(tanh, 3)};
static const struct {
    const char *name;
    two f;
    double tolerance;
} twos[] = {
#define TWO(name, tolerance) {#name, kn_##name, tolerance},
    TWO(add, 0) TWO(subtract, 0) TWO(multiply, 0) TWO(divide, 0) TWO(power, 2) TWO(maximum, 0) TWO(minimum, 0)
        TWO(equal, 0) TWO(not_equal, 0) TWO(less, 0) TWO(less_equal, 0) TWO(greater, 0) TWO(greater_equal, 0)
            TWO(logical_and, 0) TWO(logical_or, 0) TWO(logical_xor, 0) TWO(bitwise_and, 0) TWO(bitwise_or, 0)
                TWO(bitwise_xor, 0) TWO(matmul, 0) TWO(dot, 0) TWO(vdot, 0) TWO(inner, 0) TWO(outer, 0) TWO(vecdot, 0)};

typedef kn_array (*special)(const call *c);
static kn_array call_ravel(const call *c) { return kn_ravel(c->array[0]); }
static kn_array call_trace(const call *c) { return kn_trace(c->array[0]); }
static kn_array call_diagonal(const call *c) { return kn_diagonal(c->array[0]); }
static kn_array call_where(const call *c) { return kn_where(c->array[0], c->array[1], c->array[2]); }
static kn_array call_clip(const call *c) { return kn_clip(c->array[0], c->array[1], c->array[2]); }
static kn_array call_isclose(const call *c)
{
    return kn_isclose(c->array[0], c->array[1], .rtol = number(c, "rtol", 1e-5), .atol = number(c, "atol", 1e-8),
                      .equal_nan = flag(c, "equal_nan", false));
}
static kn_array call_sum(const call *c)
{
    return kn_sum(c->array[0], axes_option(c, "axis"), .dtype = dtype_option(c), .keepdims = flag(c, "keepdims", false),
                  .initial = array_option(c, "initial"), .where = array_option(c, "where"));
}
static kn_array call_mean(const call *c)
{
    return kn_mean(c->array[0], axes_option(c, "axis"), .dtype = dtype_option(c),
                   .keepdims = flag(c, "keepdims", false), .where = array_option(c, "where"));
}
#define VAR(name)                                                                                    \
    static kn_array call_##name(const call *c)                                                       \
    {                                                                                                \
        return kn_##name(c->array[0], axes_option(c, "axis"), .ddof = number(c, "ddof", 0),          \
                         .keepdims = flag(c, "keepdims", false), .where = array_option(c, "where")); \
    }
VAR(var)
VAR(std)
#define MAX(name)                                                                                     \
    static kn_array call_##name(const call *c)                                                        \
    {                                                                                                 \
        return kn_##name(c->array[0], axes_option(c, "axis"), .keepdims = flag(c, "keepdims", false), \
                         .initial = array_option(c, "initial"), .where = array_option(c, "where"));   \
    }
MAX(max)
MAX(min)
#define ANY(name)                                                                                     \
    static kn_array call_##name(const call *c)                                                        \
    {                                                                                                 \
        return kn_##name(c->array[0], axes_option(c, "axis"), .keepdims = flag(c, "keepdims", false), \
                         .where = array_option(c, "where"));                                          \
    }
ANY(any)
ANY(all)
#define ARG(name)                                                                                      \
    static kn_array call_##name(const call *c)                                                         \
    {                                                                                                  \
        return kn_##name(c->array[0], axes_option(c, "axis"), .keepdims = flag(c, "keepdims", false)); \
    }
ARG(ptp) ARG(argmax) ARG(argmin) ARG(count_nonzero) static kn_array call_reshape(const call *c)
{
    return kn_reshape(c->array[0], c->list[0]);
}
static kn_array call_broadcast_to(const call *c) { return kn_broadcast_to(c->array[0], c->list[0]); }
static kn_array call_tile(const call *c) { return kn_tile(c->array[0], c->list[0]); }
static kn_array call_repeat(const call *c) { return kn_repeat(c->array[0], c->list[0].dim[0], axes_option(c, "axis")); }
static kn_array call_transpose(const call *c) { return kn_transpose(c->array[0], axes_option(c, "axes")); }
static kn_array call_swapaxes(const call *c)
{
    return kn_swapaxes(c->array[0], (int)c->list[0].dim[0], (int)c->list[1].dim[0]);
}
static kn_array call_moveaxis(const call *c)
{
    return kn_moveaxis(c->array[0], axes_of(c->list[0]), axes_of(c->list[1]));
}
static kn_array call_expand_dims(const call *c) { return kn_expand_dims(c->array[0], axes_of(c->list[0])); }
static kn_array call_squeeze(const call *c) { return kn_squeeze(c->array[0], axes_option(c, "axis")); }
static kn_array call_flip(const call *c) { return kn_flip(c->array[0], axes_option(c, "axis")); }
static kn_array call_concatenate(const call *c)
{
    return kn_concatenate((kn_list_from)(c->array, c->n), axes_option(c, "axis"));
}
static kn_array call_stack(const call *c) { return kn_stack((kn_list_from)(c->array, c->n), axes_option(c, "axis")); }
static kn_array call_vstack(const call *c) { return kn_vstack((kn_list_from)(c->array, c->n)); }
static kn_array call_hstack(const call *c) { return kn_hstack((kn_list_from)(c->array, c->n)); }
static kn_array call_arange(const call *c)
{
    return kn_arange(c->array[0], c->array[1], c->array[2], .dtype = dtype_option(c));
}
static kn_array call_linspace(const call *c)
{
    return kn_linspace(c->array[0], c->array[1], c->list[0].dim[0], .endpoint = flag(c, "endpoint", true),
                       .dtype = dtype_option(c));
}
static kn_array call_eye(const call *c)
{
    return kn_eye(c->list[0].dim[0], .M = (int64_t)number(c, "M", -1), .k = (int64_t)number(c, "k", 0),
                  .dtype = dtype_option(c));
}
static kn_array call_full(const call *c) { return kn_full(c->list[0], c->array[0]); }
static kn_array call_zeros(const call *c) { return kn_zeros(c->list[0], .dtype = dtype_option(c)); }
static kn_array call_ones(const call *c) { return kn_ones(c->list[0], .dtype = dtype_option(c)); }
static kn_array call_astype(const call *c) { return kn_astype(c->array[0], kn_dtype_named(c->text)); }
static kn_array call_tensordot(const call *c)
{
    return kn_tensordot(c->array[0], c->array[1], .axes = (int)number(c, "axes", 2));
}
static kn_array call_sort(const call *c) { return kn_sort(c->array[0], axes_option(c, "axis")); }
static kn_array call_argsort(const call *c) { return kn_argsort(c->array[0], axes_option(c, "axis")); }
static kn_array call_take(const call *c)
{
    return kn_take(c->array[0], c->array[1], axes_option(c, "axis"), .mode = option(c, "mode"));
}
static kn_array call_take_along_axis(const call *c)
{
    return kn_take_along_axis(c->array[0], c->array[1], axes_option(c, "axis"));
}
static kn_array call_at(const call *c) { return (kn_at)(c->array[0], c->text, c->n_index - 1, c->index + 1); }

static const struct {
    const char *name;
    special f;
    double tolerance;
} specials[] = {
#define CALL(name, tolerance) {#name, call_##name, tolerance},
    CALL(ravel, 0) CALL(trace, 0) CALL(diagonal, 0) CALL(where, 0) CALL(clip, 0) CALL(isclose, 0) CALL(sum, 0)
        CALL(mean, 1) CALL(var, 4) CALL(std, 4) CALL(max, 0) CALL(min, 0) CALL(any, 0) CALL(all, 0) CALL(ptp, 0)
            CALL(argmax, 0) CALL(argmin, 0) CALL(count_nonzero, 0) CALL(reshape, 0) CALL(broadcast_to, 0) CALL(tile, 0)
                CALL(repeat, 0) CALL(transpose, 0) CALL(swapaxes, 0) CALL(moveaxis, 0) CALL(expand_dims, 0)
                    CALL(squeeze, 0) CALL(flip, 0) CALL(concatenate, 0) CALL(stack, 0) CALL(vstack, 0) CALL(hstack, 0)
                        CALL(arange, 0) CALL(linspace, 0) CALL(eye, 0) CALL(full, 0) CALL(zeros, 0) CALL(ones, 0)
                            CALL(astype, 0) CALL(tensordot, 0) CALL(sort, 0) CALL(argsort, 0) CALL(take, 0)
                                CALL(take_along_axis, 0) CALL(at, 0)};

static bool find(const char *name, one *f1, two *f2, special *f, double *tolerance)
{
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (!strcmp(ones[i].name, name))
            return *f1 = ones[i].f, *tolerance = ones[i].tolerance, true;
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (!strcmp(twos[i].name, name))
            return *f2 = twos[i].f, *tolerance = twos[i].tolerance, true;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!strcmp(specials[i].name, name))
            return *f = specials[i].f, *tolerance = specials[i].tolerance, true;
    return false;
}

/* ---- Comparing. */

static double ulp_of(double x, kn_dtype d)
{
    int e = 0;
    frexp(x, &e);
    size_t size = kn_dtype_kind(d) == 'c' ? kn_dtype_size(d) / 2 : kn_dtype_size(d);
    return ldexp(1, size == 2 ? (e < -13 ? -13 : e) - 11 : size == 4 ? e - 24 : e - 53);
}

/* beside: the number whose ulps are counted where that is not the one that is wanted */
static bool near(double got, double want, double tolerance, double beside, kn_dtype d)
{
    double ulps = fabs(tolerance) * ulp_of(tolerance < 0 ? beside : want, d);
    return got == want ? signbit(got) == signbit(want) || tolerance != 0
                       : (isnan(got) && isnan(want)) || fabs(got - want) <= ulps;
}

/* One element of any dtype as two doubles. */
static void element(const unsigned char *p, kn_dtype d, double v[2])
{
    kn_array x = (kn_strong)(p, d);
    kn_c128 z = kn_item_complex(x);
    v[0] = z.re;
    v[1] = z.im;
}

static const char *compare(kn_array got, const char *want, double tolerance, const char **rest)
{
    static char why[256];
    stored w = read_stored(want);
    kn_shape shape = kn_shape_of(got);
    size_t bytes = (size_t)w.size * kn_dtype_size(w.dtype);
    *why = '\0';
    *rest = strchr(want, ' ');
    if (!kn_ok(got))
        snprintf(why, sizeof why, "error: %s", kn_error_message());
    else if (kn_dtype_of(got) != w.dtype)
        snprintf(why, sizeof why, "dtype %s", kn_dtype_name(kn_dtype_of(got)));
    else if (shape.ndim != w.shape.ndim || memcmp(shape.dim, w.shape.dim, (size_t)shape.ndim * sizeof *shape.dim) != 0)
        snprintf(why, sizeof why, "another shape, of %d axes", shape.ndim);
    const unsigned char *data = *why || !bytes ? NULL : (kn_data_bytes)(got, w.dtype);
    size_t step = kn_dtype_size(w.dtype);
    bool exact = strchr("biu", kn_dtype_kind(w.dtype)) != NULL;
    double largest = 0;
    for (int64_t i = 0; tolerance < 0 && i < w.size; i++) {
        double v[2];
        element(w.bytes + (size_t)i * step, w.dtype, v);
        largest = fmax(largest, hypot(v[0], v[1]));
    }
    for (int64_t i = 0; data && i < w.size && !*why; i++) {
        const unsigned char *p = data + (size_t)i * step, *q = w.bytes + (size_t)i * step;
        double a[2], b[2];
        if (!memcmp(p, q, step))
            continue;
        element(p, w.dtype, a);
        element(q, w.dtype, b);
        if (exact || !near(a[0], b[0], tolerance, largest, w.dtype) || !near(a[1], b[1], tolerance, largest, w.dtype))
            snprintf(why, sizeof why, "element %lld is %.17g%+.17gj, not %.17g%+.17gj", (long long)i, a[0], a[1], b[0],
                     b[1]);
    }
    free(w.bytes);
    return *why ? why : NULL;
}

static const char *compare_error(const char *name, const char *want)
{
    static char why[600], whole[600];
    size_t n = strcspn(want, " ");
    snprintf(whole, sizeof whole, "%s: %s", name, want[n] ? want + n + 1 : "");
    if (!kn_error_pending())
        snprintf(why, sizeof why, "no error");
    else if (strlen(kn_error_kind_name()) != n || strncmp(kn_error_kind_name(), want, n) != 0 ||
             strcmp(kn_error_message(), whole) != 0)
        snprintf(why, sizeof why, "%s %s", kn_error_kind_name(), kn_error_message());
    else
        *why = '\0';
    kn_error_clear();
    return *why ? why : NULL;
}

static const char *compare_all(const call *c, const numpy_result *got, double tolerance)
{
    bool several = !strncmp(c->result, "list", 4);
    const char *want = several ? (c->result[4] ? c->result + 5 : NULL) : c->result, *rest, *why;
    if (!strchr(c->result, '[') && strstr(c->result, "Error")) {
        for (int i = 0; i < got->n; i++)
            (void)kn_ok(got->x[i]);
        return compare_error(!strcmp(c->name, "bitwise_not") ? "invert"
                             : option(c, "says")             ? option(c, "says")
                                                             : c->name,
                             c->result);
    }
    if (strstr(c->result, "Error ")) {
        (void)(got->n && kn_ok(got->x[0]));
        return compare_error(c->name, c->result);
    }
    for (int i = 0; i < got->n; i++) {
        why = want && *want ? compare(got->x[i], want, tolerance, &rest) : "too many results";
        if (why)
            return why;
        want = rest ? rest + 1 : NULL;
    }
    return want && *want ? "too few results" : NULL;
}

static numpy_result split_list(const call *c)
{
    kn_split_opts o = {.size_ = sizeof o, .axis = axes_option(c, "axis")};
    kn_array parts = kn_num(c->list[0].dim[0]);
    return numpy_list(!strcmp(c->name, "split") ? (kn_split)(c->array[0], parts, &o)
                                                : (kn_array_split)(c->array[0], parts, &o));
}

static const char *check(const call *c, const numpy_entry *table, size_t n)
{
    one f1 = NULL;
    two f2 = NULL;
    special f = NULL;
    double tolerance = 0;
    numpy_result got;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(table[i].name, c->name)) {
            got = table[i].f(c);
            return compare_all(c, &got, table[i].tolerance);
        }
    if (!strcmp(c->name, "split") || !strcmp(c->name, "array_split"))
        got = split_list(c);
    else if (!find(c->name, &f1, &f2, &f, &tolerance))
        return "no such function in the table";
    else
        got = numpy_one(f1 ? f1(c->array[0]) : f2 ? f2(c->array[0], c->array[1]) : f(c));
    return compare_all(c, &got, tolerance);
}

void numpy_calls_check(const char *path) { numpy_calls_check_with(path, NULL, 0); }

void numpy_calls_check_with(const char *path, const numpy_entry *table, size_t n)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t room = 1 << 16;
    char *line = malloc(room), *copy = malloc(room);
    int number_of_line = 0, bad = 0, good = 0;
    while (fgets(line, (int)room, file)) {
        KN_SCOPE;
        number_of_line++;
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || !*line)
            continue;
        strcpy(copy, line);
        call c = read_call(copy);
        const char *why = check(&c, table, n);
        if (!why && kn_error_pending())
            why = kn_error_message();
        if (why && bad++ < 20)
            print_error("%s:%d: %s\n    %.300s\n", path, number_of_line, why, line);
        good += !why;
        kn_error_clear();
    }
    free(line);
    free(copy);
    fclose(file);
    if (bad)
        print_error("%d calls are right, %d wrong\n", good, bad);
    assert_int_equal(bad, 0);
    assert_true(good > 0);
}

int numpy_calls_visit(const char *path, bool (*visit)(const numpy_call *c))
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t room = 1 << 16;
    char *line = malloc(room);
    int bad = 0, seen = 0;
    while (fgets(line, (int)room, file)) {
        KN_SCOPE;
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || !*line)
            continue;
        call c = read_call(line);
        bad += !visit(&c);
        seen++;
    }
    free(line);
    fclose(file);
    assert_true(seen > 0);
    return bad;
}
