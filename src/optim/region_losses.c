/* SPDX-License-Identifier: Apache-2.0
 * region_losses.c -- losses of optax.losses that compare regions (dice), and those that Fenchel's duality makes of a
 * maximum, made of public functions. */
#include "kiln/nn.h"
#include "optim/compose.h"
#include "kiln/optim.h"
#include <math.h>
#include <string.h>

/* ---- Dice. */

static kn_array with_classes(kn_array x)
{
    const kn_axes last = knl_one_axis(-1);
    return kn_expand_dims(x, &last);
}

/* Both with an axis of classes, and of one shape; false with the body failed. */
static bool alike(knl_body *c, kn_array *predictions, kn_array *targets, bool grow)
{
    kni_type p = kna_type(&c->op, *predictions), t = kna_type(&c->op, *targets);
    if (kna_failed(&c->op) || !kno_floats(c, *predictions))
        return false;
    if (grow && p.ndim == t.ndim - 1)
        *predictions = with_classes(*predictions);
    else if (grow && t.ndim == p.ndim - 1)
        *targets = with_classes(*targets);
    p = kna_type(&c->op, *predictions);
    t = kna_type(&c->op, *targets);
    if (!kna_failed(&c->op) && (!p.ndim || !kni_type_same_shape(p, t))) {
        knx_text a = {0}, b = {0};
        kna_fail(&c->op, KN_ERROR_VALUE,
                 "predictions and targets are of one shape, with a last axis of classes: %s and %s",
                 knx_show_shape(&a, p.ndim, p.dim), knx_show_shape(&b, t.ndim, t.dim));
    }
    return !kna_failed(&c->op);
}

static bool distributions(knl_body *c, kn_array p)
{
    kn_array sum = kno_last_sum(p), off = kn_absolute(kn_subtract(sum, kno_num(1)));
    kn_array far = kn_logical_not(kn_less_equal(off, kno_num(1e-8 + 1e-5)));
    if (knl_may_look(far) && knl_any(c, far))
        kna_fail(&c->op, KN_ERROR_VALUE,
                 "When apply_softmax=False, predictions must be valid probability distributions "
                 "that sum to 1 along the class axis.");
    return !kna_failed(&c->op);
}

/* The axes from one to another, which is not one of them; none is a set of axes, too. */
static kn_axes axes_between(int first, int end)
{
    kn_axes a = {{1}, {0}};
    for (int i = first; i < end; i++)
        a.axis[a.n++ - 1] = i;
    return a;
}

static kn_array sum_over(kn_array x, kn_axes axes)
{
    kn_sum_opts o = kn_sum_opts_default();
    o.axis = axes;
    return kn_sum(x, &o);
}

/* The loss of each class. */
static kn_array dice(kn_array p, kn_array t, const kn_optim_dice_loss_opts *o)
{
    kn_axes axes = o->axis.n ? o->axis : axes_between(1, kn_ndim(p) - 1);
    kn_array both = sum_over(kn_multiply(p, t), axes), of_p = sum_over(p, axes), of_t = sum_over(t, axes);
    kn_array false_yes = kn_multiply(kno_num(o->alpha), kn_subtract(of_p, both));
    kn_array below = kn_add(both, false_yes);
    below = kn_add(below, kn_multiply(kno_num(o->beta), kn_subtract(of_t, both)));
    kn_array share = kn_divide(kn_add(both, kno_num(o->smooth)), kn_add(below, kno_num(o->smooth)));
    kn_array loss = kn_subtract(kno_num(1), share);
    return o->class_weights ? kn_multiply(loss, o->class_weights) : loss;
}

static kn_array probabilities(kn_array x, int64_t classes)
{
    return classes == 1 ? kn_nn_sigmoid(x) : kn_nn_softmax(x, NULL);
}

/* The loss of each class that counts; NULL with the body failed. */
static kn_array of_classes(knl_body *c, kn_array p, kn_array t, const kn_optim_dice_loss_opts *o)
{
    kni_type type = kna_type(&c->op, p);
    int64_t classes = type.ndim ? type.dim[type.ndim - 1] : 1;
    if (!o->apply_softmax && !distributions(c, p))
        return NULL;
    if (o->class_weights && kna_type(&c->op, o->class_weights).ndim != 1)
        kna_fail(&c->op, KN_ERROR_VALUE, "class_weights has one axis, that of the classes");
    if (kna_failed(&c->op))
        return NULL;
    kn_array loss = dice(o->apply_softmax ? probabilities(p, classes) : p, t, o);
    int last = kn_ndim(loss) - 1;
    return o->ignore_background && classes > 1 && last >= 0 ? knl_part("optim_dice_loss", loss, last, 1, classes)
                                                            : loss;
}

static kn_array last_mean(kn_array x)
{
    kn_mean_opts o = kn_mean_opts_default();
    o.axis = knl_one_axis(-1);
    return kn_mean(x, &o);
}

kn_array kn_optim_dice_loss(kn_array predictions, kn_array targets, const kn_optim_dice_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_dice_loss");
    KNX_OPTS(kn_optim_dice_loss_opts, o, opts);
    const char *how = o.reduction ? o.reduction : "mean";
    if (strcmp(how, "mean") && strcmp(how, "sum") && strcmp(how, "none"))
        kna_fail(&c.op, KN_ERROR_VALUE, "Unsupported reduction: %s", how);
    kn_array loss = alike(&c, &predictions, &targets, true) ? of_classes(&c, predictions, targets, &o) : NULL;
    if (loss && strcmp(how, "none"))
        loss = strcmp(how, "sum") ? last_mean(loss) : kno_last_sum(loss);
    return knl_end(&c, loss);
}

