/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_program_ops.c -- the operations of programs: each line calls the function of jax.lax that it names. */
#include "support/expect.h"
#include "support/jaxpr_program.h"

/* The line that is being run: its operands, lists and results. */
typedef struct now {
    program *p;
    const program_line *l;
    kn_array x[PROGRAM_OPERANDS];
} now;

static void set(now *w, int i, kn_array y)
{
    if (i < w->l->n_out)
        w->p->var[w->l->out[i]] = y;
}

static void set_list(now *w, kn_list y)
{
    for (int i = 0; i < w->l->n_out; i++)
        set(w, i, kn_list_get(y, i));
}

static kn_shape shape(const now *w, int k)
{
    kn_shape s = {.ndim = w->l->list[k].n};
    for (int i = 0; i < s.ndim; i++)
        s.dim[i] = w->l->list[k].v[i];
    return s;
}

static kn_axes axes(const now *w, int k)
{
    kn_axes a = {.n = 1 + w->l->list[k].n};
    for (int i = 0; i + 1 < a.n; i++)
        a.axis[i] = (int32_t)w->l->list[k].v[i];
    return a;
}

static int64_t at(const now *w, int k, int i) { return w->l->list[k].v[i]; }

static kn_list operands(const now *w, int from) { return kn_list_from(w->x + from, w->l->n_in - from); }

/* ---- One line each. */

typedef struct one_operation {
    const char *name;
    kn_array (*one)(kn_array);
    kn_array (*two)(kn_array, kn_array);
    kn_array (*three)(kn_array, kn_array, kn_array);
    kn_array (*reduce)(kn_array, const kn_axes *);
} one_operation;

#define ONE(f)    {#f, kn_lax_##f, NULL, NULL, NULL},
#define TWO(f)    {#f, NULL, kn_lax_##f, NULL, NULL},
#define THREE(f)  {#f, NULL, NULL, kn_lax_##f, NULL},
#define REDUCE(f) {#f, NULL, NULL, NULL, kn_lax_##f},
/* clang-format off */
static const one_operation plain[] = {
    ONE(sign) ONE(floor) ONE(ceil) ONE(is_finite) ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log1p) ONE(logistic) ONE(sin)
    ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
    ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(square) ONE(reciprocal) ONE(lgamma) ONE(digamma) ONE(erf) ONE(erfc) ONE(erf_inv)
    ONE(bessel_i0e) ONE(bessel_i1e) ONE(abs) ONE(neg) ONE(stop_gradient) ONE(bitwise_not) ONE(population_count) ONE(clz)
    ONE(real) ONE(imag) ONE(conj)
    TWO(add) TWO(sub) TWO(mul) TWO(div) TWO(rem) TWO(max) TWO(min) TWO(pow) TWO(atan2) TWO(nextafter) TWO(complex) TWO(eq)
    TWO(ne) TWO(lt) TWO(le) TWO(gt) TWO(ge) TWO(igamma) TWO(igammac) TWO(zeta) TWO(bitwise_and) TWO(bitwise_or)
    TWO(bitwise_xor) TWO(shift_left) TWO(shift_right_arithmetic) TWO(shift_right_logical)
    THREE(clamp) THREE(select) THREE(betainc)
    REDUCE(reduce_sum) REDUCE(reduce_prod) REDUCE(reduce_max) REDUCE(reduce_min) REDUCE(reduce_and) REDUCE(reduce_or)
    REDUCE(reduce_xor) REDUCE(squeeze) REDUCE(expand_dims) REDUCE(transpose) REDUCE(rev)
};
/* clang-format on */

static bool run_plain(now *w)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        const one_operation *o = &plain[i];
        if (strcmp(o->name, w->l->op))
            continue;
        kn_axes a = axes(w, 0);
        set(w, 0,
            o->one     ? o->one(w->x[0])
            : o->two   ? o->two(w->x[0], w->x[1])
            : o->three ? o->three(w->x[0], w->x[1], w->x[2])
                       : o->reduce(w->x[0], &a));
        return true;
    }
    return false;
}

/* ---- Those with parameters. */

