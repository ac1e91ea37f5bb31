/* SPDX-License-Identifier: Apache-2.0
 * checks.c -- values against references, vmap against a loop, jit against no jit, texts read back. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* --- value ------------------------------------------------------------------------------------ */

static bool reference(bench *b, const tensor *in, call *c)
{
    int n = 0;
    *c = (call){.sample = b->s, .params = b->s->params, .arena = &b->arena, .n_in = b->n_operand};
    for (int i = 0; i < b->n_operand; i++) {
        const operand *o = &b->operand[i];
        if (o->literal) {
            knx_scalar_bits bits = knx_scalar_from_double(o->shape.dtype, o->value);
            c->x[i] = tensor_new(&b->arena, o->shape.dtype, 0, NULL);
            memcpy(c->x[i].data, bits.bytes, o->shape.dtype->size);
        } else {
            c->x[i] = in[n++];
        }
        tensor_widen(&b->arena, &c->x[i]);
    }
    if (b->s->each)
        each_element(c);
    else
        b->s->whole(c);
    return !c->unknown;
}

/* Complex results of exact functions may come by another way; a few roundings of float16 and bfloat16 results are one
 * of float32's. */
static double tolerance(const bench *b, kn_dtype d)
{
    double ulp = b->s->ulp;
    if (knx_is_complex(d) || (b->t && knx_is_complex(b->t)))
        return b->s->prim->linear_in || (ulp == 0 && !b->s->real) ? ulp : ulp + 4;
    return d->size == 2 && ulp > 0 ? 1 : ulp;
}

static void against_reference(bench *b, const call *c, int n, const tensor *got)
{
    char s[96], t[96];
    if (n != c->n_out)
        bench_fail(b, "%d results where %d are expected", n, c->n_out);
    for (int k = 0; k < n && !b->failed; k++) {
        const tensor *y = &c->y[k];
        knx_text e = {0}, g = {0};
        if (!tensor_has_type(&got[k], tensor_type(y)))
            bench_fail(b, "result %d has type %s where %s is expected", k,
                       kni_type_text(&g, tensor_type(&got[k]), false), kni_type_text(&e, tensor_type(y), false));
        for (int64_t i = 0; i < y->n && !b->failed; i++) {
            num v = tensor_load(y->dtype, tensor_at(&got[k], i));
            if (!tensor_close(y->dtype, y->at[i], v, tolerance(b, y->dtype), b->s->flags & ANY_ZERO)) {
                char x[2][96] = {"", ""};
                for (int a = 0; a < 2 && a < c->n_in && b->s->each; a++)
                    tensor_show(c->x[a].dtype, c->x[a].at[c->x[a].ndim ? i : 0], x[a]);
                bench_fail(b, "result %d element %lld is %s where %s is expected%s%s %s", k, (long long)i,
                           tensor_show(y->dtype, v, s), tensor_show(y->dtype, y->at[i], t), b->s->each ? ", of " : "",
                           x[0], x[1]);
            }
        }
    }
}

/* No operand here is weak: no result is, but where a conversion asks for it. */
static void weak_results(bench *b)
{
    bool asked = b->s->prim == &knp_prim_convert_element_type && ((const kni_p_convert *)b->s->params)->weak_type;
    for (uint32_t k = 0; k < b->j->n_out; k++)
        if (kni_out_type(b->j, k).weak != asked)
            bench_fail(b, "the type of result %u is %s", k, asked ? "not weak" : "weak");
}

void check_value(bench *b)
{
    tensor x[MAX_VALUES], y[MAX_VALUES];
    prog p;
    call c;
    bool ok = prog_open(b, b->j, &p);
    weak_results(b);
    for (uint64_t seed = 0; ok && seed < (b->thorough ? 4 : 1); seed++) {
        bench_fill(b, false, seed, x);
        ok = prog_run(b, &p, x, y);
        if (ok && reference(b, x, &c))
            against_reference(b, &c, p.n_out, y);
    }
    prog_close(&p);
}

/* --- vmap ------------------------------------------------------------------------------------- */

/* Puts `size` tensors of one shape together along a new axis. */
static tensor stack(bench *b, const tensor *x, int64_t size, int axis)
{
    int64_t dim[MAX_RANK + 1], inner = 1;
    for (int k = 0, from = 0; k <= x->ndim; k++)
        dim[k] = k == axis ? size : x->dim[from++];
    tensor y = tensor_new(&b->arena, x->dtype, x->ndim + 1, dim);
    for (int k = axis + 1; k < y.ndim; k++)
        inner *= y.dim[k];
    for (int64_t lane = 0; lane < size; lane++)
        for (int64_t i = 0; i < x->n; i++)
            memcpy(tensor_at(&y, (i / inner * size + lane) * inner + i % inner), tensor_at(&x[lane], i),
                   x->dtype->size);
    return y;
}

