/* SPDX-License-Identifier: Apache-2.0
 * scan.c -- scan: a body that runs once for each element of its inputs, with a carry, and gives an element of each
 * output.
 *
 *     type       a carry keeps its type; inputs have the steps in front, and outputs get them
 *     linearize  scan_linear.c: in forward mode one scan whose carries have tangents behind them; else a scan that
 *                gives the body's residuals, too, and a linear one over them. With .checkpoint: scan_checkpoint.c first
 *     transpose  scan_transpose.c: the linear body transposed, the other way round
 *     batch      which carries are batched is a fixed point; the axis is behind the steps in inputs and outputs
 *     prune      without results that no one reads, carries that only feed themselves, and what only those need; a
 *                carry that never changes is a constant
 *     unfailing  one more carry, true from the first step on that would fail
 *     lower      no step: the carries; one step: the body. Else a step that holds the body's program
 */
#include "prim/body.h"
#include "prim/control/scan.h"
#include "prim/control/scan_separate.h"

knp_scan knp_scan_of(const void *params)
{
    const kni_p_scan *p = params;
    knp_scan s = {.p = p, .j = p->jaxpr, .n_const = (uint32_t)p->num_consts, .n_carry = (uint32_t)p->num_carry};
    s.first_x = s.n_const + s.n_carry;
    s.n_in = s.j->n_in;
    s.n_out = s.j->n_out;
    s.n_x = s.n_in - s.first_x;
    s.n_y = s.n_out - s.n_carry;
    return s;
}

/* --- writing one ------------------------------------------------------------------------------ */

bool knp_scan_begin(knp_scan_writer *w, const kni_rule *r, size_t inputs, size_t outputs)
{
    *w = (knp_scan_writer){.in = knp_atoms(r->b, inputs),
                           .linear = knx_arena_zero(&r->b->arena, (inputs + 1) * sizeof *w->linear)};
    return knp_frame_begin(&w->f, inputs, outputs) && w->in && w->linear;
}

kni_atom knp_scan_put(knp_scan_writer *w, kni_atom operand, kni_type t)
{
    w->linear[w->n_in] = w->tangents;
    w->in[w->n_in++] = operand;
    knp_frame_input(&w->f, t);
    return w->f.in[w->f.n_in - 1];
}

knx_error *knp_scan_write(knp_scan_writer *w, const kni_rule *r, kni_p_scan p, const char *name, uint32_t n_out,
                          kni_atom *y)
{
    KN_TRY(knp_frame_finish(&w->f, n_out, w->f.out, name, &p.jaxpr));
    bool any = false;
    for (uint32_t i = 0; i < n_out; i++)
        y[i] = KN_ATOM_NONE;
    for (uint32_t i = 0; i < w->n_in; i++)
        any |= w->linear[i];
    p.linear = any ? (kni_ints){(int)w->n_in, w->linear} : (kni_ints){0, NULL};
    knb_scan(r->b, &p, w->in, y);
    kni_release(p.jaxpr);
    return NULL;
}

void knp_scan_end(knp_scan_writer *w) { knp_frame_end(&w->f); }

/* --- type ------------------------------------------------------------------------------------- */

static bool is_element(kni_type whole, int64_t length, kni_type element)
{
    if (whole.ndim != element.ndim + 1 || whole.dtype != element.dtype || !knx_dim_eq(whole.dim[0], length))
        return false;
    for (int d = 0; d < element.ndim; d++)
        if (!knx_dim_eq(whole.dim[d + 1], element.dim[d]))
            return false;
    return true;
}

static knx_error *check_counts(const kni_p_scan *p, int n_in)
{
    const kni_jaxpr *j = p->jaxpr;
    if (!j || j->n_const)
        return knx_error_new(KN_ERROR_VALUE, "scan needs a jaxpr without constants");
    if (knx_dim_lt(p->length, 0) || p->num_carry < 0 || p->num_consts < 0 || p->num_consts > n_in - p->num_carry)
        return knx_error_new(KN_ERROR_VALUE, "%lld constants and %lld carries do not fit %d operands",
                             (long long)p->num_consts, (long long)p->num_carry, n_in);
    if (j->n_in != (uint32_t)n_in || j->n_out < p->num_carry)
        return knx_error_new(KN_ERROR_TYPE, "the body takes %u and gives %u arrays, not %d and at least %lld", j->n_in,
                             j->n_out, n_in, (long long)p->num_carry);
    return NULL;
}

