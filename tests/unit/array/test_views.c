/* SPDX-License-Identifier: Apache-2.0
 * test_views.c -- what is a view and what a copy: chains of functions as NumPy sees them
 * (scripts/golden/make_views.py), and facts by name. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- Chains. */

static char *field(char **at)
{
    char *s = *at, *end = strchr(s, ';');
    if (end)
        *end++ = 0;
    *at = end ? end : s + strlen(s);
    return s;
}

static kn_shape shape_in(const char *s)
{
    kn_shape shape = {.ndim = 0};
    while (*s) {
        shape.dim[shape.ndim++] = strtoll(s, (char **)&s, 10);
        s += *s == 'x';
    }
    return shape;
}

static kn_array make_base(const char *s)
{
    kn_shape shape = shape_in(strchr(s, ' ') + 1);
    int64_t n = 1;
    for (int d = 0; d < shape.ndim; d++)
        n *= shape.dim[d];
    double _Complex c[100];
    int64_t v[100];
    for (int64_t k = 0; k < n; k++) {
        v[k] = k;
        c[k] = (double)k + __extension__ 1.0i * (double)(k + 100);
    }
    return *s == 'c' ? kn_from(c, shape) : kn_from(v, shape);
}

static kn_array apply(kn_array x, const char *f)
{
    int p = 0, q = 0, r = 0;
    const char *arg = strchr(f, ' ') ? strchr(f, ' ') + 1 : "";
    if (!strncmp(f, "at ", 3))
        return kn_at(x, arg);
    const char order[] = {*arg, 0};
    if (!strncmp(f, "reshape", 7) && *arg >= 'A')
        return kn_reshape(x, shape_in(arg + 2), .order = order);
    if (!strncmp(f, "reshape", 7))
        return kn_reshape(x, shape_in(arg));
    if (!strncmp(f, "ravel ", 6))
        return kn_ravel(x, .order = order);
    if (!strncmp(f, "flatten ", 8))
        return kn_flatten(x, .order = order);
    if (!strncmp(f, "copy ", 5))
        return kn_copy(x, .order = order);
    if (!strncmp(f, "broadcast", 9))
        return kn_broadcast_to(x, shape_in(arg));
    if (!strncmp(f, "T ", 2)) {
        kn_axes axes = {.n = 1};
        while (*arg) {
            axes.axis[axes.n++ - 1] = (int)strtol(arg, (char **)&arg, 10);
            arg += *arg == ',';
        }
        return kn_transpose(x, axes);
    }
    sscanf(arg, "%d,%d,%d", &p, &q, &r);
    if (!strncmp(f, "swap", 4))
        return kn_swapaxes(x, p, q);
    if (!strncmp(f, "move", 4))
        return kn_moveaxis(x, KN_AXIS(p), KN_AXIS(q));
    if (!strncmp(f, "expand", 6))
        return kn_expand_dims(x, KN_AXIS(p));
    if (!strncmp(f, "flip", 4))
        return kn_flip(x, KN_AXIS(p));
    if (!strncmp(f, "split", 5))
        return kn_list_get(kn_array_split(x, p, KN_AXIS(q)), r);
    if (!strncmp(f, "view", 4))
        return kn_view(x, *arg == 'u' ? KN_U64 : KN_I64);
    return !strcmp(f, "ravel")      ? kn_ravel(x)
           : !strcmp(f, "flatten")  ? kn_flatten(x)
           : !strcmp(f, "asarray")  ? kn_asarray(x)
           : !strcmp(f, "squeeze")  ? kn_squeeze(x)
           : !strcmp(f, "real")     ? kn_real(x)
           : !strcmp(f, "imag")     ? kn_imag(x)
           : !strcmp(f, "diagonal") ? kn_diagonal(x)
                                    : NULL;
}

