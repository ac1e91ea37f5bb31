/* SPDX-License-Identifier: Apache-2.0
 * cases_custom.c -- custom derivatives, checkpoints, names and xla_pmap: their samples. All have the body of jit's cases, a
 * product and its sum, and rules that are its derivatives. */
#include "cases.h"

#include "transform/transform.h"

static kni_jaxpr *finished(kni_builder *outer, kni_builder *b, int n, const kni_atom *out)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knb_finish(b, n, out, "", false, &j);
    if (e)
        knb_fail(outer, e);
    knb_free(b);
    return j;
}

static kni_atom sum(kni_builder *b, kni_atom x)
{
    int64_t axes[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    return knb_reduce_sum(b, x, knb_type(b, x).ndim, axes);
}

static kni_jaxpr *body(kni_builder *outer, kni_type x, kni_type y)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, x), knb_invar(&b, y)}, out[2];
    out[1] = knb_mul(&b, in[0], in[1]);
    out[0] = sum(&b, out[1]);
    return finished(outer, &b, 2, out);
}

/* A thunk of the jaxpr in b; the caller releases it. */
static kni_thunk *rule(kni_builder *outer, kni_builder *b, const char *name, int n, const kni_atom *out)
{
    kni_jaxpr *j = finished(outer, b, n, out);
    kni_thunk *t = j ? kni_thunk_new(name, j) : NULL;
    kni_release(j);
    return t;
}

static kni_thunk *jvp_rule(kni_builder *outer, kni_type x, kni_type y)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[4] = {knb_invar(&b, x), knb_invar(&b, y), knb_invar(&b, x), knb_invar(&b, y)}, out[4];
    out[1] = knb_mul(&b, in[0], in[1]);
    out[0] = sum(&b, out[1]);
    out[3] = knb_add(&b, knb_mul(&b, in[2], in[1]), knb_mul(&b, in[0], in[3]));
    out[2] = sum(&b, out[3]);
    return rule(outer, &b, "rule", 4, out);
}

static kni_thunk *forward_rule(kni_builder *outer, kni_type x, kni_type y)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, x), knb_invar(&b, y)}, out[4] = {0, 0, in[0], in[1]};
    out[1] = knb_mul(&b, in[0], in[1]);
    out[0] = sum(&b, out[1]);
    return rule(outer, &b, "forward", 4, out);
}

static kni_thunk *backward_rule(kni_builder *outer, kni_type x, kni_type y)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, x), knb_invar(&b, y)};
    kni_atom sum_ct = knb_invar(&b, kni_scalar_type(x.dtype)), ct = knb_invar(&b, x);
    ct = knb_add(&b, knb_broadcast_to(&b, sum_ct, x), ct);
    kni_atom out[2] = {knb_mul(&b, ct, in[1]), knb_mul(&b, ct, in[0])};
    return rule(outer, &b, "backward", 2, out);
}

static int build_jvp(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type tx = knb_type(b, x[0]), ty = knb_type(b, x[1]);
    kni_p_custom_jvp p = {.name = "f", .call_jaxpr = body(b, tx, ty), .jvp = jvp_rule(b, tx, ty)};
    if (p.call_jaxpr && p.jvp)
        knb_emit(b, &knp_prim_custom_jvp_call, &p, 2, x, y, 2);
    kni_release(p.call_jaxpr);
    kni_thunk_release(p.jvp);
    return 2;
}

static int build_vjp(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type tx = knb_type(b, x[0]), ty = knb_type(b, x[1]);
    kni_p_custom_vjp p = {
        .name = "f", .call_jaxpr = body(b, tx, ty), .fwd = forward_rule(b, tx, ty), .bwd = backward_rule(b, tx, ty)};
    if (p.call_jaxpr && p.fwd && p.bwd)
        knb_emit(b, &knp_prim_custom_vjp_call, &p, 2, x, y, 2);
    kni_release(p.call_jaxpr);
    kni_thunk_release(p.fwd);
    kni_thunk_release(p.bwd);
    return 2;
}

