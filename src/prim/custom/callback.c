/* SPDX-License-Identifier: Apache-2.0
 * callback.c -- the user's code in compiled programs: debug_print, debug_callback, pure_callback, io_callback.
 *
 *     type       whatever goes in; what the parameters promise comes out
 *     jvp        prints and debugging see the values alone; the others have no derivative (as in JAX)
 *     batch      one call per lane, at run time: the lane axes are put in front and counted in the parameters. A
 *                pure_callback may ask for one call with the batch axis instead (vmap_method)
 *     lower      a routine. All but pure_callback are effects, which keep their order
 */
#include "base/format.h"
#include "base/out.h"
#include "ir/host.h"
#include "prim/rules.h"

enum { MAX_LANE_AXES = 60 };

/* Types */

static int lane_axes(uint64_t mask) { return __builtin_popcountll(mask); }

static uint64_t mask_of(const kni_p_callback *p, int operand)
{
    return p->lanes.n ? (uint64_t)p->mapped.v[operand] : 0;
}

/* Operand x as one lane sees it. */
static kni_type inner_type(const kni_p_callback *p, int operand, kni_type x)
{
    int n = lane_axes(mask_of(p, operand));
    x.ndim = (int16_t)(x.ndim - n);
    x.dim += n;
    return x;
}

static knx_error *check_lanes(const kni_rule *r)
{
    const kni_p_callback *p = r->params;
    if (p->lanes.n > MAX_LANE_AXES || p->mapped.n != (p->lanes.n ? r->n_in : 0))
        return knx_error_new(KN_ERROR_VALUE, "the lanes do not fit the operands");
    for (int l = 0; l < p->lanes.n; l++)
        if (knx_dim_lt(p->lanes.v[l], 0))
            return knx_error_new(KN_ERROR_VALUE, "a lane axis has a negative extent");
    for (int i = 0; i < r->n_in; i++) {
        uint64_t mask = mask_of(p, i);
        if (mask >> p->lanes.n || lane_axes(mask) > r->xt[i].ndim)
            return knx_error_new(KN_ERROR_VALUE, "operand %d does not have its lane axes", i);
        for (int l = 0, d = 0; l < p->lanes.n; l++)
            if ((mask >> l & 1) && !knx_dim_eq(r->xt[i].dim[d++], p->lanes.v[l]))
                return knx_error_new(KN_ERROR_VALUE, "operand %d does not have its lane axes", i);
    }
    return NULL;
}

static knx_error *no_results_type(kni_rule *r, kni_type *y)
{
    (void)y;
    return check_lanes(r);
}

static knx_error *print_type(kni_rule *r, kni_type *y)
{
    const kni_p_callback *p = r->params;
    KN_TRY(no_results_type(r, y));
    knx_format_arg *args = knx_arena_alloc(r->arena, ((size_t)r->n_in + 1) * sizeof *args);
    bool any;
    if (!args)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        args[i] = (knx_format_arg){.dtype = r->xt[i].dtype, .ndim = inner_type(p, i, r->xt[i]).ndim};
    return p->fmt ? knx_format_check(p->fmt, r->n_in, args, &any) : knx_error_new(KN_ERROR_TYPE, "null format");
}

static knx_error *results_type(kni_rule *r, kni_type *y)
{
    const kni_p_callback *p = r->params;
    int n = kni_types_count(p->results);
    KN_TRY(check_lanes(r));
    if (n < 0 || n > r->n_out)
        return knx_error_new(KN_ERROR_VALUE, "the types of the results make no sense");
    for (int i = 0; i < n; i++) {
        kni_type t = kni_types_get(p->results, i);
        if (t.ndim + p->lanes.n > KN_MAX_NDIM)
            return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d, found %d",
                                 KN_MAX_NDIM, t.ndim + p->lanes.n);
        knp_dims d = {0};
        for (int l = 0; l < p->lanes.n; l++)
            d.v[d.n++] = p->lanes.v[l];
        for (int k = 0; k < t.ndim; k++)
            d.v[d.n++] = t.dim[k];
        KN_TRY(knp_type_dims(r->arena, t.dtype, false, d.n, d.v, &y[i]));
    }
    r->n_out = n;
    return NULL;
}

/* Derivatives */

static void pure_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b,
             knx_error_new(KN_ERROR_VALUE, "Pure callbacks do not support JVP. Please use `jax.custom_jvp` to use "
                                           "callbacks while taking gradients."));
}

static void io_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b, knx_error_new(KN_ERROR_VALUE, "IO callbacks do not support JVP."));
}

/* Batching */

static void emit(const kni_rule *r, const kni_p_callback *p, const kni_atom *x, kni_atom *y)
{
    knb_emit(r->b, r->prim, p, r->n_in, x, y, r->n_out);
}