static void cumulate(now *w, kn_array (*f)(kn_array, const kn_lax_cumulative_opts *))
{
    kn_lax_cumulative_opts o = kn_lax_cumulative_opts_default();
    o.axis = KN_AXIS((int)at(w, 0, 0));
    o.reverse = at(w, 0, 1) != 0;
    set(w, 0, f(w->x[0], &o));
}
static void do_cumsum(now *w) { cumulate(w, kn_lax_cumsum); }
static void do_cumprod(now *w) { cumulate(w, kn_lax_cumprod); }
static void do_cummax(now *w) { cumulate(w, kn_lax_cummax); }
static void do_cummin(now *w) { cumulate(w, kn_lax_cummin); }
static void do_cumlogsumexp(now *w) { cumulate(w, kn_lax_cumlogsumexp); }

static void do_integer_pow(now *w) { set(w, 0, kn_lax_integer_pow(w->x[0], at(w, 0, 0))); }
static void do_round(now *w) { set(w, 0, kn_lax_round(w->x[0], .rounding_method = (int)at(w, 0, 0))); }
static void do_reduce_precision(now *w)
{
    set(w, 0, kn_lax_reduce_precision(w->x[0], (int)at(w, 0, 0), (int)at(w, 0, 1)));
}
static void do_convert_element_type(now *w) { set(w, 0, kn_lax_convert_element_type(w->x[0], w->l->dtype)); }
static void do_select_n(now *w) { set(w, 0, kn_lax_select_n(w->x[0], operands(w, 1))); }
static void do_optimization_barrier(now *w) { set_list(w, kn_lax_optimization_barrier(operands(w, 0))); }
static void do_iota(now *w) { set(w, 0, kn_lax_iota(w->l->dtype, at(w, 0, 0))); }
static void do_broadcasted_iota(now *w)
{
    set(w, 0, kn_lax_broadcasted_iota(w->l->dtype, shape(w, 0), (int)at(w, 1, 0)));
}
static void do_full(now *w) { set(w, 0, kn_lax_full(shape(w, 0), w->x[0])); }
static void do_full_of(now *w) { set(w, 0, kn_lax_full(shape(w, 0), w->x[0], .dtype = w->l->dtype)); }
static void do_full_like(now *w) { set(w, 0, kn_lax_full_like(w->x[0], w->x[1])); }
static void do_broadcast(now *w) { set(w, 0, kn_lax_broadcast(w->x[0], shape(w, 0))); }
static void do_broadcast_in_dim(now *w) { set(w, 0, kn_lax_broadcast_in_dim(w->x[0], shape(w, 0), axes(w, 1))); }
static void do_reshape(now *w) { set(w, 0, kn_lax_reshape(w->x[0], shape(w, 0))); }
static void do_pad(now *w)
{
    kn_lax_padding pad[8];
    kn_lax_padding_config c = {w->l->list[0].n / 3, pad};
    for (int i = 0; i < c.n; i++)
        pad[i] = (kn_lax_padding){at(w, 0, 3 * i), at(w, 0, 3 * i + 1), at(w, 0, 3 * i + 2)};
    set(w, 0, kn_lax_pad(w->x[0], w->x[1], c));
}
static void do_concatenate(now *w) { set(w, 0, kn_lax_concatenate(operands(w, 0), (int)at(w, 0, 0))); }
static void do_slice(now *w)
{
    kn_shape strides = shape(w, 2);
    if (strides.ndim)
        set(w, 0, kn_lax_slice(w->x[0], shape(w, 0), shape(w, 1), .strides = &strides));
    else
        set(w, 0, kn_lax_slice(w->x[0], shape(w, 0), shape(w, 1)));
}
static void do_dynamic_slice(now *w) { set(w, 0, kn_lax_dynamic_slice(w->x[0], operands(w, 1), shape(w, 0))); }
static void do_gather(now *w)
{
    static const kn_lax_gather_dimension_numbers rows = {
        .offset_dims = {{2}, {1}}, .collapsed_slice_dims = {{2}, {0}}, .start_index_map = {{2}, {0}}};
    static const int modes[] = {KN_LAX_CLIP, KN_LAX_FILL_OR_DROP, KN_LAX_PROMISE_IN_BOUNDS};
    set(w, 0, kn_lax_gather(w->x[0], w->x[1], rows, KN_SHAPE(1, at(w, 0, 0)), .mode = modes[at(w, 0, 1)]));
}
static void do_argmax(now *w) { set(w, 0, kn_lax_argmax(w->x[0], (int)at(w, 0, 0), w->l->dtype)); }
static void do_sort(now *w)
{
    set(w, 0, kn_lax_sort(w->x[0], KN_AXIS((int)at(w, 0, 0)), .is_stable = at(w, 0, 1) != 0));
}
static void do_top_k(now *w)
{
    kn_lax_top_k_result y = kn_lax_top_k(w->x[0], at(w, 0, 0));
    set(w, 0, y.values);
    set(w, 1, y.indices);
}
static void do_dot_general(now *w)
{
    kn_lax_dot_dimension_numbers d = {axes(w, 0), axes(w, 1), {{1}, {0}}, {{1}, {0}}};
    set(w, 0, kn_lax_dot_general(w->x[0], w->x[1], d));
}
static void do_linalg_cholesky(now *w)
{
    set(w, 0, kn_lax_linalg_cholesky(w->x[0], .symmetrize_input = at(w, 0, 0) != 0));
}
static void do_linalg_lu(now *w)
{
    kn_lax_linalg_lu_result y = kn_lax_linalg_lu(w->x[0]);
    set(w, 0, y.lu);
    set(w, 1, y.pivots);
    set(w, 2, y.permutation);
}
static kn_array add2(const kn_array *x, const kn_array *y) { return kn_lax_add(*x, *y); }
static kn_array max2(const kn_array *x, const kn_array *y) { return kn_lax_max(*x, *y); }
KN_FUNCTION(add2, kn_array, kn_array, kn_array)
KN_FUNCTION(max2, kn_array, kn_array, kn_array)
static void do_reduce_window_sum(now *w)
{
    kn_shape strides = shape(w, 1);
    set(w, 0, kn_lax_reduce_window(w->x[0], 0, KN_FN(add2), shape(w, 0), .window_strides = &strides));
}
static void do_reduce_window_max(now *w)
{
    kn_shape strides = shape(w, 1);
    set(w, 0,
        kn_lax_reduce_window(w->x[0], -INFINITY, KN_FN(max2), shape(w, 0), .window_strides = &strides,
                             .padding = KN_SAME));
}

