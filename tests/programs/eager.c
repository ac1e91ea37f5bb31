/* SPDX-License-Identifier: Apache-2.0
 * eager.c -- a program equation by equation over values with something at them: tangents, places on a tape, batch axes, and two
 * of these. What comes out has the bits of the transformed program run as a whole. */
#include "programs.h"
#define KN_NO_PLACES
#include "kiln/kiln.h"

#include <stdlib.h>
#include <string.h>

bool eager;

enum { DIRECTIONS = 3 };

/* What is tried with one program. */
typedef struct trial {
    program p;     /* without constants */
    kn_jaxpr text; /* the same, to walk along */
    kn_jaxpr_counts n;
    bool chosen[MAX_VALUES]; /* the operands that have a tangent, or are watched */
    int n_chosen;
    int in_axis[MAX_VALUES], out_axis[MAX_VALUES];
    knx_buffer *tangent[DIRECTIONS][MAX_VALUES]; /* of the chosen ones, in order */
    uint64_t state;
    verdict *v;
} trial;

static int any(trial *t, int n) { return (int)(test_random(&t->state) % (uint64_t)n); }

/* ---- The whole program, transformed. */

static bool run_whole(const char *name, const kni_jaxpr *j, knx_buffer *const *x, knx_buffer **out)
{
    knx_error *e = way_run(&(way){.name = name}, &(program){(kni_jaxpr *)j, (knx_buffer **)x}, 0, out);
    knx_error_release(e);
    return !e;
}

/* A transformed jaxpr, or NULL: it is refused, or it has too many values for these tests. */
static kni_jaxpr *accept(knx_error *e, kni_jaxpr *j)
{
    knx_error_release(e);
    if (j && j->n_in <= MAX_VALUES && j->n_out <= MAX_VALUES && !j->n_const)
        return j;
    kni_release(j);
    return NULL;
}

static kni_jaxpr *forward(const kni_jaxpr *j, const bool *chosen)
{
    kni_jaxpr *out = NULL;
    knx_error *e = j->n_in * 2 > MAX_VALUES ? NULL : knt_jvp(j, chosen, &out);
    return accept(e, out);
}

/* Of one result. On a tape all equations have to have a derivative, also those of the other results. */
static kni_jaxpr *back_from(const kni_jaxpr *j, int result, const bool *chosen)
{
    kni_jaxpr *one = program_open(j, result, true), *out = NULL;
    knt_linearized all = {0};
    int n = 0;
    knx_error *e = knt_linearize(j, chosen, &all);
    if (!e && one)
        e = bench_pull(one, chosen, &n, &out);
    knt_linearized_free(&all);
    out = accept(e, out);
    kni_release(one);
    if (n)
        return out;
    kni_release(out);
    return NULL;
}

static kni_jaxpr *over_lanes(const trial *t)
{
    kni_jaxpr *out = NULL;
    knx_error *e = knt_batch(t->p.j, LANES, NULL, t->in_axis, t->out_axis, &out);
    return accept(e, out);
}

static knx_buffer *random_of(kni_type type, uint64_t *state)
{
    knx_buffer *b = knx_buffer_new(kni_type_bytes(type));
    tensor x = {.dtype = type.dtype, .ndim = type.ndim, .n = kni_type_size(type), .data = b ? b->data : NULL};
    if (b)
        tensor_fill(&x, -1, 1, 0, 0, state);
    return b;
}

/* ---- Equation by equation. */

static kn_array array_of(const knx_buffer *b, kni_type type)
{
    kn_shape s = {.ndim = type.ndim};
    for (int d = 0; d < type.ndim; d++)
        s.dim[d] = type.dim[d];
    return (kn_copy)((kn_from_memory)(b->data, &s, type.dtype), NULL);
}

/* A tangent for each of so many directions, or one without an axis for them. */
static kn_array tangent_array(const trial *t, int k, kni_type type, int directions)
{
    kn_array each[DIRECTIONS];
    for (int d = 0; d < (directions ? directions : 1); d++)
        each[d] = array_of(t->tangent[d][k], type);
    return directions ? kn_stack(kn_list_from(each, directions)) : each[0];
}