static bool same_numbers(kn_array x, const char *s)
{
    bool complex = kn_dtype_kind(kn_dtype_of(x)) == 'c';
    int64_t n = kn_size(x) * (complex ? 2 : 1);
    double *v = malloc((size_t)n * sizeof *v + 1);
    kn_array y = kn_astype(x, complex ? KN_C128 : KN_F64);
    bool same = kn_copy_to(y, v, (size_t)n * sizeof *v) == 0;
    for (int64_t i = 0; same && i < n; i++) {
        same = *s && strtod(s, (char **)&s) == v[i];
        s += *s == ',';
    }
    free(v);
    return same && !*s;
}

static const char *why_other(char *line)
{
    KN_SCOPE;
    char *base_text = field(&line), *chain = field(&line), *shares = field(&line), *writeable = field(&line);
    char *shape = field(&line), *strides = field(&line), *values = field(&line), *after = field(&line);
    kn_array base = make_base(base_text), x = base;
    for (char *f = chain, *next; f; f = next) {
        next = strchr(f, '|');
        if (next)
            *next++ = 0;
        x = apply(x, f);
        if (!kn_ok(x))
            return kn_error_message();
    }
    kn_shape want = shape_in(shape), have = kn_shape_of(x);
    kn_strides steps = kn_strides_of(x);
    if (want.ndim != have.ndim || memcmp(want.dim, have.dim, (size_t)want.ndim * sizeof *want.dim))
        return "another shape";
    if (kn_shares_memory(base, x) != (*shares == '1'))
        return *shares == '1' ? "not a view" : "not a copy";
    if (kn_flags_of(x).writeable != (*writeable == '1'))
        return "another writeable flag";
    for (int d = 0; d < want.ndim; d++) {
        if (*strides != '_' && strtoll(strides, NULL, 10) != steps.stride[d])
            return "other strides";
        strides += strcspn(strides, ",") + 1;
    }
    if (!same_numbers(x, values))
        return "other elements";
    if (*writeable == '0')
        return NULL;
    kn_array numbers = kn_reshape(kn_arange(1000, 1000 + kn_size(x), 1), have);
    if (kn_set_at(x, numbers, "...") != 0)
        return kn_error_message();
    return same_numbers(base, after) ? NULL : "another base after a write";
}

static void chains_are_views_and_copies_as_in_numpy(void **state)
{
    (void)state;
    static char line[1 << 16], copy[1 << 16];
    FILE *f = fopen(KN_TEST_DIR "/golden/views.txt", "r");
    assert_non_null(f);
    int bad = 0, n = 0;
    for (; fgets(line, sizeof line, f); n++) {
        line[strcspn(line, "\n")] = 0;
        strcpy(copy, line);
        const char *why = why_other(copy);
        if (why) {
            fprintf(stderr, "%s: %s\n", line, why);
            bad++;
        }
        if (kn_error_pending())
            kn_error_clear();
    }
    fclose(f);
    assert_int_equal(bad, 0);
    assert_true(n > 500);
}

/* ---- Facts. */

static kn_array grid(int64_t n, int64_t m) { return kn_reshape(kn_arange(0, n * m, 1), KN_SHAPE(n, m)); }

static void a_view_sees_writes_to_its_base_and_the_other_way_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = grid(2, 3), row = kn_at(a, "1"), column = kn_at(a, ":, 2");
    kn_set_at(a, 50, "1, 1");
    expect_values(row, 3, 50, 5);
    kn_set_at(row, 60, "2");
    expect_values(column, 2, 60);
    expect_values(a, 0, 1, 2, 3, 50, 60);
    assert_true(kn_shares_memory(row, column));
    assert_false(kn_shares_memory(kn_at(a, "0"), row));
    assert_false(kn_shares_memory(kn_at(a, ":, ::2"), kn_at(a, ":, 1")));
    assert_true(kn_may_share_memory(kn_at(a, ":, ::2"), kn_at(a, ":, 1")));
}