static knx_error *scan_type(kni_rule *r, kni_type *y)
{
    const kni_p_scan *p = r->params;
    KN_TRY(check_counts(p, r->n_in));
    const kni_jaxpr *j = p->jaxpr;
    int64_t first_x = p->num_consts + p->num_carry;
    for (int64_t i = 0; i < p->num_carry; i++)
        KN_TRY(knp_check_carry(NULL, (uint32_t)i, kni_in_type(j, (uint32_t)(p->num_consts + i)),
                               kni_out_type(j, (uint32_t)i)));
    for (int i = 0; i < r->n_in; i++) {
        kni_type t = kni_in_type(j, (uint32_t)i);
        if (i < first_x ? knp_same_type(r->xt[i], t) : is_element(r->xt[i], p->length, t))
            continue;
        knx_text s = {0}, e = {0};
        return knx_error_new(KN_ERROR_TYPE, "input %d of the body has type %s, but scan was given %s", i,
                             kni_type_text(&e, t, true), kni_type_text(&s, r->xt[i], true));
    }
    if ((uint32_t)r->n_out < j->n_out)
        return knx_error_new(KN_ERROR_VALUE, "scan has more results than there is room for");
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_type t = kni_out_type(j, i);
        int64_t dim[KN_MAX_NDIM + 1] = {p->length};
        if (i >= p->num_carry) {
            if (t.ndim >= KN_MAX_NDIM)
                return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                     KN_MAX_NDIM, t.ndim + 1);
            for (int d = 0; d < t.ndim; d++)
                dim[d + 1] = t.dim[d];
            t.ndim++;
            t.dim = dim;
        }
        if (!kni_type_copy(r->arena, t, &y[i]))
            return knx_error_nomem();
    }
    r->n_out = (int)j->n_out;
    return NULL;
}

/* --- batching --------------------------------------------------------------------------------- */

typedef struct batching {
    knp_scan s;
    int64_t size;
    const char *name;
    int *in, *out; /* axes of the body's inputs and results */
    bool *was;
    kni_jaxpr *j;
} batching;

/* The batched body; carries that it batches are batched from the beginning. */
static knx_error *batch_body(batching *t)
{
    const knp_scan *s = &t->s;
    for (bool settled = false; !settled;) {
        settled = true;
        kni_release(t->j);
        t->j = NULL;
        KN_TRY(knt_batch_lazily(s->j, t->size, t->name, t->in, t->was, &t->j));
        for (uint32_t i = 0; i < s->n_carry; i++)
            if (t->was[i] && t->in[s->n_const + i] < 0)
                t->in[s->n_const + i] = 0, settled = false;
    }
    bool same = true; /* a carry that is batched at first only stays so */
    for (uint32_t i = 0; i < s->n_out; i++) {
        t->out[i] = t->was[i] || (i < s->n_carry && t->in[s->n_const + i] >= 0) ? 0 : -1;
        same = same && (t->out[i] >= 0) == t->was[i];
    }
    if (same)
        return NULL;
    kni_release(t->j);
    t->j = NULL;
    return knt_batch(s->j, t->size, t->name, t->in, t->out, &t->j);
}

/* The batch axis of an element; that of an array whose steps it stands in front of is moved behind them. */
static int element_axis(int axis) { return axis > 0 ? axis - 1 : axis; }