static bool walk(const trial *t, kn_array *value)
{
    kn_equation e = {.size_ = sizeof e};
    kn_array x[MAX_VALUES];
    for (int i = 0; i < t->n.equations; i++) {
        if (kn_jaxpr_equation(t->text, i, &e) || e.n_in > MAX_VALUES)
            return false;
        for (int k = 0; k < e.n_in; k++)
            x[k] = kni_is_literal(e.in[k]) ? kn_jaxpr_constant(t->text, e.in[k]) : value[e.in[k]];
        if ((kn_jaxpr_bind)(t->text, i, x, &value[e.first_out]))
            return false;
    }
    return true;
}

static kn_array result_of(const trial *t, const kn_array *value, int k)
{
    uint32_t a = kn_jaxpr_outvar(t->text, k);
    return kni_is_literal(a) ? kn_jaxpr_constant(t->text, a) : value[a];
}

/* Result k with its lanes where they are meant to be. */
static kn_array with_lanes(const trial *t, kn_array y, int k)
{
    kni_type type = kni_out_type(t->p.j, (uint32_t)k);
    kn_shape s = {.ndim = type.ndim + 1, .dim = {LANES}};
    if (kn_batch_dims_of(y))
        return kn_batch_out(y, t->out_axis[k]);
    for (int d = 0; d < type.ndim; d++)
        s.dim[d + 1] = type.dim[d];
    return kn_moveaxis(kn_broadcast_to(y, s), KN_AXIS(0), KN_AXIS(t->out_axis[k]));
}

/* The elements of part d of n parts, which lie one behind the other; of the whole array with n == 0. */
static void check_part(trial *t, const char *name, int k, kni_type type, kn_array y, const knx_buffer *want, int d,
                       int n)
{
    size_t bytes = kni_type_bytes(type), all = bytes * (size_t)(n ? n : 1);
    char *got = malloc(all + 1);
    y = type.weak ? kn_astype(y, type.dtype) : y; /* a weak number has the default dtype where it is looked at */
    if (!got || kn_error_pending() || (kn_copy_to)(y, got, all) || kn_dtype_of(y) != type.dtype) {
        fails(t->v, "%s: value %d: %s", name, k, kn_error_pending() ? kn_error_message() : "another dtype");
    } else {
        int64_t at = first_difference(type, want->data, got + bytes * (size_t)d);
        char a[96], b[96];
        kn_dtype part = knx_component(type.dtype);
        if (at >= 0) {
            tensor_show(part, tensor_load(part, (const char *)want->data + at * part->size), a);
            tensor_show(part, tensor_load(part, got + bytes * (size_t)d + at * part->size), b);
            fails(t->v, "%s: value %d, part %lld is %s, not %s", name, k, (long long)at, b, a);
        }
    }
    free(got);
}

/* ---- The ways. Each compares, or is left out where the whole program is refused. */

