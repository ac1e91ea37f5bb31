/* SPDX-License-Identifier: Apache-2.0
 * test_weak_results.c -- what a transformed function returns where its C function returned a C number: every view of it
 * and every write to it, behind every transformation, is what it is for an array of that value; and looking changes
 * nothing. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

/* ---- Functions that return a C number. */

enum { N_NUMBERS = 5 };
static kn_array number(int which)
{
    switch (which) {
    case 0: return kn_num(7.5);
    case 1: return kn_num(-3);
    case 2: return KN_TRUE;
    case 3: return kn_num(2.0 + __extension__ 1.5i);
    default: return kn_num(UINT64_MAX);
    }
}

typedef struct Two {
    kn_array y, aux;
} Two;
typedef struct Which {
    int32_t number;
} Which;
static kn_array plain(const Which *w, const kn_array *x) { return (void)x, number(w->number); }
KN_FUNCTION_ENV(plain, kn_array, Which, kn_array)
static kn_array again(const Which *w, const kn_array *x)
{
    kn_array y;
    kn_call(kn_jit(KN_FN_ENV(plain, w)), &y, x);
    return y;
}
KN_FUNCTION_ENV(again, kn_array, Which, kn_array)
static Two with_aux(const Which *w, const kn_array *x) { return (Two){kn_sum(*x), number(w->number)}; }
KN_FUNCTION_ENV(with_aux, Two, Which, kn_array)
static Two step(const Which *w, const kn_array *carry, const kn_array *x)
{
    return (Two){kn_add(*carry, kn_sum(*x)), number(w->number)};
}
KN_FUNCTION_ENV(step, Two, Which, kn_array, kn_array)
static Two plain_jvp(const Which *w, const kn_array *x, const kn_array *dx)
{
    return (void)x, (Two){number(w->number), kn_mul(kn_sum(*dx), 0)};
}
KN_FUNCTION_ENV(plain_jvp, Two, Which, kn_array, kn_array)
static kn_array lanes(const kn_array *x) { return (void)x, kn_lax_psum(1, "i"); }
KN_FUNCTION(lanes, kn_array, kn_array)
static kn_array never(const kn_array *y) { return kn_not_equal(kn_sum(kn_mul(*y, 0)), 0); }
KN_FUNCTION(never, kn_array, kn_array)
static kn_array same_carry(const kn_array *y) { return *y; }
KN_FUNCTION(same_carry, kn_array, kn_array)
static kn_array counted(const kn_array *i, const kn_array *y) { return (void)i, *y; }
KN_FUNCTION(counted, kn_array, kn_array, kn_array)

enum {
    JIT,
    VMAP,
    JIT_VMAP,
    VMAP_JIT,
    VMAP_VMAP,
    JIT_JIT,
    GRAD_AUX,
    VMAP_GRAD_AUX,
    SCAN,
    COND,
    SWITCH,
    MAP,
    CHECKPOINT,
    CUSTOM_JVP,
    JVP,
    VJP,
    LINEARIZE,
    WHILE,
    FORI,
    PSUM,
    VMAP_IN_VMAP_CALL,
    N_WAYS
};
static const char *const way_name[] = {"jit",
                                       "vmap",
                                       "jit of vmap",
                                       "vmap of jit",
                                       "vmap of vmap",
                                       "jit of jit",
                                       "aux of grad",
                                       "vmap of aux of grad",
                                       "scan",
                                       "cond",
                                       "switch",
                                       "map",
                                       "checkpoint",
                                       "custom_jvp",
                                       "jvp",
                                       "vjp",
                                       "linearize",
                                       "while",
                                       "fori_loop",
                                       "psum",
                                       "vmap of a function that calls a jitted one"};

/* The fields of a pair, of which the second is wanted. */
static kn_array second(kn_fn f, const kn_array *x)
{
    kn_array first = NULL, y = NULL;
    kn_call(f, KN_OUT(&first, &y), x);
    return y;
}

static kn_array by_loop(int way, kn_array y)
{
    kn_array z = NULL;
    if (way == WHILE)
        kn_while_loop(KN_FN(never), KN_FN(same_carry), &z, &y);
    else
        kn_fori_loop(0, 2, KN_FN(counted), &z, &y);
    return z;
}

