/* SPDX-License-Identifier: Apache-2.0
 * test_nditer.c -- NumPy's iterator: random programs against NumPy's own (scripts/golden/make_nditer.py), and facts by
 * name. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

#define LAYOUT(name, there, ...) \
    static kn_array layout_##name(void) { return __VA_ARGS__; }
#define CALL(name, there, ...)
#define MADE(name, there, ...)
#include "unit/numpy/orders.def"
#undef LAYOUT
static const struct layout {
    const char *name;
    kn_array (*make)(void);
} layouts[] = {
#define LAYOUT(name, there, ...) {#name, layout_##name},
#include "unit/numpy/orders.def"
};

/* ---- Programs. */

enum { MOST_FIELDS = 64 };
enum { TOKENS, FLAGS, OP_FLAGS, DTYPES, ORDER, CASTING, OP_AXES, ITERSHAPE, BUFFERSIZE, FIRST_RESULT };

/* Cuts a text at a separator; how many parts. */
static int cut(char *text, const char *separator, char **part, int most)
{
    int n = 0;
    for (char *at = text; at && n < most;) {
        char *next = strstr(at, separator);
        part[n++] = at;
        if (next)
            *next = 0;
        at = next ? next + strlen(separator) : NULL;
    }
    return n;
}

static kn_array operand(char *token)
{
    char *index = strchr(token, '/');
    if (index)
        *index++ = 0;
    if (!strcmp(token, "-"))
        return NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strcmp(layouts[i].name, token)) {
            kn_array x = layouts[i].make();
            return index ? kn_at(x, index) : x;
        }
    fail_msg("no layout %s", token);
    return NULL;
}

static kn_dtype dtype_of(const char *word) { return *word ? kn_dtype_named(word) : NULL; }

static int numbers_in(const char *text, int64_t *v)
{
    int n = 0;
    while (*text) {
        v[n++] = strtoll(text, (char **)&text, 10);
        text += *text == ',';
    }
    return n;
}

static void read_options(char **field, kn_nditer_opts *o, kn_shape *itershape)
{
    char *part[KN_MAX_OPERANDS];
    *o = kn_nditer_opts_default();
    o->flags = field[FLAGS];
    if (*field[OP_FLAGS])
        for (int i = cut(field[OP_FLAGS], "|", part, KN_MAX_OPERANDS); i-- > 0;)
            o->op_flags[i] = part[i];
    if (*field[DTYPES])
        for (int i = cut(field[DTYPES], "|", part, KN_MAX_OPERANDS); i-- > 0;)
            o->op_dtypes[i] = dtype_of(part[i]);
    o->order = *field[ORDER] ? field[ORDER] : NULL;
    o->casting = *field[CASTING] ? field[CASTING] : NULL;
    if (*field[OP_AXES])
        for (int i = cut(field[OP_AXES], "|", part, KN_MAX_OPERANDS); i-- > 0;) {
            int64_t axis[KN_MAX_NDIM];
            int n = numbers_in(part[i], axis);
            o->op_axes[i].n = *part[i] ? n + 1 : 0;
            for (int k = 0; k < n; k++)
                o->op_axes[i].axis[k] = (int32_t)axis[k];
        }
    if (*field[ITERSHAPE]) {
        itershape->ndim = numbers_in(field[ITERSHAPE], itershape->dim);
        o->itershape = itershape;
    }
    o->buffersize = atoi(field[BUFFERSIZE]);
}

/* ---- What is seen. */

typedef struct out {
    char text[4096];
    size_t length;
} out;

static void add(out *o, const char *text)
{
    o->length += (size_t)snprintf(o->text + o->length, sizeof o->text - o->length, "%s", text);
}

static void add_numbers(out *o, int64_t n, const int64_t *v)
{
    char text[32];
    for (int64_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, i ? ",%lld" : "%lld", (long long)v[i]);
        add(o, text);
    }
}

static void add_elements(out *o, kn_array x)
{
    kn_array y = kn_ravel(kn_astype(x, KN_I64));
    int64_t v[256], n = kn_size(y);
    assert_in_range(n, 0, 256);
    assert_int_equal(kn_copy_to(y, v, (size_t)n * sizeof *v), 0);
    add_numbers(o, n, v);
}

/* Writes a number of the operand's dtype. */
static void put(void *to, kn_dtype d, double v)
{
    if (d == KN_F64)
        *(double *)to = v;
    else if (d == KN_F32)
        *(float *)to = (float)v;
    else if (d == KN_I64)
        *(int64_t *)to = (int64_t)v;
    else
        *(int32_t *)to = (int32_t)v;
}

