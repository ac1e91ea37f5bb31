/* SPDX-License-Identifier: Apache-2.0
 * recording.c -- recordings of functions: values that they capture, tracers that leak, the values of tracers in
 * concrete recordings, and equations that are computed while they are recorded (folding). */
#include "array/lift.h"
#include "array/recording.h"
#include "array/state.h"
#include "base/log.h"
#include "ir/ops.h"
#include "ir/toposort.h"

static kna_value *known_at(const kna_recording *r, kni_atom a) { return a < r->known.n ? r->known.at[a] : NULL; }

KNX_HOT kna_recording *kna_recording_current(void)
{
    kna_state *s = kna_state_get();
    return s ? s->recording : NULL;
}

static knx_error *fold_equation(void *env, kni_builder *b, const kni_draft_eqn *e);
static knx_error *lift_equation(void *env, kni_builder *b, const kni_draft_eqn *e);
static knx_error *sort_constants(kna_recording *r, int n_out, const kni_atom *out);

kna_recording *kna_recording_begin(const char *function, const char *transformation, bool concrete)
{
    kna_state *s = kna_state_get();
    kna_recording *r = s ? knx_alloc_zero(sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->refs = 1;
    knb_init(&r->b);
    r->active = true;
    r->concrete = concrete;
    r->function = function;
    r->transformation = transformation;
    static atomic_ullong serials;
    r->serial = atomic_fetch_add(&serials, 1) + 1;
    r->outer = s->recording;
    s->recording = r;
    r->b.whole = s->how.whole;
    r->b.traced = function;
    KN_LOG(2, "trace: %s begins to be recorded by %s", function, transformation);
    if (s->how.fold && !concrete) {
        r->folds = true;
        r->lean = s->how.fold == KNA_FOLD_SMALL;
        r->b.fold = fold_equation;
        r->b.fold_env = r;
    }
    return r;
}

int kna_argument_of_input(const kna_recording *r, int input)
{
    int left = input - r->n_captured, arg = 0;
    while (arg < r->n_args && left >= r->arrays[arg])
        left -= r->arrays[arg++];
    return arg;
}

static kna_value *stands_in(const kna_recording *r, kni_atom a)
{
    return kni_is_var(a) && a < r->stand_in.n ? r->stand_in.at[a] : NULL;
}

static knx_error *set_stand_in(kna_recording *r, kni_atom a, kna_value *v /* taken over */)
{
    if (!KN_VEC_RESERVE(&r->stand_in, a + 1 > r->stand_in.n ? a + 1 - r->stand_in.n : 0)) {
        kna_value_release(v);
        return knx_error_nomem();
    }
    while (r->stand_in.n <= a)
        r->stand_in.at[r->stand_in.n++] = NULL;
    r->stand_in.at[a] = v;
    r->lifts = true;
    r->b.fold = lift_equation;
    r->b.fold_env = r;
    return NULL;
}

/* A variable that no equation makes stands for a lifted value in equations until they are emitted: lift_equation. */
static knx_error *stand_in_for(kna_recording *r, kna_value *v, kni_atom *atom)
{
    *atom = knb_invar(&r->b, v->type);
    if (!kni_is_var(*atom))
        return knb_take_error(&r->b);
    r->b.invar.n--;
    return set_stand_in(r, *atom, kna_value_retain(v));
}

static bool set_known(kna_recording *r, kni_atom atom, kna_value *known)
{
    while (r->known.n <= atom)
        if (!KN_VEC_PUSH(&r->known, NULL))
            return false;
    r->known.at[atom] = kna_value_retain(known);
    return true;
}

kni_atom kna_recording_input(kna_recording *r, kni_type type, kna_value *known)
{
    type.weak = false;
    kni_atom a = knb_invar(&r->b, type);
    known = known && !kna_batch_axes(known) ? kna_lift_ground(known) : NULL;
    if (known && kni_is_var(a) && !set_known(r, a, known))
        knb_fail(&r->b, knx_error_nomem());
    return a;
}

static kna_value *folded(const kna_recording *r, kni_atom atom)
{
    if (!r->folds)
        return NULL;
    if (!kni_is_literal(atom))
        return kna_value_retain(known_at(r, atom));
    const kni_literal *l = &r->b.literal.at[atom & ~KN_LITERAL_BIT];
    return kna_value_number(l->type.dtype, l->type.weak, l->bits);
}

kna_value *kna_recording_tracer(kna_recording *r, kni_atom atom)
{
    if (r->lifts && stands_in(r, atom))
        return kna_value_retain(stands_in(r, atom));
    kna_value *constant = folded(r, atom);
    if (constant)
        return constant;
    kni_type type = knb_type(&r->b, atom);
    type.weak = false; /* only C numbers are weak values */
    kna_value *v = kna_value_new(KN_V_TRACER, type);
    if (!v)
        return NULL;
    v->tracer.recording = r;
    v->tracer.atom = atom;
    r->refs++;
    return v;
}

static knx_error *leaked(const kna_value *v)
{
    knx_text t = {0};
    const kna_recording *r = kna_is_lifted(v) ? v->lift->recording : v->tracer.recording;
    return knx_error_new(
        KN_ERROR_LEAKED_TRACER,
        "a traced value of type %s escaped from %s while it was traced by %s; return it from the function instead",
        kni_type_text(&t, v->type, true), r->function, r->transformation);
}

static bool is_same(const kna_value *v, const kna_value *w)
{
    return v == w || (v->state == KN_V_TRACER && w->state == KN_V_TRACER &&
                      v->tracer.recording == w->tracer.recording && v->tracer.atom == w->tracer.atom);
}

static knx_error *capture(kna_recording *r, kna_value *v, kni_atom *atom)
{
    size_t cursor;
    bool tracer = v->state == KN_V_TRACER; /* all tracers of a variable are one captured value */
    uint64_t h =
        tracer ? knx_hash_mix(v->tracer.recording->serial, v->tracer.atom) : knx_hash_mix(7, (uint64_t)(uintptr_t)v);
    for (void *p = knx_table_first(&r->captured_index, h, &cursor); p;
         p = knx_table_next(&r->captured_index, h, &cursor))
        if (is_same(r->captured.at[(uintptr_t)p - 1], v)) {
            *atom = r->captured_atom.at[(uintptr_t)p - 1];
            return NULL;
        }
    kni_type type = v->type;
    type.weak = tracer && r->b.whole && knb_type(&v->tracer.recording->b, v->tracer.atom).weak;
    *atom = knb_constvar(&r->b, type);
    if (!KN_VEC_PUSH(&r->captured_atom, *atom))
        return knx_error_nomem();
    if (!KN_VEC_PUSH(&r->captured, v)) {
        r->captured_atom.n--;
        return knx_error_nomem();
    }
    kna_value_retain(v);
    r->captured_tracers = r->captured_tracers || v->state == KN_V_TRACER || v->state == KN_V_LIFTED;
    if (r->folds && v->state != KN_V_TRACER && v->state != KN_V_LIFTED && !set_known(r, *atom, v))
        return knx_error_nomem();
    return knx_table_add(&r->captured_index, h, (void *)(uintptr_t)r->captured.n) ? NULL : knx_error_nomem();
}

/* Is the tracer a literal of a dtype that a C number has by itself? As in JAX a nested function has such a number as a
 * literal, other numbers as operands. */
static bool is_number(const kna_value *v)
{
    kn_dtype d = v->type.dtype;
    return kni_is_literal(v->tracer.atom) &&
           (d == KN_DT(BOOL) || d == KN_DT(I64) || d == KN_DT(C128) || d == kna_default_float());
}

knx_error *kna_recording_atom(kna_recording *r, kna_value *v, kni_atom *atom)
{
    switch ((kna_value_state)v->state) {
    case KN_V_NUMBER:
        *atom = kna_is_extent(v) ? knb_dim_as_value(&r->b, v->bits.i64)
                                 : knb_literal(&r->b, v->type.dtype, v->type.weak, v->bits);
        return NULL;
    case KN_V_TRACER:
        if (v->tracer.recording == r) {
            *atom = v->tracer.atom;
            return NULL;
        }
        if (v->tracer.recording->active && is_number(v)) {
            const kni_literal *l = &v->tracer.recording->b.literal.at[v->tracer.atom & ~KN_LITERAL_BIT];
            *atom = knb_literal(&r->b, l->type.dtype, l->type.weak, l->bits);
            return NULL;
        }
        return v->tracer.recording->active ? capture(r, v, atom) : leaked(v);
    case KN_V_BUFFER:
    case KN_V_PENDING: return capture(r, v, atom);
    case KN_V_LIFTED:
        if (v->lift->recording == r)
            return stand_in_for(r, v, atom);
        return v->lift->recording && !v->lift->recording->active ? leaked(v) : capture(r, v, atom);
    case KN_V_ABSTRACT:
        return knx_error_new(KN_ERROR_CONCRETIZATION, "this array came from kn_eval_shape: it has a type but no value");
    case KN_V_ERROR: break;
    }
    bool known;
    return kna_error_of(v, &known);
}

static void pop(kna_recording *r)
{
    kna_state *s = kna_state_get();
    r->active = false;
    if (s && s->recording == r)
        s->recording = r->outer;
    r->outer = NULL;
    knx_error_release(r->refused);
    knb_free(&r->b);
    for (size_t i = 0; i < r->captured.n; i++)
        kna_value_release(r->captured.at[i]);
    for (size_t i = 0; i < r->known.n; i++)
        kna_value_release(r->known.at[i]);
    for (size_t i = 0; i < r->stand_in.n; i++)
        kna_value_release(r->stand_in.at[i]);
    KN_VEC_FREE(&r->stand_in);
    KN_VEC_FREE(&r->captured);
    KN_VEC_FREE(&r->captured_atom);
    KN_VEC_FREE(&r->known);
    knx_table_free(&r->captured_index);
    kna_recording_release(r);
}

void kna_recording_forgive(const knx_error *e)
{
    kna_recording *r = kna_recording_current();
    if (!r || !e || r->refused != e)
        return;
    knx_error_release(r->refused);
    r->refused = NULL;
}

void kna_recording_release(kna_recording *r)
{
    if (r && --r->refs == 0)
        knx_free(r);
}

void kna_recording_abort(kna_recording *r) { pop(r); }

/* What is at results of the function ends with it. */
static knx_error *ground_results(kna_recording *r, int n_out, const kni_atom *out, kni_atom *ground)
{
    for (int i = 0; i < n_out; i++) {
        kna_value *v = stands_in(r, out[i]);
        ground[i] = out[i];
        if (v && kna_batch_axes(v))
            return knx_error_new(KN_ERROR_VALUE, "result %d of %s has batch axes: kn_batch_out makes them axes", i,
                                 r->function);
        if (v)
            KN_TRY(kna_recording_atom(r, kna_lift_ground(v), &ground[i]));
    }
    return NULL;
}

knx_error *kna_recording_end(kna_recording *r, int n_out, const kni_atom *given, kna_closed *closed)
{
    *closed = (kna_closed){.once = r->captured_tracers};
    knx_arena room = KN_ARENA_INIT;
    const kni_atom *out = given;
    if (r->lifts && n_out) {
        kni_atom *ground = knx_arena_alloc(&room, (size_t)n_out * sizeof *ground);
        knx_error *e = ground ? ground_results(r, n_out, given, ground) : knx_error_nomem();
        if (e) {
            knx_arena_free(&room);
            pop(r);
            return e;
        }
        out = ground;
    }
    knx_error *error = sort_constants(r, n_out, out);
    if (!error)
        error = knb_finish(&r->b, n_out, out, r->function, true, &closed->jaxpr);
    if (!error) {
        KN_LOG(2, "trace: %s was recorded by %s: %u equations", r->function, r->transformation, closed->jaxpr->n_eqn);
        closed->n_const = (uint32_t)r->captured.n;
        closed->consts = r->captured.at;
        r->captured.at = NULL;
        r->captured.n = r->captured.cap = 0;
    }
    knx_arena_free(&room);
    pop(r);
    return error;
}

void kna_closed_free(kna_closed *c)
{
    for (uint32_t i = 0; i < c->n_const; i++)
        kna_value_release(c->consts[i]);
    knx_free(c->consts);
    kni_release(c->jaxpr);
    *c = (kna_closed){0};
}

/* ---- The value of a tracer, where it is known. */

static knx_error *not_known(const kna_recording *r, const kna_value *v)
{
    knx_text t = {0};
    return knx_error_new(KN_ERROR_CONCRETIZATION,
                         "the value of %s is not known while %s is traced by %s; use kn_cond or kn_where",
                         kni_type_text(&t, v->type, true), r->function, r->transformation);
}

static knx_error *outside_of(kna_recording *r, kna_value *v, kna_value **out)
{
    return (r->concrete ? kna_concrete : kna_constant)(v, out);
}

/* Marks in `needed` the variables that `atom` is computed from, as far as they are not known: one sweep over the
 * equations, backwards. Fails in a concrete recording for an equation with an effect, which must run only once, with
 * the rest. */
static knx_error *mark_needed(kna_recording *r, kni_atom atom, bool *needed)
{
    needed[atom] = true;
    for (size_t k = r->b.eqn.n; k-- > 0;) {
        const kni_draft_eqn *e = &r->b.eqn.at[k];
        bool any = false;
        for (uint32_t i = 0; i < e->n_out; i++)
            any = any || (needed[e->out + i] && !known_at(r, e->out + i));
        if (!any)
            continue;
        if (r->concrete && (kni_bits(e->prim, e->params) & KN_EFFECT))
            return knx_error_new(KN_ERROR_CONCRETIZATION,
                                 "the result of %s is not known while %s is traced by %s: it runs once, with the rest",
                                 e->prim->name, r->function, r->transformation);
        needed[e->out] = true;
        for (uint32_t i = 0; i < e->n_in; i++)
            if (kni_is_var(e->in[i]))
                needed[e->in[i]] = true;
    }
    return NULL;
}

static bool params_have_variables(const kni_prim *p, const void *params);

static bool jaxpr_has_variables(const kni_jaxpr *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->n_var && !any; i++)
        any = kni_type_is_symbolic(j->type[i]);
    for (uint32_t i = 0; i < j->n_eqn && !any; i++)
        any = params_have_variables(j->eqn[i].prim, j->eqn[i].params);
    return any;
}

