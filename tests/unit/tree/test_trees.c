/* SPDX-License-Identifier: Apache-2.0
 * test_trees.c -- trees: building, structures, paths, functions of trees, trees in calls; the texts are JAX's. */
#include "base/memory.h"
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array w1, b1;
} Layer;
KN_FIELDS(Layer, w1, b1)
typedef struct {
    Layer first, second;
    kn_array scale[2];
} Model;
KN_FIELDS(Model, (first, Layer), second, scale)

static kn_array numbers(double a, double b) { return kn_of(double, a, b); }
static kn_tree example(void) /* {'b': [1, None, (2, 3)], 'a': 4} */
{
    return kn_tree_dict("b", kn_tree_list(1.0, kn_tree_none(), kn_tree_tuple(2.0, 3.0)), "a", 4.0);
}
static const char *text_of(kn_tree t) { return kn_treedef_text(kn_tree_structure(t)); }

/* ---- Structures. */

static void structures_print_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    Layer layer = {numbers(1, 2), numbers(3, 4)};
    Model model = {layer, layer, {layer.w1, layer.b1}};
    assert_string_equal(text_of(example()), "PyTreeDef({'a': *, 'b': [*, None, (*, *)]})");
    assert_string_equal(text_of(kn_tree_leaf(1)), "PyTreeDef(*)");
    assert_string_equal(text_of(kn_tree_none()), "PyTreeDef(None)");
    assert_string_equal(text_of(kn_tree_list()), "PyTreeDef([])");
    assert_string_equal(text_of(kn_tree_tuple(1)), "PyTreeDef((*,))");
    assert_string_equal(text_of(kn_tree_dict()), "PyTreeDef({})");
    assert_string_equal(text_of(kn_tree_dict("it's", 1)), "PyTreeDef({\"it's\": *})");
    assert_string_equal(text_of(KN_TREE(&layer)), "PyTreeDef((*, *))");
    assert_string_equal(text_of(KN_TREE(&layer.w1)), "PyTreeDef(*)");
    assert_string_equal(text_of(KN_TREE(&layer, Layer)), "PyTreeDef(CustomNode(namedtuple[Layer], [*, *]))");
    assert_string_equal(text_of(KN_TREE(&model, Model)),
                        "PyTreeDef(CustomNode(namedtuple[Model], [CustomNode(namedtuple[Layer], [*, *]), (*, *), "
                        "(*, *)]))");
}

static void structures_compare(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_treedef a = kn_tree_structure(example()), b = kn_tree_structure(example());
    assert_true(kn_treedef_equal(a, b));
    assert_false(kn_treedef_equal(a, kn_tree_structure(kn_tree_dict("a", 1, "c", 2))));
    assert_int_equal(kn_treedef_count(a), 4);
    assert_int_equal(kn_treedef_children_count(a), 2);
    assert_int_equal(kn_treedef_kind(a), KN_TREE_DICT);
    assert_string_equal(kn_treedef_text(kn_treedef_child(a, 1)), "PyTreeDef([*, None, (*, *)])");
    assert_true(kn_treedef_is_leaf(kn_treedef_child(a, 0)));
    assert_string_equal(kn_treedef_text(kn_treedef_tuple(b, kn_treedef_child(a, 0))),
                        "PyTreeDef(({'a': *, 'b': [*, None, (*, *)]}, *))");
    assert_null(kn_treedef_child(a, 2));
    expect_error("IndexError", "treedef_child: index 2 is out of bounds for 2 children");
}

static void trees_come_apart_and_together(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree_flatten_result f = kn_tree_flatten(example());
    assert_int_equal(kn_list_count(f.leaves), 4);
    expect_values(kn_list_get(f.leaves, 0), 4); /* a before b */
    kn_tree again = kn_tree_unflatten(f.structure, f.leaves);
    assert_string_equal(text_of(again), text_of(example()));
    expect_values(kn_tree_at(again, "b[2][1]"), 3);
    assert_null(kn_tree_unflatten(f.structure, KN_LIST(1)));
    expect_error("ValueError", "tree_unflatten: Too few leaves for PyTreeDef; expected 4, got 1");
    assert_null(kn_tree_unflatten(f.structure, KN_LIST(1, 2, 3, 4, 5)));
    expect_error("ValueError", "tree_unflatten: Too many leaves for PyTreeDef; expected 4.");
}

static void dicts_name_each_leaf_once(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_tree_dict("a", 1, "a", 2));
    expect_error("ValueError", "tree_dict: the name 'a' is given twice");
    assert_null(kn_tree_dict((const char *)NULL, 1));
    expect_error("TypeError", "tree_dict: the name of item 0 is null");
    assert_null(kn_tree_list((kn_tree)NULL));
    expect_error("TypeError", "tree_list: null tree");
}