/* ---- Functions of functions. */

static kn_args args_of(const now *w, int from, int n)
{
    kn_args a = {.n = n};
    for (int i = 0; i < n; i++)
        a.part[i] = (kn_const_part){&w->x[from + i], sizeof(kn_array)};
    return a;
}

static kn_outs outs_of(const now *w, int from, int n, kn_array *y)
{
    (void)w;
    return (kn_outs){1, {{y + from, (size_t)n * sizeof(kn_array)}}};
}

static kn_fn fn(now *w, int i) { return program_fn(w->p, w->l->fn[i]); }

static void set_all(now *w, const kn_array *y)
{
    for (int i = 0; i < w->l->n_out; i++)
        set(w, i, y[i]);
}

static void apply(now *w, kn_fn f)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    kn_args a = args_of(w, 0, w->l->n_in);
    kn_outs o = outs_of(w, 0, w->l->n_out, y);
    (kn_call)(f, &o, &a);
    set_all(w, y);
}
static void do_jit(now *w) { apply(w, kn_jit(fn(w, 0))); }
static void do_checkpoint(now *w) { apply(w, kn_checkpoint(fn(w, 0))); }
static void do_vmap(now *w) { apply(w, kn_vmap(fn(w, 0))); }
static void do_value_and_grad(now *w) { apply(w, kn_value_and_grad(fn(w, 0))); }
static void do_custom_jvp(now *w) { apply(w, kn_custom_jvp(fn(w, 0), fn(w, 1))); }
static void do_jvp(now *w)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    int n = w->l->n_in / 2, m = w->l->n_out / 2;
    kn_args x = args_of(w, 0, n), dx = args_of(w, n, n);
    kn_outs o = outs_of(w, 0, m, y), d = outs_of(w, m, m, y);
    (kn_jvp)(fn(w, 0), &x, &dx, &o, &d);
    set_all(w, y);
}
static void do_cond(now *w)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    kn_args a = args_of(w, 1, w->l->n_in - 1);
    kn_outs o = outs_of(w, 0, w->l->n_out, y);
    (kn_cond)(w->x[0], fn(w, 0), fn(w, 1), &o, &a);
    set_all(w, y);
}
static void do_switch(now *w)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    kn_fn f[4];
    for (int i = 0; i < w->l->n_fn; i++)
        f[i] = fn(w, i);
    kn_args a = args_of(w, 1, w->l->n_in - 1);
    kn_outs o = outs_of(w, 0, w->l->n_out, y);
    (kn_switch)(w->x[0], f, w->l->n_fn, &o, &a);
    set_all(w, y);
}
static void do_scan(now *w)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    int n = (int)at(w, 0, 0);
    kn_args init = args_of(w, 0, n), xs = args_of(w, n, w->l->n_in - n);
    kn_outs o = outs_of(w, 0, w->l->n_out, y);
    kn_scan_opts opts = {.size_ = sizeof opts, .length = at(w, 0, 1), .reverse = at(w, 0, 2) != 0};
    (kn_scan)(fn(w, 0), &o, &init, &xs, &opts);
    set_all(w, y);
}
static void do_while(now *w)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    kn_args init = args_of(w, 0, w->l->n_in);
    kn_outs o = outs_of(w, 0, w->l->n_out, y);
    (kn_while_loop)(fn(w, 0), fn(w, 1), &o, &init, NULL);
    set_all(w, y);
}
static void do_fori(now *w)
{
    kn_array y[PROGRAM_OPERANDS] = {0};
    kn_args init = args_of(w, 2, w->l->n_in - 2);
    kn_outs o = outs_of(w, 0, w->l->n_out, y);
    (kn_fori_loop)(w->x[0], w->x[1], fn(w, 0), &o, &init, NULL);
    set_all(w, y);
}

