/* SPDX-License-Identifier: Apache-2.0
 * prepared.c -- prepared functions: a program with the values that it captured, run on the caller's memory. */
#include "kiln/prepared.h"
#include "array/lift.h"
#include "base/line.h"
#include "function/donate.h"
#include "function/symbolic.h"
#include "base/options.h"
#include "array/pin.h"
#include <string.h>

enum { FEW = 32 };

/* One for each set of extents; NULL where they do not keep the constraints. */
typedef struct family {
    int n;
    knx_dim_var var[KNF_MAX_DIM_VARS];
    int64_t least[KNF_MAX_DIM_VARS], count[KNF_MAX_DIM_VARS];
    size_t n_set;
    kn_prepared set[];
} family;

struct kn_prepared_s {
    family *all; /* it is a function of extents, and this is all that it has */
    bool member; /* of such a one, which has the fixed values */
    knd_loaded *program;
    int threads;
    uint32_t n_fixed, n_in, n_out; /* operands: the fixed ones first */
    kna_value **fixed;
    size_t operands_bytes; /* at the beginning of the workspace, if they are many */
    size_t workspace;
    bool some_empty;    /* of the arrays */
    bool one_kernel;    /* is all that the program does */
    knd_direct *direct; /* one call is; else NULL */
    const struct place {
        size_t bytes, mask; /* that has to be zero in an address */
    } * in, *out;
    knd_operand operand[]; /* the fixed ones */
};

/* ---- Making one. */

/* What fn is. */
typedef struct recorded {
    kna_closed closed;
    knf_core *core;
    kna_value **fixed; /* the values of the program's first operands */
    uint32_t n_fixed;
} recorded;

static void release_fixed(kna_value **v, uint32_t n)
{
    knf_release_values((int)n, v);
    knx_free(v);
}

static void drop(recorded *r)
{
    kna_closed_free(&r->closed);
    if (r->core)
        knf_fit_end(r->core);
    release_fixed(r->fixed, r->n_fixed);
}

static knx_error *record(kna_op *op, kn_fn fn, const kn_args *args, const char *why, knf_extents *x, recorded *r)
{
    KN_TRY(knf_derive_for(op, fn, args, why, x, &r->closed, &r->core));
    knf_fn *f = knf_fn_get(op, fn);
    const kna_closed *c = &r->closed;
    size_t n = f ? c->n_const + (size_t)r->core->n_captured : 0;
    r->fixed = f ? knx_alloc((n + 1) * sizeof *r->fixed) : NULL;
    if (!r->fixed)
        return f ? knx_error_nomem() : kna_take_error(op);
    for (uint32_t i = 0; i < n; i++)
        r->fixed[r->n_fixed++] = kna_value_retain(i < c->n_const ? c->consts[i] : f->captured[i - c->n_const]);
    if (c->jaxpr->has & KN_USER)
        return knx_error_new(KN_ERROR_VALUE, "%s calls back into the user's code, which needs a context",
                             r->core->name);
    return NULL;
}

/* donate: what it is given for good it may write over. */
static knx_error *compile(const recorded *r, bool donate, knd_loaded **out)
{
    knc_compile_options o = {.kernels = kna_state_get()->caches->kernels, .fuse = true};
    knx_arena arena = KN_ARENA_INIT;
    bool *donated = NULL;
    knx_error *error = donate ? knf_find_donated(r->core, r->closed.jaxpr, &arena, &donated) : NULL;
    o.donated = donated;
    if (!error)
        error = knd_compile(&knd_host, r->closed.jaxpr, &o, out);
    knx_arena_free(&arena);
    return error;
}

/* The values as they are now: run, and in memory that no one else writes to. */
static knx_error *settle(kna_value **v, uint32_t n)
{
    if (kna_any_lifted((int)n, v))
        return knx_error_new(KN_ERROR_VALUE,
                             "a prepared function takes no array that is watched, or has a tangent or batch axes");
    for (uint32_t i = 0; i < n; i++)
        if (v[i]->state == KN_V_TRACER || v[i]->state == KN_V_ABSTRACT)
            return knx_error_new(KN_ERROR_CONCRETIZATION, "the function uses an array whose value is not known");
    KN_TRY(kna_force_here((int)n, v));
    for (uint32_t i = 0; i < n; i++) {
        if (v[i]->state != KN_V_BUFFER || !kna_lies_in_pin(v[i]))
            continue;
        size_t bytes = kni_type_bytes(v[i]->type);
        knx_buffer *copy = knx_buffer_new(bytes);
        kna_value *own = copy ? kna_value_buffer(v[i]->type, copy) : NULL;
        if (!own)
            return knx_error_nomem();
        memcpy(copy->data, v[i]->buffer->data, bytes);
        kna_value_release(v[i]);
        v[i] = own;
    }
    return NULL;
}

