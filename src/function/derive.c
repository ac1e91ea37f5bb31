/* SPDX-License-Identifier: Apache-2.0
 * derive.c -- transformations of functions as functions from jaxpr to jaxpr: grad, vmap, jacobians. Each derives its
 * inner function for the types that it passes on, transforms that jaxpr, and keeps the captured constants. */
#include "function/manual.h"
#include "transform/transform.h"
#include <string.h>

/* The arrays that differentiation is with respect to, as positions in the jaxpr's inputs. */
typedef struct selection {
    int n;
    int *at;
    bool *chosen;
} selection;

static void selection_free(selection *s)
{
    knx_free(s->at);
    knx_free(s->chosen);
}

static knx_error *select_arguments(const char *what, const knf_core *f, const kni_type *in, selection *s)
{
    int n_in = f->n_captured + f->n_in, count = f->o.argnums.n ? f->o.argnums.n : 1;
    *s = (selection){.at = knx_alloc(((size_t)n_in + 1) * sizeof(int) * KN_MAX_ARGS),
                     .chosen = knx_alloc_zero((size_t)n_in + 1)};
    if (!s->at || !s->chosen)
        return knx_error_nomem();
    for (int k = 0; k < count; k++) {
        int arg = f->o.argnums.n ? f->o.argnums.arg[k] : 0, first = f->n_captured;
        for (int i = 0; i < arg; i++)
            first += f->arrays[i];
        for (int i = first; i < first + f->arrays[arg]; i++) {
            bool inexact = knx_is_inexact(in[i].dtype), forward = f->kind == KNF_FN_JACFWD;
            if (f->o.holomorphic && !knx_is_complex(in[i].dtype))
                return knx_error_new(KN_ERROR_TYPE,
                                     "%s with holomorphic = true requires inputs with complex dtype, but got %s", what,
                                     in[i].dtype->name);
            if (forward && !f->o.holomorphic && knx_is_complex(in[i].dtype))
                return knx_error_new(
                    KN_ERROR_TYPE,
                    "jacfwd requires real-valued inputs, but got %s; for holomorphic differentiation say "
                    ".holomorphic = true, for other functions use kn_jvp",
                    in[i].dtype->name);
            if (!inexact && (forward || !f->o.allow_int || in[i].dtype->kind == KN_KIND_KEY)) {
                knx_text t = {0}, name = {0};
                return knx_error_new(KN_ERROR_TYPE,
                                     "argument %d of %s must be real or complex floating point, but%s is %s", arg,
                                     f->name, knf_leaf_name(&name, f, arg, i - first), kni_type_text(&t, in[i], true));
            }
            s->at[s->n++] = i;
            s->chosen[i] = inexact;
        }
    }
    return NULL;
}

/* A builder with the constvars and inputs of j, for a jaxpr that has the same ones. */
typedef struct frame {
    kni_builder b;
    kni_atom *in; /* constvars, then inputs */
    knx_arena arena;
    uint32_t n;
} frame;

static bool frame_begin(frame *f, const kni_jaxpr *j)
{
    *f = (frame){.n = j->n_const + j->n_in};
    knb_init(&f->b);
    f->in = knx_arena_alloc(&f->arena, ((size_t)f->n + 1) * sizeof *f->in);
    for (uint32_t i = 0; f->in && i < f->n; i++)
        f->in[i] = i < j->n_const ? knb_constvar(&f->b, j->type[i]) : knb_invar(&f->b, j->type[i]);
    return f->in != NULL;
}

static void frame_end(frame *f)
{
    knb_free(&f->b);
    knx_arena_free(&f->arena);
}

static kni_atom *frame_atoms(frame *f, size_t n) { return knx_arena_alloc(&f->arena, (n + 1) * sizeof(kni_atom)); }

/* ---- Remembering what a transformation made of a jaxpr. */

static bool same_places(const kni_jaxpr *a, const kni_jaxpr *b)
{
    for (uint32_t i = 0; i < a->n_eqn; i++)
        if (a->eqn[i].place != b->eqn[i].place)
            return false;
    return true;
}