static knx_error *emit_batched(const kni_rule *r, const batching *t, const int *axis, kni_atom *y, int *axis_out)
{
    const knp_scan *s = &t->s;
    kni_atom *in = knp_atoms(r->b, s->n_in);
    if (!in)
        return knx_error_nomem();
    for (uint32_t i = 0; i < s->n_in; i++) {
        bool carry = i >= s->n_const && i < s->first_x, front = i >= s->first_x && !axis[i];
        in[i] = front                    ? knb_move_axis(r->b, r->x[i], 0, 1)
                : carry && t->in[i] >= 0 ? knp_batched_at(r, (int)i, t->size, axis[i], 0)
                                         : r->x[i];
    }
    kni_p_scan p = *s->p;
    p.jaxpr = t->j;
    knb_scan(r->b, &p, in, y);
    for (uint32_t i = 0; i < s->n_out; i++)
        axis_out[i] = t->out[i] < 0 ? -1 : i < s->n_carry ? 0 : 1;
    return NULL;
}

static knx_error *scan_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    batching t = {.s = knp_scan_of(r->params), .size = size, .name = r->axis_name};
    const knp_scan *s = &t.s;
    knx_arena *a = &r->b->arena;
    t.in = knx_arena_alloc(a, ((size_t)s->n_in + 1) * sizeof *t.in);
    t.out = knx_arena_alloc(a, ((size_t)s->n_out + 1) * sizeof *t.out);
    t.was = knx_arena_zero(a, (size_t)s->n_out + 1);
    if (!t.in || !t.out || !t.was)
        return knx_error_nomem();
    for (uint32_t i = 0; i < s->n_in; i++)
        t.in[i] = i < s->n_const ? axis[i] : i < s->first_x ? (axis[i] >= 0 ? 0 : -1) : element_axis(axis[i]);
    knx_error *error = batch_body(&t);
    if (!error)
        error = emit_batched(r, &t, axis, y, axis_out);
    kni_release(t.j);
    return error;
}

/* --- what no one needs ------------------------------------------------------------------------ */

knx_error *knp_scan_needs(const knp_scan *s, bool *out, bool *in)
{
    for (bool settled = false; !settled;) {
        settled = true;
        KN_TRY(knp_needs(s->j, out, in));
        for (uint32_t i = 0; i < s->n_carry; i++)
            if (in[s->n_const + i] && !out[i])
                out[i] = true, settled = false;
    }
    return NULL;
}

static bool never_changes(const knp_scan *s, uint32_t carry)
{
    return s->j->out[carry] == s->j->n_const + s->n_const + carry;
}

/* What stays, in order: constants (carries that never change among them), carries, xs. */
typedef struct rest {
    bool *in, *out;
    uint32_t *pick_in, *pick_out; /* of the body */
    uint32_t n_in, n_out, n_const, n_carry;
} rest;

static knx_error *find_rest(const kni_rule *r, const knp_scan *s, const bool *read, rest *t)
{
    knx_arena *a = &r->b->arena;
    t->in = knx_arena_zero(a, (size_t)s->n_in + 1);
    t->out = knx_arena_zero(a, (size_t)s->n_out + 1);
    t->pick_in = knx_arena_alloc(a, ((size_t)s->n_in + 1) * sizeof *t->pick_in);
    t->pick_out = knx_arena_alloc(a, ((size_t)s->n_out + 1) * sizeof *t->pick_out);
    if (!t->in || !t->out || !t->pick_in || !t->pick_out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < s->n_out; i++)
        t->out[i] = read[i] && !(i < s->n_carry && never_changes(s, i));
    KN_TRY(knp_scan_needs(s, t->out, t->in));
    for (uint32_t i = 0; i < s->first_x; i++)
        if (t->in[i] && (i < s->n_const || never_changes(s, i - s->n_const)))
            t->pick_in[t->n_in++] = i;
    t->n_const = t->n_in;
    for (uint32_t i = 0; i < s->n_out; i++) {
        if (i < s->n_carry ? !t->out[i] || never_changes(s, i) : !t->out[i])
            continue;
        if (i < s->n_carry)
            t->pick_in[t->n_in++] = s->n_const + i;
        t->pick_out[t->n_out++] = i;
    }
    t->n_carry = t->n_in - t->n_const;
    for (uint32_t i = s->first_x; i < s->n_in; i++)
        if (t->in[i])
            t->pick_in[t->n_in++] = i;
    return NULL;
}

