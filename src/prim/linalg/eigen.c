/* SPDX-License-Identifier: Apache-2.0
 * eigen.c -- eigh and tridiagonal of the Hermitian matrices in the last two axes.
 *
 * eigh
 *     type   vectors (if wanted) of the matrices' type, real eigenvalues, rising
 *     jvp    with C = V^H dA V, of the Hermitian part of dA: dw = re(diag C), dV = V (F * C),
 *            F[i][j] = 1 / (w[j] - w[i]), and 0 where the two are equal: right for all that does not depend on the
 *            choice of vectors there
 *     prune  without vectors if no one reads them
 * tridiagonal
 *     type   the matrix with its reflections, both diagonals (real), factors of the reflections
 *     jvp    none, as in JAX
 *
 * All are batched over one more axis in front and lowered to routines. */
#include "host/routine/eigh.h"
#include "host/routine/small.h"
#include "prim/linalg/matrices.h"

typedef kni_p_eigh eigh_params;

static double factor(kni_type x) { return knx_is_complex(x.dtype) ? 4 : 1; }

/* ---- eigh. */

static knx_error *eigh_type(kni_rule *r, kni_type *y)
{
    const eigh_params *p = r->params;
    KN_TRY(knp_check_matrices(r->xt[0], true));
    knp_extents e = knp_extents_of(r->xt[0]);
    int k = 0;
    if (!p->values_only)
        KN_TRY(knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, &y[k++]));
    KN_TRY(knp_type_behind(r, r->xt[0], knx_component(r->xt[0].dtype), 1, &e.n, &y[k++]));
    r->n_out = k;
    return NULL;
}

static knr_eigh eigh_of(const kni_rule *r)
{
    const eigh_params *p = r->params;
    return (knr_eigh){r->xt[0].dtype, knp_extents_of(r->xt[0]).n, p->lower, !p->values_only, r->threads};
}

/* Small ones have an algorithm of their own, also if they are alone. */
static bool eigh_is_small(const kni_rule *r)
{
    int64_t n = knp_extents_of(r->xt[0]).n;
    return knr_fits_small(r->xt[0].dtype, n, n);
}

static knr_small small_eigh(const kni_rule *r)
{
    knr_eigh s = eigh_of(r);
    return (knr_small){.dtype = s.dtype, .m = (int)s.n, .n = (int)s.n, .lower = s.lower};
}

static bool eigh_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = small_eigh(r);
    bool vectors = r->n_out == 2;
    return knr_small_run(KNR_SMALL_EIGH, &s, count, x, (void *[]){y[vectors], vectors ? y[0] : NULL}, workspace);
}

static bool eigh_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_eigh s = eigh_of(r);
    return knr_eigh_run(&s, x[0], y[s.vectors], s.vectors ? y[0] : NULL, workspace);
}

static size_t eigh_bytes(const kni_rule *r)
{
    knr_eigh s = eigh_of(r);
    if (!eigh_is_small(r))
        return knr_eigh_workspace(&s);
    knr_small small = small_eigh(r);
    return knr_small_room(&small);
}

static const knp_matrix_routine eigh_routine = {
    .one = eigh_one, .workspace = eigh_bytes, .many = eigh_many, .has_many = eigh_is_small, .always_many = true};
static knx_bytes eigh_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &eigh_routine); }
static knx_error *eigh_run(const kni_rule *r, const kni_routine_args *args)
{
    const eigh_params *p = r->params;
    bool well;
    KN_TRY(knp_each_matrix(r, args, &eigh_routine, &well));
    return well || !p->check ? NULL : knp_linalg_failure(p->check, "Eigenvalues did not converge");
}
static bool eigh_may_fail(const kni_rule *r) { return ((const eigh_params *)r->params)->check != KN_CHECK_NONE; }