static void integers_alone_and_arrays_give_copies(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = grid(2, 3), element = kn_at(a, "1, 1"), view = kn_at(a, "1, 1, ..."),
             rows = kn_at(a, "%", kn_of(int64_t, 1, 0));
    kn_set_at(a, 9, "...");
    expect_values(element, 4);
    expect_values(view, 9);
    expect_values(rows, 3, 4, 5, 0, 1, 2);
}

static void complex_parts_are_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_of(double _Complex, 1, 2, 3), re = kn_real(z), im = kn_imag(z);
    kn_set_at(re, 7, "0");
    kn_set_at(im, 5, "1:");
    kn_imul(kn_at(im, "::-1"), 2);
    kn_c128 first = kn_item_complex(kn_at(z, "0")), last = kn_item_complex(kn_at(z, "2"));
    assert_true(first.re == 7 && first.im == 0 && last.re == 3 && last.im == 10);
    assert_false(kn_shares_memory(re, im));
    assert_int_equal(kn_strides_of(im).stride[0], 16);
    kn_array x = kn_of(double, 1, 2), same = kn_real(x), none = kn_imag(x);
    kn_set_at(same, 8, "0");
    expect_values(x, 8, 2);
    expect_values(none, 0, 0);
    assert_int_equal(kn_set_at(none, 1, "0"), -1);
    expect_error("ValueError", "set_at: assignment destination is read-only");
}

static void the_same_bytes_as_another_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2), bits = kn_view(x, KN_U32);
    expect_values(bits, 0x3f800000, 0x40000000);
    kn_set_at(bits, 0x40400000, "0");
    expect_values(x, 3, 2);
}

/* Bytes of a temporary changed; then 4 bytes that begin at an odd place read as one number. */
static kn_array through_bytes(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2), bytes = kn_view(y, KN_U8);
    kn_set_at(bytes, 7, "..., 0");
    return kn_add(kn_view(kn_at(bytes, "..., 3:7"), KN_I32), kn_at(y, "..., :1"));
}
KN_FUNCTION(through_bytes, kn_array, kn_array)