static tensor lane_of(bench *b, const tensor *y, int64_t lane)
{
    tensor t = tensor_new(&b->arena, y->dtype, y->ndim - 1, y->dim + 1);
    if (t.n)
        memcpy(t.data, tensor_at(y, lane * t.n), (size_t)t.n * t.dtype->size);
    return t;
}

static void vmap_once(bench *b, const prog *single, const int *axis, int64_t size, uint64_t seed)
{
    tensor lanes[MAX_OPERANDS][4], in[MAX_OPERANDS], x[MAX_OPERANDS], y[MAX_VALUES], expected[MAX_VALUES];
    kni_jaxpr *batched = NULL;
    char axes[64] = "";
    for (int i = 0; i < b->n_in; i++)
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%d", i ? "," : "", axis[i]);
    for (int64_t lane = 0; lane < size || lane == 0; lane++) {
        bench_fill(b, false, seed + (uint64_t)lane, x);
        for (int i = 0; i < b->n_in; i++)
            lanes[i][lane] = axis[i] < 0 && lane ? lanes[i][0] : x[i];
    }
    for (int i = 0; i < b->n_in; i++)
        in[i] = axis[i] < 0 ? lanes[i][0] : stack(b, lanes[i], size, axis[i]);
    bool ok = bench_ok(b, knt_batch(b->j, size, NULL, axis, NULL, &batched), "batch") && bench_run(b, batched, in, y);
    for (uint32_t k = 0; ok && k < b->j->n_out; k++)
        if (y[k].ndim < 1 || y[k].dim[0] != size) {
            bench_fail(b, "result %u has no batch axis in front", k);
            ok = false;
        }
    for (int64_t lane = 0; ok && lane < size; lane++) {
        tensor got[MAX_VALUES];
        for (int i = 0; i < b->n_in; i++)
            x[i] = lanes[i][lane];
        ok = prog_run(b, single, x, expected);
        for (int k = 0; ok && k < single->n_out; k++)
            got[k] = lane_of(b, &y[k], lane);
        ok = ok && bench_same(b, "vmap and a loop", single->n_out, got, expected);
    }
    if (!ok) {
        size_t n = strlen(b->message);
        snprintf(b->message + n, sizeof b->message - n, " (in_axes %s, size %lld)", axes, (long long)size);
    }
    kni_release(batched);
}

/* Every operand along each of its axes or not batched: all combinations, or a sample of them. */
void check_vmap(bench *b)
{
    int axis[MAX_OPERANDS];
    int64_t all = 1;
    uint64_t state = b->seed;
    prog single;
    int64_t most = b->thorough ? 100 : bench_size(b) > 500 ? 2 : 7;
    for (int i = 0; i < b->n_in; i++)
        all *= b->operand[b->input[i]].shape.ndim + 2;
    bool ok = prog_open(b, b->j, &single);
    for (int64_t k = 0; ok && k < all && k < most && !b->failed; k++) {
        int64_t which = all - 1 - (k < 2 || all <= most ? k : (int64_t)(test_random(&state) % (uint64_t)all)),
                rest = which;
        for (int i = 0; i < b->n_in; i++) {
            int choices = b->operand[b->input[i]].shape.ndim + 2;
            axis[i] = (int)(rest % choices) - 1;
            rest /= choices;
        }
        if (which || !b->n_in)
            vmap_once(b, &single, axis, k == 4 ? 0 : k == 3 ? 1 : 3, (uint64_t)k);
    }
    prog_close(&single);
}

/* --- texts ------------------------------------------------------------------------------------ */

static void batched_text(bench *b)
{
    int axis[MAX_OPERANDS];
    kni_jaxpr *batched = NULL;
    for (int i = 0; i < b->n_in; i++)
        axis[i] = 0;
    if (bench_ok(b, knt_batch(b->j, 3, NULL, axis, NULL, &batched), "batch"))
        bench_inspect(b, batched, "batched");
    kni_release(batched);
}

/* A row without a derivative for these parameters says so. */
static void no_derivative(bench *b)
{
    bool tangent[MAX_OPERANDS], any = false;
    kni_jaxpr *j = NULL;
    for (int i = 0; i < b->n_in; i++)
        any |= tangent[i] = knx_is_inexact(b->operand[b->input[i]].shape.dtype);
    knx_error *e = any ? knt_jvp(b->j, tangent, &j) : NULL;
    if (any && (!e || !e->message || !*e->message))
        bench_fail(b, "the derivative is not refused");
    knx_error_release(e);
    kni_release(j);
}