static kn_array by_control(int way, kn_fn f, const Which *w, const kn_array *x)
{
    kn_array y = NULL, zero = kn_zeros(KN_SHAPE()), end = NULL;
    if (way == SCAN)
        kn_scan(KN_FN_ENV(step, w), KN_OUT(&end, &y), &zero, x);
    else if (way == COND)
        kn_cond(kn_greater(kn_sum(*x), 0), f, f, &y, x);
    else if (way == SWITCH)
        kn_switch(1, ((kn_fn[]){f, f}), 2, &y, x);
    else
        kn_lax_map(f, &y, x);
    return y;
}

/* What comes out of a transformation; x: float64[3,3]. */
static kn_array result(int way, const Which *w, const kn_array *x)
{
    kn_fn f = KN_FN_ENV(plain, w), aux = KN_FN_ENV(with_aux, w);
    kn_array y = NULL, dy = NULL, dx = kn_ones_like(*x);
    switch (way) {
    case JIT: kn_call(kn_jit(f), &y, x); break;
    case VMAP: kn_call(kn_vmap(f), &y, x); break;
    case JIT_VMAP: kn_call(kn_jit(kn_vmap(f)), &y, x); break;
    case VMAP_JIT: kn_call(kn_vmap(kn_jit(f)), &y, x); break;
    case VMAP_VMAP: kn_call(kn_vmap(kn_vmap(f)), &y, x); break;
    case JIT_JIT: kn_call(kn_jit(kn_jit(f)), &y, x); break;
    case GRAD_AUX: return second(kn_grad(aux, .has_aux = true), x);
    case VMAP_GRAD_AUX: return second(kn_vmap(kn_grad(aux, .has_aux = true)), x);
    case CHECKPOINT: kn_call(kn_jit(kn_checkpoint(f)), &y, x); break;
    case CUSTOM_JVP: kn_call(kn_vmap(kn_custom_jvp(f, KN_FN_ENV(plain_jvp, w))), &y, x); break;
    case JVP: kn_jvp(f, KN_ARGS(x), KN_ARGS(&dx), &y, &dy); break;
    case VJP: (void)kn_vjp(f, KN_ARGS(x), &y); break;
    case LINEARIZE: (void)kn_linearize(f, KN_ARGS(x), &y); break;
    case WHILE:
    case FORI: return by_loop(way, result(VMAP, w, x));
    case PSUM: kn_call(kn_vmap(KN_FN(lanes), .axis_name = "i"), &y, x); break;
    case VMAP_IN_VMAP_CALL: kn_call(kn_vmap(KN_FN_ENV(again, w)), &y, x); break;
    default: return by_control(way, f, w, x);
    }
    return y;
}

/* ---- What is done with it. */

