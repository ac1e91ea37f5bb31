/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_einsum.c -- einsum and its paths, tensordot, kron, matvec, chains of matrices: calls whose results, paths,
 * reports and errors NumPy gave, what they record, and what they do under transformations. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <stdio.h>
#include <stdlib.h>

#define ARRAY(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call); }
#define X   c->array[0]
#define Y   c->array[1]
#define ALL (kn_list_from)(c->array, c->n)
#define INT (c->list[0].dim[0])

/* ---- NumPy's results. */

static kn_einsum_opts options(const numpy_call *c)
{
    kn_einsum_opts o = kn_einsum_opts_default();
    const char *how = numpy_option(c, "optimize");
    if (how)
        o.optimize = strcmp(how, "none") ? how : NULL;
    o.dtype = numpy_dtype(c);
    o.memory_limit = (int64_t)numpy_number(c, "memory", 0);
    return o;
}

static numpy_result call_einsum(const numpy_call *c)
{
    kn_einsum_opts o = options(c);
    return numpy_one((kn_einsum)(c->text, c->n, c->array, &o));
}

static numpy_result call_tensordot(const numpy_call *c)
{
    return numpy_one(kn_tensordot(X, Y, .axes = (int)numpy_number(c, "axes", 2), .a_axes = numpy_axes(c, "a_axes"),
                                  .b_axes = numpy_axes(c, "b_axes")));
}

/* clang-format off */
ARRAY(kron, kn_kron(X, Y)) ARRAY(matvec, kn_matvec(X, Y)) ARRAY(vecmat, kn_vecmat(X, Y)) ARRAY(matmul, kn_matmul(X, Y))
ARRAY(vecdot, kn_vecdot(X, Y)) ARRAY(multi_dot, kn_linalg_multi_dot(ALL))
ARRAY(matrix_power, kn_linalg_matrix_power(X, INT)) ARRAY(linalg_outer, kn_linalg_outer(X, Y))
ARRAY(linalg_vecdot, kn_linalg_vecdot(X, Y, .axis = (int)numpy_number(c, "axis", -1)))
ARRAY(linalg_cross, kn_linalg_cross(X, Y, .axis = (int)numpy_number(c, "axis", -1)))
ARRAY(linalg_diagonal, kn_linalg_diagonal(X, .offset = (int64_t)numpy_number(c, "offset", 0)))
ARRAY(linalg_trace, kn_linalg_trace(X, .offset = (int64_t)numpy_number(c, "offset", 0), .dtype = numpy_dtype(c)))
    /* clang-format on */

    ARRAY(tensorinv, kn_linalg_tensorinv(X, .ind = (int)numpy_number(c, "ind", 2)))
        ARRAY(tensorsolve, kn_linalg_tensorsolve(X, Y, .axes = numpy_axes(c, "axes")))

    /* ord is a number, "none", or a name */
    static double order(const numpy_call *c, double otherwise, const char **named)
{
    const char *ord = numpy_option(c, "ord");
    *named = NULL;
    if (!ord)
        return otherwise;
    if (!strcmp(ord, "fro") || !strcmp(ord, "nuc"))
        *named = ord;
    return *named || !strcmp(ord, "none") ? (double)NAN : strtod(ord, NULL);
}

static numpy_result call_norm(const numpy_call *c)
{
    const char *named;
    double ord = order(c, (double)NAN, &named);
    kn_axes axis = numpy_axes(c, "axis");
    return numpy_one(kn_linalg_norm(X, axis, .ord = ord, .named = named, .keepdims = numpy_flag(c, "keepdims", false)));
}

static numpy_result call_vector_norm(const numpy_call *c)
{
    const char *named;
    double ord = order(c, 2, &named);
    return numpy_one(
        kn_linalg_vector_norm(X, numpy_axes(c, "axis"), .ord = ord, .keepdims = numpy_flag(c, "keepdims", false)));
}

static numpy_result call_matrix_norm(const numpy_call *c)
{
    const char *named;
    double ord = order(c, (double)NAN, &named);
    return numpy_one(
        kn_linalg_matrix_norm(X, .ord = ord, .named = named, .keepdims = numpy_flag(c, "keepdims", false)));
}

#define CLOSE(name)           \
    {                         \
#name, call_##name, 4 \
    }