void check_text(bench *b)
{
    bool tangent[MAX_OPERANDS];
    bench_inspect(b, b->j, "the equation");
    batched_text(b);
    if (b->s->flags & NO_RULE)
        no_derivative(b);
    if (!bench_tangents(b, tangent))
        return;
    kni_jaxpr *j = NULL;
    if (bench_ok(b, knt_jvp(b->j, tangent, &j), "jvp"))
        bench_inspect(b, j, "jvp");
    kni_release(j);
    knt_linearized l = {0};
    if (bench_ok(b, knt_linearize(b->j, tangent, &l), "linearize")) {
        bool linear[4 * MAX_VALUES] = {0};
        for (uint32_t i = 0; i < l.n_tangent_in; i++)
            linear[l.n_residual + i] = true;
        bench_inspect(b, l.primal, "primal");
        bench_inspect(b, l.linear, "linear");
        j = NULL;
        if (!b->s->prim->no_transpose && bench_ok(b, knt_transpose(l.linear, linear, &j), "transpose"))
            bench_inspect(b, j, "transposed");
        kni_release(j);
    }
    knt_linearized_free(&l);
}

/* --- jit -------------------------------------------------------------------------------------- */

/* Both jaxprs on the same inputs; takes them over. */
static void same_results(bench *b, const char *what, kni_jaxpr *j, kni_jaxpr *k, const tensor *in)
{
    tensor y[MAX_VALUES], z[MAX_VALUES];
    if (j && k && bench_run(b, j, in, y) && bench_run(b, k, in, z) && j->n_out != k->n_out)
        bench_fail(b, "%s: %u and %u results", what, j->n_out, k->n_out);
    if (j && k && !b->failed)
        bench_same(b, what, (int)j->n_out, y, z);
    kni_release(j);
    kni_release(k);
}

void check_jit(bench *b)
{
    tensor x[MAX_VALUES], more[MAX_OPERANDS];
    bool tangent[MAX_OPERANDS];
    int axis[MAX_OPERANDS], n = b->n_in;
    uint64_t seed = b->seed + 1;
    kni_jaxpr *w = bench_build(b, true), *j = NULL, *k = NULL;
    if (!w)
        return;
    bench_inspect(b, w, "in a jit equation");
    bench_fill(b, false, 0, x);
    same_results(b, "jit", kni_retain(b->j), kni_retain(w), x);
    if (!b->failed && bench_tangents(b, tangent)) {
        for (int i = 0; i < b->n_in; i++)
            if (tangent[i])
                x[n++] = bench_direction(b, tensor_type(&x[i]), &seed);
        bool ok = bench_ok(b, knt_jvp(b->j, tangent, &j), "jvp") && bench_ok(b, knt_jvp(w, tangent, &k), "jvp of jit");
        same_results(b, "jvp of jit", j, ok ? k : NULL, x);
    }
    if (!b->failed && b->n_in) {
        for (int i = 0; i < b->n_in; i++) {
            tensor lanes[2];
            for (int lane = 0; lane < 2; lane++) {
                bench_fill(b, false, (uint64_t)lane, x);
                lanes[lane] = x[i];
            }
            axis[i] = 0;
            more[i] = stack(b, lanes, 2, 0);
        }
        j = k = NULL;
        bool ok = bench_ok(b, knt_batch(b->j, 2, NULL, axis, NULL, &j), "batch") &&
                  bench_ok(b, knt_batch(w, 2, NULL, axis, NULL, &k), "batch of jit");
        same_results(b, "batch of jit", j, ok ? k : NULL, more);
    }
    kni_release(w);
}

/* --- loop ------------------------------------------------------------------------------------- */

/* Two turns of a scan whose body the equation is, with other operands in each: does it become a kernel with the loop, or
 * a step of its own in each turn? */