static void trees_may_be_deep(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_leaf(7);
    for (int i = 0; i < 3000; i++) {
        kn_tree deeper = kn_tree_list(t);
        kn_release(t);
        t = deeper;
    }
    assert_int_equal(kn_tree_count(t), 1);
    assert_int_equal(strlen(text_of(t)), strlen("PyTreeDef(*)") + 6000);
    assert_int_equal(strlen(kn_tree_keystr(t, 0)), 9000);
    expect_values(kn_tree_get(kn_tree_map(kn_negative, t), 0), -7);
}

/* ---- Paths. */

static void paths_are_those_of_keystr(void **state)
{
    (void)state;
    KN_SCOPE;
    Layer layer = {numbers(1, 2), numbers(3, 4)};
    Model model = {layer, layer, {layer.w1, layer.b1}};
    kn_tree t = kn_tree_dict("net", KN_TREE(&model, Model), "it's", 1);
    static const char *const paths[] = {"[\"it's\"]",        "['net'].first.w1",  "['net'].first.b1",
                                        "['net'].second[0]", "['net'].second[1]", "['net'].scale[0]",
                                        "['net'].scale[1]"};
    kn_tree_flatten_with_path_result r = kn_tree_flatten_with_path(t);
    assert_int_equal(r.n, 7);
    for (int i = 0; i < r.n; i++) {
        assert_string_equal(r.path[i], paths[i]);
        assert_true(kn_tree_has(t, paths[i]));
    }
    assert_string_equal(kn_tree_keystr(t, 4, .simple = true, .separator = "/"), "net/second/1");
    expect_values(kn_tree_at(t, "net.first.b1"), 3, 4);
    expect_values(kn_tree_at(t, "net.scale[-1]"), 3, 4);
    expect_values(kn_tree_get(kn_tree_sub(t, "net.first"), 1), 3, 4);
    assert_int_equal(kn_tree_set_at(t, "net.first.b1", numbers(5, 6)), 0);
    expect_values(kn_tree_at(t, "['net'].first.b1"), 5, 6);
    expect_values(model.first.b1, 3, 4); /* the dict has its own */
    assert_int_equal(kn_tree_set_at(KN_TREE(&model, Model), "first.b1", numbers(7, 8)), 0);
    expect_values(model.first.b1, 7, 8);
}

static void wrong_paths_say_what_is_there(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = example();
    assert_null(kn_tree_at(t, "c"));
    expect_error("KeyError", "tree_at: no c at '': there are a, b");
    assert_null(kn_tree_at(t, "b[3]"));
    expect_error("IndexError", "tree_at: no [3] at 'b': 3 children are there");
    assert_null(kn_tree_at(t, "a.x"));
    expect_error("KeyError", "tree_at: no .x at 'a': there is a leaf there");
    assert_null(kn_tree_at(t, "b"));
    expect_error("TypeError", "tree_at: 'b' is a subtree of 3 leaves, not an array");
    assert_null(kn_tree_at(t, "b[0"));
    expect_error("ValueError", "tree_at: a path is like layers[0].w or ['layers'][0]['w'], but this one is 'b[0'");
    assert_int_equal(kn_tree_set_at(t, "a", KN_NONE), -1);
    expect_error("TypeError", "tree_set_at: null array");
    assert_false(kn_tree_has(t, "c"));
    expect_no_error();
}

/* ---- Functions of trees. */

static kn_array triple(const kn_array *x) { return kn_mul(3, *x); }
KN_FUNCTION(triple, kn_array, kn_array)

static kn_array named(void *env, const char *path, int n, const kn_array *x)
{
    (void)n;
    strcat(env, path);
    return kn_add(x[0], 1);
}

static void map_takes_functions_of_any_kind(void **state)
{
    (void)state;
    KN_SCOPE;
    char seen[64] = "";
    kn_tree t = example(), doubled = kn_tree_map(kn_add, t, t);
    assert_string_equal(text_of(doubled), text_of(t));
    expect_values(kn_tree_at(doubled, "b[2][1]"), 6);
    expect_values(kn_tree_at(kn_tree_map(kn_negative, t), "a"), -4);
    expect_values(kn_tree_at(kn_tree_map(kn_jit(KN_FN(triple)), t), "a"), 12);
    expect_values(kn_tree_at(kn_tree_map_with_path(named, seen, t), "a"), 5);
    assert_string_equal(seen, "['a']['b'][0]['b'][2][0]['b'][2][1]");
}