static bool params_have_variables(const kni_prim *p, const void *params)
{
    bool any = kni_params_are_symbolic(p, params);
    for (const kni_param_field *f = params ? p->fields : NULL; f && f->name && !any; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int i = 0; i < inner.n && !any; i++)
            any = inner.v[i] && jaxpr_has_variables(inner.v[i]);
    }
    return any;
}

/* Dimension variables have numbers only where the recorded function runs. */
static bool has_variables(const kna_recording *r, const kni_draft_eqn *e)
{
    for (uint32_t i = 0; i < e->n_out; i++)
        if (knx_has_symbolic(r->b.type.at[e->out + i].ndim, r->b.type.at[e->out + i].dim))
            return true;
    return params_have_variables(e->prim, e->params);
}

/* Does a marked variable depend on an argument whose value is not known (of an abstract recording)? True also if one is
 * the result of an equation with an effect, of user code, or of one that names axes: outside of the recording these
 * equations may give other results. */
static bool varies(const kna_recording *r, const bool *needed)
{
    for (size_t k = 0; k < r->b.eqn.n; k++) {
        const kni_draft_eqn *e = &r->b.eqn.at[k];
        for (uint32_t i = 0; i < e->n_out; i++)
            if (needed[e->out + i] && !known_at(r, e->out + i) &&
                (kni_bits(e->prim, e->params) & (KN_EFFECT | KN_USER | KN_NAMES)))
                return true;
    }
    return false;
}