/* Views and copies. flat: of one axis. */
/* clang-format off */
#define VIEWS(X)                                                                                                       \
    X(kn_reshape(y, KN_SHAPE(-1)))                                                                                     \
    X(kn_reshape(y, kn_shape_of(y)))                                                                                   \
    X(kn_reshape(y, KN_SHAPE(-1), .order = "F"))                                                                       \
    X(kn_ravel(y))                                                                                                     \
    X(kn_ravel(y, .order = "F"))                                                                                       \
    X(kn_ravel(y, .order = "K"))                                                                                       \
    X(kn_flatten(y)) X(kn_at(y, "...")) X(kn_at(y, "None")) X(kn_at(y, "..., None")) X(kn_at(flat(y), "0"))            \
        X(kn_at(flat(y), "::-1")) X(kn_at(flat(y), "%", kn_of(int, 0, 0))) X(kn_expand_dims(y, KN_AXIS(0)))            \
            X(kn_squeeze(y)) X(kn_squeeze(kn_expand_dims(y, KN_AXIS(0)), KN_AXIS(0))) X(kn_transpose(y)) X(            \
                kn_permute_dims(y)) X(kn_matrix_transpose(kn_atleast_2d(y))) X(kn_broadcast_to(y, KN_SHAPE(2, 3, 3)))  \
                X(kn_list_get(kn_broadcast_arrays(KN_LIST(y, kn_ones(KN_SHAPE(3)))), 0)) X(kn_atleast_1d(y))           \
                    X(kn_atleast_2d(y)) X(kn_atleast_3d(y)) X(kn_flip(y)) X(kn_fliplr(kn_atleast_2d(y)))               \
                        X(kn_flipud(flat(y))) X(kn_rot90(kn_atleast_2d(y))) X(kn_swapaxes(flat(y), 0, 0))              \
                            X(kn_moveaxis(flat(y), KN_AXIS(0), KN_AXIS(0))) X(kn_rollaxis(flat(y), 0))                 \
                                X(kn_list_get(kn_array_split(flat(y), 2), 0)) X(kn_list_get(kn_split(flat(y), 1), 0))  \
                                    X(kn_list_get(kn_unstack(flat(y)), 0)) X(kn_real(y)) X(kn_imag(y))                 \
                                        X(kn_view(y, kn_dtype_of(y))) X(kn_view(flat(y), KN_U8)) X(                    \
                                            kn_as_strided(y, KN_SHAPE(2), KN_SHAPE(0))) X(kn_einsum("i->i", flat(y)))  \
                                            X(kn_einsum("...->...", y)) X(kn_diagonal(kn_reshape(y, KN_SHAPE(1, -1)))) \
                                                X(kn_asarray(y)) X(kn_asfortranarray(y)) X(kn_ascontiguousarray(y))    \
                                                    X(kn_require(y, .requirements = "CW")) X(kn_copy(y))               \
                                                        X(kn_astype(y, KN_C128)) X(kn_astype(y, kn_dtype_of(y)))       \
                                                            X(kn_astype(y, kn_dtype_of(y), .copy = false))             \
                                                                X(kn_stack(KN_LIST(y, y))) X(                          \
                                                                    kn_concatenate(KN_LIST(flat(y), flat(y))))         \
                                                                    X(kn_tree_get(kn_tree_leaf(y), 0)) X(              \
                                                                        kn_list_get(kn_meshgrid(KN_LIST(flat(y))), 0)) \
                                                                        X(kn_take(y, 0)) X(kn_where(KN_TRUE, y, y))    \
                                                                            X(kn_equal(y, y)) X(kn_sort(flat(y)))      \
                                                                                X(kn_tile(y, KN_SHAPE(2)))

/* Which show no other array. */
#define LOOKS(X)                                     \
    X(kn_strides_of(y).ndim == kn_ndim(y))           \
    X(kn_flags_of(y).c_contiguous)                   \
    X(!kn_shares_memory(y, kn_ones(KN_SHAPE(2))))    \
    X(!kn_may_share_memory(y, kn_ones(KN_SHAPE(2)))) \
    X(kn_size(y) > 0)                                \
    X(kn_dtype_of(y) != NULL) X(!kn_isfortran(y)) X((kn_eval(y), true)) X(kn_data_bytes(y, NULL) != NULL)

#define WRITES(X)                                                                                                  \
    X(kn_set_at(y, 1, "..."))                                                                                      \
    X(kn_iadd(y, 1))                                                                                               \
    X(kn_imul(y, y))                                                                                               \
    X(kn_fill(y, 0))                                                                                               \
    X(kn_set_at(flat(y), 1, "0"))                                                                                  \
    X(kn_iadd(flat(y), 1))                                                                                         \
    X(kn_iadd_at(flat(y), 1, "%", kn_of(int, 0))) X(kn_isub(kn_at(flat(y), "::-1"), 1)) X(kn_copyto(y, kn_num(1))) \
        X(kn_copyto(y, kn_num(1), .where = KN_TRUE)) X(kn_put(flat(y), 0, 1))                                      \
            X(kn_putmask(y, kn_ones_like(y, .dtype = KN_BOOL), 1))                                                 \
                X(kn_put_along_axis(flat(y), kn_of(int, 0), 1, KN_AXIS(0)))                                        \
                    X(kn_fill(kn_expand_dims(y, KN_AXIS(0)), 1)) X(kn_fill(kn_transpose(y), 1))                    \
                        X(kn_fill(kn_real(y), 1)) X(kn_iand(y, y)) X(kn_ipow(y, 2))                                \
                            X(kn_ufunc_at(kn_ufunc_add, flat(y), 1, "%", kn_of(int, 0, 0)))
/* clang-format on */

#define COUNT(...) +1
enum { N_VIEWS = VIEWS(COUNT), N_LOOKS = LOOKS(COUNT), N_WRITES = WRITES(COUNT), N_ALL = N_VIEWS + N_LOOKS + N_WRITES };
#define TEXT(...) #__VA_ARGS__,
static const char *const name_of[] = {VIEWS(TEXT) LOOKS(TEXT) WRITES(TEXT)};