void check_loop(bench *b)
{
    kni_builder k;
    kni_atom in[MAX_OPERANDS], out[MAX_VALUES];
    kni_jaxpr *scan = NULL;
    tensor x[2][MAX_VALUES], all[MAX_OPERANDS], y[MAX_VALUES], each[2][MAX_VALUES], joined[MAX_VALUES];
    if (!b->n_in || b->s->lanes)
        return;
    knb_init(&k);
    for (int turn = 0; turn < 2; turn++)
        bench_fill(b, false, (uint64_t)turn, x[turn]);
    for (int i = 0; i < b->n_in; i++) {
        all[i] = stack(b, (tensor[]){x[0][i], x[1][i]}, 2, 0);
        in[i] = knb_invar(&k, tensor_type(&all[i]));
    }
    knb_scan(&k, &(kni_p_scan){.jaxpr = b->j, .length = 2, .unroll = 1}, in, out);
    bool ok = bench_ok(b, k.error ? knb_take_error(&k) : knb_finish(&k, (int)b->j->n_out, out, "loop", false, &scan),
                       "making the scan");
    knb_free(&k);
    if (ok && bench_run(b, scan, all, y) && bench_run(b, b->j, x[0], each[0]) && bench_run(b, b->j, x[1], each[1])) {
        for (uint32_t i = 0; i < b->j->n_out; i++)
            joined[i] = stack(b, (tensor[]){each[0][i], each[1][i]}, 2, 0);
        bench_same(b, "two turns", (int)b->j->n_out, y, joined);
    }
    kni_release(scan);
}

/* --- lanes ------------------------------------------------------------------------------------ */

/* Of collectives: differentiating and mapping over the lanes may be swapped, and so may transposing. */
void check_lanes(bench *b)
{
    tensor x[MAX_VALUES], ct[MAX_VALUES];
    bool tangent[MAX_OPERANDS];
    uint64_t seed = b->seed + 3;
    kni_jaxpr *one = b->s->lanes ? bench_one_lane(b) : NULL, *j = NULL, *k = NULL;
    if (!one || !bench_tangents(b, tangent)) {
        kni_release(one);
        return;
    }
    bench_inspect(b, one, "one lane");
    bench_fill(b, false, 0, x);
    for (int i = 0; i < b->n_in; i++)
        x[b->n_in + i] = bench_direction(b, tensor_type(&x[i]), &seed);
    knx_error *e = knt_jvp(one, tangent, &j);
    if (e && e->kind == KN_ERROR_NOT_IMPLEMENTED && b->s->prim->transpose == NULL) { /* pmax: says so */
        knx_error_release(e);
        kni_release(one);
        return;
    }
    if (bench_ok(b, e, "jvp of one lane") && bench_ok(b, knt_jvp(b->j, tangent, &k), "jvp"))
        same_results(b, "jvp of one lane", bench_map_lanes(b, j), k, x);
    j = k = NULL;
    for (uint32_t i = 0; i < b->j->n_out; i++)
        ct[i] = bench_direction(b, kni_out_type(b->j, i), &seed);
    if (!b->failed && bench_ok(b, knt_transpose(one, tangent, &j), "transposing one lane") &&
        bench_ok(b, knt_transpose(b->j, tangent, &k), "transposing"))
        same_results(b, "transpose of one lane", bench_map_lanes(b, j), k, ct);
    kni_release(one);
}

/* Of collectives: mapping over the lanes and over another axis may be swapped. */
void check_axes(bench *b)
{
    tensor lanes[2], x[MAX_OPERANDS], in[MAX_OPERANDS];
    int outer[MAX_OPERANDS], inner[MAX_OPERANDS], front[MAX_VALUES] = {0}, second[MAX_VALUES];
    kni_jaxpr *one = b->s->lanes && b->n_in ? bench_one_lane(b) : NULL;
    for (int i = 0; i < MAX_VALUES; i++)
        second[i] = 1;
    for (int axis = 0; one && !b->failed && axis <= kni_in_type(one, 0).ndim; axis++) {
        kni_jaxpr *batched = NULL, *swapped = NULL;
        for (int i = 0; i < b->n_in; i++) {
            int ndim = kni_in_type(one, (uint32_t)i).ndim;
            outer[i] = axis < ndim ? axis : ndim;
            inner[i] = outer[i] + 1;
        }
        for (int i = 0; i < b->n_in; i++) {
            for (int lane = 0; lane < 2; lane++) {
                bench_fill(b, false, (uint64_t)lane, x);
                lanes[lane] = x[i];
            }
            in[i] = stack(b, lanes, 2, inner[i]);
        }
        if (bench_ok(b, knt_batch(one, 2, "k", outer, front, &batched), "batch of one lane") &&
            bench_ok(b, knt_batch(b->j, 2, "k", inner, second, &swapped), "batch")) {
            bench_inspect(b, batched, "batch of one lane");
            same_results(b, "batch of one lane", bench_map_lanes(b, batched), swapped, in);
        } else {
            kni_release(batched);
        }
    }
    kni_release(one);
}
