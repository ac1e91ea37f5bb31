/* SPDX-License-Identifier: Apache-2.0
 * control_scan.c -- kn_scan, and kn_lax_map, which is a scan without a carry. */
#include "function/control.h"
#include "array/lift.h"
#include "base/out.h"
#include "face/progress.h"
#include "ir/host.h"
#include "kiln/control.h"
#include "transform/transform.h"
#include <string.h>

_Static_assert((int)KN_SCAN_COMPILED_LOOP == KN_PATH_COMPILED && (int)KN_SCAN_ROUTINE_CALLS == KN_PATH_CALLS &&
                   (int)KN_SCAN_STEPWISE == KN_PATH_STEPWISE && (int)KN_CHECKPOINT_SQRT == KN_CHECKPOINT_ROOT,
               "the public names are those of the parameters");

/* ---- The step hook as a host function. */

typedef struct step_call {
    const kni_host *h;
    int64_t step, length;
} step_call;

static void call_it(void *arg)
{
    const step_call *c = arg;
    ((kn_scan_step)c->h->function)(c->h->env, c->step, c->length);
}

static knx_error *call_step(const kni_host *h, int n_in, const kni_type *xt, const void *const *x, int n_out,
                            const kni_type *yt, void *const *y)
{
    (void)xt, (void)yt, (void)y;
    if (n_in != 2 || n_out)
        return knx_error_new(KN_ERROR_VALUE, "a step is told by its number and the length");
    step_call c = {h, *(const int64_t *)x[0], *(const int64_t *)x[1]};
    return knx_call_user(call_it, &c);
}

static knx_error *step_number(kn_scan_step f, void *env, int64_t *number)
{
    if (!f)
        return NULL;
    const kni_host *h = kni_host_of(&(kni_host){.function = (void (*)(void))f, .env = env, .call = call_step});
    if (!h)
        return knx_error_nomem();
    *number = h->id;
    return NULL;
}

/* ---- What is scanned. */

typedef struct scan {
    knf_part body;
    kni_p_scan p;
    kn_args init, xs, all;  /* all: as the body takes them */
    int n_carry, n_xs;      /* arrays */
    kna_value **arg, **out; /* carry, xs; carry, outputs */
} scan;

/* Parts without arrays are no arguments. */
static knx_error *take_parts(const kn_args *from, kn_args *to, kn_args *all)
{
    if (!from)
        return knx_error_new(KN_ERROR_TYPE, "the arguments are null");
    if (from->n < 0 || from->n > KN_MAX_ARGS)
        return knx_error_new(KN_ERROR_VALUE, "%d arguments, which are 0 to %d", from->n, KN_MAX_ARGS);
    for (int i = 0; i < from->n; i++) {
        if (!from->part[i].bytes)
            continue;
        if (all->n >= KN_MAX_ARGS)
            return knx_error_new(KN_ERROR_TYPE, "the carry and the elements are more than %d arguments", KN_MAX_ARGS);
        to->part[to->n++] = from->part[i];
        all->part[all->n++] = from->part[i];
    }
    return NULL;
}

static knx_error *take_args(scan *s, const kn_args *init, const kn_args *xs)
{
    const knf_core *f = s->body.f->core;
    KN_TRY(take_parts(init, &s->init, &s->all));
    KN_TRY(take_parts(xs, &s->xs, &s->all));
    if (s->all.n != f->n_args)
        return knx_error_new(
            KN_ERROR_TYPE, "%s must take the carry, then elements: %d and %d argument%s, but it takes %d argument%s",
            f->name, s->init.n, s->xs.n, s->xs.n == 1 ? "" : "s", f->n_args, f->n_args == 1 ? "" : "s");
    KN_TRY(knf_part_fit(&s->body, "scan", &s->all));
    f = s->body.f->core;
    for (int i = 0; i < f->n_args; i++)
        *(i < s->init.n ? &s->n_carry : &s->n_xs) += f->arrays[i];
    return NULL;
}