static knx_error *scan_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    knp_scan s = knp_scan_of(r->params);
    rest t = {0};
    KN_TRY(find_rest(r, &s, read, &t));
    *pruned = t.n_in < s.n_in || t.n_out < s.n_out || t.n_carry < s.n_carry;
    if (!*pruned)
        return NULL;
    kni_p_scan p = *s.p;
    kni_atom *in = knp_atoms(r->b, t.n_in), *out = knp_atoms(r->b, t.n_out);
    if (!in || !out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < t.n_in; i++)
        in[i] = r->x[t.pick_in[i]];
    p.num_consts = t.n_const;
    p.num_carry = t.n_carry;
    if (t.n_out || kni_must_stay(r->prim, s.p)) {
        KN_TRY(knp_pick(s.j, t.n_in, t.pick_in, t.n_out, t.pick_out, &p.jaxpr));
        knb_scan(r->b, &p, in, out);
        kni_release(p.jaxpr);
    }
    for (uint32_t i = 0; i < s.n_carry; i++)
        if (never_changes(&s, i))
            y[i] = r->x[s.n_const + i];
    for (uint32_t i = 0; i < t.n_out; i++)
        y[t.pick_out[i]] = out[i];
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

/* Few steps are none or the body, unless somebody watches or asks for a way to run. */
static bool scan_expands(const kni_rule *r)
{
    const kni_p_scan *p = r->params;
    return (knp_scan_is_short(p) && !p->on_step && !p->accept) || knp_scan_separates(r);
}

/* An array without elements. */
static kni_atom empty(kni_builder *b, kni_type t)
{
    int64_t dim[KN_MAX_NDIM];
    if (t.dtype != KN_DT(KEY))
        return knb_zeros(b, t);
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[i];
    if (t.ndim >= KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "keys of %d dimensions are too many", t.ndim));
        return KN_ATOM_NONE;
    }
    dim[t.ndim] = 2;
    return knb_random_wrap(b, knb_zeros(b, kni_type_of(KN_DT(U32), t.ndim + 1, dim)));
}

static knx_error *scan_expand(const kni_rule *r, kni_atom *y)
{
    knp_scan s = knp_scan_of(r->params);
    kni_atom *in = knp_atoms(r->b, s.n_in);
    if (!in)
        return knx_error_nomem();
    if (!knp_scan_is_short(s.p))
        return knp_scan_separate(r, y);
    for (uint32_t i = 0; !s.p->length && i < s.n_out; i++)
        y[i] = i < s.n_carry ? r->x[s.n_const + i] : empty(r->b, r->yt[i]);
    if (!s.p->length)
        return NULL;
    for (uint32_t i = 0; i < s.n_in; i++)
        in[i] = i < s.first_x ? r->x[i] : knb_squeeze(r->b, r->x[i], 1, (const int64_t[]){0});
    knb_inline(r->b, s.j, in, y);
    for (uint32_t i = s.n_carry; i < s.n_out; i++)
        y[i] = knb_expand_dims(r->b, y[i], 0);
    return NULL;
}

/* --- without errors --------------------------------------------------------------------------- */

/* The flag's type: a boolean for each point that all carries share (without carries: all outputs). */
static kni_type flag_type(const knp_scan *s, kni_type failed)
{
    kni_type t = kni_type_of(KN_DT(BOOL), failed.ndim, failed.dim);
    uint32_t n = s->n_carry ? s->n_carry : s->n_out;
    for (uint32_t i = 0; i < n; i++)
        t.ndim = (int8_t)knt_common_axes(t, kni_out_type(s->j, i));
    return t;
}