static kni_jaxpr *recall(knf_core *f, const kni_jaxpr *from, int64_t size)
{
    for (size_t i = 0; i < f->memo.n && !knf_is_assuming(); i++) {
        knf_memo *m = &f->memo.at[i];
        if (m->from->hash == from->hash && m->size == size && m->from->whole == from->whole &&
            kni_equal(m->from, from) && same_places(m->from, from)) {
            m->used = ++kna_state_get()->clock;
            return kni_retain(m->to);
        }
    }
    return NULL;
}

static size_t memo_bytes(const knf_memo *m) { return sizeof *m + kni_bytes(m->from) + kni_bytes(m->to); }

size_t knf_memos_free(knf_core *c)
{
    size_t bytes = 0;
    for (size_t i = 0; i < c->memo.n; i++) {
        bytes += memo_bytes(&c->memo.at[i]);
        kni_release(c->memo.at[i].from);
        kni_release(c->memo.at[i].to);
    }
    KN_VEC_FREE(&c->memo);
    return bytes;
}

/* Not being remembered is no failure. */
static void remember(knf_core *f, kni_jaxpr *from, kni_jaxpr *to, int64_t size)
{
    if (knf_is_assuming())
        return;
    knf_memo fresh = {kni_retain(from), kni_retain(to), size, ++kna_state_get()->clock};
    if (f->memo.n < KNF_MAX_MEMOS) {
        if (KN_VEC_PUSH(&f->memo, fresh)) {
            knf_core_count(f, memo_bytes(&fresh));
            return;
        }
    } else {
        size_t oldest = 0;
        for (size_t i = 1; i < f->memo.n; i++)
            if (f->memo.at[i].used < f->memo.at[oldest].used)
                oldest = i;
        knf_memo old = f->memo.at[oldest];
        f->memo.at[oldest] = fresh;
        knf_core_count(f, memo_bytes(&fresh) - memo_bytes(&old));
        fresh = old;
    }
    kni_release(fresh.from);
    kni_release(fresh.to);
}

/* ---- grad and value_and_grad. */

static knx_error *check_loss(const knf_core *f, const kni_jaxpr *j)
{
    kni_type y = kni_out_type(j, 0);
    bool one = j->n_out == 1 || f->o.has_aux;
    if (!one || y.ndim != 0) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_TYPE, "%s must return one scalar, but it returned %s%s", f->name,
                             j->n_out == 1 || f->o.has_aux ? "" : "several arrays, first ", kni_type_text(&t, y, true));
    }
    if (f->o.holomorphic && !knx_is_complex(y.dtype))
        return knx_error_new(KN_ERROR_TYPE,
                             "grad with holomorphic = true requires outputs with complex dtype, but %s returned %s",
                             f->name, y.dtype->name);
    if (!f->o.holomorphic && !knx_is_float(y.dtype)) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_TYPE, "%s must return a real floating-point scalar, but it returned %s", f->name,
                             kni_type_text(&t, y, true));
    }
    return NULL;
}

/* The cotangents of the linear function's tangents, given residuals and cotangents of its results. */
static knx_error *pull_back(frame *f, const knt_linearized *l, const kni_atom *residuals, const kni_atom *ct,
                            kni_atom *ct_in)
{
    uint32_t n_in = l->linear->n_in;
    bool *linear = knx_arena_zero(&f->arena, n_in + 1);
    kni_atom *operands = frame_atoms(f, (size_t)l->n_residual + l->n_tangent_out);
    if (!linear || !operands)
        return knx_error_nomem();
    for (uint32_t i = l->n_residual; i < n_in; i++)
        linear[i] = true;
    kni_jaxpr *transposed = NULL;
    KN_TRY(knt_transpose(l->linear, linear, &transposed));
    memcpy(operands, residuals, l->n_residual * sizeof *operands);
    memcpy(operands + l->n_residual, ct, l->n_tangent_out * sizeof *operands);
    knb_inline(&f->b, transposed, operands, ct_in);
    kni_release(transposed);
    return NULL;
}

