/* SPDX-License-Identifier: Apache-2.0
 * trees.c -- trees of arrays: a struct with named leaves, its gradient, a dictionary, and an optimizer's state. */
#include <kiln/kiln.h>
#include <stdio.h>

typedef struct {
    kn_array w, b;
} Line;
KN_FIELDS(Line, w, b)
typedef struct {
    kn_array x, y;
} Points;

static kn_array loss(const Line *line, const Points *p)
{
    kn_array guess = kn_add(kn_mul(line->w, p->x), line->b);
    return kn_mean(kn_optim_l2_loss(guess, p->y));
}
KN_FUNCTION(loss, kn_array, Line, Points)

int main(void)
{
    KN_SCOPE;
    Points points = {kn_of(double, 0, 1, 2, 3), kn_of(double, 1, 3, 5, 7)};
    Line line = {kn_scalar(0.0), kn_scalar(0.0)};
    kn_tree net = KN_TREE(&line, Line), slope; /* a view of the struct */

    kn_call(kn_grad(KN_FN(loss)), &slope, net, &points); /* a new tree, with the names of the argument */
    for (int i = 0; i < kn_tree_count(slope); i++)
        kn_printf("%s %g\n", kn_tree_keystr(slope, i), kn_tree_get(slope, i));
    kn_printf("norm %.3f\n", kn_optim_global_norm(slope));

    kn_tree model = kn_tree_dict("net", net, "layers", kn_tree_list(1.0, kn_tree_none(), kn_tree_tuple(2.0, 3.0)));
    puts(kn_treedef_text(kn_tree_structure(model)));
    kn_printf("%g\n", kn_tree_at(kn_tree_map(kn_negative, model), "layers[2][1]"));

    kn_optimizer adam = kn_optim_chain(kn_optim_clip_by_global_norm(1), kn_optim_adam(.learning_rate = 0.1));
    kn_tree state = kn_optim_init(adam, net);
    for (int i = 0; i < 200; i++) {
        KN_SCOPE;
        kn_tree grads;
        kn_call(kn_jit(kn_grad(KN_FN(loss))), &grads, net, &points);
        kn_optim_apply(adam, &state, net, grads);
    }
    kn_printf("y = %.1f x + %.1f after %g steps\n", line.w, line.b, kn_tree_at(state, "[1][0].count"));
    return kn_finish();
}