static knx_error *check_lengths(scan *s, int64_t given)
{
    const knf_core *f = s->body.f->core;
    knx_text sizes = {0};
    bool differ = false;
    int64_t length = -1;
    for (int i = 0; i < s->n_xs; i++) {
        kni_type t = s->arg[s->n_carry + i]->type;
        if (!t.ndim) {
            knx_text name = {0}, type = {0};
            knf_carry_name(&name, f, &s->xs, s->init.n, f->n_args, i);
            return knx_error_new(KN_ERROR_VALUE, "got value with no leading axis to scan over: xs%s is %s",
                                 name.s + strlen("carry"), kni_type_text(&type, t, true));
        }
        knx_text_add(&sizes, "%s%lld", i ? ", " : "", (long long)t.dim[0]);
        differ = differ || (length >= 0 && t.dim[0] != length);
        length = t.dim[0];
    }
    if (differ)
        return knx_error_new(KN_ERROR_VALUE, "got values with different leading axis sizes: %s.", sizes.s);
    if (given && s->n_xs && given != length)
        return knx_error_new(KN_ERROR_VALUE,
                             "got `length` argument of %lld which disagrees with leading axis sizes [%s].",
                             (long long)given, sizes.s);
    if (!given && !s->n_xs)
        return knx_error_new(KN_ERROR_VALUE, "got no values to scan over and `length` not provided.");
    s->p.length = s->n_xs ? length : given;
    return NULL;
}

/* ---- Recording and emitting. */

static kni_type element(kni_type t)
{
    return (kni_type){.dtype = t.dtype, .ndim = (int16_t)(t.ndim - 1), .dim = t.dim + 1};
}

/* With an element of each input in the place of the whole: types only. */
static knx_error *elements(scan *s, kna_value **arg)
{
    for (int i = 0; i < s->n_carry + s->n_xs; i++) {
        arg[i] = i < s->n_carry ? kna_value_retain(s->arg[i]) : kna_value_new(KN_V_ABSTRACT, element(s->arg[i]->type));
        if (!arg[i])
            return knx_error_nomem();
    }
    return NULL;
}

static knx_error *record_body(scan *s)
{
    int n = s->n_carry + s->n_xs;
    kna_value **arg = knx_alloc_zero(((size_t)n + 1) * sizeof *arg);
    knx_error *error = arg ? elements(s, arg) : knx_error_nomem();
    if (!error)
        error = knf_promote_carry(&s->body, "scan", 0, s->n_carry, arg);
    if (!error)
        error = knf_settle_values(s->n_carry, arg);
    if (!error)
        error = knf_record_for(&s->body, "scan", n, arg);
    for (int i = 0; arg && i < n; i++) {
        if (i < s->n_carry && arg[i]) { /* with its dtype */
            kna_value_release(s->arg[i]);
            s->arg[i] = kna_value_retain(arg[i]);
        }
        kna_value_release(arg[i]);
    }
    knx_free(arg);
    return error;
}

/* Whoever asks for a path, or wants to hear of steps, is told now, not when somebody looks at the results. */
static knx_error *run_now(const scan *s)
{
    int n = (int)s->body.jaxpr->n_out;
    bool now = (s->p.accept || s->p.on_step) && !kna_recording_current();
    knx_error *error = NULL;
    for (int i = 0; now && kna_lifting_now() && i < n && !error; i++)
        error = kna_settle_lifted(s->out[i]);
    if (now && !error)
        error = kna_force(n, s->out);
    if (error)
        knf_release_values(n, s->out);
    return error;
}

static knx_error *emit_scan(kna_op *op, scan *s)
{
    int n_in = s->body.n_const + s->n_carry + s->n_xs, n_out = (int)s->body.jaxpr->n_out;
    kni_atom *in = knx_alloc(((size_t)n_in + (size_t)n_out + 1) * sizeof *in);
    knx_error *error = in ? knf_put_constants(op, &s->body, in) : knx_error_nomem();
    if (!error)
        error = knf_put_values(op, s->n_carry + s->n_xs, s->arg, in + s->body.n_const);
    if (!error) {
        s->p.jaxpr = s->body.jaxpr;
        s->p.num_consts = s->body.n_const;
        s->p.num_carry = s->n_carry;
        knf_emit_scan(op->b, &s->p, in, in + n_in);
        error = knf_take_results(op, n_out, in + n_in, s->out);
        if (!error)
            error = run_now(s);
    }
    knx_free(in);
    return error;
}