static kn_array flat(kn_array y) { return kn_reshape(y, KN_SHAPE(-1)); }

/* What a view shows; what y is after a write; y as it is after a look. */
static kn_array done(int what, kn_array y)
{
    int at = 0;
    kn_array z = NULL;
    bool ok = true;
#define VIEW(...)     \
    if (at++ == what) \
        z = __VA_ARGS__;
#define LOOK(...)     \
    if (at++ == what) \
        ok = __VA_ARGS__;
#define WRITE(...)    \
    if (at++ == what) \
        ok = __VA_ARGS__ == 0;
    VIEWS(VIEW) LOOKS(LOOK) WRITES(WRITE) return what < N_VIEWS ? z : ok ? y : NULL;
}

/* ---- The same for an array of that value. */

static kn_array strong(kn_array like, int way, int which)
{
    kn_array v = way == PSUM ? kn_num(3) : number(which), y = kn_empty(kn_shape_of(like), .dtype = kn_dtype_of(v));
    kn_fill(y, v);
    return y;
}

static bool same(kn_array x, kn_array y)
{
    return kn_ok(x) && kn_ok(y) && kn_dtype_of(x) == kn_dtype_of(y) && kn_array_equal(x, y);
}

static kn_dtype beside_float32(kn_array y) { return kn_dtype_of(kn_add(y, kn_ones(KN_SHAPE(1), .dtype = KN_F32))); }

static void check_eager(int way, int which, int what, bool ran)
{
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3, 3)), y = result(way, &(Which){which}, &x);
    expect_no_error();
    if (ran)
        kn_eval(y);
    kn_array array = strong(y, way, which), want = done(what, array);
    bool fails = kn_error_pending();
    kn_error_clear();
    kn_dtype before = beside_float32(y);
    kn_array has = done(what, y);
    if (fails != (bool)kn_error_pending() || (!fails && !same(has, want)) || !same(y, array))
        fail_msg("%s of number %d by %s: %s", name_of[what], which, way_name[way], kn_error_message());
    kn_error_clear();
    if (!fails && what < N_VIEWS + N_LOOKS && beside_float32(y) != before)
        fail_msg("%s of number %d by %s: promotes otherwise afterwards", name_of[what], which, way_name[way]);
}

static void everything_is_what_it_is_for_an_array(void **state)
{
    (void)state;
    for (int way = 0; way < N_WAYS; way++)
        for (int which = 0; which < N_NUMBERS; which++)
            for (int what = 0; what < N_ALL; what++)
                check_eager(way, which, what, (what + which + way) % 2);
}

typedef struct Case {
    int32_t way, number, what;
} Case;
static Two inside(const Case *c, const kn_array *x)
{
    kn_array y = result(c->way, &(Which){c->number}, x), z = done(c->what, y);
    return (Two){z ? z : y, y};
}
KN_FUNCTION_ENV(inside, Two, Case, kn_array)

/* Looks at memory are refused in there. */
static bool looks(int what) { return what >= N_VIEWS && what < N_VIEWS + N_LOOKS; }

static void the_same_inside_of_traces(void **state)
{
    (void)state;
    for (int way = 0; way < N_WAYS; way++)
        for (int what = 0; what < N_ALL; what++) {
            KN_SCOPE;
            Case c = {way, what % 2, what};
            kn_array x = kn_ones(KN_SHAPE(3, 3)), z = NULL, y = NULL;
            kn_array array = strong(result(way, &(Which){c.number}, &x), way, c.number), want = done(what, array);
            bool fails = kn_error_pending() || looks(what);
            kn_error_clear();
            kn_call(kn_jit(KN_FN_ENV(inside, &c)), KN_OUT(&z, &y), &x);
            if (!fails && (kn_error_pending() || !kn_array_equal(z, want) || !kn_array_equal(y, array)))
                fail_msg("%s of number %d by %s: %s", name_of[what], c.number, way_name[way], kn_error_message());
            kn_error_clear();
        }
}

/* A C number itself is copied by views, never changed by them. */
static void views_of_c_numbers_are_copies(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_num(7.5), y = kn_reshape(n, KN_SHAPE(1));
    kn_iadd(y, 1);
    expect_values(y, 8.5);
    expect_values(n, 7.5);
    assert_ptr_equal(beside_float32(n), KN_F32);
    (void)kn_ravel(n), (void)kn_copy(n), (void)kn_squeeze(n), (void)kn_isfortran(n);
    assert_ptr_equal(beside_float32(n), KN_F32);
}