static knx_error *gradient(const knf_core *f, const kni_jaxpr *j, const selection *s, kni_jaxpr **out)
{
    frame fr;
    knt_linearized l = {0};
    knx_error *error = frame_begin(&fr, j) ? knt_linearize(j, s->chosen, &l) : knx_error_nomem();
    if (!error) {
        kni_atom *y = frame_atoms(&fr, j->n_out + l.n_residual), *ct = frame_atoms(&fr, 1),
                 *g = frame_atoms(&fr, (size_t)s->n * 2);
        kni_atom *result = frame_atoms(&fr, (size_t)s->n + j->n_out);
        int *order =
            knx_arena_alloc(&fr.arena, ((size_t)fr.n + 1) * sizeof *order); /* input -> position among the tangents */
        if (!y || !ct || !g || !result || !order) {
            error = knx_error_nomem();
        } else {
            knb_inline(&fr.b, l.primal, fr.in, y);
            bool depends = l.out_tangent[0];
            if (depends) {
                /* only the loss has a cotangent; results after it are aux */
                uint32_t n = 0;
                kni_atom *cts = frame_atoms(&fr, l.n_tangent_out);
                for (uint32_t i = 0; cts && i < j->n_out; i++)
                    if (l.out_tangent[i]) {
                        cts[n++] = i == 0 ? knb_number(&fr.b, kni_out_type(j, 0).dtype, 1)
                                          : knb_zeros(&fr.b, kni_out_type(j, i));
                    }
                error = cts ? pull_back(&fr, &l, y + j->n_out, cts, g) : knx_error_nomem();
            }
            int at = 0;
            for (uint32_t i = 0; i < j->n_in; i++)
                if (s->chosen[i])
                    order[i] = at++;
            uint32_t n = 0;
            if (f->o.value)
                result[n++] = y[0];
            for (uint32_t i = 1; f->o.value && i < j->n_out; i++)
                result[n++] = y[i];
            for (int k = 0; k < s->n; k++)
                result[n++] = depends && s->chosen[s->at[k]] ? g[order[s->at[k]]]
                                                             : knb_zeros(&fr.b, kni_in_type(j, (uint32_t)s->at[k]));
            for (uint32_t i = 1; !f->o.value && i < j->n_out; i++)
                result[n++] = y[i];
            if (!error)
                error = knb_finish(&fr.b, (int)n, result, j->name, true, out);
        }
    }
    knt_linearized_free(&l);
    frame_end(&fr);
    return error;
}

/* ---- Jacobians. */

/* The standard basis of t's space along a new first axis: shape (n, ...). */
static kni_atom basis(kni_builder *b, kni_type t)
{
    int64_t n = kni_type_size(t), square[2] = {n, n}, shape[KN_MAX_NDIM];
    kni_atom row = knb_iota(b, KN_DT(I64), 2, square, 0), column = knb_iota(b, KN_DT(I64), 2, square, 1);
    kni_atom eye = knb_convert(b, knb_eq(b, row, column), t.dtype);
    if (t.ndim + 1 > KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "a Jacobian of %d axes has too many dimensions", t.ndim));
        return KN_ATOM_NONE;
    }
    shape[0] = n;
    for (int d = 0; d < t.ndim; d++)
        shape[d + 1] = t.dim[d];
    return knb_reshape(b, eye, t.ndim + 1, shape);
}

/* x of shape (n, a...) with n = size of t, as shape (t..., a...) or, with last, (a..., t...). */
static kni_atom unravel(kni_builder *b, kni_atom x, kni_type t, bool last)
{
    kni_type have = knb_type(b, last ? (x = knb_move_axis(b, x, 0, knb_type(b, x).ndim - 1)) : x);
    int64_t shape[2 * KN_MAX_NDIM];
    int n = 0, rest = have.ndim - 1;
    if (rest + t.ndim > KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                  KN_MAX_NDIM, rest + t.ndim));
        return KN_ATOM_NONE;
    }
    for (int d = 0; !last && d < t.ndim; d++)
        shape[n++] = t.dim[d];
    for (int d = 0; d < rest; d++)
        shape[n++] = have.dim[last ? d : d + 1];
    for (int d = 0; last && d < t.ndim; d++)
        shape[n++] = t.dim[d];
    return knb_reshape(b, x, n, shape);
}

/* One batched application of a linear jaxpr: input `which` over the basis of its space, other linear inputs zero.
 * Results are shaped (n, result...). first_linear: the inputs before it are residuals. */