/* The arguments as values, and what the body returns for an element of them. */
static knx_error *read_values(scan *s)
{
    knf_core *f = s->body.f->core;
    s->arg = knx_alloc_zero(((size_t)f->n_in + 1) * sizeof *s->arg);
    KN_TRY(s->arg ? knf_read_args_as(f, &s->all, true, s->arg) : knx_error_nomem());
    knx_error *error = knf_part_fit_values(&s->body, "scan", f->n_in, s->arg, s->n_carry);
    if (!error && !(s->out = knx_alloc_zero(((size_t)s->body.f->core->n_out + 1) * sizeof *s->out)))
        error = knx_error_nomem();
    if (error)
        knf_release_values(s->body.f->core->n_in, s->arg);
    return error;
}

static knx_error *run_scan(kna_op *op, scan *s, int64_t length, const kn_outs *outs)
{
    KN_TRY(check_lengths(s, length));
    KN_TRY(record_body(s));
    KN_TRY(knf_settle_body(&s->body, 0, s->n_carry));
    KN_TRY(knf_check_carries(&s->body, &s->init, 0, 0, s->n_carry));
    KN_TRY(emit_scan(op, s));
    knf_write_carry(outs, s->body.f->core, &s->init, 0, s->n_carry, s->body.f->core->n_out, s->out);
    return NULL;
}

static knx_error *read_and_run(kna_op *op, scan *s, const kn_scan_opts *o, const kn_args *init, const kn_args *xs,
                               const kn_outs *outs)
{
    KN_TRY(take_args(s, init, xs));
    KN_TRY(read_values(s));
    knf_core *f = s->body.f->core;
    knx_error *error = knf_check_count(f, s->n_carry, true);
    if (!error)
        error = knf_check_tree(&s->body, 0, s->init.n, true);
    if (!error)
        error = knf_check_outs(f->name, f->n_out, outs);
    if (!error)
        error = run_scan(op, s, o->length, outs);
    knf_release_values(f->n_in, s->arg);
    return error;
}

static knx_error *check_options(const kn_scan_opts *o, kni_p_scan *p)
{
    enum { ALL = KN_SCAN_COMPILED_LOOP | KN_SCAN_ROUTINE_CALLS | KN_SCAN_STEPWISE };
    if (o->length < 0)
        return knx_error_new(KN_ERROR_VALUE, "`length` must not be negative, but is %lld", (long long)o->length);
    if (o->unroll < 0)
        return knx_error_new(KN_ERROR_VALUE, "`unroll` must be a non-negative integer, but is %lld",
                             (long long)o->unroll);
    if (o->accept & ~ALL)
        return knx_error_new(
            KN_ERROR_VALUE,
            "accept must be made of KN_SCAN_COMPILED_LOOP, KN_SCAN_ROUTINE_CALLS and KN_SCAN_STEPWISE, "
            "but is %d",
            (int)o->accept);
    KN_TRY(knf_check_checkpoint(o->checkpoint));
    *p = (kni_p_scan){
        .reverse = o->reverse, .unroll = o->unroll ? o->unroll : 1, .checkpoint = o->checkpoint, .accept = o->accept};
    if (o->progress && o->on_step)
        return knx_error_new(KN_ERROR_VALUE, "give one of .progress and .on_step");
    if (!o->progress || !knface_progress_shows())
        return step_number(o->on_step, o->on_step_env, &p->on_step);
    void *label = knface_progress_label(o->progress);
    return label ? step_number(knface_progress_told, label, &p->on_step) : knx_error_nomem();
}

