/* SPDX-License-Identifier: Apache-2.0
 * rows_optax.c -- the calls of optax.def. */
#include "coverage/coverage.h"

/* Three updates of the parameters (x, v) with the gradients (y, w) times the number of the step: the updates of the
 * last one and the parameters behind it. */
static kn_array steps(kn_optimizer optimizer, kn_array value)
{
    kn_tree params = kn_tree_list(x, v), state = kn_optim_init(optimizer, params), updates = NULL;
    for (int k = 1; k <= 3; k++) {
        kn_tree grads = kn_tree_list(kn_mul(y, k), kn_mul(w, k)), next = NULL;
        if (kn_optim_update(optimizer, grads, state, params, &updates, &next, .value = value))
            return NULL;
        state = next;
        params = kn_optim_apply_updates(params, updates);
    }
    return joined(kn_tree_leaves(kn_tree_list(updates, params)));
}
#define STEPS(optimizer)            steps(optimizer, NULL)
#define STEPS_WITH_VALUE(optimizer) steps(optimizer, kn_scalar(2.5))

static kn_array lookahead_steps(kn_optimizer optimizer)
{
    kn_tree params = kn_tree_tuple(kn_tree_list(x, v), kn_tree_list(x, v)), updates = NULL;
    kn_tree state = kn_optim_init(optimizer, params);
    for (int k = 1; k <= 3; k++) {
        kn_tree grads = kn_tree_list(kn_mul(y, k), kn_mul(w, k)), next = NULL;
        if (kn_optim_update(optimizer, grads, state, params, &updates, &next))
            return NULL;
        state = next;
        params = kn_optim_apply_updates(params, updates);
    }
    return joined(kn_tree_leaves(params));
}

/* The estimates of the Hessian's diagonal are the gradients' squares. */
static kn_array sophia_steps(kn_optimizer optimizer)
{
    kn_tree params = kn_tree_list(x, v), state = kn_optim_init(optimizer, params), updates = NULL;
    for (int k = 1; k <= 3; k++) {
        kn_tree grads = kn_tree_list(kn_mul(y, k), kn_mul(w, k)), next = NULL, squares = kn_tree_map(kn_square, grads);
        if (kn_optim_update(optimizer, grads, state, params, &updates, &next, .hessian = squares))
            return NULL;
        state = next;
        params = kn_optim_apply_updates(params, updates);
    }
    return joined(kn_tree_leaves(kn_tree_list(updates, params)));
}

static kn_array complex_step(kn_optimizer optimizer)
{
    kn_tree params = kn_tree_list(z, v), state = kn_optim_init(optimizer, params), updates = NULL, next = NULL;
    kn_tree grads = kn_tree_list(kn_conj(kn_mul(z, y)), w);
    if (kn_optim_update(optimizer, grads, state, params, &updates, &next))
        return NULL;
    return joined(kn_tree_leaves(updates));
}

/* Two steps of a vector and a number with the gradients of three examples. */
static kn_array example_steps(kn_optimizer optimizer)
{
    kn_tree params = kn_tree_list(kn_at(x, "0"), kn_at(v, "0")), state = kn_optim_init(optimizer, params);
    for (int k = 1; k <= 2; k++)
        if (kn_optim_apply(optimizer, &state, params, kn_tree_list(kn_mul(y, k), kn_mul(kn_at(w, ":3"), k))))
            return NULL;
    return joined(kn_tree_leaves(params));
}

/* Three steps of a search along a function of (x, v) with its own gradients. */
static kn_array searched_value(const kn_tree *params)
{
    kn_array distance = kn_sum(kn_square(kn_subtract(kn_tree_get(*params, 0), 1)));
    return kn_add(distance, kn_sum(kn_square(kn_square(kn_tree_get(*params, 1)))));
}
KN_FUNCTION(searched_value, kn_array, kn_tree)

static kn_array search_steps(kn_optimizer optimizer, int (*from_state)(kn_fn, kn_tree, kn_tree, kn_array *, kn_tree *))
{
    kn_tree params = kn_tree_list(x, v), state = kn_optim_init(optimizer, params), grad = NULL;
    for (int k = 1; k <= 3; k++) {
        kn_array value = NULL;
        int status = from_state ? from_state(KN_FN(searched_value), params, state, &value, &grad)
                                : kn_call(kn_value_and_grad(KN_FN(searched_value)), KN_OUT(&value, &grad), &params);
        if (status ||
            kn_optim_apply(optimizer, &state, params, grad, .value = value, .value_fn = KN_FN(searched_value)))
            return NULL;
    }
    return joined(kn_tree_leaves(params));
}