static void the_same_bytes_as_another_size(void **state)
{
    (void)state;
    if (BITS_BIG_ENDIAN) /* the numbers below are those of the lowest byte first */
        skip();
    KN_SCOPE;
    kn_array x = kn_of(int32_t, 1, 0x01020304), bytes = kn_view(x, KN_U8);
    expect_values(bytes, 1, 0, 0, 0, 4, 3, 2, 1);
    expect_values(kn_view(bytes, KN_I32), 1, 0x01020304);
    kn_set_at(bytes, 5, "1");
    expect_values(x, 0x501, 0x01020304);
    kn_set_at(kn_view(kn_at(bytes, "2:4"), KN_U16), 0x10, "0");
    expect_values(x, 0x100501, 0x01020304);
    kn_set_at(x, 2, "0");
    expect_values(bytes, 2, 0, 0, 0, 4, 3, 2, 1);
    kn_array odd = kn_view(kn_at(bytes, "3:7"), KN_I32);
    expect_values(odd, 0x02030400);
    kn_set_at(odd, -1, "0");
    expect_values(bytes, 2, 0, 0, 255, 255, 255, 255, 1);

    kn_array d = kn_of(double, 1, -2), halves = kn_view(d, KN_I32);
    expect_values(halves, 0, 0x3ff00000, 0, (int32_t)0xc0000000);
    kn_set_at(halves, 0x40000000, "1::2");
    expect_values(d, 2, 2);
    kn_array rows = kn_reshape(kn_arange(0, 12, 1, .dtype = KN_F32), KN_SHAPE(3, 4)), part = kn_at(rows, ":, 1:3");
    kn_set_at(kn_view(part, KN_U64), 0, "1");
    expect_values(rows, 0, 1, 2, 3, 4, 0, 0, 7, 8, 9, 10, 11);
    expect_values(kn_view(kn_of(uint8_t, 0, 1, 1, 0), KN_BOOL), 0, 1, 1, 0);
    expect_values(kn_view(kn_of(int16_t, 1, 256), KN_BOOL), 1, 0, 0, 1);
    expect_values(kn_view(kn_equal(kn_of(int32_t, 1, 0, 0, 1), 1), KN_U16), 1, 256);
    expect_values(kn_view(kn_zeros(KN_SHAPE(3), KN_F64), KN_I16), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    kn_array none = kn_view(kn_zeros(KN_SHAPE(3, 0), KN_F32), KN_F64);
    assert_int_equal(kn_size(none), 0);
    assert_int_equal(kn_dim(none, 0), 3);

    kn_array two = kn_of(int32_t, 1, 2), four = kn_reshape(kn_of(int32_t, 1, 2, 3, 4), KN_SHAPE(2, 2)), y = NULL;
    expect_values(through_bytes(&two), 4 * 256 + 7);
    kn_call(kn_jit(KN_FN(through_bytes)), &y, &two);
    expect_values(y, 4 * 256 + 7);
    kn_call(kn_vmap(KN_FN(through_bytes)), &y, &four);
    expect_values(y, 4 * 256 + 7, 8 * 256 + 7);
    kn_call(kn_jit(kn_vmap(KN_FN(through_bytes), .in_axes = {KN_MAPPED(1)})), &y, &four);
    expect_values(y, 6 * 256 + 7, 8 * 256 + 7);
    expect_values(four, 1, 2, 3, 4);

    kn_view(kn_of(float, 1, 2, 3), KN_F64);
    expect_error("ValueError", "view: When changing to a larger dtype, its size must be a divisor of the total size in "
                               "bytes of the last axis of the array.");
    kn_view(kn_at(x, "0"), KN_U8);
    expect_error("ValueError", "view: Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    kn_view(kn_transpose(rows), KN_U8);
    expect_error("ValueError", "view: To change to a dtype of a different size, the last axis must be contiguous");
    kn_view(kn_at(rows, ":, ::2"), KN_F64);
    expect_error("ValueError", "view: To change to a dtype of a different size, the last axis must be contiguous");
}

static void read_only_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = grid(2, 2), wide = kn_broadcast_to(a, KN_SHAPE(2, 2)), diagonal = kn_diagonal(a);
    assert_int_equal(kn_set_at(wide, 1, "0"), -1);
    expect_error("ValueError", "set_at: assignment destination is read-only");
    assert_int_equal(kn_iadd(diagonal, 1), -1);
    expect_error("ValueError", "iadd: output array is read-only");
    kn_set_at(a, 9, "0, 0");
    expect_values(diagonal, 9, 3);
    expect_values(kn_at(wide, "0"), 9, 1);
}

static void windows_that_overlap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 5, 1), w = kn_as_strided(a, KN_SHAPE(3, 3), KN_SHAPE(8, 8));
    expect_values(w, 0, 1, 2, 1, 2, 3, 2, 3, 4);
    kn_set_at(a, 10, "2");
    expect_values(w, 0, 1, 10, 1, 10, 3, 10, 3, 4);
    kn_set_at(w, grid(3, 3), "..."); /* the last one in C order wins */
    expect_values(a, 0, 3, 6, 7, 8);
    kn_set_at(kn_at(w, "1"), 1, "::2");
    expect_values(a, 0, 1, 6, 1, 8);
    kn_array back = kn_as_strided(kn_at(a, "4:"), KN_SHAPE(3), KN_SHAPE(-16));
    expect_values(back, 8, 6, 0);
    expect_values(kn_as_strided(kn_imag(kn_of(double _Complex, 1, 2)), KN_SHAPE(2), KN_SHAPE(16)), 0, 0);
    kn_as_strided(a, KN_SHAPE(6), KN_SHAPE(8));
    expect_error("ValueError", "as_strided: the strides lead out of the array's memory");
    kn_as_strided(a, KN_SHAPE(2), KN_SHAPE(4));
    expect_error("NotImplementedError", "as_strided: strides that are no multiples of the elements' 8 bytes");
}