static void eigh_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const eigh_params *p = r->params;
    kni_builder *b = r->b;
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    if (!p->values_only) {
        out[0] = r->y[0];
        out[1] = r->y[1];
    } else {
        eigh_params q = *p;
        q.values_only = false;
        q.check = KN_CHECK_NONE;
        knb_eigh(b, r->x[0], &q, out);
    }
    /* only one triangle is read: it stands for both */
    kni_atom low = p->lower ? tx[0] : knp_adjoint(b, tx[0]), below = knb_triangle(b, low, true, -1);
    kni_atom diagonal = knb_on_diagonal(b, low, low, knb_like(b, low, 0));
    if (!b->error && knx_is_complex(r->xt[0].dtype))
        diagonal = knb_convert(b, knb_real(b, diagonal), r->xt[0].dtype);
    kni_atom t = knb_add(b, knb_add(b, below, knp_adjoint(b, below)), diagonal);
    kni_atom c = knp_product3(b, knp_adjoint(b, out[0]), t, out[0]), w = knp_diagonal(b, c);
    if (!b->error && knx_is_complex(r->xt[0].dtype))
        w = knb_real(b, w);
    ty[!p->values_only] = w;
    if (!p->values_only)
        ty[0] = knb_matrix_product(b, out[0], knb_mul(b, knp_reciprocal_gaps(b, out[1], r->xt[0].dtype), c));
}

static knx_error *eigh_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    eigh_params p = *(const eigh_params *)r->params;
    if (p.values_only || read[0])
        return NULL;
    p.values_only = true;
    *pruned = true;
    knb_eigh(r->b, r->x[0], &p, &y[1]);
    return NULL;
}

static double eigh_cost(const kni_rule *r)
{
    bool vectors = !((const eigh_params *)r->params)->values_only;
    return factor(r->xt[0]) * kni_type_count(r->xt[0]) *
           (double)(knx_dim_hint(knp_extents_of(r->xt[0]).n) * (vectors ? 6 : 2) + 1);
}

/* ---- tridiagonal. */

static knx_error *tridiagonal_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], true));
    kn_dtype d = r->xt[0].dtype, real = knx_component(d);
    knp_extents e = knp_extents_of(r->xt[0]);
    int64_t less = knx_dim_max(knx_dim_sub(e.n, 1), 0);
    KN_TRY(knp_type_like(r->arena, r->xt[0], d, &y[0]));
    KN_TRY(knp_type_behind(r, r->xt[0], real, 1, &e.n, &y[1]));
    KN_TRY(knp_type_behind(r, r->xt[0], real, 1, &less, &y[2]));
    return knp_type_behind(r, r->xt[0], d, 1, &less, &y[3]);
}

static knr_eigh tridiagonal_of(const kni_rule *r)
{
    const kni_p_tridiagonal *p = r->params;
    return (knr_eigh){r->xt[0].dtype, knp_extents_of(r->xt[0]).n, p->lower, false, r->threads};
}

static bool tridiagonal_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_eigh s = tridiagonal_of(r);
    knr_tridiagonalize_run(&s, x[0], y[0], y[1], y[2], y[3], workspace);
    return true;
}

static size_t tridiagonal_bytes(const kni_rule *r)
{
    knr_eigh s = tridiagonal_of(r);
    return knr_tridiagonalize_workspace(&s);
}

static const knp_matrix_routine tridiagonal_routine = {.one = tridiagonal_one, .workspace = tridiagonal_bytes};
static knx_bytes tridiagonal_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &tridiagonal_routine); }
static knx_error *tridiagonal_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &tridiagonal_routine, &well);
}

static double tridiagonal_cost(const kni_rule *r)
{
    return factor(r->xt[0]) * kni_type_count(r->xt[0]) * (double)(knx_dim_hint(knp_extents_of(r->xt[0]).n) * 2 + 1);
}

const kni_prim knp_prim_eigh = {
    .name = "eigh",
    .n_in = 1,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_eigh,
    .params_size = sizeof(eigh_params),
    .factors = "b m n -> b i j, b k",
    .doc = "eigenvectors and eigenvalues of Hermitian matrices (jax.lax.linalg.eigh)",
    .type = eigh_type,
    .jvp = eigh_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = eigh_run,
    .workspace = eigh_workspace,
    .may_fail = eigh_may_fail,
    .prune = eigh_prune,
    .cost = eigh_cost,
};

const kni_prim knp_prim_tridiagonal = {
    .name = "tridiagonal",
    .n_in = 1,
    .n_out = 4,
    .bits = KN_THREADS,
    .jvp = knp_jvp_refused,
    .fields = kni_fields_tridiagonal,
    .params_size = sizeof(kni_p_tridiagonal),
    .factors = "b m n -> b i j, b k, b l, b l",
    .doc = "the tridiagonal form of Hermitian matrices, with its reflections (jax.lax.linalg.tridiagonal)",
    .type = tridiagonal_type,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = tridiagonal_run,
    .workspace = tridiagonal_workspace,
    .cost = tridiagonal_cost,
};