/* Results and tangents; `lanes`: of the program over lanes. */
static void check_tangents(trial *t, const char *name, const kni_jaxpr *plain, knx_buffer *const *x, bool lanes,
                           int directions)
{
    kni_jaxpr *j = forward(plain, t->chosen);
    int n_in = (int)plain->n_in, n_out = (int)plain->n_out;
    knx_buffer *in[MAX_VALUES], *want[DIRECTIONS][MAX_VALUES] = {{NULL}};
    bool fine = j != NULL;
    KN_SCOPE;
    kn_array *value = calloc((size_t)t->p.j->n_var + 1, sizeof *value);
    for (int d = 0; fine && d < (directions ? directions : 1); d++) {
        memcpy(in, x, (size_t)n_in * sizeof *in);
        memcpy(in + n_in, t->tangent[d], (size_t)t->n_chosen * sizeof *in);
        fine = run_whole(name, j, in, want[d]);
    }
    for (int i = 0, k = 0; fine && value && i < n_in; i++) {
        kni_type type = kni_in_type(plain, (uint32_t)i);
        value[i] = array_of(x[i], type);
        if (t->chosen[i])
            value[i] = kn_with_tangent(value[i], tangent_array(t, k++, type, directions));
        if (lanes && t->in_axis[i] >= 0)
            value[i] = kn_batch_in(value[i], t->in_axis[i]);
    }
    if (fine && value && (kn_error_pending() || !walk(t, value)))
        fails(t->v, "%s: %s", name, kn_error_message());
    t->v->sets += fine;
    for (int k = 0, at = n_out; fine && value && k < n_out && !t->v->failed; k++) {
        kni_type type = kni_out_type(plain, (uint32_t)k);
        kn_array y = result_of(t, value, k);
        y = lanes ? with_lanes(t, y, k) : y;
        check_part(t, name, k, type, kn_primal_of(y), want[0][k], 0, 0);
        if (!knx_is_inexact(type.dtype))
            continue;
        kn_array dy = kn_tangent_of(y);
        bool zeros = directions && kn_ndim(dy) == type.ndim; /* no tangent reaches it */
        for (int d = 0; d < (directions ? directions : 1) && !t->v->failed; d++)
            check_part(t, name, n_out + k, type, dy, want[d][at], zeros ? 0 : d, zeros ? 0 : directions);
        at++;
    }
    for (int d = 0; d < DIRECTIONS; d++)
        release_all(MAX_VALUES, want[d]);
    kni_release(j);
    free(value);
    kn_error_clear();
}

/* Gradients of one result, along a random cotangent; twice adds up. */
static void check_gradient(trial *t, const char *name, const kni_jaxpr *plain, knx_buffer *const *x, bool lanes,
                           int result)
{
    kni_jaxpr *j = back_from(plain, result, t->chosen);
    int n_in = (int)plain->n_in;
    kni_type type = kni_out_type(plain, (uint32_t)result);
    knx_buffer *in[MAX_VALUES], *want[MAX_VALUES] = {NULL}, *seed = random_of(type, &t->state);
    KN_SCOPE;
    kn_array *value = calloc((size_t)t->p.j->n_var + 1, sizeof *value), watched[MAX_VALUES];
    memcpy(in, x, (size_t)n_in * sizeof *in);
    in[n_in] = seed;
    bool fine = j && seed && value && (int)j->n_in == n_in + 1 && run_whole(name, j, in, want);
    for (int i = 0; fine && i < n_in; i++) {
        value[i] = watched[i] = array_of(x[i], kni_in_type(plain, (uint32_t)i));
        if (t->chosen[i])
            kn_watch(value[i]);
        if (lanes && t->in_axis[i] >= 0)
            value[i] = kn_batch_in(value[i], t->in_axis[i]);
    }
    if (fine && (kn_error_pending() || !walk(t, value)))
        fails(t->v, "%s: %s", name, kn_error_message());
    t->v->sets += fine;
    if (fine && !t->v->failed) {
        kn_array y = result_of(t, value, result);
        if (kn_backward(lanes ? with_lanes(t, y, result) : y, .seed = array_of(seed, type)))
            fails(t->v, "%s, result %d: %s", name, result, kn_error_message());
    }
    for (int i = 0, at = 0; fine && i < n_in && !t->v->failed; i++)
        if (t->chosen[i])
            check_part(t, name, i, kni_in_type(plain, (uint32_t)i), kn_grad_of(watched[i]), want[at++], 0, 0);
    release_all(MAX_VALUES, want);
    knx_buffer_release(seed);
    kni_release(j);
    free(value);
    kn_error_clear();
}