int kn_scan(kn_fn body, const kn_outs *outs, const kn_args *init, const kn_args *xs, const kn_scan_opts *opts)
{
    kna_op op;
    kna_begin(&op, "scan");
    scan s = {0};
    const kn_scan_opts o = opts && opts->size_ >= sizeof *opts ? *opts : (kn_scan_opts){0};
    knx_error *error = kna_failed(&op) ? kna_take_error(&op) : check_options(&o, &s.p);
    s.body.f = error ? NULL : knf_fn_get(&op, body);
    if (!error)
        error = s.body.f ? read_and_run(&op, &s, &o, init, xs, outs) : kna_take_error(&op);
    knx_free(s.arg);
    knx_free(s.out);
    knf_part_free(&s.body);
    return knf_end_control(&op, error, outs);
}

/* ---- map: in chunks, if that is wanted, each as vmap has it. */

typedef struct chunks {
    int64_t size, whole, rest; /* elements of a chunk, chunks, elements behind them */
} chunks;

static knx_error *batched(const scan *s, int64_t size, kni_jaxpr **out)
{
    const kni_jaxpr *j = s->body.jaxpr;
    int *axis = knx_alloc_zero(((size_t)j->n_in + j->n_out + 1) * sizeof *axis);
    if (!axis)
        return knx_error_nomem();
    for (int i = 0; i < s->body.n_const; i++)
        axis[i] = -1;
    knx_error *error = knt_batch(j, size, NULL, axis, axis + j->n_in, out);
    knx_free(axis);
    return error;
}

/* x's elements from..to along the first axis, split into chunks if size > 0. */
static kni_atom part_of(kni_builder *b, kni_atom x, int64_t from, int64_t to, int64_t size)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {from}, limit[KN_MAX_NDIM] = {to}, shape[KN_MAX_NDIM + 1];
    for (int d = 1; d < t.ndim; d++)
        limit[d] = t.dim[d];
    if (t.ndim > 0 && (from || to != t.dim[0]))
        x = knb_slice(b, x, start, limit, NULL);
    if (size <= 0)
        return x;
    if (t.ndim == KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                  KN_MAX_NDIM, t.ndim + 1));
        return KN_ATOM_NONE;
    }
    shape[0] = (to - from) / size;
    shape[1] = size;
    for (int d = 1; d < t.ndim; d++)
        shape[d + 1] = t.dim[d];
    return knb_reshape(b, x, t.ndim + 1, shape);
}

/* (chunks, size, ...) as (elements, ...) */
static kni_atom joined(kni_builder *b, kni_atom y)
{
    kni_type t = knb_type(b, y);
    int64_t shape[KN_MAX_NDIM];
    shape[0] = t.ndim > 1 ? t.dim[0] * t.dim[1] : 0;
    for (int d = 2; d < t.ndim; d++)
        shape[d - 1] = t.dim[d];
    return knb_reshape(b, y, t.ndim - 1, shape);
}

/* The operands of the scan over whole chunks, and those of the rest. */
static void split(kna_op *op, const scan *s, const chunks *c, const kni_atom *in, kni_atom *whole, kni_atom *rest)
{
    int64_t end = c->whole * c->size;
    for (int i = 0; (end || !c->rest) && i < s->body.n_const + s->n_xs; i++)
        whole[i] = i < s->body.n_const ? in[i] : part_of(op->b, in[i], 0, end, c->size);
    for (int i = 0; c->rest && i < s->body.n_const + s->n_xs; i++)
        rest[i] = i < s->body.n_const ? in[i] : part_of(op->b, in[i], end, end + c->rest, 0);
}

static knx_error *emit_whole(kna_op *op, const scan *s, const chunks *c, const kni_atom *x, kni_atom *y)
{
    kni_jaxpr *j = NULL;
    KN_TRY(batched(s, c->size, &j));
    kni_p_scan p = {.jaxpr = j, .length = c->whole, .num_consts = s->body.n_const, .unroll = 1};
    knf_emit_scan(op->b, &p, x, y);
    kni_release(j);
    return kna_take_error(op);
}