static knx_error *lanes_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_callback p = *(const kni_p_callback *)r->params;
    int n = p.lanes.n;
    int64_t *lanes = knx_arena_alloc(&r->b->arena, ((size_t)n + 1) * sizeof *lanes);
    int64_t *mapped = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *mapped);
    kni_atom *x = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *x);
    if (!lanes || !mapped || !x)
        return knx_error_nomem();
    if (n == MAX_LANE_AXES)
        return knx_error_new(KN_ERROR_VALUE, "vmap of %s more than %d times", r->prim->name, n);
    for (int l = 0; l < n; l++)
        lanes[l] = p.lanes.v[l];
    lanes[n] = size;
    for (int i = 0; i < r->n_in; i++) {
        uint64_t mask = mask_of(&p, i);
        x[i] = axis[i] < 0 ? r->x[i] : knb_move_axis(r->b, r->x[i], axis[i], lane_axes(mask));
        mapped[i] = (int64_t)(mask | (axis[i] < 0 ? 0 : (uint64_t)1 << n));
    }
    p.lanes = (kni_ints){n + 1, lanes};
    p.mapped = (kni_ints){r->n_in, mapped};
    emit(r, &p, x, y);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = n;
    return NULL;
}

static knx_error *io_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    if (((const kni_p_callback *)r->params)->ordered)
        return knx_error_new(KN_ERROR_VALUE, "Cannot `vmap` ordered IO callback.");
    return lanes_batch(r, size, axis, y, axis_out);
}

/* The types with one more axis in front. */
static knx_error *longer_results(knx_arena *a, kni_ints list, int64_t size, kni_ints *out)
{
    int count = kni_types_count(list), n = 0;
    int64_t *v = knx_arena_alloc(a, ((size_t)list.n + (size_t)count + 1) * sizeof *v);
    if (!v)
        return knx_error_nomem();
    for (int i = 0; i < count; i++) {
        kni_type t = kni_types_get(list, i);
        v[n++] = t.dtype->id;
        v[n++] = t.ndim + 1;
        v[n++] = size;
        for (int d = 0; d < t.ndim; d++)
            v[n++] = t.dim[d];
    }
    *out = (kni_ints){n, v};
    return NULL;
}

static knx_error *pure_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_callback p = *(const kni_p_callback *)r->params;
    if (p.vmap_method == KN_VMAP_SEQUENTIAL || p.vmap_method == KN_VMAP_SEQUENTIAL_UNROLLED)
        return lanes_batch(r, size, axis, y, axis_out);
    kni_atom *x = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *x);
    if (!x)
        return knx_error_nomem();
    KN_TRY(longer_results(&r->b->arena, p.results, size, &p.results));
    for (int i = 0; i < r->n_in; i++)
        x[i] = knp_batched_at(r, i, p.vmap_method == KN_VMAP_EXPAND_DIMS && axis[i] < 0 ? 1 : size, axis[i], 0);
    emit(r, &p, x, y);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = 0;
    return NULL;
}

/* Running: once for each lane. */

typedef struct lanes_run {
    const kni_rule *rule; /* of all lanes */
    const kni_routine_args *args;
    const kni_p_callback *p;
    const void **x;
    void **y;
    kni_type *xt, *yt;                /* of one lane */
    int64_t lanes[MAX_LANE_AXES + 1]; /* numbers, as the types have them; those of the parameters may be expressions */
    knx_arena arena;
} lanes_run;

static bool begin_lanes(lanes_run *r, const kni_rule *rule, const kni_routine_args *args)
{
    size_t n_in = (size_t)rule->n_in + 1, n_out = (size_t)rule->n_out + 1;
    *r = (lanes_run){.rule = rule, .args = args, .p = rule->params};
    r->x = knx_arena_alloc(&r->arena, n_in * sizeof *r->x);
    r->y = knx_arena_alloc(&r->arena, n_out * sizeof *r->y);
    r->xt = knx_arena_alloc(&r->arena, n_in * sizeof *r->xt);
    r->yt = knx_arena_alloc(&r->arena, n_out * sizeof *r->yt);
    for (int l = 0; l < r->p->lanes.n; l++)
        r->lanes[l] = rule->n_out ? rule->yt[0].dim[l] : r->p->lanes.v[l];
    for (int i = 0; i < rule->n_in; i++)
        for (int l = 0, d = 0; l < r->p->lanes.n; l++)
            if (mask_of(r->p, i) >> l & 1)
                r->lanes[l] = rule->xt[i].dim[d++];
    for (int i = 0; r->xt && i < rule->n_in; i++)
        r->xt[i] = inner_type(r->p, i, rule->xt[i]);
    for (int i = 0; r->yt && i < rule->n_out; i++) {
        r->yt[i] = rule->yt[i];
        r->yt[i].ndim = (int16_t)(r->yt[i].ndim - r->p->lanes.n);
        r->yt[i].dim += r->p->lanes.n;
    }
    return r->x && r->y && r->xt && r->yt;
}