static void map_names_the_place_where_trees_differ(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree two = kn_tree_list(1, 2), three = kn_tree_list(1, 2, 3);
    assert_null(kn_tree_map(kn_add, two, three));
    expect_error("ValueError", "tree_map: pytree structure error: different lengths of list at key path\n"
                               "    tree_map tree\n"
                               "At that key path, the prefix pytree tree_map tree has a subtree of type list of length "
                               "2, but the full pytree has a subtree of the same type but of length 3.");
    assert_null(kn_tree_map(kn_add, kn_tree_dict("b", two), kn_tree_dict("b", kn_tree_tuple(1, 2))));
    expect_error("ValueError", "tree_map: pytree structure error: different types at key path\n"
                               "    tree_map tree['b']\n"
                               "At that key path, the prefix pytree tree_map tree['b'] has a subtree of type\n"
                               "    <class 'list'>\n"
                               "but at the same key path the full pytree has a subtree of different type\n"
                               "    <class 'tuple'>.");
    assert_null(kn_tree_map(kn_add, kn_tree_dict("a", 1), kn_tree_dict("b", 1)));
    expect_error_with("ValueError", "different pytree keys at key path");
    assert_null(kn_tree_map(kn_add, two));
    expect_error("TypeError", "tree_map: the function takes 2 arrays, but there are 1 trees");
}

static void reductions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = example();
    expect_values(kn_tree_reduce(kn_add, t), 10);
    expect_values(kn_tree_reduce(kn_subtract, t, 100), 90);
    expect_values(kn_tree_reduce_associative(kn_add, t, 100), 110);
    assert_true(kn_tree_all(t));
    assert_false(kn_tree_all(kn_tree_list(1, 0)));
    assert_null(kn_tree_reduce(kn_add, kn_tree_none()));
    expect_error("TypeError", "tree_reduce: reduce() of empty iterable with no initial value");
}

static void transpose_turns_inside_out(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_list(kn_tree_tuple(1, 2, 3), kn_tree_tuple(4, 5, 6));
    kn_treedef outer = kn_tree_structure(kn_tree_list(0, 0)), inner = kn_tree_structure(kn_tree_tuple(0, 0, 0));
    kn_tree turned = kn_tree_transpose(outer, inner, t);
    assert_string_equal(text_of(turned), "PyTreeDef(([*, *], [*, *], [*, *]))");
    expect_values(kn_tree_at(turned, "[2][0]"), 3);
    expect_values(kn_tree_at(turned, "[0][1]"), 4);
    assert_null(kn_tree_transpose(inner, outer, t));
    expect_error_with("ValueError", "tree_transpose: pytree structure error: different types at key path");
}

static void broadcast_repeats_leaves(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree full = kn_tree_dict("a", kn_tree_list(1, 2), "b", kn_tree_tuple(3, kn_tree_dict("c", 4)));
    kn_tree t = kn_tree_broadcast(kn_tree_dict("a", 10, "b", 20), full);
    assert_string_equal(text_of(t), "PyTreeDef({'a': [*, *], 'b': (*, {'c': *})})");
    expect_values(kn_tree_at(t, "a[1]"), 10);
    expect_values(kn_tree_at(t, "b[1].c"), 20);
    assert_null(kn_tree_broadcast(kn_tree_list(1), full));
    expect_error_with("ValueError", "    broadcast_prefix prefix_tree\n");
}

static void ravel_and_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_dict("a", kn_ones(KN_SHAPE(2, 2), .dtype = KN_F32), "b", kn_of(int, 5, 6));
    kn_array flat = kn_tree_ravel(t);
    expect_values(flat, 1, 1, 1, 1, 5, 6);
    assert_ptr_equal(kn_dtype_of(flat), KN_F64); /* of float32 and int32 */
    kn_tree back = kn_tree_unravel(t, kn_mul(2, flat));
    assert_ptr_equal(kn_dtype_of(kn_tree_at(back, "b")), KN_I32);
    expect_values(kn_tree_at(back, "b"), 10, 12);
    assert_int_equal(kn_ndim(kn_tree_at(back, "a")), 2);
    assert_int_equal(kn_size(kn_tree_ravel(kn_tree_none())), 0);
    assert_null(kn_tree_unravel(t, kn_zeros(KN_SHAPE(4))));
    expect_error("ValueError",
                 "tree_unravel: the unravel function expected an input array of shape (6,), but got shape (4,)");
    assert_null(kn_tree_unravel(t, kn_zeros(KN_SHAPE(6), .dtype = KN_F32)));
    expect_error("ValueError",
                 "tree_unravel: unravel function given array of dtype float32, but expected dtype float64");
}