static knx_error *emit_rest(kna_op *op, const scan *s, const chunks *c, const kni_atom *x, kni_atom *y)
{
    kni_jaxpr *j = NULL;
    KN_TRY(batched(s, c->rest, &j));
    knb_inline(op->b, j, x, y);
    kni_release(j);
    return kna_take_error(op);
}

/* As JAX writes it: the scan also where there are no whole chunks but no rest either. */
static knx_error *emit_chunks(kna_op *op, scan *s, const chunks *c)
{
    size_t n_in = (size_t)s->body.n_const + (size_t)s->n_xs, n_out = s->body.jaxpr->n_out;
    bool has_whole = c->whole || !c->rest;
    kni_atom *in = knx_alloc((3 * n_in + 2 * n_out + 1) * sizeof *in), *x = in ? in + n_in : NULL;
    kni_atom *rest = x ? x + n_in : NULL, *y = x ? rest + n_in : NULL, *z = x ? y + n_out : NULL;
    knx_error *error = in ? knf_put_constants(op, &s->body, in) : knx_error_nomem();
    if (!error)
        error = knf_put_values(op, s->n_xs, s->arg, in + s->body.n_const);
    if (!error) {
        split(op, s, c, in, x, rest);
        error = kna_take_error(op);
    }
    if (!error && has_whole)
        error = emit_whole(op, s, c, x, y);
    if (!error && c->rest)
        error = emit_rest(op, s, c, rest, has_whole ? z : y);
    for (size_t i = 0; !error && has_whole && i < n_out; i++) {
        y[i] = joined(op->b, y[i]);
        if (c->rest)
            y[i] = knb_concatenate(op->b, 2, (const kni_atom[]){y[i], z[i]}, 0);
        error = kna_take_error(op);
    }
    if (!error)
        error = knf_take_results(op, (int)n_out, y, s->out);
    knx_free(in);
    return error;
}

static knx_error *run_map(kna_op *op, scan *s, int64_t batch_size, const kn_outs *outs)
{
    KN_TRY(check_lengths(s, 0));
    KN_TRY(record_body(s));
    KN_TRY(knf_settle_body(&s->body, 0, 0));
    if (batch_size) {
        int64_t n = s->p.length;
        KN_TRY(emit_chunks(op, s, &(chunks){batch_size, n / batch_size, n % batch_size}));
    } else {
        KN_TRY(emit_scan(op, s));
    }
    knf_write_carry(outs, s->body.f->core, &s->init, 0, 0, s->body.f->core->n_out, s->out);
    return NULL;
}

static knx_error *read_and_map(kna_op *op, scan *s, int64_t batch_size, const kn_args *xs, const kn_outs *outs)
{
    KN_TRY(take_args(s, &(kn_args){0}, xs));
    KN_TRY(read_values(s));
    knf_core *f = s->body.f->core;
    knx_error *error = knf_check_outs(f->name, f->n_out, outs);
    if (!error)
        error = run_map(op, s, batch_size, outs);
    knf_release_values(f->n_in, s->arg);
    return error;
}

int kn_lax_map(kn_fn fn, const kn_outs *outs, const kn_args *xs, const kn_lax_map_opts *opts)
{
    kna_op op;
    kna_begin(&op, "map");
    scan s = {.p.unroll = 1};
    int64_t batch_size = opts && opts->size_ >= sizeof *opts ? opts->batch_size : 0;
    if (!kna_failed(&op) && batch_size < 0)
        kna_fail(&op, KN_ERROR_VALUE, "batch_size must not be negative, but is %lld", (long long)batch_size);
    s.body.f = kna_failed(&op) ? NULL : knf_fn_get(&op, fn);
    knx_error *error = s.body.f ? read_and_map(&op, &s, batch_size, xs, outs) : kna_take_error(&op);
    knx_free(s.arg);
    knx_free(s.out);
    knf_part_free(&s.body);
    return knf_end_control(&op, error, outs);
}