static void copies_are_copies(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 3, 1), copies[] = {kn_copy(a), kn_astype(a, KN_I64), kn_flatten(a), kn_positive(a)};
    kn_array views[] = {kn_asarray(a), kn_astype(a, KN_I64, .copy = false), kn_ravel(a), kn_real(a)};
    kn_set_at(a, 7, "0");
    for (int i = 0; i < 4; i++) {
        expect_values(copies[i], 0, 1, 2);
        assert_false(kn_shares_memory(a, copies[i]));
        expect_values(views[i], 7, 1, 2);
        kn_set_at(copies[i], 100, "1");
    }
    expect_values(a, 7, 1, 2);
}

static void expect_strides(kn_array x, int64_t s0, int64_t s1, int64_t s2)
{
    kn_strides s = kn_strides_of(x);
    kn_flags f = kn_flags_of(x);
    assert_true(s.ndim == 3 && s.stride[0] == s0 && s.stride[1] == s1 && s.stride[2] == s2);
    assert_true(f.owndata && f.writeable);
}

static kn_array keeps_order(const kn_array *x)
{
    kn_array y = kn_add(kn_transpose(*x), 1), flat = kn_reshape(kn_transpose(y), KN_SHAPE(-1));
    kn_set_at(flat, 50, "1"); /* a view of y, as y's transposition is in C order */
    return y;
}
KN_FUNCTION(keeps_order, kn_array, kn_array)

static void new_arrays_keep_the_order_of_their_operands(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 24, 1), KN_SHAPE(2, 3, 4)), t = kn_transpose(x);
    expect_strides(kn_add(x, 1), 96, 32, 8);
    expect_strides(kn_add(t, 1), 8, 32, 96);
    expect_strides(kn_copy(t), 8, 32, 96);
    expect_strides(kn_astype(t, KN_F32), 4, 16, 48);
    expect_strides(kn_zeros_like(t), 8, 32, 96);
    expect_strides(kn_sin(kn_swapaxes(x, 0, 1)), 32, 96, 8);
    expect_strides(kn_where(kn_greater(t, 3), t, 0), 8, 32, 96);
    expect_strides(kn_clip(t, kn_like_int(1), kn_like_int(2)), 8, 32, 96);
    expect_strides(kn_negative(kn_flip(t)), 8, 32, 96);
    expect_strides(kn_add(t, kn_arange(0, 2, 1)), 8, 32, 96);
    expect_strides(kn_add(t, kn_reshape(kn_flatten(t), KN_SHAPE(4, 3, 2))), 48, 16, 8); /* one says C, so it is */
    /* rows that are repeated: no opinion in a function, the innermost in a copy */
    kn_array rows = kn_broadcast_to(kn_arange(0, 4, 1), KN_SHAPE(2, 3, 4));
    expect_strides(kn_add(rows, 1), 96, 32, 8);
    expect_strides(kn_copy(rows), 24, 8, 48);
    /* writes outside of traces and inside */
    kn_array slab = kn_at(x, "0, ..."), a = keeps_order(&slab), b;
    kn_call(kn_jit(KN_FN(keeps_order)), &b, &slab);
    expect_values(a, 1, 5, 9, 50, 6, 10, 3, 7, 11, 4, 8, 12);
    expect_values(b, 1, 5, 9, 50, 6, 10, 3, 7, 11, 4, 8, 12);
    expect_values(slab, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
}

static void splits_are_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 6, 1);
    kn_list parts = kn_split(a, 3);
    kn_iadd(kn_list_get(parts, 1), 10);
    expect_values(a, 0, 1, 12, 13, 4, 5);
}