/* ---- Trees in calls and in traced functions. */

static kn_array energy(const Layer *l, const kn_array *x)
{
    kn_tree squares = kn_tree_map(kn_square, KN_TREE(l, Layer));
    return kn_add(kn_sum(kn_mul(kn_tree_at(squares, "w1"), *x)), kn_sum(kn_tree_at(squares, "b1")));
}
KN_FUNCTION(energy, kn_array, Layer, kn_array)

static Layer halves(const Layer *l)
{
    Layer y = {kn_mul(0.5, l->w1), kn_mul(0.5, l->b1)};
    return y;
}
KN_FUNCTION(halves, Layer, Layer)

static void calls_take_and_give_trees(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(1, 1), value;
    kn_tree p = kn_tree_dict("w", numbers(1, 2), "b", numbers(3, 4)), slope, both, half; /* b is the first leaf */
    assert_int_equal(kn_call(kn_jit(kn_grad(KN_FN(energy))), &slope, p, &x), 0);
    assert_string_equal(text_of(slope), "PyTreeDef({'b': *, 'w': *})");
    expect_values(kn_tree_at(slope, "b"), 6, 8);
    kn_call(kn_value_and_grad(KN_FN(energy), .argnums = KN_ARGNUMS(0, 1)), KN_OUT(&value, &both), &p, &x);
    expect_values(value, 30);
    assert_string_equal(text_of(both), "PyTreeDef(({'b': *, 'w': *}, *))");
    kn_call(KN_FN(halves), &half, p);
    assert_string_equal(text_of(half), "PyTreeDef(CustomNode(namedtuple[Layer], [*, *]))");
    expect_values(kn_tree_at(half, "w1"), 1.5, 2);
    kn_call(kn_vmap(KN_FN(halves)), p, p); /* into the tree's own places */
    expect_values(kn_tree_at(p, "b"), 1.5, 2);
    kn_call(kn_value_and_grad(KN_FN(energy)), &both, p, &x);
    assert_string_equal(text_of(both), "PyTreeDef((*, {'b': *, 'w': *}))");
}

static void jvp_and_vjp_take_trees(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(1, 1), y, dy, zero = numbers(0, 0), one = kn_scalar(1.0);
    kn_tree p = kn_tree_list(numbers(1, 2), numbers(3, 4)), d = kn_tree_list(numbers(1, 0), numbers(0, 0)), back;
    kn_jvp(KN_FN(energy), KN_ARGS(&p, &x), KN_ARGS(&d, &zero), &y, &dy);
    expect_values(dy, 2);
    kn_fn pull = kn_vjp(KN_FN(energy), KN_ARGS(&p, &x), &y);
    kn_call(pull, &back, &one);
    assert_int_equal(kn_tree_count(back), 3);
    expect_values(kn_tree_get(back, 1), 6, 8);
}

static void only_one_new_tree_a_call(void **state)
{
    (void)state;
    KN_SCOPE;
    Layer l = {numbers(1, 2), numbers(3, 4)};
    kn_tree a, b;
    assert_int_equal(kn_call(KN_FN(halves), KN_OUT(&a, &b), &l), -1);
    expect_error("TypeError", "halves: only one part of the result can be the address of a kn_tree");
    assert_null(a);
}

static Layer forgets(const Layer *l)
{
    Layer y = {l->w1, NULL};
    return y;
}
KN_FUNCTION(forgets, Layer, Layer)

static void messages_name_leaves(void **state)
{
    (void)state;
    KN_SCOPE;
    Layer l = {numbers(1, 2), numbers(3, 4)}, whole = {numbers(1, 2), kn_of(int, 1, 2)}, y;
    kn_array x = numbers(1, 1);
    assert_int_equal(kn_call(kn_jit(KN_FN(forgets)), &y, &l), -1);
    expect_error_with("TypeError", "forgets left .b1 of its result empty (null)");
    assert_int_equal(kn_call(kn_grad(KN_FN(energy)), &y, &whole, &x), -1);
    expect_error("TypeError", "grad: argument 0 of energy must be real or complex floating point, but .b1 is int32[2]");
    Layer flat = {l.w1, kn_scalar(1.0)};
    assert_int_equal(kn_call(kn_vmap(KN_FN(halves)), &y, &flat), -1);
    expect_error("ValueError", "vmap: in_axes of argument 0 is 0, but .b1 has 0 dimensions");
    kn_optimizer o = kn_optim_sgd(.learning_rate = 1);
    Layer wrong = {l.w1, kn_zeros(KN_SHAPE(3))};
    kn_tree s = kn_optim_init(o, KN_TREE(&l));
    assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&l, Layer), KN_TREE(&wrong)), -1);
    expect_error("ValueError", "optim_apply: gradient .b1 has shape (3,), but its parameter has (2,)");
}