/* Nothing but the transpose of custom_lin can run: x and y as residuals, the sum's cotangent zero. */
static int build_lin(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type tx = knb_type(b, x[0]), ty = knb_type(b, x[1]);
    kni_builder l;
    kni_atom in[4], out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kni_jaxpr *linear = NULL, *transposed = NULL;
    kni_p_custom_lin p = {.name = "f",
                          .bwd = backward_rule(b, tx, ty),
                          .in_zeros = INTS(0, 0),
                          .num_res = 2,
                          .out_avals = body(b, tx, ty)};
    knb_init(&l);
    for (int i = 0; i < 4; i++)
        in[i] = knb_invar(&l, i % 2 ? ty : tx);
    if (p.bwd && p.out_avals)
        knb_emit(&l, &knp_prim_custom_lin, &p, 4, in, out, 2);
    linear = finished(b, &l, 2, out);
    knx_error *e = linear ? knt_transpose(linear, (const bool[]){false, false, true, true}, &transposed) : NULL;
    if (e)
        knb_fail(b, e);
    if (transposed)
        knb_inline(b, transposed, (kni_atom[]){x[0], x[1], knb_zeros(b, kni_scalar_type(tx.dtype)), x[2]}, y);
    kni_release(transposed);
    kni_release(linear);
    kni_release(p.out_avals);
    kni_thunk_release(p.bwd);
    return 2;
}

/* ct * y and ct * x */
static void ref_lin(call *c)
{
    const tensor *x = c->x;
    tensor *to_x = result(c, x->dtype, x->ndim, x->dim), *to_y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++) {
        to_x->at[i] = num_mul(x->dtype, x[2].at[i], x[1].at[i]);
        to_y->at[i] = num_mul(x->dtype, x[2].at[i], x[0].at[i]);
    }
}

static int build_remat_with(kni_builder *b, const kni_atom *x, kni_atom *y, kni_p_remat p)
{
    p.jaxpr = body(b, knb_type(b, x[0]), knb_type(b, x[1]));
    if (p.jaxpr)
        knb_emit(b, &knp_prim_remat2, &p, 2, x, y, 2);
    kni_release(p.jaxpr);
    return 2;
}
static int build_remat(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return build_remat_with(b, x, y, (kni_p_remat){.prevent_cse = true});
}
static int build_again(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return build_remat_with(b, x, y, (kni_p_remat){.prevent_cse = true, .differentiated = true});
}
static int build_saving(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return build_remat_with(b, x, y, (kni_p_remat){.policy = KN_SAVE_EVERYTHING});
}
static int build_named(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return build_remat_with(b, x, y, (kni_p_remat){.policy = KN_SAVE_THESE_NAMES, .names = "a"});
}

/* A product in each lane of an axis: both have the lanes in front. */
static int build_pmap(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type t = knb_type(b, x[0]), lane = kni_type_of(t.dtype, t.ndim - 1, t.dim + 1);
    kni_builder inner;
    knb_init(&inner);
    kni_atom in[2] = {knb_invar(&inner, lane), knb_invar(&inner, lane)}, out = knb_mul(&inner, in[0], in[1]);
    kni_p_pmap p = {.axis_name = "i",
                    .axis_size = t.dim[0],
                    .call_jaxpr = finished(b, &inner, 1, &out),
                    .mapped = INTS(1, 1),
                    .name = "f"};
    if (p.call_jaxpr)
        knb_emit(b, &knp_prim_xla_pmap, &p, 2, x, y, 1);
    kni_release(p.call_jaxpr);
    return 1;
}

/* Lanes that are handed on. */
static int build_pmap_same(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type t = knb_type(b, x[0]), lane = kni_type_of(t.dtype, t.ndim - 1, t.dim + 1);
    kni_builder inner;
    knb_init(&inner);
    kni_atom in = knb_invar(&inner, lane);
    kni_p_pmap p = {
        .axis_name = "i", .axis_size = t.dim[0], .call_jaxpr = finished(b, &inner, 1, &in), .mapped = INTS(1)};
    if (p.call_jaxpr)
        knb_emit(b, &knp_prim_xla_pmap, &p, 1, x, y, 1);
    kni_release(p.call_jaxpr);
    return 1;
}