#define CALL(name)              \
    {                           \
#name, call_##name, 0.1 \
    } /* sums of small integers: all but the sign of zeros is exact */

static void products_are_those_of_numpy(void **state)
{
    (void)state;
    static const numpy_entry table[] = {CALL(einsum),
                                        CALL(tensordot),
                                        CALL(kron),
                                        CALL(matvec),
                                        CALL(vecmat),
                                        CALL(matmul),
                                        CALL(vecdot),
                                        CALL(multi_dot),
                                        CALL(matrix_power),
                                        CALL(linalg_outer),
                                        CALL(linalg_vecdot),
                                        CALL(linalg_cross),
                                        CALL(linalg_diagonal),
                                        CALL(linalg_trace),
                                        {"tensorinv", call_tensorinv, 64},
                                        {"tensorsolve", call_tensorsolve, 64},
                                        CLOSE(norm),
                                        CLOSE(vector_norm),
                                        CLOSE(matrix_norm)};
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_products.txt", table, sizeof table / sizeof *table);
}

static bool path_is_as_stored(const numpy_call *c)
{
    kn_einsum_opts o = options(c);
    kn_array x[NUMPY_MAX_ARGS];
    char got[8192];
    for (int i = 0; i < c->n_list; i++)
        x[i] = kn_broadcast_to(1.0, c->list[i]);
    kn_einsum_path_result r = (kn_einsum_path)(c->text, c->n_list, x, &o);
    if (kn_error_pending()) {
        const char *message = strstr(kn_error_message(), ": ");
        snprintf(got, sizeof got, "%s %s", kn_error_kind_name(), message ? message + 2 : "");
        kn_error_clear();
    } else
        snprintf(got, sizeof got, "%s|%s", r.path, r.string_repr);
    for (char *s = got; *s; s++)
        *s = *s == '\n' ? '~' : *s;
    if (strcmp(got, c->result) != 0)
        print_error("%s\n    %s\n    %s\n", c->text, got, c->result);
    return !strcmp(got, c->result);
}

static void paths_are_those_of_numpy(void **state)
{
    (void)state;
    assert_int_equal(numpy_calls_visit(KN_TEST_DIR "/golden/numpy_einsum_paths.txt", path_is_as_stored), 0);
}

/* ---- The functions of linalg and their errors. */

static void linalg_wants_what_it_names(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(2, 3)), v = kn_ones(KN_SHAPE(2));
    (void)kn_ok(kn_linalg_outer(m, v));
    expect_error("ValueError", "outer: Input arrays must be one-dimensional, but they are x1.ndim=2 and x2.ndim=1.");
    (void)kn_ok(kn_linalg_cross(kn_ones(KN_SHAPE(2, 2)), m));
    expect_error("ValueError",
                 "cross: Both input arrays must be (arrays of) 3-dimensional vectors, but they are 2 and 3 "
                 "dimensional instead.");
    (void)kn_ok(kn_linalg_vecdot(m, m, .axis = 2));
    expect_error("AxisError", "vecdot: axis 2 is out of bounds for array of dimension 2");
    (void)kn_ok(kn_matvec(v, v));
    expect_error("ValueError", "matvec: Input operand 0 does not have enough dimensions (has 1, gufunc core with "
                               "signature (m,n),(n)->(m) requires 2)");
    (void)kn_ok(kn_matvec(m, v));
    expect_error("ValueError", "matvec: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                               "(m,n),(n)->(m) (size 2 is different from 3)");
    (void)kn_ok(kn_vecmat(v, kn_ones(KN_SHAPE(3, 2))));
    expect_error("ValueError", "vecmat: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                               "(n),(n,m)->(m) (size 3 is different from 2)");
    (void)kn_ok(kn_vecmat(kn_ones(KN_SHAPE(2, 3)), kn_ones(KN_SHAPE(4, 3, 2))));
    expect_error("ValueError", "vecmat: operands could not be broadcast together with shapes (2,3) (4,3,2)");
}

static void norms_by_singular_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_of(double, 0, -4, 0, 3, 0, 0), KN_SHAPE(2, 3)); /* 4 and 3 */
    expect_near(kn_linalg_norm(m, .ord = 2), 1e-15, 4);
    expect_near(kn_linalg_norm(m, .ord = -2), 1e-15, 3);
    expect_near(kn_linalg_matrix_norm(m, .named = "nuc"), 1e-15, 7);
    (void)kn_ok(kn_linalg_matrix_norm(m, .named = "max"));
    expect_error("ValueError", "matrix_norm: Invalid norm order for matrices.");
}