/* Gives marked inputs and captured values of r the values that they have outside of r. */
static knx_error *look_outside(kna_recording *r, const bool *needed)
{
    for (size_t a = 0; a < r->known.n;
         a++) /* inputs that stand for tracers of an enclosing recording get the values of these */
        if (needed[a] && r->known.at[a] && r->known.at[a]->state == KN_V_TRACER) {
            kna_value *outside = NULL;
            KN_TRY(outside_of(r, r->known.at[a], &outside));
            kna_value_release(r->known.at[a]);
            r->known.at[a] = outside;
        }
    for (size_t i = 0; i < r->captured.n; i++) { /* captured values are values outside of r */
        kni_atom a = r->captured_atom.at[i];
        kna_value *v = NULL;
        if (!needed[a] || known_at(r, a))
            continue;
        KN_TRY(outside_of(r, r->captured.at[i], &v));
        bool ok = set_known(r, a, v);
        kna_value_release(v);
        if (!ok)
            return knx_error_nomem();
    }
    return NULL;
}

typedef struct replay_room {
    kna_value **in, **out;
    kni_literal *literal;
    kni_type *type;
} replay_room;

static knx_error *replay_with(kna_recording *r, const kni_draft_eqn *e, replay_room room)
{
    for (uint32_t i = 0; i < e->n_in; i++) {
        room.in[i] = kni_is_literal(e->in[i]) ? NULL : known_at(r, e->in[i]);
        if (!room.in[i])
            room.literal[i] = r->b.literal.at[e->in[i] & ~KN_LITERAL_BIT];
    }
    for (uint32_t i = 0; i < e->n_out; i++)
        room.type[i] = r->b.type.at[e->out + i];
    KN_TRY(kna_node_for(e->prim, e->params, e->place, r->function, e->n_in, room.in, room.literal, e->n_out, room.type,
                        room.out));
    bool ok = true;
    for (uint32_t i = 0; i < e->n_out; i++) {
        ok = ok && (known_at(r, e->out + i) || set_known(r, e->out + i, room.out[i]));
        kna_value_release(room.out[i]);
    }
    return ok ? NULL : knx_error_nomem();
}