/* Forward over reverse (the tape is inside of the tangents): the gradient's tangent. */
static void check_forward_over_reverse(trial *t, const char *name, int result)
{
    kni_jaxpr *pull = back_from(t->p.j, result, t->chosen), *j = NULL;
    int n_in = (int)t->p.j->n_in, n_out = pull ? (int)pull->n_out : 0;
    kni_type type = kni_out_type(t->p.j, (uint32_t)result);
    knx_buffer *in[2 * MAX_VALUES], *want[MAX_VALUES] = {NULL}, *seed = random_of(type, &t->state);
    bool chosen[MAX_VALUES + 1];
    memcpy(chosen, t->chosen, sizeof t->chosen);
    if (pull && (int)pull->n_in == n_in + 1 && n_in < MAX_VALUES) {
        chosen[n_in] = false;
        j = forward(pull, chosen);
    }
    KN_SCOPE;
    KN_TAPE;
    kn_array *value = calloc((size_t)t->p.j->n_var + 1, sizeof *value), watched[MAX_VALUES];
    memcpy(in, t->p.x, (size_t)n_in * sizeof *in);
    in[n_in] = seed;
    memcpy(in + n_in + 1, t->tangent[0], (size_t)t->n_chosen * sizeof *in);
    bool fine = j && seed && value && run_whole(name, j, in, want);
    for (int i = 0, k = 0; fine && i < n_in; i++) {
        kni_type own = kni_in_type(t->p.j, (uint32_t)i);
        value[i] = watched[i] = array_of(t->p.x[i], own);
        if (t->chosen[i]) {
            value[i] = watched[i] = kn_copy(kn_with_tangent(value[i], tangent_array(t, k++, own, 0)));
            kn_watch(value[i]);
        }
    }
    if (fine && (kn_error_pending() || !walk(t, value) ||
                 kn_backward(result_of(t, value, result), .seed = array_of(seed, type))))
        fails(t->v, "%s: %s", name, kn_error_message());
    t->v->sets += fine;
    for (int i = 0, at = 0; fine && i < n_in && !t->v->failed; i++)
        if (t->chosen[i]) {
            kni_type own = kni_in_type(t->p.j, (uint32_t)i);
            check_part(t, name, i, own, kn_primal_of(kn_grad_of(watched[i])), want[at], 0, 0);
            check_part(t, name, n_in + i, own, kn_tangent_of(kn_grad_of(watched[i])), want[n_out + at], 0, 0);
            at++;
        }
    release_all(MAX_VALUES, want);
    knx_buffer_release(seed);
    kni_release(j);
    kni_release(pull);
    free(value);
    kn_error_clear();
}

static void check_batched(trial *t, const kni_jaxpr *j, knx_buffer *const *many)
{
    knx_buffer *want[MAX_VALUES] = {NULL};
    KN_SCOPE;
    kn_array *value = calloc((size_t)t->p.j->n_var + 1, sizeof *value);
    bool fine = value && run_whole("batch axes", j, many, want);
    for (int i = 0; fine && i < (int)j->n_in; i++) {
        value[i] = array_of(many[i], kni_in_type(j, (uint32_t)i));
        if (t->in_axis[i] >= 0)
            value[i] = kn_batch_in(value[i], t->in_axis[i]);
    }
    if (fine && (kn_error_pending() || !walk(t, value)))
        fails(t->v, "batch axes: %s", kn_error_message());
    t->v->sets += fine;
    for (int k = 0; fine && k < (int)j->n_out && !t->v->failed; k++)
        check_part(t, "batch axes", k, kni_out_type(j, (uint32_t)k), with_lanes(t, result_of(t, value, k), k), want[k],
                   0, 0);
    release_all(MAX_VALUES, want);
    free(value);
    kn_error_clear();
}

/* ---- Choices. */

static void make_tangents(trial *t, const kni_jaxpr *j)
{
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0, k = 0; i < (int)j->n_in; i++)
            if (t->chosen[i])
                t->tangent[d][k++] = random_of(kni_in_type(j, (uint32_t)i), &t->state);
}

static void drop_tangents(trial *t)
{
    for (int d = 0; d < DIRECTIONS; d++)
        release_all(t->n_chosen, t->tangent[d]);
}

/* Most of the operands that can have a tangent. */
static void choose(trial *t)
{
    for (int i = 0; i < (int)t->p.j->n_in; i++)
        t->n_chosen += t->chosen[i] = knx_is_inexact(kni_in_type(t->p.j, (uint32_t)i).dtype) && any(t, 5);
}