/* ---- Paths as options. */

static void a_path_can_be_given(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_arange(0, 6, 1.0), KN_SHAPE(2, 3)), b = kn_ones(KN_SHAPE(3, 4)),
             c = kn_ones(KN_SHAPE(4, 2));
    kn_einsum_path_result p = kn_einsum_path("ij,jk,kl->il", a, b, c, .optimize = "optimal");
    assert_string_equal(p.path, "['einsum_path', (1, 2), (0, 1)]");
    expect_values(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = p.path), 12, 12, 48, 48);
    expect_values(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "['einsum_path', (2, 1), (0, 1)]"), 12, 12, 48, 48);
    expect_values(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "['einsum_path', (0, 1, 2)]"), 12, 12, 48, 48);
    expect_values(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = false), 12, 12, 48, 48);
    (void)kn_ok(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "['einsum_path', (0, 1)]"));
    expect_error("RuntimeError", "einsum: Invalid einsum_path is specified: 1 more operands has to be contracted.");
    (void)kn_ok(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "['einsum_path', (0, 3)]"));
    expect_error("IndexError", "einsum: pop index out of range");
    (void)kn_ok(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "['einsum_path', (1, 1)]"));
    expect_error("IndexError", "einsum: pop index out of range");
    (void)kn_ok(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "[(0, 1), (0, 1)]"));
    expect_error("TypeError", "einsum: Did not understand the path: [(0, 1), (0, 1)]");
    (void)kn_ok(kn_einsum("ij,jk,kl->il", a, b, c, .optimize = "fastest"));
    expect_error("KeyError", "einsum: Path name fastest not found");
}

/* "optimal" of many operands ends in time, with a path no worse than the greedy one. */
static void a_long_search_ends(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 20 };
    kn_array x[N];
    char text[4 * N] = "", *s = text;
    for (int i = 0; i < N; i++) {
        x[i] = kn_broadcast_to(1.0, KN_SHAPE(2 + i * 7 % 5, 2 + (i + 1) * 7 % 5));
        s += sprintf(s, "%s%c%c", i ? "," : "", 'a' + i, 'a' + i + 1);
    }
    kn_einsum_opts o = kn_einsum_opts_default();
    o.optimize = "optimal";
    kn_array y = (kn_einsum)(text, N, x, &o), z = (kn_einsum)(text, N, x, NULL);
    assert_true(kn_array_equal(y, z));
}

static void nothing_is_too_much(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x[70];
    for (int i = 0; i < 70; i++)
        x[i] = kn_num(1.0);
    (void)kn_ok((kn_einsum)("", 70, x, NULL));
    expect_error("ValueError", "einsum: too many operands provided to einstein sum function");
    (kn_einsum_path)("", 70, x, NULL);
    expect_error("ValueError", "einsum_path: too many operands provided to einstein sum function");
    char commas[70];
    memset(commas, ',', 62);
    commas[62] = '\0';
    expect_values((kn_einsum)(commas, 63, x, NULL), 1);
    (void)kn_ok(kn_einsum("i", NULL));
    expect_error_with("TypeError", "einsum: ");
    (void)kn_ok((kn_einsum)(NULL, 1, x, NULL));
    expect_error("ValueError", "einsum: must specify the einstein sum subscripts string and at least one operand");
}

/* ---- Views. */

static void a_single_operand_gives_a_view(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 9, 1), KN_SHAPE(3, 3)), t = kn_einsum("ij->ji", m), d = kn_einsum("ii->i", m);
    assert_true(kn_shares_memory(m, t));
    assert_true(kn_shares_memory(m, d));
    kn_set_at(d, -1, ":");
    kn_set_at(t, 7, "0, 1");
    expect_values(m, -1, 1, 2, 7, -1, 5, 6, 7, -1);
    kn_array x = kn_reshape(kn_arange(0, 12, 1), KN_SHAPE(2, 3, 2)), y = kn_einsum("iji->ji", x);
    assert_true(kn_shares_memory(x, y));
    expect_values(y, 0, 7, 2, 9, 4, 11);
    kn_set_at(y, 100, "2, 1");
    expect_values(kn_at(x, "1, 2, 1"), 100);
    assert_false(kn_shares_memory(m, kn_einsum("ij->i", m)));
}