static knx_error *replay_equation(kna_recording *r, const kni_draft_eqn *e)
{
    knx_arena a = KN_ARENA_INIT;
    replay_room room = {knx_arena_zero(&a, (e->n_in + 1) * sizeof(kna_value *)),
                        knx_arena_zero(&a, (e->n_out + 1) * sizeof(kna_value *)),
                        knx_arena_zero(&a, (e->n_in + 1) * sizeof(kni_literal)),
                        knx_arena_zero(&a, (e->n_out + 1) * sizeof(kni_type))};
    knx_error *error = room.in && room.out && room.literal && room.type ? replay_with(r, e, room) : knx_error_nomem();
    knx_arena_free(&a);
    return error;
}

static bool needs_variables(const kna_recording *r, const bool *needed)
{
    for (size_t k = 0; k < r->b.eqn.n; k++) {
        const kni_draft_eqn *e = &r->b.eqn.at[k];
        for (uint32_t i = 0; i < e->n_out; i++)
            if (needed[e->out + i] && !known_at(r, e->out + i) && has_variables(r, e))
                return true;
    }
    return false;
}

/* Is there a marked input whose value nobody knows? */
static bool needs_unknown(const kna_recording *r, const bool *needed)
{
    for (size_t i = 0; i < r->b.invar.n; i++)
        if (needed[r->b.invar.at[i]] && !known_at(r, r->b.invar.at[i]))
            return true;
    return false;
}