/* A result of floats from `from` on, or -1. */
static int some_result(const trial *t, int from)
{
    int n = (int)t->p.j->n_out;
    for (int i = 0; i < n; i++)
        if (knx_is_inexact(kni_out_type(t->p.j, (uint32_t)((from + i) % n)).dtype))
            return (from + i) % n;
    return -1;
}

/* Gradients only where the lanes lie in front: elsewhere kn_batch_in moves an operand once, and the whole program for
 * each of its uses, so that their gradients are added up in other groups. */
static void try_lanes(trial *t)
{
    bool in_front = any(t, 2);
    int n = (int)t->p.j->n_in, batched = 0, result = some_result(t, any(t, 100));
    knx_buffer *many[MAX_VALUES] = {NULL};
    for (int i = 0; i < n; i++) {
        t->in_axis[i] = any(t, 5) ? in_front ? 0 : any(t, kni_in_type(t->p.j, (uint32_t)i).ndim + 1) : -1;
        batched += t->in_axis[i] >= 0;
    }
    for (uint32_t k = 0; k < t->p.j->n_out; k++)
        t->out_axis[k] = any(t, kni_out_type(t->p.j, k).ndim + 1);
    kni_jaxpr *j = batched ? over_lanes(t) : NULL;
    for (int i = 0; j && i < n; i++)
        many[i] = t->in_axis[i] < 0 ? knx_buffer_retain(t->p.x[i])
                                    : lanes_of_operand(&t->p, i, t->in_axis[i], kni_in_type(j, (uint32_t)i));
    if (j && !t->v->failed)
        check_batched(t, j, many);
    if (j && t->n_chosen) {
        make_tangents(t, j);
        if (!t->v->failed)
            check_tangents(t, "tangents below batch axes", j, many, true, 0);
        if (!t->v->failed && result >= 0 && in_front)
            check_gradient(t, "backward below batch axes", j, many, true, result);
        drop_tangents(t);
    }
    release_all(n, many);
    kni_release(j);
}

static void try_ways(trial *t)
{
    int result = some_result(t, any(t, 100));
    choose(t);
    if (t->n_chosen) {
        make_tangents(t, t->p.j);
        check_tangents(t, "tangents", t->p.j, t->p.x, false, 0);
        if (!t->v->failed && !any(t, 2))
            check_tangents(t, "directions", t->p.j, t->p.x, false, DIRECTIONS);
        if (!t->v->failed && result >= 0)
            check_gradient(t, "backward", t->p.j, t->p.x, false, result);
        if (!t->v->failed && result >= 0 && !any(t, 3))
            check_forward_over_reverse(t, "forward over reverse", result);
        drop_tangents(t);
    }
    if (!t->v->failed && program_is_pure(t->p.j))
        try_lanes(t);
}

/* Programs that a text does not hold, of the user's code, and with effects. */
static bool left_out(const kni_jaxpr *j)
{
    bool out =
        j->n_const + j->n_in >= MAX_VALUES || !j->n_out || j->n_out > MAX_VALUES || (j->has & (KN_NAMES | KN_ON_MESH));
    for (uint32_t i = 0; i < j->n_const + j->n_in && !out; i++)
        out = j->type[i].dtype->kind == KN_KIND_KEY;
    return out;
}

void check_eager(const program *p, uint64_t seed, bool all, verdict *v)
{
    (void)all;
    *v = (verdict){0};
    kni_jaxpr *open = left_out(p->j) ? NULL : program_open(p->j, -1, true);
    char *text = program_text(open);
    knx_buffer *want[MAX_VALUES] = {NULL};
    if (text && run_whole("plain", open, p->x, want)) {
        KN_SCOPE;
        trial t = {.p = {open, p->x}, .text = (kn_jaxpr_parse)(text), .state = seed * 2 + 1, .v = v};
        t.n = kn_jaxpr_count(t.text);
        if (kn_error_pending())
            fails(v, "the text is not read: %s", kn_error_message());
        else
            try_ways(&t);
        kn_error_clear();
    }
    v->ran = v->sets > 0;
    v->refused = !v->sets;
    release_all(MAX_VALUES, want);
    knx_free(text);
    kni_release(open);
}