static void go_to_lane(lanes_run *r, int64_t lane)
{
    const kni_p_callback *p = r->p;
    int64_t index[MAX_LANE_AXES + 1], rest = lane;
    for (int l = p->lanes.n; l-- > 0; rest /= r->lanes[l])
        index[l] = rest % r->lanes[l];
    for (int i = 0; i < r->rule->n_in; i++) {
        int64_t at = 0;
        for (int l = 0; l < p->lanes.n; l++)
            if (mask_of(p, i) >> l & 1)
                at = at * r->lanes[l] + index[l];
        r->x[i] = (const char *)r->args->x[i] + (size_t)at * kni_type_bytes(r->xt[i]);
    }
    for (int i = 0; i < r->rule->n_out; i++)
        r->y[i] = r->args->y[i] ? (char *)r->args->y[i] + (size_t)lane * kni_type_bytes(r->yt[i]) : NULL;
}

static knx_error *each_lane(const kni_rule *rule, const kni_routine_args *args, knx_error *(*run)(const lanes_run *r))
{
    lanes_run r;
    knx_error *error = begin_lanes(&r, rule, args) ? NULL : knx_error_nomem();
    int64_t n = error ? 0 : knp_product((kni_ints){r.p->lanes.n, r.lanes});
    for (int64_t lane = 0; !error && lane < n; lane++) {
        go_to_lane(&r, lane);
        error = run(&r);
    }
    knx_arena_free(&r.arena);
    return error;
}

static void print_text(void *text) { knx_out(text); }

static knx_error *print_lane(const lanes_run *r)
{
    knx_str t = {0};
    int n = r->rule->n_in;
    knx_format_arg *args = knx_alloc(((size_t)n + 1) * sizeof *args);
    for (int i = 0; args && i < n; i++)
        args[i] = (knx_format_arg){r->xt[i].dtype, r->xt[i].ndim, r->xt[i].dim, r->x[i]};
    knx_error *error = args ? knx_format(&t, r->p->fmt, n, args) : knx_error_nomem();
    knx_str_puts(&t, "\n");
    if (!error)
        error = t.failed ? knx_error_nomem() : knx_call_user(print_text, t.s);
    knx_str_free(&t);
    knx_free(args);
    return error;
}

static knx_error *print_run(const kni_rule *r, const kni_routine_args *args) { return each_lane(r, args, print_lane); }

static knx_error *call_lane(const lanes_run *r)
{
    const kni_host *h = kni_host_find(r->p->callback);
    if (!h)
        return knx_error_new(KN_ERROR_RUNTIME, "the function that this jaxpr calls is not one of this process");
    return h->call(h, r->rule->n_in, r->xt, r->x, r->rule->n_out, r->yt, r->y);
}

static knx_error *callback_run(const kni_rule *r, const kni_routine_args *args)
{
    return each_lane(r, args, call_lane);
}

const kni_prim knp_prim_debug_print = {
    .name = "debug_print",
    .n_in = -1,
    .n_out = 0,
    .bits = KN_EFFECT | KN_USER | KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_NOT_DIFFERENTIABLE,
    .factors = "... -> ",
    .fields = kni_fields_debug_print,
    .params_size = sizeof(kni_p_callback),
    .doc = "prints its operands when the program runs (jax.debug.print)",
    .type = print_type,
    .batch = lanes_batch,
    .run = print_run,
};

const kni_prim knp_prim_debug_callback = {
    .name = "debug_callback",
    .n_in = -1,
    .n_out = 0,
    .bits = KN_EFFECT | KN_USER | KN_CAN_FAIL | KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_NOT_DIFFERENTIABLE,
    .factors = "... -> ",
    .fields = kni_fields_debug_callback,
    .params_size = sizeof(kni_p_callback),
    .doc = "calls a function of the user's that returns nothing (jax.debug.callback)",
    .type = no_results_type,
    .batch = lanes_batch,
    .run = callback_run,
};

const kni_prim knp_prim_pure_callback = {
    .name = "pure_callback",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_USER,
    .factors = "... -> ...",
    .fields = kni_fields_pure_callback,
    .params_size = sizeof(kni_p_callback),
    .doc = "calls a function of the user's that only computes (jax.pure_callback)",
    .type = results_type,
    .jvp = pure_jvp,
    .batch = pure_batch,
    .run = callback_run,
};

const kni_prim knp_prim_io_callback = {
    .name = "io_callback",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_EFFECT | KN_USER | KN_CAN_FAIL,
    .factors = "... -> ...",
    .fields = kni_fields_io_callback,
    .params_size = sizeof(kni_p_callback),
    .doc = "calls a function of the user's that may do anything (jax.experimental.io_callback)",
    .type = results_type,
    .jvp = io_jvp,
    .batch = io_batch,
    .run = callback_run,
};