/* ---- What is recorded. */

typedef struct {
    kn_array a, b, c;
} Three;
typedef struct {
    char text[40];
    int32_t n;
    const char *optimize;
} Sum;

static kn_array sum_of(const Sum *s, const Three *x)
{
    kn_array operands[] = {x->a, x->b, x->c};
    kn_einsum_opts o = kn_einsum_opts_default();
    o.optimize = s->optimize;
    return (kn_einsum)(s->text, s->n, operands, &o);
}
KN_FUNCTION_ENV(sum_of, kn_array, Sum, Three)

static kn_fn function_of(const char *text, int n)
{
    Sum s;
    memset(&s, 0, sizeof s); /* compared as bytes */
    snprintf(s.text, sizeof s.text, "%s", text);
    s.n = n;
    s.optimize = "greedy";
    return KN_FN_ENV(sum_of, &s);
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

/* How many products, transpositions, sums and other equations the sum is. */
static void expect_equations(const char *text, int n, Three x, int products, int transpositions, int sums, int others)
{
    kn_jaxpr j = kn_make_jaxpr(function_of(text, n), KN_ARGS(&x));
    const char *s = kn_jaxpr_text(j, KN_JAXPR_CLASSIC);
    int dots = count(s, " = dot_general["), turns = count(s, " = transpose["), adds = count(s, " = reduce_sum["),
        all = count(s, " = ");
    int params = count(s, "[\n"); /* not more than a look at the text if it fails */
    if (dots != products || turns != transpositions || adds != sums || all - dots - turns - adds != others)
        fail_msg("%s: %d products, %d transpositions, %d sums of %d (%d)\n%s", text, dots, turns, adds, all, params, s);
}

static kn_array matrix(int64_t n, int64_t m) { return kn_reshape(kn_arange(0, n * m, 1.0), KN_SHAPE(n, m)); }
static kn_array cube(int64_t l, int64_t n, int64_t m)
{
    return kn_reshape(kn_sin(kn_arange(0, l * n * m, 1.0)), KN_SHAPE(l, n, m));
}

static void each_pair_is_one_product(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zero = kn_num(0.0), v = kn_arange(0, 3, 1.0);
    expect_equations("ij,jk->ik", 2, (Three){matrix(2, 3), matrix(3, 4), zero}, 1, 0, 0, 0);
    expect_equations("ij,jk->ki", 2, (Three){matrix(2, 3), matrix(3, 4), zero}, 1, 0, 0, 0);
    expect_equations("ji,kj->ik", 2, (Three){matrix(3, 2), matrix(4, 3), zero}, 1, 0, 0, 0);
    expect_equations("bij,bkj->bik", 2, (Three){cube(5, 2, 3), cube(5, 4, 3), zero}, 1, 0, 0, 0);
    expect_equations("ibj,kjb->bki", 2, (Three){cube(2, 5, 3), cube(4, 3, 5), zero}, 1, 0, 0, 0);
    expect_equations("bij,bjk->ibk", 2, (Three){cube(5, 2, 3), cube(5, 3, 4), zero}, 1, 1, 0, 0);
    expect_equations("ij,jk,kl->il", 3, (Three){matrix(2, 3), matrix(3, 4), matrix(4, 2)}, 2, 0, 0, 0);
    expect_equations("ij,jk->k", 2, (Three){matrix(2, 3), matrix(3, 4), zero}, 1, 0, 1, 0);
    expect_equations("ij->", 1, (Three){matrix(2, 3), zero, zero}, 0, 0, 1, 0);
    expect_equations("i,i->i", 2, (Three){v, v, zero}, 0, 0, 0, 1);
    expect_equations("i,j->ij", 2, (Three){v, v, zero}, 0, 0, 0, 3);
}

typedef struct {
    kn_array x, y;
} Pair;
#define RECORDED(name, expression)                                  \
    static kn_array name##_of(const Pair *p) { return expression; } \
    KN_FUNCTION(name##_of, kn_array, Pair)
RECORDED(matmul, kn_matmul(p->x, p->y))
RECORDED(dot, kn_dot(p->x, p->y))
RECORDED(inner, kn_inner(p->x, p->y))
RECORDED(vecdot, kn_vecdot(p->x, p->y))
RECORDED(matvec, kn_matvec(p->x, p->y))
RECORDED(tensordot, kn_tensordot(p->x, p->y, .a_axes = KN_AXIS(2, 0), .b_axes = KN_AXIS(0, 2)))
RECORDED(linalg_vecdot, kn_linalg_vecdot(p->x, p->y))

static void expect_one_product(const char *name, kn_fn f, kn_array x, kn_array y, int others)
{
    Pair p = {x, y};
    const char *s = kn_jaxpr_text(kn_make_jaxpr(f, KN_ARGS(&p)), KN_JAXPR_CLASSIC);
    if (count(s, " = dot_general[") != 1 || count(s, " = ") != 1 + others || count(s, "broadcast_in_dim"))
        fail_msg("%s\n%s", name, s);
}

/* Nothing is repeated or turned; axes of extent 1 that broadcast are squeezed, and the result may have to be turned. */
static void products_repeat_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_one_product("matmul", KN_FN(matmul_of), cube(5, 2, 3), cube(5, 3, 4), 0);
    expect_one_product("matmul", KN_FN(matmul_of), cube(5, 2, 3), matrix(3, 4), 0);
    expect_one_product("matmul", KN_FN(matmul_of), matrix(2, 3), cube(5, 3, 4), 1);
    expect_one_product("matmul", KN_FN(matmul_of), cube(1, 2, 3), cube(5, 3, 4), 2);
    expect_one_product("dot", KN_FN(dot_of), cube(5, 2, 3), cube(4, 3, 2), 0);
    expect_one_product("inner", KN_FN(inner_of), cube(5, 2, 3), cube(4, 2, 3), 0);
    expect_one_product("vecdot", KN_FN(vecdot_of), cube(5, 2, 3), cube(5, 2, 3), 0);
    expect_one_product("matvec", KN_FN(matvec_of), cube(5, 2, 3), matrix(5, 3), 0);
    expect_one_product("matvec", KN_FN(matvec_of), cube(5, 2, 3), kn_arange(0, 3, 1.0), 0);
    expect_one_product("tensordot", KN_FN(tensordot_of), cube(5, 2, 3), cube(3, 4, 5), 0);
    expect_one_product("linalg_vecdot", KN_FN(linalg_vecdot_of), cube(5, 2, 3), cube(5, 2, 3), 0);
}

/* ---- Transformations. */

/* The sums that are transformed: subscripts, how many operands, and their shapes. */
static const struct {
    const char *text;
    int n;
    kn_shape shape[3];
} sums[] = {
    {"ii->i", 1, {{2, {3, 3}}}},
    {"ii", 1, {{2, {3, 3}}}},
    {"iji->j", 1, {{3, {3, 2, 3}}}},
    {"ij->ji", 1, {{2, {2, 3}}}},
    {"ij->", 1, {{2, {2, 3}}}},
    {"ij,jk->ki", 2, {{2, {2, 3}}, {2, {3, 4}}}},
    {"ij,jk->k", 2, {{2, {2, 3}}, {2, {3, 4}}}},
    {"i,j->ij", 2, {{1, {2}}, {1, {3}}}},
    {"ij,ij->ij", 2, {{2, {2, 3}}, {2, {2, 3}}}},
    {"ii,ij->j", 2, {{2, {3, 3}}, {2, {3, 2}}}},
    {"ij,ij", 2, {{2, {1, 3}}, {2, {2, 3}}}},
    {"...ij,...jk->...ik", 2, {{3, {2, 1, 3}}, {4, {2, 1, 3, 2}}}},
    {"bqhd,bkhd->bhqk", 2, {{4, {2, 3, 2, 2}}, {4, {2, 2, 2, 2}}}},
    {"ij,jk,kl->il", 3, {{2, {2, 3}}, {2, {3, 4}}, {2, {4, 2}}}},
    {"i,ij,ijk->k", 3, {{1, {2}}, {2, {2, 3}}, {3, {2, 3, 2}}}},
    {"ii,jk,k", 3, {{2, {2, 2}}, {2, {3, 2}}, {1, {2}}}},
};
enum { N_SUMS = sizeof sums / sizeof *sums, LANES = 3 };

static kn_array wave(const kn_shape *shape, double start)
{
    int64_t n = 1;
    for (int d = 0; d < shape->ndim; d++)
        n *= shape->dim[d];
    return kn_reshape(kn_sin(kn_add(kn_arange(0, n, 1.0), start)), *shape);
}

static Three operands_of(int i, double start)
{
    kn_array x[3] = {kn_num(0.0), kn_num(0.0), kn_num(0.0)};
    for (int k = 0; k < sums[i].n; k++)
        x[k] = wave(&sums[i].shape[k], start + k);
    for (int k = sums[i].n; k < 3; k++)
        x[k] = kn_scalar(0.0);
    return (Three){x[0], x[1], x[2]};
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < N_SUMS; i++) {
        KN_SCOPE;
        Three x = operands_of(i, 0.5);
        if (kn_testing_check_grads(function_of(sums[i].text, sums[i].n), KN_ARGS(&x), 2, .atol = 1e-4, .rtol = 1e-4) !=
            0)
            fail_msg("%s: %s", sums[i].text, kn_error_message());
    }
}