static void dead_trees_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree gone;
    {
        KN_SCOPE;
        gone = kn_tree_list(1);
    }
    assert_null(kn_tree_map(kn_negative, gone));
    expect_error("ValueError", "tree_map: this tree was released: the scope that owned it has ended");
    assert_int_equal(kn_tree_count(NULL), -1);
    expect_error("TypeError", "tree_count: null tree");
    assert_string_equal(kn_treedef_text(NULL), "");
    expect_error("TypeError", "treedef_text: null treedef");
}

/* ---- Files. */

static void trees_go_into_files(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *path = "test_trees.npz";
    Layer layer = {numbers(1, 2), kn_of(int, 3, 4)};
    kn_tree t = kn_tree_dict("net", KN_TREE(&layer, Layer), "rest", kn_tree_list(5.0, kn_tree_none()));
    assert_int_equal(kn_save_tree(path, t), 0);
    expect_values(kn_archive_get(kn_load_npz(path), "net/b1"), 3, 4);
    kn_tree back = kn_load_tree(path, t);
    assert_true(kn_treedef_equal(kn_tree_structure(back), kn_tree_structure(t)));
    assert_ptr_equal(kn_dtype_of(kn_tree_at(back, "net.b1")), KN_I32);
    expect_values(kn_tree_at(back, "rest[0]"), 5);
    assert_null(kn_load_tree(path, kn_tree_dict("net", 1)));
    expect_error_with("KeyError", "net");
    assert_null(kn_load_tree(path, kn_tree_dict("rest", kn_tree_list(numbers(0, 0)))));
    expect_error("ValueError", "load_tree: rest/0 has shape () in the file, but (2,) is wanted");
    remove(path);
}

/* ---- No memory: each allocation fails once; nothing leaks and nothing crashes. */

static bool everything(void)
{
    KN_SCOPE;
    Layer layer = {numbers(1, 2), numbers(3, 4)}, out;
    kn_tree t = kn_tree_dict("net", KN_TREE(&layer, Layer), "rest", kn_tree_list(5.0, kn_tree_none())), half = NULL;
    kn_tree back = kn_tree_unravel(t, kn_tree_ravel(t));
    kn_tree sum = kn_tree_map(kn_add, t, back);
    kn_tree_flatten_with_path_result f = kn_tree_flatten_with_path(sum);
    kn_tree again = kn_tree_unflatten(f.structure, f.leaves);
    kn_tree one = kn_tree_broadcast(kn_tree_leaf(1), t), part = kn_tree_sub(t, "net");
    bool ok = kn_call(KN_FN(halves), &half, &layer) == 0 && kn_call(KN_FN(halves), &out, part) == 0;
    kn_optimizer o = kn_optim_adamw(.learning_rate_schedule = kn_optim_warmup_cosine_decay_schedule(0, 1, 2, 4));
    kn_tree s = kn_optim_init(o, part);
    ok = kn_optim_apply(o, &s, part, part) == 0 && ok;
    return again && one && ok && *kn_treedef_text(kn_tree_structure(again)) && !kn_error_pending();
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    bool done = everything();
    assert_true(done);
    for (int64_t k = 0; k < 1500; k++) {
        knx_fail_after(k, false);
        done = everything();
        knx_fail_after(-1, false);
        kn_error_clear();
    }
    assert_true(done); /* there is an end to it */
}

KN_TEST_GROUP(test_trees)
{
    const struct CMUnitTest tests[] = {
        TEST(structures_print_as_in_jax),
        TEST(structures_compare),
        TEST(trees_come_apart_and_together),
        TEST(dicts_name_each_leaf_once),
        TEST(trees_may_be_deep),
        TEST(paths_are_those_of_keystr),
        TEST(wrong_paths_say_what_is_there),
        TEST(map_takes_functions_of_any_kind),
        TEST(map_names_the_place_where_trees_differ),
        TEST(reductions),
        TEST(transpose_turns_inside_out),
        TEST(broadcast_repeats_leaves),
        TEST(ravel_and_back),
        TEST(calls_take_and_give_trees),
        TEST(jvp_and_vjp_take_trees),
        TEST(only_one_new_tree_a_call),
        TEST(messages_name_leaves),
        TEST(dead_trees_are_errors),
        TEST(trees_go_into_files),
        TEST(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