static struct place place_of(kni_type t)
{
    size_t element = t.dtype->size, part = knx_is_pair(t.dtype) ? element / 2 : element;
    return (struct place){.bytes = kni_type_bytes(t), .mask = part - 1};
}

static kn_prepared new_prepared(knd_loaded *program, uint32_t n_fixed)
{
    uint32_t n = (uint32_t)knc_n_operands(program->program), n_out = (uint32_t)knc_n_outputs(program->program),
             n_in = n - n_fixed;
    size_t places_at = knx_whole_lines(sizeof(struct kn_prepared_s) + n_fixed * sizeof(knd_operand));
    kn_prepared p = knx_alloc_zero(places_at + ((size_t)n_in + n_out) * sizeof *p->in);
    if (!p)
        return NULL;
    struct place *at = (void *)((char *)p + places_at);
    for (uint32_t i = 0; i < n_in; i++)
        at[i] = place_of(knc_operand_type(program->program, (int)(n_fixed + i)));
    for (uint32_t i = 0; i < n_out; i++)
        at[n_in + i] = place_of(knc_output_type(program->program, (int)i));
    p->n_in = n_in;
    p->n_out = n_out;
    p->in = at;
    p->out = at + n_in;
    p->operands_bytes = n > FEW ? knx_whole_lines(n * sizeof(knd_operand)) : 0;
    return p;
}

/* Where addresses have 32 bits, a program may ask for more memory than there are addresses. */
static knx_error *ask_for_addresses(knd_loaded *program, int threads)
{
    const knc_program *p = program->program;
    uint64_t most = knd_workspace_bytes(program, threads);
    for (int i = 0; i < knc_n_operands(p) + knc_n_outputs(p); i++) {
        int k = i - knc_n_operands(p);
        uint64_t bytes = kni_type_bytes(k < 0 ? knc_operand_type(p, i) : knc_output_type(p, k));
        most = bytes > most ? bytes : most;
    }
    return most > PTRDIFF_MAX ? knx_error_nomem_for(most, 0, NULL, NULL) : NULL;
}

/* Takes the program over. */
static knx_error *make(knd_loaded *program, kna_value *const *fixed, uint32_t n, int threads, kn_prepared *out)
{
    knx_error *error = ask_for_addresses(program, threads);
    if (error) {
        knd_release(program);
        return error;
    }
    kn_prepared p = *out = new_prepared(program, n);
    if (!p) {
        knd_release(program);
        return knx_error_nomem();
    }
    p->program = program;
    p->n_fixed = n;
    p->threads = knd_threads(program, threads);
    p->workspace = knx_whole_lines(p->operands_bytes + knd_workspace_bytes(program, p->threads));
    p->one_kernel = knd_is_one_kernel(program) && !p->operands_bytes;
    for (uint32_t i = 0; i < p->n_in + p->n_out; i++)
        p->some_empty |= p->in[i].bytes == 0;
    for (uint32_t i = 0; i < n; i++)
        p->operand[i].data = kna_elements(fixed[i]);
    if (!p->operands_bytes && !p->some_empty)
        p->direct = knd_make_direct(program, n, p->operand, p->threads);
    return NULL;
}

static void release(kn_prepared p)
{
    for (size_t i = 0; p->all && i < p->all->n_set; i++)
        if (p->all->set[i])
            release(p->all->set[i]);
    knx_free(p->all);
    knd_release(p->program);
    if (p->fixed)
        release_fixed(p->fixed, p->n_fixed);
    knx_free(p->direct);
    knx_free(p);
}

/* ---- For all extents within bounds. */