static knx_error *work_out(kna_recording *r, kni_atom atom)
{
    bool *needed = knx_alloc_zero(r->b.type.n + 1);
    if (!needed)
        return knx_error_nomem();
    knx_error *error = mark_needed(r, atom, needed);
    if (!error && (needs_unknown(r, needed) || (!r->concrete && varies(r, needed)) ||
                   (knx_dim_now() && needs_variables(r, needed)))) {
        knx_free(needed);
        return NULL;
    }
    if (!error)
        error = look_outside(r, needed);
    for (size_t k = 0; !error && k < r->b.eqn.n; k++) {
        const kni_draft_eqn *e = &r->b.eqn.at[k];
        if (e->n_out && needed[e->out] && !known_at(r, e->out))
            error = replay_equation(r, e);
    }
    knx_free(needed);
    return error;
}

/* The value that v stands for outside of all recordings (a new reference). constants: tracers of abstract recordings
 * have one, too, if they depend on no argument of the recording. */
static KNX_HOT knx_error *stands_for(kna_value *v, bool constants, kna_value **out)
{
    if (kna_batch_axes(v))
        return knx_error_new(KN_ERROR_VALUE,
                             "an array with batch axes cannot be looked at: kn_batch_out makes them axes");
    v = kna_lift_ground(v);
    if (v->state != KN_V_TRACER) {
        *out = kna_value_retain(v);
        return NULL;
    }
    kna_recording *r = v->tracer.recording;
    if (!r->active)
        return leaked(v);
    if (!r->concrete && !constants)
        return not_known(r, v);
    if (kni_is_literal(v->tracer.atom)) {
        const kni_literal *l = &r->b.literal.at[v->tracer.atom & ~KN_LITERAL_BIT];
        *out = kna_value_number(l->type.dtype, l->type.weak, l->bits);
        return *out ? NULL : knx_error_nomem();
    }
    if (!known_at(r, v->tracer.atom) || known_at(r, v->tracer.atom)->state == KN_V_TRACER)
        KN_TRY(work_out(r, v->tracer.atom));
    *out = kna_value_retain(known_at(r, v->tracer.atom));
    return *out ? NULL : not_known(r, v);
}