kn_array kn_optim_multiclass_generalized_dice_loss(kn_array predictions, kn_array targets,
                                                   const kn_optim_multiclass_generalized_dice_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_multiclass_generalized_dice_loss");
    KNX_OPTS(kn_optim_multiclass_generalized_dice_loss_opts, o, opts);
    if (!alike(&c, &predictions, &targets, false))
        return knl_end(&c, NULL);
    kni_type type = kna_type(&c.op, predictions);
    kn_array count = sum_over(targets, axes_between(0, type.ndim - 1)),
             weight = kn_divide(kno_num(1), kn_add(kn_square(count), kno_num(1e-7)));
    weight = kn_divide(weight, kn_sum(weight, NULL));
    kn_optim_dice_loss_opts all = kn_optim_dice_loss_opts_default();
    all.class_weights = kn_multiply(weight, kn_sum(kn_ones_like(weight, NULL), NULL));
    all.smooth = o.smooth;
    all.apply_softmax = o.apply_softmax;
    all.ignore_background = o.ignore_background;
    kn_array loss = of_classes(&c, predictions, targets, &all);
    return knl_end(&c, loss ? kn_mean(loss, NULL) : NULL);
}

kn_array kn_optim_binary_dice_loss(kn_array predictions, kn_array targets, const kn_optim_binary_dice_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_binary_dice_loss");
    KNX_OPTS(kn_optim_binary_dice_loss_opts, o, opts);
    kni_type p = kna_type(&c.op, predictions), t = kna_type(&c.op, targets);
    if (!kna_failed(&c.op) && p.ndim == t.ndim && !(p.ndim && p.dim[p.ndim - 1] == 1)) {
        predictions = with_classes(predictions);
        targets = with_classes(targets);
    }
    kn_optim_dice_loss_opts all = kn_optim_dice_loss_opts_default();
    all.smooth = o.smooth;
    all.apply_softmax = o.apply_sigmoid;
    kn_array loss = alike(&c, &predictions, &targets, true) ? of_classes(&c, predictions, targets, &all) : NULL;
    return knl_end(&c, loss ? last_mean(loss) : NULL);
}

/* ---- Fenchel and Young: max(scores) - <targets, scores>. */

kn_array kn_optim_fenchel_young_loss(kn_fn max_fun, kn_array scores, kn_array targets)
{
    knl_body c;
    knl_begin(&c, "optim_fenchel_young_loss");
    kni_type s = kna_type(&c.op, scores), t = kna_type(&c.op, targets);
    if (!max_fun)
        kna_fail(&c.op, KN_ERROR_TYPE, "null max_fun");
    if (!kna_failed(&c.op) && (!s.ndim || !t.ndim))
        kna_fail(&c.op, KN_ERROR_VALUE, "scores and targets have a last axis, that of the classes");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_fn rows = max_fun;
    for (int i = 1; i < s.ndim && rows; i++)
        rows = kn_vmap(rows, NULL);
    kn_array most = NULL;
    if (!rows ||
        kn_call(rows, &(const kn_outs){1, {{&most, sizeof most}}}, &(const kn_args){1, {{&scores, sizeof scores}}})) {
        kna_fail(&c.op, KN_ERROR_VALUE, "max_fun gives no number for a vector");
        return knl_end(&c, NULL);
    }
    return knl_end(&c, kn_subtract(most, kno_last_sum(kn_multiply(kn_conjugate(targets), scores))));
}

/* The nearest vector whose elements are a distribution, of each row; its support stands still in derivatives. */
static kn_array on_simplex(kn_array x)
{
    const kn_cumsum_opts along = {.size_ = sizeof along, .axis = knl_one_axis(-1)};
    kn_array sorted = kn_flip(kn_sort(x, NULL), KNL_WITH(kn_squeeze_opts, .axis = knl_one_axis(-1)));
    kn_array sums = kn_cumsum(sorted, &along), place = kn_cumsum(kn_ones_like(x, NULL), &along);
    kn_array shift = kn_divide(kn_subtract(kno_num(1), sums), place);
    kn_array stays = kn_astype(kn_greater(kn_add(sorted, shift), kno_num(0)), kn_dtype_of(x), NULL);
    kn_array last = kn_equal(place, with_classes(kno_last_sum(stays)));
    kn_array chosen = with_classes(kno_last_sum(kn_where(last, shift, kno_num(0))));
    return kn_maximum(kn_add(x, chosen), kno_num(0));
}

kn_array kn_optim_multiclass_sparsemax_loss(kn_array scores, kn_array labels)
{
    knl_body c;
    knl_begin(&c, "optim_multiclass_sparsemax_loss");
    kni_type s = kno_floats(&c, scores) ? kna_type(&c.op, scores) : kni_scalar_type(KN_DT(F32));
    if (!kna_failed(&c.op) && !s.ndim)
        kna_fail(&c.op, KN_ERROR_VALUE, "scores have a last axis, that of the classes");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array right = kn_nn_one_hot(labels, s.dim[s.ndim - 1], KNL_WITH(kn_nn_one_hot_opts, .dtype = s.dtype));
    kn_array p = on_simplex(scores);
    kn_array rest = kn_subtract(scores, with_classes(kno_last_sum(kn_multiply(scores, right))));
    kn_array inside =
        kn_where(kn_logical_and(kn_not_equal(p, kno_num(0)), kn_equal(right, kno_num(0))), rest, kno_num(0));
    kn_array gini = kn_multiply(kno_num(0.5), kn_subtract(kno_num(1), kno_last_sum(kn_square(p))));
    return knl_end(&c, kn_add(kno_last_sum(kn_multiply(p, inside)), gini));
}