/* One turn, as make_nditer.py tells it. */
static void take_turn(kn_nditer it, const char *flags, int nop, const bool *reads, const bool *writes, out *o)
{
    bool outside = strstr(flags, "external_loop");
    int64_t n = kn_nditer_inner_size(it), stride[KN_MAX_OPERANDS];
    double total[64] = {0};
    if (!strstr(flags, "buffered") && kn_nditer_has_index(it)) {
        add_numbers(o, 1, &(int64_t){kn_nditer_index(it)});
    } else if (!strstr(flags, "buffered") && kn_nditer_has_multi_index(it)) {
        kn_shape at = kn_nditer_multi_index(it);
        add_numbers(o, at.ndim, at.dim);
    }
    add(o, " ");
    add_numbers(o, 1, &n);
    add(o, " ");
    for (int k = 0; k < nop; k++)
        stride[k] = kn_nditer_stride(it, k);
    add_numbers(o, outside && n > 1 ? nop : 0, stride);
    for (int k = 0; k < nop; k++) {
        if (!reads[k])
            continue;
        kn_array v = kn_ravel(kn_astype(kn_nditer_value(it, k), KN_F64));
        const double *at = kn_data(v, double);
        for (int64_t i = 0; i < n; i++)
            total[i] += at[i];
        add(o, " ");
        add_elements(o, v);
    }
    for (int k = 0; k < nop; k++)
        for (int64_t i = 0; writes[k] && i < n; i++)
            put((char *)kn_nditer_data_bytes(it, k, NULL) + i * stride[k], kn_nditer_dtypes(it, k), total[i] + 100);
}

static bool matches(const char *have, const char *want, const char *line)
{
    if (!strcmp(have, want))
        return true;
    print_error("%s\n  here:  %s\n  NumPy: %s\n", line, have, want);
    return false;
}

/* The result, field by field. */
static bool goes_along(kn_nditer it, int nop, const kn_array *given, const bool *reads, const bool *writes,
                       const char *flags, char **field, int n, const char *line)
{
    out o = {0};
    int at = FIRST_RESULT;
    kn_array made[KN_MAX_OPERANDS];
    if (kn_nditer_has_delayed_bufalloc(it))
        kn_nditer_reset(it);
    add_numbers(&o, 1, &(int64_t){kn_nditer_itersize(it) ? kn_nditer_ndim(it) : 0});
    add(&o, " ");
    add_numbers(&o, 1, &(int64_t){kn_nditer_itersize(it)});
    add(&o, " ");
    if (!kn_nditer_finished(it)) {
        kn_shape s = kn_nditer_shape(it);
        add_numbers(&o, s.ndim, s.dim);
    }
    for (int k = 0; k < nop; k++)
        made[k] = given[k] ? given[k] : kn_nditer_operands(it, k);
    if (!matches(o.text, field[at++], line))
        return false;
    for (; !kn_nditer_finished(it); kn_nditer_iternext(it), at++) {
        o = (out){0};
        take_turn(it, flags, nop, reads, writes, &o);
        if (!matches(o.text, at < n ? field[at] : "nothing", line))
            return false;
    }
    kn_nditer_close(it);
    for (int k = 0; k < nop; k++) {
        if (!writes[k])
            continue;
        o = (out){0};
        kn_shape s = kn_shape_of(made[k]);
        kn_strides strides = kn_strides_of(made[k]);
        bool told = kn_size(made[k]) > 1;
        for (int d = 0; d < s.ndim; d++)
            told = told && s.dim[d] != 1;
        add_numbers(&o, told ? strides.ndim : 0, strides.stride);
        add(&o, " ");
        add_elements(&o, made[k]);
        if (!matches(o.text, at < n ? field[at] : "nothing", line))
            return false;
        at++;
    }
    return at == n || matches("an end", field[at], line);
}

static bool is_as_in_numpy(char *line)
{
    KN_SCOPE;
    char copy[1 << 14], *field[MOST_FIELDS], *token[KN_MAX_OPERANDS], flags[256], told[512];
    kn_nditer_opts o;
    kn_shape itershape = {0};
    kn_array x[KN_MAX_OPERANDS];
    bool reads[KN_MAX_OPERANDS], writes[KN_MAX_OPERANDS];
    snprintf(copy, sizeof copy, "%s", line);
    int n = cut(line, "\t", field, MOST_FIELDS), nop = cut(field[TOKENS], " & ", token, KN_MAX_OPERANDS);
    snprintf(flags, sizeof flags, "%s", field[FLAGS]);
    read_options(field, &o, &itershape);
    for (int k = 0; k < nop; k++) {
        x[k] = operand(token[k]);
        const char *words = o.op_flags[k] ? o.op_flags[k] : x[k] ? "readonly" : "writeonly";
        writes[k] = !strstr(words, "readonly");
        reads[k] = !strstr(words, "writeonly") && x[k];
    }
    kn_nditer it = (kn_nditer_new)(nop, x, &o);
    if (it)
        return goes_along(it, nop, x, reads, writes, flags, field, n, copy);
    char *want = field[FIRST_RESULT];
    for (size_t length = strlen(want); length && want[length - 1] == ' ';)
        want[--length] = 0;
    snprintf(told, sizeof told, "%s: %s", kn_error_kind_name(),
             strncmp(kn_error_message(), "nditer: ", 8) ? kn_error_message() : kn_error_message() + 8);
    kn_error_clear();
    return matches(told, want, copy);
}

static void programs_go_as_in_numpy(void **state)
{
    (void)state;
    static char line[1 << 14];
    int wrong = 0, n = 0;
    FILE *file = fopen(KN_TEST_DIR "/golden/nditer.txt", "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); n++) {
        line[strcspn(line, "\n")] = 0;
        wrong += !is_as_in_numpy(line);
        if (kn_error_pending()) {
            print_error("%s\n", kn_error_message());
            kn_error_clear();
            wrong++;
        }
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    assert_int_equal(n, 900);
}

KN_TEST_GROUP(test_nditer)
{
    const struct CMUnitTest tests[] = {
        TEST(programs_go_as_in_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
