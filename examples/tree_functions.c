/* SPDX-License-Identifier: Apache-2.0
 * tree_functions.c -- functions of trees of any structure, and a static argument. */
#include <kiln/kiln.h>
#include <stdio.h>

static kn_array norm(const kn_tree *params)
{
    kn_array sum = kn_scalar(0.0);
    for (int i = 0; i < kn_tree_count(*params); i++)
        sum = kn_add(sum, kn_sum(kn_square(kn_tree_get(*params, i))));
    return sum;
}
KN_FUNCTION(norm, kn_array, kn_tree)

static kn_tree shrunk(const kn_tree *params, const kn_array *steps)
{
    kn_tree t = *params;
    for (int64_t i = 0; i < kn_item_int(*steps); i++) /* a static argument can be looked at */
        t = kn_tree_map(kn_sqrt, t);
    return t;
}
KN_FUNCTION(shrunk, kn_tree, kn_tree, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_tree params = kn_tree_dict("w", kn_of(double, 1, 4), "b", kn_tree_list(16.0, kn_tree_none())), slope, small;
    kn_call(kn_jit(kn_grad(KN_FN(norm))), &slope, params);
    for (int i = 0; i < kn_tree_count(slope); i++)
        kn_printf("%s %g\n", kn_tree_keystr(slope, i), kn_sum(kn_tree_get(slope, i)));
    kn_fn f = kn_jit(KN_FN(shrunk), .static_argnums = KN_ARGNUMS(1));
    kn_array steps = kn_num(2);
    kn_call(f, &small, params, &steps);
    kn_printf("%g\n", kn_tree_at(small, "b[0]"));
    puts(kn_treedef_text(kn_tree_structure(small)));
    return kn_finish();
}