/* A product on each of two devices, which have half of the first axis each; one operand: it is handed on. */
static int build_shard_map_of(kni_builder *b, int n, const kni_atom *x, kni_atom *y)
{
    static const char *const names[] = {"x"};
    const int64_t two = 2;
    const kni_mesh_axes first = {.n = 1};
    const kni_mesh *m = NULL;
    const kni_sharding *cut = NULL;
    kni_type t = knb_type(b, x[0]), part;
    kni_builder inner;
    kni_jaxpr *body = NULL;
    knx_error *e = kni_mesh_of(1, names, &two, NULL, &m);
    if (!e)
        e = kni_sharding_of(m, 1, &first, &cut);
    if (!e && !kni_local_type(&b->arena, t, cut, &part))
        e = knx_error_nomem();
    if (e) {
        knb_fail(b, e);
        return 1;
    }
    knb_init(&inner);
    kni_atom in[2] = {knb_invar(&inner, part), n == 2 ? knb_invar(&inner, part) : KN_ATOM_NONE},
             out = n == 2 ? knb_mul(&inner, in[0], in[1]) : in[0];
    body = finished(b, &inner, 1, &out);
    if (body)
        knb_emit(b, &knp_prim_shard_map,
                 &(kni_p_shard_map){.check_vma = true,
                                    .in_specs = {n, (const kni_sharding *const[]){cut, cut}},
                                    .jaxpr = body,
                                    .mesh = m,
                                    .out_specs = {1, &cut}},
                 n, x, y, 1);
    kni_release(body);
    return 1;
}
static int build_shard_map(kni_builder *b, const kni_atom *x, kni_atom *y) { return build_shard_map_of(b, 2, x, y); }
static int build_shard_map_same(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return build_shard_map_of(b, 1, x, y);
}

static void ref_pmap(call *c)
{
    const tensor *x = c->x;
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++)
        y->at[i] = num_mul(x->dtype, x[0].at[i], x[1].at[i]);
}

#define SHAPES "T[3] T[3]; T[2,3] T[2,3]; T[] T[]; T[0] T[0]"
#define BODY(p, name, how, make)                                                                    \
    {                                                                                               \
        .prim = &knp_prim_##p, .label = name, .dtypes = NUMBERS, .operands = SHAPES, .build = make, \
        .whole = ref_jit_sum_of_product, .flags = how, .ulp = 8                                     \
    }

const sample samples_custom[] = {
    BODY(custom_jvp_call, NULL, 0, build_jvp),
    BODY(custom_vjp_call, NULL, NO_RULE, build_vjp), /* forward mode is refused; reverse is custom_lin's */
    {.prim = &knp_prim_custom_lin,
     .dtypes = NUMBERS,
     .operands = "T[3] T[3] T[3]; T[2,3] T[2,3] T[2,3]; T[] T[] T[]; T[0] T[0] T[0]",
     .build = build_lin,
     .whole = ref_lin,
     .flags = ANY_ZERO,
     .ulp = 4},
    BODY(remat2, NULL, 0, build_remat),
    BODY(remat2, "again", 0, build_again),
    BODY(remat2, "everything", 0, build_saving),
    BODY(remat2, "names", 0, build_named),
    {.prim = &knp_prim_xla_pmap,
     .dtypes = NUMBERS,
     .operands = "T[3] T[3]; T[2,3] T[2,3]; T[1] T[1]; T[0] T[0]",
     .build = build_pmap,
     .whole = ref_pmap,
     .ulp = 4},
    {.prim = &knp_prim_xla_pmap,
     .label = "same",
     .dtypes = EVERYTHING " key<fry>",
     .operands = "T[3]; T[2,3]; T[0]",
     .build = build_pmap_same,
     .each = ref_same,
     .flags = SPECIAL},
    {.prim = &knp_prim_shard_map,
     .dtypes = NUMBERS,
     .operands = "T[4] T[4]; T[2,3] T[2,3]; T[0] T[0]",
     .build = build_shard_map,
     .whole = ref_pmap,
     .ulp = 4},
    {.prim = &knp_prim_shard_map,
     .label = "same",
     .dtypes = EVERYTHING " key<fry>",
     .operands = "T[4]; T[2,3]; T[0]",
     .build = build_shard_map_same,
     .each = ref_same,
     .flags = SPECIAL},
    {.prim = &knp_prim_name,
     .dtypes = EVERYTHING " key<fry>",
     .operands = "T[]; T[3,4]; T[0]; T[2,1,3]",
     .params = &(kni_p_name){"a"},
     .each = ref_same,
     .flags = SPECIAL},
    {.prim = NULL},
};