static void lanes_are_a_loop(void **state)
{
    (void)state;
    for (int i = 0; i < N_SUMS; i++)
        for (int k = 0; k <= sums[i].n; k++) { /* operand k is the same for all; or all differ */
            KN_SCOPE;
            kn_fn f = function_of(sums[i].text, sums[i].n);
            Three lane[LANES], all;
            kn_array *part = (kn_array *)&all, want[LANES], got, jitted;
            for (int l = 0; l < LANES; l++) {
                lane[l] = operands_of(i, l);
                if (k < sums[i].n)
                    ((kn_array *)&lane[l])[k] = ((kn_array *)&lane[0])[k];
                kn_call(f, &want[l], &lane[l]);
            }
            for (int p = 0; p < 3; p++) {
                kn_array of[LANES];
                for (int l = 0; l < LANES; l++)
                    of[l] = p == k ? kn_mul(((kn_array *)&lane[0])[p], 1.0) : ((kn_array *)&lane[l])[p];
                part[p] = kn_stack((kn_list_from)(of, LANES));
            }
            kn_call(kn_vmap(f), &got, &all);
            kn_call(kn_jit(kn_vmap(f)), &jitted, &all);
            kn_array loop = kn_stack((kn_list_from)(want, LANES));
            if (!kn_array_equal(got, loop) || !kn_array_equal(jitted, loop))
                fail_msg("%s with operand %d shared", sums[i].text, k);
        }
}