knx_error *kna_concrete(kna_value *v, kna_value **out) { return stands_for(v, false, out); }
KNX_HOT knx_error *kna_constant(kna_value *v, kna_value **out) { return stands_for(v, true, out); }

/* ---- Folding: equations whose operands depend on no recording are computed at once, as outside of recordings. */

static bool is_constant(const kna_recording *r, kni_atom a) { return kni_is_literal(a) || known_at(r, a); }

/* Results that are larger than the operands stay equations: a kernel repeats them without memory. Shapes, which are
 * asked for, are small. */
static bool grows(const kna_recording *r, const kni_draft_eqn *e)
{
    enum { SMALL = 1024 };
    int64_t in = SMALL, out = 0;
    for (uint32_t i = 0; i < e->n_in; i++)
        in += kni_is_literal(e->in[i]) ? 1 : kni_type_size(r->b.type.at[e->in[i]]);
    for (uint32_t i = 0; i < e->n_out; i++)
        out += kni_type_size(r->b.type.at[e->out + i]);
    return out > in;
}

static bool can_fold(const kna_recording *r, const kni_draft_eqn *e)
{
    uint32_t bits = kni_bits(e->prim, e->params);
    bool all = !(bits & (KN_EFFECT | KN_USER)) && e->n_out;
    for (uint32_t i = 0; all && i < e->n_in; i++)
        all = is_constant(r, e->in[i]);
    return all && !(knx_dim_now() && has_variables(r, e)) && !(r->lean && grows(r, e));
}

/* Makes captured constants of the equation's operands that were computed by folding. */
static knx_error *capture_operands(kna_recording *r, const kni_draft_eqn *e)
{
    kni_atom *in = (kni_atom *)(uintptr_t)e->in; /* in the builder's arena */
    for (uint32_t i = 0; i < e->n_in; i++) {
        kna_value *v = kni_is_literal(in[i]) ? NULL : known_at(r, in[i]);
        if (v)
            KN_TRY(kna_recording_atom(r, v, &in[i]));
    }
    return NULL;
}

/* Computes the equation if all its operands are known, and takes it out of the jaxpr. A view operation stays there,
 * since writes to its result go back through it, but no equation reads its result. */