/* The numbers that the variables may have, each by itself. */
static knx_error *find_bounds(const knf_extents *x, family *a)
{
    const knx_dim_var *var;
    a->n = knf_symbolic_variables(x->s, &var);
    a->n_set = 1;
    for (int i = 0; i < a->n; i++) {
        int64_t d = 0, most = INT64_MAX;
        knx_dim_scope *rules = knf_symbolic_rules(x->s);
        a->var[i] = var[i];
        knx_dim_enter(rules);
        bool known = knx_dim_named(knx_dim_name(var[i]), strlen(knx_dim_name(var[i])), &d);
        knx_dim_bounds(d, &a->least[i], &most);
        knx_dim_leave(rules);
        if (!known)
            return knx_error_nomem();
        if (most == INT64_MAX)
            return knx_error_new(KN_ERROR_VALUE,
                                 "the dimension variable %s needs an upper bound among .constraints: %s <= 64",
                                 knx_dim_name(var[i]), knx_dim_name(var[i]));
        if (most - a->least[i] >= KN_MAX_PREPARED_SETS ||
            a->n_set * (size_t)(most - a->least[i] + 1) > KN_MAX_PREPARED_SETS)
            return knx_error_new(KN_ERROR_VALUE,
                                 "the bounds of the dimension variables leave more than %d sets of extents",
                                 KN_MAX_PREPARED_SETS);
        a->count[i] = most - a->least[i] + 1;
        a->n_set *= (size_t)a->count[i];
    }
    return NULL;
}

static void numbers_of(const family *a, size_t set, knf_dims *dims)
{
    dims->n = a->n;
    for (int i = a->n; i-- > 0; set /= (size_t)a->count[i])
        dims->value[i] = (knx_dim_value){a->var[i], a->least[i] + (int64_t)(set % (size_t)a->count[i])};
}

static knx_error *make_all(const recorded *r, const knf_extents *x, int threads, kn_prepared p)
{
    struct knf_variant *first = NULL;
    const knf_variants all = {
        .first = &first, .jaxpr = r->closed.jaxpr, .scope = knf_symbolic_rules(x->s), .device = &knd_host};
    knx_error *error = NULL;
    for (size_t i = 0; !error && i < p->all->n_set; i++) {
        knf_dims dims;
        knd_loaded *program;
        bool fresh;
        numbers_of(p->all, i, &dims);
        if (!knf_symbolic_allows(x->s, &dims))
            continue;
        error = knf_variant_program(&all, &dims, &fresh, &program);
        if (!error)
            error = make(program, r->fixed, r->n_fixed, threads, &p->all->set[i]);
        const kn_prepared one = error ? NULL : p->all->set[i];
        if (!one)
            break;
        one->member = true;
        p->workspace = one->workspace > p->workspace ? one->workspace : p->workspace;
        p->n_in = one->n_in;
        p->n_out = one->n_out;
    }
    knf_variants_free(&first);
    if (!error && !p->n_out)
        error = knx_error_new(KN_ERROR_VALUE, "no extents keep the constraints");
    return error;
}

static knx_error *make_family(const recorded *r, const knf_extents *x, int threads, kn_prepared *out)
{
    family bounds = {0};
    KN_TRY(find_bounds(x, &bounds));
    kn_prepared p = *out = knx_alloc_zero(sizeof *p);
    if (!p || !(p->all = knx_alloc_zero(sizeof bounds + bounds.n_set * sizeof bounds.set[0])))
        return knx_error_nomem();
    *p->all = bounds;
    return make_all(r, x, threads, p);
}

static knx_error *prepare(kna_op *op, kn_fn fn, const kn_args *examples, int threads, knf_extents *x, kn_prepared *out)
{
    recorded r = {0};
    knd_loaded *program = NULL;
    threads = threads ? threads : knx_context()->threads;
    knx_error *error = record(op, fn, examples, "prepare", x, &r);
    if (!error)
        error = settle(r.fixed, r.n_fixed);
    if (!error && x->s) {
        error = make_family(&r, x, threads, out);
    } else if (!error) {
        error = compile(&r, false, &program);
        if (!error)
            error = make(program, r.fixed, r.n_fixed, threads, out);
    }
    if (!error) {
        (*out)->fixed = r.fixed;
        (*out)->n_fixed = r.n_fixed;
        r.fixed = NULL;
        r.n_fixed = 0;
    } else if (*out) {
        release(*out);
        *out = NULL;
    }
    drop(&r);
    return error;
}