/* Slices alone make their view without an equation; beside an ellipsis they go the way of all indices. */
static void slices_alone_are_the_same_views(void **state)
{
    static const char *const index[] = {":3",       "1:",       "2:2",   "-2:",    "::2",    "1:-1:3",  ":, 1:3",
                                        "5:2, ::2", "1:9, -3:", "-9:99", "4:, :0", ":, ::3", "0:1, 0:1"};
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 35, 1, .dtype = KN_F32), KN_SHAPE(5, 7)),
             bases[] = {x,
                        kn_transpose(x),
                        kn_at(x, "::-1, 1:"),
                        kn_at(x, "::2, ::3"),
                        kn_broadcast_to(kn_at(x, "1"), KN_SHAPE(5, 7)),
                        kn_zeros(KN_SHAPE(0, 7)),
                        kn_add(x, 1)};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (size_t i = 0; i < sizeof index / sizeof *index; i++) {
            KN_SCOPE;
            char other[64];
            snprintf(other, sizeof other, "%s, ...", index[i]);
            kn_array y = kn_at(bases[b], index[i]), z = kn_at(bases[b], other);
            kn_strides s = kn_strides_of(y), t = kn_strides_of(z);
            kn_flags f = kn_flags_of(y), g = kn_flags_of(z);
            assert_true(kn_array_equal(y, z) && kn_dtype_of(y) == kn_dtype_of(z));
            assert_true(s.ndim == 2 && t.ndim == 2 && s.stride[0] == t.stride[0] && s.stride[1] == t.stride[1]);
            assert_memory_equal(&f, &g, sizeof f);
            assert_true(kn_shares_memory(y, z) == (kn_size(y) > 0));
            if (!f.writeable || !kn_size(y))
                continue;
            kn_iadd(y, 1);
            assert_true(kn_array_equal(y, z));
        }
    assert_false(kn_error_pending());
}

static void views_of_nothing_and_of_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, 3)), one = kn_zeros(KN_SHAPE(1, 1)), zero = kn_zeros(KN_SHAPE());
    assert_false(kn_shares_memory(none, none));
    assert_int_equal(kn_set_at(kn_at(none, "::-1"), 1, "..."), 0);
    assert_int_equal(kn_size(none), 0);
    kn_set_at(kn_squeeze(one), 4, "...");
    expect_values(one, 4);
    kn_set_at(kn_reshape(zero, KN_SHAPE(1, 1)), 5, "0, 0");
    expect_values(zero, 5);
    kn_set_at(zero, 6, "");
    expect_values(zero, 6);
    assert_true(kn_shares_memory(one, kn_reshape(one, KN_SHAPE(1))));
}

static void positions_are_operands_of_plans(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 100, 1);
    int64_t sum = 0;
    uint64_t before = 0;
    for (int i = 0; i < 40; i++) {
        KN_SCOPE;
        if (i == 2)
            before = kn_cache_stats().plans.misses;
        sum += kn_item_int(kn_at(a, "%", i)) + kn_item_int(kn_sum(kn_at(a, "%:%:3", i, i + 10)));
        sum += kn_item_int(kn_sum(kn_at(a, "%:%:-1", i + 9, i + 4)));
    }
    assert_int_equal(kn_cache_stats().plans.misses, before);
    int64_t want = 0;
    for (int i = 0; i < 40; i++)
        want += i + (4 * i + 18) + (5 * i + 35);
    assert_int_equal(sum, want);
}

KN_TEST_GROUP(test_views)
{
    const struct CMUnitTest tests[] = {
        TEST(chains_are_views_and_copies_as_in_numpy),
        TEST(a_view_sees_writes_to_its_base_and_the_other_way_round),
        TEST(integers_alone_and_arrays_give_copies),
        TEST(complex_parts_are_views),
        TEST(the_same_bytes_as_another_dtype),
        TEST(the_same_bytes_as_another_size),
        TEST(read_only_views),
        TEST(windows_that_overlap),
        TEST(copies_are_copies),
        TEST(new_arrays_keep_the_order_of_their_operands),
        TEST(splits_are_views),
        TEST(slices_alone_are_the_same_views),
        TEST(views_of_nothing_and_of_one),
        TEST(positions_are_operands_of_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