static knx_error *fold_equation(void *env, kni_builder *b, const kni_draft_eqn *e)
{
    kna_recording *r = env;
    if (!can_fold(r, e))
        return capture_operands(r, e);
    KN_TRY(replay_equation(r, e));
    if (kni_can_fail(e->prim, e->params))
        for (uint32_t i = 0; i < e->n_out; i++)
            KN_TRY(kna_force(1, &r->known.at[e->out + i]));
    if (!e->prim->put || kni_must_stay(e->prim, e->params)) {
        kni_params_drop(e->prim, e->params);
        b->eqn.n--;
    }
    return NULL;
}

/* ---- Lifted values in a recording. */

/* An equation over values: in its place come those that it becomes. */
static knx_error *apply_in(kna_recording *r, const kni_draft_eqn *e, knx_arena *a)
{
    kna_value **in = knx_arena_zero(a, (e->n_in + 1) * sizeof *in),
              **out = knx_arena_alloc(a, (e->n_out + 1) * sizeof *out);
    kni_literal *literal = knx_arena_alloc(a, (e->n_in + 1) * sizeof *literal);
    kni_type *type = knx_arena_alloc(a, (e->n_out + 1) * sizeof *type);
    knx_error *error = in && out && literal && type ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < e->n_in; i++)
        if (kni_is_literal(e->in[i]))
            literal[i] = r->b.literal.at[e->in[i] & ~KN_LITERAL_BIT];
        else if (!(in[i] = kna_recording_tracer(r, e->in[i])))
            error = knx_error_nomem();
    for (uint32_t i = 0; !error && i < e->n_out; i++)
        type[i] = r->b.type.at[e->out + i];
    kna_equation q = {e->prim, e->params, e->place, knx_context()->operation, e->n_in, e->n_out, in, literal, type};
    if (!error)
        error = kna_apply_equation(r, &q, out);
    bool made = !error;
    for (uint32_t i = 0; made && i < e->n_out; i++)
        if (error)
            kna_value_release(out[i]);
        else
            error = set_stand_in(r, e->out + i, out[i]);
    for (uint32_t i = 0; in && i < e->n_in; i++)
        kna_value_release(in[i]);
    return error;
}

/* Equations with a lifted operand go; that of a view stays, for writes to its result, but nothing reads it. */
static knx_error *lift_equation(void *env, kni_builder *b, const kni_draft_eqn *e)
{
    kna_recording *r = env;
    bool lifted = false;
    kni_atom *in = (kni_atom *)(uintptr_t)e->in; /* in the builder's arena */
    for (uint32_t i = 0; i < e->n_in; i++)
        lifted = lifted || kna_is_lifted(stands_in(r, in[i]));
    for (uint32_t i = 0; !lifted && i < e->n_in; i++) {
        kna_value *v = stands_in(r, in[i]);
        if (v)
            KN_TRY(kna_recording_atom(r, v, &in[i]));
    }
    if (!lifted)
        return r->folds ? fold_equation(env, b, e) : NULL;
    bool stays = e->prim->put && !b->whole && !kni_must_stay(e->prim, e->params);
    if (!stays)
        b->eqn.n--;
    knx_arena a = KN_ARENA_INIT;
    knx_error *error = apply_in(r, e, &a);
    knx_arena_free(&a);
    if (!stays)
        kni_params_drop(e->prim, e->params);
    return error;
}

/* Does the equation stay in the jaxpr when the recording ends? read: the variables that later equations read. */
static bool stays(const kni_builder *b, const kni_draft_eqn *e, const bool *read)
{
    bool any = b->whole || kni_must_stay(e->prim, e->params);
    for (uint32_t i = 0; !any && i < e->n_out; i++)
        any = read[e->out + i];
    return any;
}

/* Marks the variables that are results of the recording, or that an equation which stays reads. */
static void mark_read(const kni_builder *b, int n_out, const kni_atom *out, bool *read)
{
    for (int i = 0; i < n_out; i++)
        if (kni_is_var(out[i]))
            read[out[i]] = true;
    for (size_t k = b->eqn.n; k-- > 0;) {
        const kni_draft_eqn *e = &b->eqn.at[k];
        for (uint32_t i = 0; stays(b, e, read) && i < e->n_in; i++)
            if (kni_is_var(e->in[i]))
                read[e->in[i]] = true;
    }
}