static knx_error *apply_to_basis(frame *f, const kni_jaxpr *linear, const kni_atom *residuals, uint32_t first_linear,
                                 uint32_t which, kni_atom *y)
{
    int *axis = knx_arena_alloc(&f->arena, ((size_t)linear->n_in + 1) * sizeof *axis);
    kni_atom *in = frame_atoms(f, linear->n_in);
    if (!axis || !in)
        return knx_error_nomem();
    for (uint32_t i = 0; i < linear->n_in; i++) {
        kni_type t = kni_in_type(linear, i);
        axis[i] = i == which ? 0 : -1;
        in[i] = i < first_linear ? residuals[i] : i == which ? basis(&f->b, t) : knb_zeros(&f->b, t);
    }
    kni_jaxpr *batched = NULL;
    KN_TRY(knt_batch(linear, kni_type_size(kni_in_type(linear, which)), NULL, axis, NULL, &batched));
    knb_inline(&f->b, batched, in, y);
    kni_release(batched);
    return NULL;
}

static knx_error *check_jacobian_results(const knf_core *f, const kni_jaxpr *j)
{
    for (uint32_t i = 0; i + (uint32_t)f->o.n_aux < j->n_out; i++) {
        kn_dtype d = kni_out_type(j, i).dtype;
        if (f->o.holomorphic != knx_is_complex(d) && knx_is_inexact(d))
            return knx_error_new(KN_ERROR_TYPE,
                                 f->o.holomorphic
                                     ? "%s with holomorphic = true requires outputs with complex dtype, but %s "
                                       "returned %s"
                                     : "%s requires real-valued outputs, but %s returned %s; for holomorphic "
                                       "differentiation say .holomorphic = true, for other functions use kn_vjp",
                                 f->kind == KNF_FN_JACFWD ? "jacfwd" : "jacrev", f->name, d->name);
        if (!knx_is_inexact(d)) {
            knx_text t = {0};
            return knx_error_new(KN_ERROR_TYPE, "%s must return real or complex floating point, but it returned %s",
                                 f->name, kni_type_text(&t, kni_out_type(j, i), true));
        }
    }
    return NULL;
}

static kni_atom zero_block(kni_builder *b, kni_type y, kni_type x)
{
    int64_t shape[2 * KN_MAX_NDIM];
    int n = 0;
    for (int d = 0; d < y.ndim; d++)
        shape[n++] = y.dim[d];
    for (int d = 0; d < x.ndim; d++)
        shape[n++] = x.dim[d];
    return n > KN_MAX_NDIM ? KN_ATOM_NONE : knb_zeros(b, kni_type_of(y.dtype, n, shape));
}

/* Column by column: the derivative along each basis vector of each argument. block[i * s->n + k]: result i by array
 * k. */
static knx_error *forward_blocks(frame *f, const kni_jaxpr *j, uint32_t n_main, const knt_linearized *l,
                                 const selection *s, const int *order, const kni_atom *residuals, kni_atom *block)
{
    kni_atom *y = frame_atoms(f, l->n_tangent_out);
    if (!y)
        return knx_error_nomem();
    for (int k = 0; k < s->n; k++) {
        kni_type t = kni_in_type(j, (uint32_t)s->at[k]);
        KN_TRY(apply_to_basis(f, l->linear, residuals, l->n_residual, l->n_residual + (uint32_t)order[s->at[k]], y));
        for (uint32_t i = 0, n = 0; i < n_main; i++)
            block[i * (uint32_t)s->n + (uint32_t)k] =
                l->out_tangent[i] ? unravel(&f->b, y[n++], t, true) : zero_block(&f->b, kni_out_type(j, i), t);
    }
    return NULL;
}

/* Row by row: the pullback of each basis vector of each result. */
static knx_error *reverse_blocks(frame *f, const kni_jaxpr *j, uint32_t n_main, const knt_linearized *l,
                                 const selection *s, const int *order, const kni_atom *residuals, kni_atom *block)
{
    bool *linear = knx_arena_zero(&f->arena, l->linear->n_in + 1);
    kni_atom *g = frame_atoms(f, l->n_tangent_in);
    if (!linear || !g)
        return knx_error_nomem();
    for (uint32_t i = l->n_residual; i < l->linear->n_in; i++)
        linear[i] = true;
    kni_jaxpr *transposed = NULL;
    KN_TRY(knt_transpose(l->linear, linear, &transposed));
    knx_error *error = NULL;
    for (uint32_t i = 0, n = 0; !error && i < n_main; i++) {
        if (l->out_tangent[i])
            error = apply_to_basis(f, transposed, residuals, l->n_residual, l->n_residual + n++, g);
        for (int k = 0; !error && k < s->n; k++)
            block[i * (uint32_t)s->n + (uint32_t)k] =
                l->out_tangent[i] && s->chosen[s->at[k]]
                    ? unravel(&f->b, g[order[s->at[k]]], kni_out_type(j, i), false)
                    : zero_block(&f->b, kni_out_type(j, i), kni_in_type(j, (uint32_t)s->at[k]));
    }
    kni_release(transposed);
    return error;
}

