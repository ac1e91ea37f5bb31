/* SPDX-License-Identifier: Apache-2.0
 * triangular.c -- triangular systems on the device, by blocks of unknowns: an invocation solves a block for each
 * right-hand side, then the unknowns behind it lose what it contributes. An upper triangle is a lower one whose rows
 * and columns are numbered from the end. */
#include "prim/linalg/matrices.h"
#include "webgpu/routine/factors.h"
#include "webgpu/routine/kinds.h"

typedef struct system {
    kng_maker *m;
    kn_dtype dtype;
    uint64_t stack, sides;
    bool unit, conjugate;
    kng_matrix t, x;
} system_of;

static void solve(const system_of *x, int64_t first, uint64_t width)
{
    kng_code c;
    kng_matrix t = kng_matrix_at(&x->t, first, first), to = kng_matrix_at(&x->x, first, 0);
    kng_begin(&c, x->m, 64);
    kng_matrix_words(&c, "t", x->dtype, &t, KNG_LOAD);
    kng_matrix_words(&c, "x", x->dtype, &to, KNG_LOAD | KNG_STORE);
    kng_word(&c, "sides", x->sides);
    kng_word(&c, "width", width);
    kng_fn_multiply_add(&c, "multiply_add", x->dtype);
    kng_fn_minus(&c, "minus", x->dtype, false);
    if (!x->unit)
        kng_fn_quotient(&c, "quotient", x->dtype);
    kng_each(&c, x->stack * x->sides);
    KNG_BODY(
        &c,
        "    let s = i / sides();\n    let side = i %% sides();\n"
        "    for (var j = 0u; j < width(); j++) {\n"
        "        var v = load_x(place_x(s, j, side));\n"
        "        for (var k = 0u; k < j; k++) {\n"
        "            v = multiply_add(v, minus(load_t(place_t(s, j, k))), load_x(place_x(s, k, side)));\n        }\n"
        "        store_x(place_x(s, j, side), %s);\n    }\n",
        x->unit ? "v" : "quotient(v, load_t(place_t(s, j, j)))");
    kng_end(&c, kng_groups(x->stack * x->sides, 64));
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    (void)p;
    return f->lanes < 256 ? "workgroups of fewer than 256 invocations" : kng_unfit(s);
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kni_type b = s->u.r.xt[1];
    knr_triangular q = knp_triangular_of(kng_params(p, s), b);
    knr_solve_view v = knr_triangular_view(&q);
    uint64_t all = (uint64_t)kni_type_count(b);
    bool upper = v.t_first != 0 || v.x_first != 0;
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (!all)
        return NULL;
    system_of x = {.m = &m,
                   .dtype = b.dtype,
                   .stack = all / (uint64_t)(q.m * q.n),
                   .sides = (uint64_t)q.n,
                   .unit = q.unit_diagonal,
                   .conjugate = q.conjugate_a && knx_is_complex(b.dtype),
                   .t = {0, v.t_first, q.m * q.m, v.t_row, v.t_column},
                   .x = {2, v.x_first, q.m * q.n, v.x_row, v.x_column}};
    kng_copy_numbers(&m, b.dtype, all, 1, 2, x.conjugate);
    for (int64_t k = 0, panel = kng_panel(b.dtype, q.m, 512); k < q.m; k += panel) {
        int64_t w = q.m - k < panel ? q.m - k : panel;
        solve(&x, k, (uint64_t)w);
        kng_matrix left = kng_matrix_at(&x.t, k + w, upper ? k + w - 1 : k);
        kng_matrix right = kng_matrix_at(&x.x, upper ? k + w - 1 : k, 0);
        right = kng_turned(&right);
        if (upper)
            left.column = -left.column, right.column = -right.column;
        kng_take_off(&m, &(kng_loss){b.dtype, x.stack, (uint64_t)(q.m - k - w), x.sides, (uint64_t)w, left, right,
                                     kng_matrix_at(&x.x, k + w, 0), true, false, false});
    }
    if (x.conjugate)
        kng_copy_numbers(&m, b.dtype, all, 2, 2, true);
    return kng_made(&m);
}

const kng_kind kng_triangular_solve = {.refuses = refuses, .plan = plan};