/* As arguments, first carries and results of callbacks they are arrays, too. */
static kn_array twice(const kn_array *x) { return kn_add(*x, *x); }
KN_FUNCTION(twice, kn_array, kn_array)
static Two carried(const kn_array *c, const kn_array *x) { return (Two){kn_add(*c, kn_sum(*x)), *c}; }
KN_FUNCTION(carried, Two, kn_array, kn_array)
static void they_go_into_other_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3, 3)), y = result(VMAP, &(Which){0}, &x), n = result(JIT, &(Which){1}, &x), z, end;
    kn_call(kn_jit(KN_FN(twice)), &z, &y);
    expect_values(z, 15, 15, 15);
    kn_call(kn_grad(KN_FN(twice)), &z, &n);
    expect_error_with("TypeError", "int");
    kn_call(KN_FN(twice), &z, &n);
    expect_values(z, -6);
    kn_scan(KN_FN(carried), KN_OUT(&end, &z), &n, &x);
    expect_values(end, 6);
    expect_values(z, -3, 0, 3);
    kn_scan(KN_FN(carried), KN_OUT(&end, &z), &y, &x);
    expect_values(end, 16.5, 16.5, 16.5);
    kn_fori_loop(n, 2, KN_FN(counted), &z, &y);
    expect_values(z, 7.5, 7.5, 7.5);
}

/* Functions that take the value of a C number into account see that these are none. */
static void arrays_are_no_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3, 3)), y = result(VMAP, &(Which){1}, &x), two = kn_of(double, 2, 2, 2);
    expect_values(kn_power(two, y), 0.125, 0.125, 0.125);
    expect_values(kn_less(kn_of(int, 1, -5, -3), y), 0, 1, 0);
    expect_values(kn_ldexp(two, y), 0.25, 0.25, 0.25);
    expect_values(kn_lax_pow(two, y), 0.125, 0.125, 0.125);
    assert_false(kn_isscalar(y));
    assert_true(kn_isscalar(kn_num(2)));
    kn_array z = kn_zeros(KN_SHAPE(3), .dtype = KN_I32);
    kn_set_at(z, y, "...");
    expect_values(z, -3, -3, -3);
}

/* Of 16 bits there are numbers that were converted to them; alone they stay what they are, as in JAX
 * (jnp.sin(lax._convert_element_type(1.5, float16, weak_type=True)).dtype). */
static void small_floats_stay_what_they_are(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char *const dtype[] = {"float16", "bfloat16"}, *const text[] = {"f16", "bf16"};
    for (int i = 0; i < 2; i++) {
        char source[200];
        snprintf(source, sizeof source,
                 "{ lambda ; a:f64[]. let b:%s[]* = convert_element_type[new_dtype=%s weak_type=True] a in (b,) }",
                 text[i], dtype[i]);
        kn_array x = kn_scalar(1.5), y;
        kn_call(kn_fn_from_jaxpr(kn_jaxpr_parse(source)), &y, &x);
        expect_no_error();
        kn_dtype d = kn_dtype_named(dtype[i]);
        assert_ptr_equal(kn_dtype_of(y), d);
        assert_ptr_equal(kn_dtype_of(kn_sin(y)), d);
        assert_ptr_equal(kn_dtype_of(kn_negative(y)), d);
        assert_ptr_equal(kn_dtype_of(kn_copy(y)), d);
        assert_ptr_equal(kn_dtype_of(kn_sum(y)), d);
        assert_ptr_equal(kn_dtype_of(kn_reshape(y, KN_SHAPE(1))), d);
        assert_ptr_equal(kn_dtype_of(kn_add(y, kn_ones(KN_SHAPE(2), KN_F32))), KN_F32);
        assert_ptr_equal(kn_dtype_of(kn_add(y, 1)), d);
        assert_ptr_equal(kn_dtype_of(kn_add(y, 1.0)), KN_F64);
        expect_near(kn_astype(kn_mul(y, y), KN_F64), 0, 2.25);
    }
}

KN_TEST_GROUP(test_weak_results)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_is_what_it_is_for_an_array),
        TEST(the_same_inside_of_traces),
        TEST(views_of_c_numbers_are_copies),
        TEST(they_go_into_other_functions),
        TEST(arrays_are_no_numbers),
        TEST(small_floats_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