static knx_error *jacobian(const knf_core *f, const kni_jaxpr *j, const selection *s, kni_jaxpr **out)
{
    frame fr;
    knt_linearized l = {0};
    knx_error *error = frame_begin(&fr, j) ? NULL : knx_error_nomem();
    if (!error && (f->kind != KNF_FN_JACFWD || f->o.holomorphic)) /* forward derivatives of integers are zeros */
        error = check_jacobian_results(f, j);
    if (!error)
        error = knt_linearize(j, s->chosen, &l);
    if (!error) {
        kni_atom *y = frame_atoms(&fr, (size_t)j->n_out + l.n_residual),
                 *block = frame_atoms(&fr, (size_t)j->n_out * (size_t)s->n + j->n_out);
        uint32_t n_main = j->n_out - (uint32_t)f->o.n_aux;
        int n_block = (int)n_main * s->n;
        int *order = knx_arena_zero(&fr.arena, ((size_t)fr.n + 1) * sizeof *order), at = 0;
        for (uint32_t i = 0; order && i < j->n_in; i++)
            if (s->chosen[i])
                order[i] = at++;
        error = y && block && order ? NULL : knx_error_nomem();
        if (!error) {
            knb_inline(&fr.b, l.primal, fr.in, y);
            error = (f->kind == KNF_FN_JACFWD ? forward_blocks : reverse_blocks)(&fr, j, n_main, &l, s, order,
                                                                                 y + j->n_out, block);
            for (uint32_t i = n_main; i < j->n_out; i++)
                block[n_block + (int)(i - n_main)] = y[i];
        }
        if (!error)
            error = knb_finish(&fr.b, n_block + f->o.n_aux, block, j->name, true, out);
    }
    knt_linearized_free(&l);
    frame_end(&fr);
    return error;
}

/* ---- vmap. */

static int mapped_axis(kn_mapping m)
{
    return m.code == 0 ? 0 : m.code >= 2 ? m.code - 2 : m.code;
} /* unmapped: 1, told apart by the caller */

kn_mapping knf_leaf_mapping(const knf_core *f, int arg, int leaf)
{
    int code = f->o.in_leaves ? (unsigned char)f->o.in_leaves[leaf] - KNF_LEAF_CODE : 0;
    return code ? (kn_mapping){code} : f->o.in_axes[arg];
}

knx_error *knf_map_inputs(const knf_core *f, const kni_type *in, int *axis, kni_type *inner, knx_arena *a,
                          int64_t *size)
{
    int at = f->n_captured;
    *size = f->o.axis_size > 0 ? f->o.axis_size : -1;
    int first_arg = -1;
    for (int i = 0; i < at; i++) {
        axis[i] = -1;
        inner[i] = in[i];
    }
    for (int arg = 0; arg < f->n_args; arg++)
        for (int k = 0; k < f->arrays[arg]; k++, at++) {
            kn_mapping m = knf_leaf_mapping(f, arg, at - f->n_captured);
            axis[at] = -1;
            inner[at] = in[at];
            if (m.code == 1)
                continue;
            int d = mapped_axis(m), n = in[at].ndim;
            if (d < -n || d >= n) {
                knx_text path = {0};
                const char *name = knf_leaf_name(&path, f, arg, k);
                return knx_error_new(KN_ERROR_VALUE, "in_axes of argument %d is %d, but %s has %d dimensions", arg, d,
                                     *name ? name + 1 : "one of its arrays", n);
            }
            d = d < 0 ? d + n : d;
            if (*size >= 0 && in[at].dim[d] != *size)
                return knx_error_new(KN_ERROR_VALUE, "the mapped axes differ in size: argument %d has %lld, %s %lld",
                                     arg, (long long)in[at].dim[d],
                                     first_arg < 0 ? "axis_size is" : "an argument before it has", (long long)*size);
            *size = in[at].dim[d];
            first_arg = arg;
            axis[at] = d;
            int64_t *dim = knx_arena_alloc(a, ((size_t)n + 1) * sizeof *dim);
            if (!dim)
                return knx_error_nomem();
            for (int e = 0, left = 0; e < n; e++)
                if (e != d)
                    dim[left++] = in[at].dim[e];
            inner[at].dim = dim;
            inner[at].ndim = (int16_t)(n - 1);
        }
    return *size >= 0 ? NULL
                      : knx_error_new(KN_ERROR_VALUE, "at least one argument must be mapped, or axis_size given");
}