static bool good_threads(kna_op *op, int threads)
{
    if (threads < 0)
        kna_fail(op, KN_ERROR_VALUE, "%d threads", threads);
    return !kna_failed(op);
}

kn_prepared kn_prepare(kn_fn fn, const kn_args *examples, const kn_prepare_opts *opts)
{
    KNX_OPTS(kn_prepare_opts, o, opts);
    kna_op op;
    kn_prepared p = NULL;
    kna_begin(&op, "prepare");
    knf_extents x = {.symbolic = o.symbolic, .constraints = o.constraints};
    if (o.constraints && !o.symbolic)
        kna_fail(&op, KN_ERROR_VALUE, ".constraints are of dimension variables, which .symbolic names");
    if (good_threads(&op, o.threads)) {
        knx_error *error = prepare(&op, fn, examples, o.threads, &x, &p);
        if (error)
            kna_fail_with(&op, error);
    }
    knf_symbolic_drop(x.s);
    kna_end_plain(&op);
    return p;
}

void kn_prepared_free(kn_prepared p)
{
    if (p && p->member)
        knx_report_new("prepared_free", KN_ERROR_VALUE, "it belongs to a function of extents, which is freed");
    else if (p)
        release(p);
}

size_t kn_fn_peak_bytes(kn_fn fn, const kn_args *args, int threads)
{
    kna_op op;
    recorded r = {0};
    knd_loaded *program = NULL;
    uint64_t bytes = 0;
    kna_begin(&op, "fn_peak_bytes");
    if (good_threads(&op, threads)) {
        knx_error *error = record(&op, fn, args, "fn_peak_bytes", NULL, &r);
        if (!error)
            error = compile(&r, true, &program);
        if (error)
            kna_fail_with(&op, error);
        else
            bytes = knd_peak_bytes(program, threads ? threads : knx_context()->threads);
        knd_release(program);
        drop(&r);
    }
    kna_end_plain(&op);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* ---- What it is. */

static bool given(const char *operation, kn_prepared p)
{
    if (!p)
        knx_report_new(operation, KN_ERROR_TYPE, "null function");
    return p != NULL;
}

int kn_prepared_n_in(kn_prepared p) { return given("prepared_n_in", p) ? (int)p->n_in : 0; }
int kn_prepared_n_out(kn_prepared p) { return given("prepared_n_out", p) ? (int)p->n_out : 0; }
size_t kn_prepared_workspace_bytes(kn_prepared p) { return given("prepared_workspace_bytes", p) ? p->workspace : 0; }

static kn_prepared_array describe(kni_type t)
{
    kn_prepared_array a = {.dtype = t.dtype, .shape.ndim = t.ndim, .bytes = kni_type_bytes(t)};
    for (int d = 0; d < t.ndim; d++)
        a.shape.dim[d] = t.dim[d];
    return a;
}

/* Of operand i, or of result i. */
static kn_prepared_array describe_one(kn_prepared p, bool result, int i)
{
    const knc_program *q = p->program->program;
    return describe(result ? knc_output_type(q, i) : knc_operand_type(q, (int)p->n_fixed + i));
}

static kn_prepared_array describe_largest(kn_prepared p, bool result, int i)
{
    kn_prepared_array most = {0};
    if (!p->all)
        return describe_one(p, result, i);
    for (size_t k = 0; k < p->all->n_set; k++) {
        kn_prepared_array a = p->all->set[k] ? describe_one(p->all->set[k], result, i) : most;
        most = !most.dtype || a.bytes > most.bytes ? a : most;
    }
    return most;
}

kn_prepared_array kn_prepared_in(kn_prepared p, int i)
{
    if (!given("prepared_in", p) || i < 0 || i >= (int)p->n_in)
        return (kn_prepared_array){0};
    return describe_largest(p, false, i);
}

kn_prepared_array kn_prepared_out(kn_prepared p, int i)
{
    if (!given("prepared_out", p) || i < 0 || i >= (int)p->n_out)
        return (kn_prepared_array){0};
    return describe_largest(p, true, i);
}

/* ---- Choosing. */

__attribute__((noinline, cold)) static kn_prepared no_member(const family *a, const int64_t *extents)
{
    knx_text t = {0};
    if (!extents) {
        knx_report_new("prepared_for", KN_ERROR_TYPE, "null extents");
        return NULL;
    }
    for (int i = 0; i < a->n; i++) {
        knx_text_add(&t, "%s%s = %lld", i ? ", " : "", knx_dim_name(a->var[i]), (long long)extents[i]);
        if (extents[i] < a->least[i] || extents[i] >= a->least[i] + a->count[i]) {
            knx_report_new("prepared_for", KN_ERROR_VALUE, "%s is %lld, and may be %lld to %lld",
                           knx_dim_name(a->var[i]), (long long)extents[i], (long long)a->least[i],
                           (long long)(a->least[i] + a->count[i] - 1));
            return NULL;
        }
    }
    knx_report_new("prepared_for", KN_ERROR_VALUE, "a constraint of dimensions does not hold for %s", t.s);
    return NULL;
}

kn_prepared kn_prepared_for(kn_prepared p, const int64_t *extents)
{
    if (!given("prepared_for", p) || (extents && !p->all))
        return p;
    const family *a = p->all;
    size_t set = 0;
    bool within = extents != NULL;
    for (int i = 0; within && i < a->n; i++) {
        within = extents[i] >= a->least[i] && extents[i] < a->least[i] + a->count[i];
        if (within)
            set = set * (size_t)a->count[i] + (size_t)(extents[i] - a->least[i]);
    }
    return within && a->set[set] ? a->set[set] : no_member(a, extents);
}

/* ---- Running. */

__attribute__((noinline, cold)) static int refuse(knx_error *error)
{
    if (atomic_load(&error->refs) > 0 && (!error->operation || !*error->operation))
        error->operation = "prepared_run";
    knx_report(error);
    knx_error_release(error);
    return -1;
}

static inline bool overlaps(const void *a, size_t n, const void *b, size_t m)
{
    return ((uintptr_t)a < (uintptr_t)b + m) & ((uintptr_t)b < (uintptr_t)a + n) & (n != 0) & (m != 0);
}

static inline bool fits(const void *at, struct place p) { return ((uintptr_t)at & p.mask) == 0 && (at || !p.bytes); }

static knx_error *bad_pointer(const char *what, uint32_t i, const void *at)
{
    return at ? knx_error_new(KN_ERROR_VALUE, "the address of %s %u is not aligned as its dtype wants it", what, i)
              : knx_error_new(KN_ERROR_TYPE, "the address of %s %u is null", what, i);
}

static knx_error *find_overlap(const struct kn_prepared_s *p, const void *const *in, void *const *out, const void *work)
{
    for (uint32_t i = 0; i < p->n_in; i++)
        if (overlaps(in[i], p->in[i].bytes, work, p->workspace))
            return knx_error_new(KN_ERROR_VALUE, "argument %u overlaps the workspace", i);
    for (uint32_t i = 0; i < p->n_out; i++) {
        if (overlaps(out[i], p->out[i].bytes, work, p->workspace))
            return knx_error_new(KN_ERROR_VALUE, "result %u overlaps the workspace", i);
        for (uint32_t k = 0; k < p->n_in; k++)
            if (overlaps(out[i], p->out[i].bytes, in[k], p->in[k].bytes))
                return knx_error_new(KN_ERROR_VALUE, "result %u overlaps argument %u", i, k);
        for (uint32_t k = 0; k < i; k++)
            if (overlaps(out[i], p->out[i].bytes, out[k], p->out[k].bytes))
                return knx_error_new(KN_ERROR_VALUE, "result %u overlaps result %u", i, k);
    }
    return NULL;
}

static knx_error *find_fault(const struct kn_prepared_s *p, const void *const *in, void *const *out, const void *work)
{
    if (!fits(work, (struct place){p->workspace, KNX_LINE_BYTES - 1}))
        return work ? knx_error_new(KN_ERROR_VALUE, "the workspace is not aligned to 64 bytes")
                    : knx_error_new(KN_ERROR_TYPE, "the workspace is null");
    for (uint32_t i = 0; i < p->n_in; i++)
        if (!fits(in[i], p->in[i]))
            return bad_pointer("argument", i, in[i]);
    for (uint32_t i = 0; i < p->n_out; i++)
        if (!fits(out[i], p->out[i]))
            return bad_pointer("result", i, out[i]);
    return find_overlap(p, in, out, work);
}

/* overlaps, where neither is empty. */
static inline bool meets(uintptr_t a, size_t n, uintptr_t b, size_t m) { return (b - a < n) | (a - b < m); }

__attribute__((noinline)) static bool workspace_well(const struct kn_prepared_s *p, const void *const *in,
                                                     void *const *out, uintptr_t work)
{
    bool bad = !work | (work % KNX_LINE_BYTES != 0);
    for (uint32_t i = 0; i < p->n_in; i++)
        bad |= meets((uintptr_t)in[i], p->in[i].bytes, work, p->workspace);
    for (uint32_t i = 0; i < p->n_out; i++)
        bad |= meets((uintptr_t)out[i], p->out[i].bytes, work, p->workspace);
    return !bad;
}

/* All of it, without a word about what: most calls are right, so nothing stops in between. Where something is empty the
 * others look. */
static inline __attribute__((always_inline)) bool arrays_well(const struct kn_prepared_s *p, const void *const *in,
                                                              void *const *out, uint32_t n_in, uint32_t n_out)
{
    bool bad = p->some_empty;
    for (uint32_t i = 0; i < n_in; i++)
        bad |= !in[i] | (((uintptr_t)in[i] & p->in[i].mask) != 0);
    for (uint32_t i = 0; i < n_out; i++) {
        uintptr_t a = (uintptr_t)out[i];
        size_t bytes = p->out[i].bytes;
        bad |= !a | ((a & p->out[i].mask) != 0);
        for (uint32_t k = 0; k < n_in; k++)
            bad |= meets(a, bytes, (uintptr_t)in[k], p->in[k].bytes);
        for (uint32_t k = 0; k < i; k++)
            bad |= meets(a, bytes, (uintptr_t)out[k], p->out[k].bytes);
    }
    return !bad;
}

/* The compiler knows the loops of the smallest functions. */
static inline bool all_well(const struct kn_prepared_s *p, const void *const *in, void *const *out, const void *work)
{
    bool well = p->n_out != 1  ? arrays_well(p, in, out, p->n_in, p->n_out)
                : p->n_in == 1 ? arrays_well(p, in, out, 1, 1)
                : p->n_in == 2 ? arrays_well(p, in, out, 2, 1)
                               : arrays_well(p, in, out, p->n_in, 1);
    return well && (!p->workspace || workspace_well(p, in, out, (uintptr_t)work));
}

/* With the operands in a list: those that it holds, then the caller's. */
static knx_error *run_program(const struct kn_prepared_s *p, const void *const *in, void *const *out, char *workspace)
{
    knd_operand few[FEW], *x = p->operands_bytes ? (void *)workspace : few;
    for (uint32_t i = 0; i < p->n_fixed; i++)
        x[i] = p->operand[i];
    for (uint32_t i = 0; i < p->n_in; i++)
        x[p->n_fixed + i] = (knd_operand){.data = in[i]};
    return knd_run_into(p->program, x, out, workspace + p->operands_bytes, p->threads);
}

__attribute__((noinline, cold)) static knx_error *check(kn_prepared p, const void *const *in, void *const *out,
                                                        const void *workspace)
{
    if (!p || (!in && p->n_in) || (!out && p->n_out))
        return knx_error_new(KN_ERROR_TYPE, "null %s", !p ? "function" : "list of addresses");
    if (p->all)
        return knx_error_new(KN_ERROR_VALUE, "a function of extents is run for some: kn_prepared_for(p, extents)");
    return find_fault(p, in, out, workspace);
}

/* What is more than one call. */
__attribute__((noinline)) static int run_all(kn_prepared p, const void *const *in, void *const *out, void *workspace)
{
    knx_error *error = p->one_kernel
                           ? knd_run_kernel(p->program, p->n_fixed, p->operand, in, out, workspace, p->threads)
                           : run_program(p, in, out, workspace);
    return error ? refuse(error) : 0;
}

int kn_prepared_run(kn_prepared p, const void *const *in, void *const *out, void *workspace)
{
    bool well = p && !p->all && in && out && all_well(p, in, out, workspace);
    if (__builtin_expect(!well, 0)) {
        knx_error *error = check(p, in, out, workspace);
        if (error)
            return refuse(error);
    }
    if (!p->direct)
        return run_all(p, in, out, workspace);
    knx_error *error = knd_run_direct(p->direct, in, out, workspace);
    return __builtin_expect(error != NULL, 0) ? refuse(error) : 0;
}