typedef struct operation {
    const char *name;
    void (*run)(now *w);
} operation;
#define OP(f)      \
    {              \
#f, do_##f \
    }
static const operation operations[] = {OP(cumsum),
                                       OP(cumprod),
                                       OP(cummax),
                                       OP(cummin),
                                       OP(cumlogsumexp),
                                       OP(integer_pow),
                                       OP(round),
                                       OP(reduce_precision),
                                       OP(convert_element_type),
                                       OP(select_n),
                                       OP(optimization_barrier),
                                       OP(iota),
                                       OP(broadcasted_iota),
                                       OP(full),
                                       OP(full_of),
                                       OP(full_like),
                                       OP(broadcast),
                                       OP(broadcast_in_dim),
                                       OP(reshape),
                                       OP(pad),
                                       OP(concatenate),
                                       OP(slice),
                                       OP(dynamic_slice),
                                       OP(gather),
                                       OP(argmax),
                                       OP(sort),
                                       OP(top_k),
                                       OP(dot_general),
                                       OP(linalg_cholesky),
                                       OP(linalg_lu),
                                       OP(reduce_window_sum),
                                       OP(reduce_window_max),
                                       OP(jit),
                                       OP(checkpoint),
                                       OP(vmap),
                                       OP(value_and_grad),
                                       OP(custom_jvp),
                                       OP(jvp),
                                       OP(cond),
                                       OP(switch),
                                       OP(scan),
                                       OP(while),
                                       OP(fori)};

void program_step(program *p, const program_line *l)
{
    now w = {.p = p, .l = l};
    for (int i = 0; i < l->n_in; i++)
        w.x[i] = program_value(p, &l->in[i]);
    if (run_plain(&w))
        return;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(operations[i].name, l->op)) {
            operations[i].run(&w);
            return;
        }
    fail_msg("program %d: there is no operation %s", p->number, l->op);
}