/* constants, carries, the flag, elements -> carries, the flag, elements of the outputs */
static knx_error *flagged_body(const knp_scan *s, const kni_jaxpr *j, kni_type flag, kni_jaxpr **body)
{
    knp_frame f;
    knx_error *error =
        knp_frame_begin(&f, 2 * (size_t)s->n_in + 1, 2 * (size_t)s->n_out + 2) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < s->n_in; i++) {
            if (i == s->first_x)
                knp_frame_input(&f, flag);
            knp_frame_input(&f, kni_in_type(s->j, i));
        }
        if (s->n_in == s->first_x)
            knp_frame_input(&f, flag);
        kni_atom *x = f.in + s->n_in + 1, *y = f.out, *z = f.out + s->n_out + 1;
        uint32_t n = 0, k = 0;
        knp_put_all(x, &n, f.in, s->first_x);
        knp_put_all(x, &n, f.in + s->first_x + 1, s->n_x);
        knb_inline(&f.b, j, x, y);
        kni_atom failed = knt_failed_over(&f.b, y[s->n_out], flag);
        knp_put_all(z, &k, y, s->n_carry);
        z[k++] = knb_or(&f.b, f.in[s->first_x], failed);
        knp_put_all(z, &k, y + s->n_carry, s->n_y);
        error = knp_frame_finish(&f, k, z, s->j->name, body);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_flagged(const kni_rule *r, const knp_scan *s, kni_type flag, kni_jaxpr *body, kni_atom *y,
                               kni_atom *failed)
{
    kni_atom *in = knp_atoms(r->b, (size_t)s->n_in + 1), *out = knp_atoms(r->b, (size_t)s->n_out + 1);
    if (!in || !out)
        return knx_error_nomem();
    kni_p_scan p = *s->p;
    uint32_t n = 0;
    knp_put_all(in, &n, r->x, s->first_x);
    in[n++] = knb_zeros(r->b, flag);
    knp_put_all(in, &n, r->x + s->first_x, s->n_x);
    p.jaxpr = body;
    p.num_carry++;
    knb_scan(r->b, &p, in, out);
    n = 0;
    knp_put_all(y, &n, out, s->n_carry);
    *failed = out[s->n_carry];
    knp_put_all(y, &n, out + s->n_carry + 1, s->n_y);
    return NULL;
}

static knx_error *scan_unfailing(const kni_rule *r, kni_atom *y, kni_atom *failed)
{
    knp_scan s = knp_scan_of(r->params);
    kni_jaxpr *j = NULL, *body = NULL;
    KN_TRY(knt_unfailing(s.j, &j));
    if (!j)
        return NULL;
    kni_type flag = flag_type(&s, kni_out_type(j, s.n_out));
    knx_error *error = flagged_body(&s, j, flag, &body);
    if (!error)
        error = emit_flagged(r, &s, flag, body, y, failed);
    kni_release(body);
    kni_release(j);
    return error;
}

/* --- the row ---------------------------------------------------------------------------------- */

static bool scan_may_fail(const kni_rule *r)
{
    const kni_p_scan *p = r->params;
    return p->length && knp_body_may_fail(p->jaxpr);
}

/* constants, carries, elements */
static int scan_body_types(const kni_rule *r, int which, kni_type *t)
{
    const kni_p_scan *p = r->params;
    (void)which;
    if (p->num_consts < 0 || p->num_carry < 0 || p->num_consts > r->n_in || p->num_carry > r->n_in - p->num_consts)
        return 0;
    for (int i = 0; i < r->n_in; i++) {
        t[i] = r->xt[i];
        if (i < p->num_consts + p->num_carry)
            continue;
        if (!r->xt[i].ndim)
            return 0;
        t[i].ndim--;
        t[i].dim++;
    }
    return r->n_in;
}

static double scan_cost(const kni_rule *r)
{
    const kni_p_scan *p = r->params;
    return (double)knx_dim_hint(p->length) * knp_body_cost(p->jaxpr);
}

const kni_prim knp_prim_scan = {
    .name = "scan",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_LOOPS | KN_CAN_FAIL,
    .loops = KN_LOOP_SCAN,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_scan,
    .params_size = sizeof(kni_p_scan),
    .doc = "runs a body once for each element of its inputs, with a carry (jax.lax.scan)",
    .type = scan_type,
    .linearize = knp_scan_linearize,
    .transpose = knp_scan_transpose,
    .batch = scan_batch,
    .prune = scan_prune,
    .expand = scan_expand,
    .expands = scan_expands,
    .may_fail = scan_may_fail,
    .unfailing = scan_unfailing,
    .body_types = scan_body_types,
    .cost = scan_cost,
};