static kn_array eval_params(kn_optimizer optimizer, kn_tree (*means)(kn_tree, kn_tree))
{
    kn_tree params = kn_tree_list(x, v), state = kn_optim_init(optimizer, params);
    for (int k = 1; k <= 3; k++)
        if (kn_optim_apply(optimizer, &state, params, kn_tree_list(kn_mul(y, k), kn_mul(w, k))))
            return NULL;
    return joined(kn_tree_leaves(means(state, params)));
}

static kn_array cubes(const kn_array *a) { return kn_sum(kn_power(*a, 3)); }
KN_FUNCTION(cubes, kn_array, kn_array)

static kn_array largest(const kn_array *a) { return kn_max(*a); }
KN_FUNCTION(largest, kn_array, kn_array)

static kn_array sparsemax_sum(const kn_array *a)
{
    return kn_sum(kn_optim_multiclass_sparsemax_loss(*a, kn_at(q, ":3")));
}
KN_FUNCTION(sparsemax_sum, kn_array, kn_array)

static kn_array scaled_cubes(const kn_array *a)
{
    return kn_sum(kn_power(kn_tree_get(kn_optim_scale_gradient(kn_tree_list(*a), 0.25), 0), 3));
}
KN_FUNCTION(scaled_cubes, kn_array, kn_array)

static kn_array tanh_loss(const kn_array *p, const kn_array *in, const kn_array *targets)
{
    return kn_mean(kn_square(kn_tanh(kn_sub(kn_matmul(*in, *p), *targets))));
}
KN_FUNCTION(tanh_loss, kn_array, kn_array, kn_array, kn_array)

static kn_array largest_place(const kn_array *a) { return kn_nn_one_hot(kn_argmax(*a), 4, .dtype = KN_F64); }
KN_FUNCTION(largest_place, kn_array, kn_array)

/* The sum of the results with weights, and its gradient. */
static kn_array weighted_sums(kn_fn fun)
{
    kn_array five = kn_random_key(5), value = NULL, slopes = NULL, first = kn_at(x, "0"), by = kn_arange(0.0, 4.0, 1.0);
    kn_call(fun, &value, &five, &first);
    kn_call(kn_jacrev(fun, .argnums = KN_ARGNUMS(1)), &slopes, &five, &first);
    return joined(KN_LIST(kn_vdot(value, by), kn_matmul(by, slopes)));
}

typedef struct parts {
    kn_array each, sum, mean;
} parts;
static parts parts_of(const kn_array *a, const kn_array *c)
{
    return (parts){kn_mul(*a, *c), kn_sum(kn_mul(*a, *c)), kn_mean(*a, .axis = KN_AXIS(0))};
}
KN_FUNCTION(parts_of, parts, kn_array, kn_array)

static kn_array parts_for(kn_fn fun)
{
    kn_array a = kn_transpose(x), c = kn_num(0.5);
    parts all = {NULL, NULL, NULL};
    kn_call(fun, &all, &a, &c);
    return joined(KN_LIST(all.each, all.sum, all.mean));
}

static kn_array sum_of_two(const kn_array *a, const kn_array *c) { return kn_add(*a, *c); }
KN_FUNCTION(sum_of_two, kn_array, kn_array, kn_array)

/* The names of dtypes, with spaces between. */
static kn_array names_of(int count, const kn_dtype *all)
{
    char text[256] = "";
    for (int k = 0; k < count; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? " " : "", kn_dtype_name(all[k]));
    return text_array(text);
}

static kn_array rates(kn_schedule schedule)
{
    kn_array at[12];
    for (int k = 0; k < 12; k++)
        at[k] = kn_astype(kn_optim_schedule_at(schedule, k), KN_F64);
    return kn_stack(kn_list_from(at, 12));
}
#define RATES(schedule) rates(schedule)
#define BOUNDARIES      ((kn_optim_boundary[]){{3, 0.5}, {7, 0.1}})

#define TABLE           "coverage/optax.def"
#define NAME            rows_optax
#include "coverage/table.h"