/* One operand is not mapped at all: it has no axis for the lanes. */
static void an_operand_without_lanes_is_shared(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = cube(LANES, 2, 3), b = matrix(3, 4), got;
    Pair p = {a, b};
    kn_call(kn_vmap(KN_FN(matmul_of), .in_axes = {KN_MAPPED(0)}), &got, &((Pair){a, cube(LANES, 3, 4)}));
    kn_array want = kn_einsum("lij,ljk->lik", a, cube(LANES, 3, 4));
    assert_true(kn_array_equal(got, want));
    assert_true(kn_array_equal(kn_einsum("lij,jk->lik", p.x, p.y), kn_matmul(a, b)));
}

static void words_are_read_in_any_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = matrix(2, 2);
    expect_values(kn_einsum("ij,jk->ik", a, .optimize = "optimal", kn_einsum("ij->ji", a), .dtype = KN_F64), 1, 3, 3,
                  13);
    expect_values(kn_einsum(",ij", kn_num(2), a), 0, 2, 4, 6);
}

KN_TEST_GROUP(test_numpy_einsum)
{
    const struct CMUnitTest tests[] = {
        TEST(products_are_those_of_numpy),
        TEST(paths_are_those_of_numpy),
        TEST(linalg_wants_what_it_names),
        TEST(norms_by_singular_values),
        TEST(a_path_can_be_given),
        TEST(a_long_search_ends),
        TEST(nothing_is_too_much),
        TEST(a_single_operand_gives_a_view),
        TEST(each_pair_is_one_product),
        TEST(products_repeat_nothing),
        TEST(derivatives_agree_with_differences),
        TEST(lanes_are_a_loop),
        TEST(an_operand_without_lanes_is_shared),
        TEST(words_are_read_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