knx_error *knf_map_outputs(const knf_core *f, const kni_jaxpr *j, int *axis)
{
    bool one_for_all = true;
    for (int i = 1; i < KN_MAX_ARGS; i++)
        one_for_all = one_for_all && f->o.out_axes[i].code == 0;
    for (uint32_t i = 0; i < j->n_out; i++) {
        kn_mapping m = f->o.out_axes[one_for_all ? 0 : i < KN_MAX_ARGS ? i : KN_MAX_ARGS - 1];
        int n = kni_out_type(j, i).ndim + 1, d = mapped_axis(m);
        if (m.code != 1 && (d < -n || d >= n))
            return knx_error_new(KN_ERROR_VALUE, "out_axes of result %u is %d, but it has %d dimensions", i, d, n);
        axis[i] = m.code == 1 ? -1 : d < 0 ? d + n : d;
    }
    return NULL;
}

static knx_error *derive_vmap(knf_core *f, const kni_type *in, kna_closed *out)
{
    knx_arena a = KN_ARENA_INIT;
    knf_mapped m;
    int *out_axis = knx_arena_alloc(&a, ((size_t)f->n_out + 1) * sizeof *out_axis);
    kni_jaxpr *batched = NULL;
    knx_error *error = knf_map_begin(f, in, &a, &m);
    if (!error)
        error = out_axis ? knf_derive(f->inner, m.element, NULL, "vmap", out) : knx_error_nomem();
    knf_map_end(&m);
    if (!error)
        error = knf_map_outputs(f, out->jaxpr, out_axis);
    if (!error && !(batched = recall(f, out->jaxpr, m.size))) {
        error = knt_batch(out->jaxpr, m.size, f->o.axis_name, m.axis, out_axis, &batched);
        if (!error)
            remember(f, out->jaxpr, batched, m.size);
    }
    if (!error) {
        kni_release(out->jaxpr);
        out->jaxpr = batched;
    } else {
        kna_closed_free(out);
    }
    knx_arena_free(&a);
    return error;
}

/* ---- */

static const char *transformation_name(const knf_core *f)
{
    if (f->kind == KNF_FN_GRAD)
        return f->o.value ? "value_and_grad" : "grad";
    return f->kind == KNF_FN_JACFWD ? "jacfwd" : "jacrev";
}

knx_error *knf_derive_transformed(knf_core *f, const kni_type *in, kna_value *const *known, const char *why,
                                  kna_closed *out)
{
    if (f->kind == KNF_FN_VMAP)
        return derive_vmap(f, in, out);
    selection s = {0};
    kni_jaxpr *j = NULL;
    knx_error *error = select_arguments(transformation_name(f), f, in, &s);
    if (!error)
        error = knf_derive(f->inner, in, known, known ? transformation_name(f) : why, out);
    if (!error && f->kind == KNF_FN_GRAD)
        error = check_loss(f, out->jaxpr);
    if (!error && !(j = recall(f, out->jaxpr, 0))) {
        error = (f->kind == KNF_FN_GRAD ? gradient : jacobian)(f, out->jaxpr, &s, &j);
        if (!error)
            remember(f, out->jaxpr, j, 0);
    }
    selection_free(&s);
    if (error) {
        kna_closed_free(out);
        return error;
    }
    kni_release(out->jaxpr);
    out->jaxpr = j;
    return NULL;
}