/* The order in which captured values become the constants of the jaxpr. */
typedef struct constant_order {
    uint32_t *captured; /* per variable: 1 + the index of its captured value; 0: none, or in `from` already */
    size_t *from, n;    /* indices of captured values in the new order */
} constant_order;

static void place(constant_order *o, kni_atom a)
{
    if (!kni_is_var(a) || !o->captured[a])
        return;
    o->from[o->n++] = o->captured[a] - 1;
    o->captured[a] = 0;
}

static void find_order(const kna_recording *r, int n_out, const kni_atom *out, const bool *read, constant_order *o)
{
    for (size_t k = 0; k < r->b.eqn.n; k++) {
        const kni_draft_eqn *e = &r->b.eqn.at[k];
        for (uint32_t i = 0; stays(&r->b, e, read) && i < e->n_in; i++)
            place(o, e->in[i]);
    }
    for (int i = 0; i < n_out; i++)
        place(o, out[i]);
}

/* Recordings that fold compute at once what depends on no recording, as JAX of 2020 did; their constants come in the
 * order that JAX had then. */
static knx_error *find_old_order(const kna_recording *r, knx_arena *arena, int n_out, const kni_atom *out,
                                 const bool *read, constant_order *o)
{
    kni_link *link = knx_arena_alloc(arena, (r->b.eqn.n + 1) * sizeof *link);
    uint32_t n_link = 0, *order, n;
    for (size_t k = 0; link && k < r->b.eqn.n; k++) {
        const kni_draft_eqn *e = &r->b.eqn.at[k];
        if (stays(&r->b, e, read))
            link[n_link++] = (kni_link){e->in, e->n_in, e->out, e->n_out};
    }
    if (!link || !kni_toposort(arena, (uint32_t)r->b.type.n, n_link, link, (uint32_t)n_out, out, &order, &n))
        return knx_error_nomem();
    for (uint32_t i = 0; i < n; i++)
        place(o, order[i]);
    return NULL;
}

static void reorder(kna_recording *r, const constant_order *o, kna_value **v, kni_atom *a)
{
    size_t n = r->captured.n;
    for (size_t i = 0; i < n; i++) {
        v[i] = r->captured.at[i];
        a[i] = r->captured_atom.at[i];
    }
    r->captured.n = r->captured_atom.n = r->b.constvar.n = o->n;
    for (size_t i = 0; i < o->n; i++) {
        r->captured.at[i] = v[o->from[i]];
        r->b.constvar.at[i] = r->captured_atom.at[i] = a[o->from[i]];
        v[o->from[i]] = NULL;
    }
    for (size_t i = 0; i < n; i++)
        kna_value_release(v[i]);
}

/* Captured values that nothing reads are no constants; the others come in the order in which they are read, as in
 * JAX. */
static knx_error *sort_constants(kna_recording *r, int n_out, const kni_atom *out)
{
    knx_arena arena = KN_ARENA_INIT;
    size_t n = r->captured.n;
    if (!n)
        return NULL;
    bool *read = knx_arena_zero(&arena, r->b.type.n + 1);
    constant_order o = {knx_arena_zero(&arena, (r->b.type.n + 1) * sizeof *o.captured),
                        knx_arena_alloc(&arena, n * sizeof *o.from), 0};
    kna_value **v = knx_arena_alloc(&arena, n * sizeof *v);
    kni_atom *a = knx_arena_alloc(&arena, n * sizeof *a);
    knx_error *error = read && o.captured && o.from && v && a ? NULL : knx_error_nomem();
    if (!error) {
        mark_read(&r->b, n_out, out, read);
        for (size_t i = 0; i < n; i++)
            o.captured[r->captured_atom.at[i]] = (uint32_t)i + 1;
        error = r->folds ? find_old_order(r, &arena, n_out, out, read, &o) : NULL;
    }
    if (!error) {
        find_order(r, n_out, out, read, &o);
        reorder(r, &o, v, a);
    }
    knx_arena_free(&arena);
    return error;
}
