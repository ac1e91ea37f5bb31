/* SPDX-License-Identifier: Apache-2.0
 * test_sharding.c -- arrays that are spread over virtual devices are used as any others: the same elements wherever
 * somebody looks, writes, or calls a function with them. */
#include "dist/dist.h"
#include "support/expect.h"
#include "support/group.h"
#include "unit/face/sharding_everywhere.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void compare_looks(kn_array x, kn_array y, const char *what)
{
    assert_string_equal(kn_repr(x), kn_repr(y));
    assert_true(kn_item(kn_at(x, "6, 4")) == 34);
    expect_same(x, y, what);
    expect_same(kn_transpose(x), kn_transpose(y), what);
    expect_same(kn_at(x, "1:6:2, ::-1"), kn_at(y, "1:6:2, ::-1"), what);
    expect_same(kn_at(x, "-1"), kn_at(y, "-1"), what);
    expect_same(kn_reshape(x, KN_SHAPE(5, 7)), kn_reshape(y, KN_SHAPE(5, 7)), what);
    expect_same(kn_ravel(x), kn_ravel(y), what);
}
static void they_look_alike(void **state)
{
    (void)state;
    everywhere(matrix, compare_looks);
}

static void compare_operations(kn_array x, kn_array y, const char *what)
{
    expect_same(kn_add(kn_mul(x, 3), 1), kn_add(kn_mul(y, 3), 1), what);
    expect_same(kn_sub(x, kn_at(x, ":, 2:3")), kn_sub(y, kn_at(y, ":, 2:3")), what);
    expect_same(kn_sum(x), kn_sum(y), what); /* integers: exact in any order */
    expect_same(kn_sum(x, KN_AXIS(0)), kn_sum(y, KN_AXIS(0)), what);
    expect_same(kn_max(x, KN_AXIS(1)), kn_max(y, KN_AXIS(1)), what);
    expect_same(kn_matmul(kn_transpose(x), x), kn_matmul(kn_transpose(y), y), what);
    expect_same(kn_argmax(kn_remainder(kn_mul(x, 7), 11), KN_AXIS(0)),
                kn_argmax(kn_remainder(kn_mul(y, 7), 11), KN_AXIS(0)), what);
    expect_same(kn_sort(kn_neg(x)), kn_sort(kn_neg(y)), what);
    expect_same(kn_cumsum(x, KN_AXIS(1)), kn_cumsum(y, KN_AXIS(1)), what);
    expect_same(kn_concatenate(KN_LIST(x, x), KN_AXIS(0)), kn_concatenate(KN_LIST(y, y), KN_AXIS(0)), what);
    expect_same(kn_where(kn_greater(x, 9), x, kn_neg(x)), kn_where(kn_greater(y, 9), y, kn_neg(y)), what);
    expect_same(kn_matmul(y, kn_transpose(x)), kn_matmul(y, kn_transpose(y)), what);
}
static void operations_have_the_same_results(void **state)
{
    (void)state;
    everywhere(matrix, compare_operations);
}

static void compare_writes(kn_array x, kn_array y, const char *what)
{
    kn_array v = kn_at(x, "2:5"), w = kn_at(y, "2:5");
    kn_set_at(x, 100, "1");
    kn_set_at(y, 100, "1");
    kn_iadd(x, y), kn_iadd(y, y);
    kn_set_at(v, kn_at(x, "1"), "0");
    kn_set_at(w, kn_at(y, "1"), "0");
    kn_imul(v, 2), kn_imul(w, 2);
    expect_same(x, y, what);
    expect_same(v, w, what);
    assert_ptr_equal(kn_device_of(x), kn_device_of(v));
    kn_fill(x, 3), kn_fill(y, 3);
    expect_same(x, y, what);
    double *p = kn_data_mut(x, double);
    p[8] = -1;
    kn_set_at(y, -1, "1, 3");
    expect_same(x, y, what);
}
static void they_are_written_to(void **state)
{
    (void)state;
    everywhere(matrix, compare_writes);
}

static kn_array f(const kn_array *x) { return kn_add(kn_matmul(*x, kn_transpose(*x)), kn_sum(*x)); }
KN_FUNCTION(f, kn_array, kn_array)
static kn_array loss(const kn_array *x) { return kn_sum(kn_square(kn_sub(*x, 3))); }
KN_FUNCTION(loss, kn_array, kn_array)
static kn_array row(const kn_array *x) { return kn_sub(*x, kn_max(*x)); }
KN_FUNCTION(row, kn_array, kn_array)

static kn_array call(kn_fn fn, kn_array x)
{
    kn_array y;
    kn_call(fn, &y, &x);
    return y;
}
static void compare_functions(kn_array x, kn_array y, const char *what)
{
    expect_same(call(kn_jit(KN_FN(f)), x), call(kn_jit(KN_FN(f)), y), what);
    expect_same(call(kn_grad(KN_FN(loss)), x), call(kn_grad(KN_FN(loss)), y), what);
    expect_same(call(kn_jit(kn_grad(KN_FN(loss))), x), call(kn_grad(KN_FN(loss)), y), what);
    expect_same(call(kn_vmap(KN_FN(row)), x), call(kn_vmap(KN_FN(row)), y), what);
    expect_same(call(kn_jit(kn_vmap(KN_FN(row))), x), call(kn_vmap(KN_FN(row)), y), what);
    assert_ptr_equal(kn_device_of(call(kn_jit(KN_FN(f)), x)), kn_device_of(x));
}
static void functions_have_the_same_results(void **state)
{
    (void)state;
    everywhere(matrix, compare_functions);
}

static void every_dtype_and_shape(void **state)
{
    (void)state;
    const kn_dtype dtype[] = {KN_BOOL, KN_I8, KN_U64, KN_F16, KN_BF16, KN_F32, KN_C64, KN_C128};
    static const kn_shape shapes[] = {{1, {1}}, {1, {5}}, {2, {0, 3}}, {2, {1, 9}}, {3, {3, 1, 2}}, {2, {16, 8}}};
    for (size_t d = 0; d < sizeof dtype / sizeof *dtype; d++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            KN_SCOPE;
            int64_t n = 1;
            for (int i = 0; i < shapes[k].ndim; i++)
                n *= shapes[k].dim[i];
            kn_array x = kn_astype((kn_reshape)(kn_arange(0, n, 1), &shapes[k], NULL), dtype[d]);
            kn_array s = kn_shard(x, kn_named_sharding(mesh42(), shapes[k].ndim > 1 ? "x, y" : "(y, x)"));
            expect_same(s, x, kn_dtype_name(dtype[d]));
            expect_same(kn_equal(s, s), kn_equal(x, x), kn_dtype_name(dtype[d]));
            assert_string_equal(kn_repr(s), kn_repr(x));
        }
    KN_SCOPE;
    kn_array keys = kn_random_split(kn_random_key(7), .num = 6), s = kn_shard(keys, kn_named_sharding(mesh42(), "x"));
    expect_same(kn_random_key_data(s), kn_random_key_data(keys), "keys");
    kn_array number = kn_shard(2.5, kn_named_sharding(mesh42(), ""));
    assert_true(kn_item(number) == 2.5);
    assert_true(kn_item(kn_add(number, 1)) == 3.5);
    assert_ptr_equal(kn_device_of(kn_add(number, 1)), kn_mesh_device(mesh42()));
}

/* ---- Where they lie. */

static void how_they_lie_is_told(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh m = mesh42();
    kn_array x = kn_shard(matrix(), kn_named_sharding(m, "x"));
    assert_string_equal(kn_sharding_spec(kn_sharding_of(x)), "x, None");
    assert_string_equal(kn_sharding_text(kn_sharding_of(x)), "NamedSharding(Mesh('x': 4, 'y': 2), (x, None))");
    assert_ptr_equal(kn_sharding_mesh(kn_sharding_of(x)), m);
    assert_ptr_equal(kn_device_of(x), kn_mesh_device(m));
    assert_true(kn_is_committed(x));
    assert_false(kn_is_fully_replicated(x));
    assert_int_equal(kn_is_fully_addressable(x), kn_process_count() == 1);
    assert_string_equal(kn_sharding_spec(kn_sharding_of(kn_add(x, 1))), "x, None");
    assert_null(kn_sharding_of(kn_device_get(x)));
    assert_null(kn_sharding_of(matrix()));
    assert_true(kn_is_fully_replicated(matrix()));
    assert_true(kn_is_fully_replicated(kn_device_put(matrix(), kn_mesh_device(m))));
    kn_array again = kn_shard(x, kn_named_sharding(m, "y, x"));
    assert_string_equal(kn_sharding_spec(kn_sharding_of(again)), "y, x");
    expect_same(again, x, "another sharding");
    kn_array other = kn_shard(x, kn_named_sharding(MESH("a", 8), "None, a"));
    expect_same(other, x, "another mesh");
    kn_eval(kn_add(x, other));
    expect_error_with("ValueError", "the arrays are on different devices: one was put on mesh:");
}

static void parts_are_shown(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    kn_shard_info part[8];
    kn_array x = kn_shard(matrix(), kn_named_sharding(mesh42(), "x"));
    assert_int_equal(kn_addressable_shards(x, 8, part), 8);
    for (int i = 0; i < 8; i++) {
        int64_t first = i / 2 * 2, rows = first + 2 > 7 ? 1 : 2;
        assert_int_equal(part[i].device, i);
        assert_int_equal(part[i].replica, i % 2);
        assert_int_equal(part[i].start.dim[0], first);
        assert_int_equal(part[i].start.dim[1], 0);
        assert_int_equal(part[i].shape.dim[0], rows);
        assert_int_equal(part[i].shape.dim[1], 5);
        expect_same(part[i].data, kn_at(matrix(), "%:%", first, first + rows), "part");
        assert_ptr_equal(kn_device_of(part[i].data), kn_find_device("host"));
    }
    assert_int_equal(kn_addressable_shards(x, 0, NULL), 8);
    assert_int_equal(kn_addressable_shards(matrix(), 1, part), 1);
    expect_same(part[0].data, matrix(), "the only part");
    assert_int_equal(
        kn_addressable_shards(kn_shard(kn_arange(0, 3, 1), kn_named_sharding(mesh42(), "(x, y)")), 8, part), 8);
    assert_int_equal(part[2].shape.dim[0], 1);
    assert_int_equal(part[3].shape.dim[0], 0);
    kn_shape s = kn_sharding_shard_shape(kn_named_sharding(mesh42(), "x, y"), KN_SHAPE(7, 5, 3));
    assert_true(s.ndim == 3 && s.dim[0] == 2 && s.dim[1] == 3 && s.dim[2] == 3);
}

static void trees_are_spread(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_shard(kn_tree_dict("a", matrix(), "b", kn_arange(0, 6, 1)), kn_named_sharding(mesh42(), "x"));
    assert_string_equal(kn_sharding_spec(kn_sharding_of(kn_tree_get(t, 0))), "x, None");
    assert_string_equal(kn_sharding_spec(kn_sharding_of(kn_tree_get(t, 1))), "x");
    expect_same(kn_tree_get(t, 0), matrix(), "a leaf");
    assert_null(kn_tree_shard(t, NULL));
    expect_error("TypeError", "tree_shard: null sharding");
    assert_null(kn_tree_shard(kn_tree_dict("a", kn_scalar(1.0)), kn_named_sharding(mesh42(), "x")));
    expect_error_with("ValueError", "is for arrays of at least 1 dimension, this one has 0");
}

static void devices_in_another_order(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    const int64_t order[] = {3, 1, 7, 0};
    kn_shard_info part[4];
    kn_mesh m = kn_make_mesh(KN_SHAPE(4), "x", .devices = kn_of(int64_t, 3, 1, 7, 0));
    kn_array x = kn_shard(kn_arange(0, 8, 1), kn_named_sharding(m, "x"));
    assert_int_equal(kn_addressable_shards(x, 4, part), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(part[i].device, order[i]);
        assert_int_equal(part[i].start.dim[0], 2 * i);
    }
    expect_values(kn_add(x, 1), 1, 2, 3, 4, 5, 6, 7, 8);
}

/* ---- Constraints. */

static kn_array constrained(const kn_array *x)
{
    return kn_with_sharding_constraint(kn_mul(*x, 2), kn_named_sharding(mesh42(), "x, y"));
}
KN_FUNCTION(constrained, kn_array, kn_array)
static kn_array sum_constrained(const kn_array *x) { return kn_sum(kn_square(constrained(x))); }
KN_FUNCTION(sum_constrained, kn_array, kn_array)
static kn_array constrained_row(const kn_array *x)
{
    return kn_with_sharding_constraint(kn_mul(*x, 2), kn_named_sharding(mesh42(), "x"));
}
KN_FUNCTION(constrained_row, kn_array, kn_array)

static void a_function_with_a_constraint_runs_on_the_mesh(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = call(kn_jit(KN_FN(constrained)), matrix());
    assert_ptr_equal(kn_device_of(y), kn_mesh_device(mesh42()));
    assert_true(kn_is_committed(y));
    assert_string_equal(kn_sharding_spec(kn_sharding_of(y)), "x, y");
    expect_same(y, kn_mul(matrix(), 2), "jit");
    expect_same(call(kn_jit(KN_FN(constrained)), matrix()), kn_mul(matrix(), 2), "again");
    expect_same(call(KN_FN(constrained), matrix()), kn_mul(matrix(), 2), "without jit");
    expect_same(call(kn_grad(KN_FN(sum_constrained)), matrix()), kn_mul(matrix(), 8), "grad");
    expect_same(call(kn_jit(kn_grad(KN_FN(sum_constrained))), matrix()), kn_mul(matrix(), 8), "jit of grad");
    kn_array v = call(kn_vmap(KN_FN(constrained_row)), matrix());
    assert_string_equal(kn_sharding_spec(kn_sharding_of(v)), "None, x");
    expect_same(v, kn_mul(matrix(), 2), "vmap");
    expect_same(call(kn_jit(KN_FN(constrained), .symbolic = "*"), matrix()), kn_mul(matrix(), 2), "symbolic");
    call(kn_jit(KN_FN(constrained)), kn_shard(matrix(), kn_named_sharding(MESH("a", 8), "a")));
    expect_error_with("ValueError", "the arrays are on different devices");
}

static void constraints_stand_in_jaxprs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(4, 2), KN_F32), r = kn_zeros(KN_SHAPE(4, 2), KN_F32);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(constrained), KN_ARGS(&x)),
             v = kn_make_jaxpr(kn_vmap(KN_FN(constrained_row)), KN_ARGS(&r));
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_TYPED), "{ lambda ; a:f32[4,2]. let\n"
                                                          "    b:f32[4,2] = mul a 2.0:f32[]\n"
                                                          "    c:f32[4,2] = sharding_constraint[\n"
                                                          "      sharding=NamedSharding(Mesh('x': 4, 'y': 2), (x, y))\n"
                                                          "    ] b\n"
                                                          "  in (c,) }");
    assert_non_null(
        strstr(kn_jaxpr_text(v, KN_JAXPR_TYPED), "sharding=NamedSharding(Mesh('x': 4, 'y': 2), (None, x))"));
    kn_jaxpr back = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, back));
}

/* ---- Made of parts. */

typedef struct asked {
    int n;
} asked;
static kn_array rows_from(void *env, const kn_shape *start, const kn_shape *shape)
{
    asked *a = env;
    a->n++;
    kn_array rows = kn_reshape(kn_arange(start->dim[0], start->dim[0] + shape->dim[0], 1), KN_SHAPE(shape->dim[0], 1));
    kn_array columns = kn_arange(start->dim[1], start->dim[1] + shape->dim[1], 1);
    return kn_add(kn_mul(rows, 5), columns);
}
static kn_array wrong_part(void *env, const kn_shape *start, const kn_shape *shape)
{
    (void)env, (void)start, (void)shape;
    return kn_zeros(KN_SHAPE(1, 1));
}
static kn_array no_part(void *env, const kn_shape *start, const kn_shape *shape)
{
    (void)env, (void)start, (void)shape;
    return NULL;
}

static void arrays_are_made_of_parts(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    asked a = {0};
    kn_sharding s = kn_named_sharding(mesh42(), "x");
    kn_array x = kn_make_array_from_callback(KN_SHAPE(7, 5), KN_F64, s, rows_from, &a);
    expect_same(x, matrix(), "callback");
    assert_int_equal(a.n, 4);
    assert_string_equal(kn_sharding_spec(kn_sharding_of(x)), "x, None");
    expect_same(kn_make_array_from_process_local_data(s, matrix()), matrix(), "local data");
    expect_same(kn_make_array_from_process_local_data(s, matrix(), .shape = &(kn_shape){2, {7, 5}}), matrix(),
                "with its shape");
    kn_make_array_from_process_local_data(s, matrix(), .shape = &(kn_shape){2, {14, 5}});
    expect_error("ValueError",
                 "make_array_from_process_local_data: the part of this process has shape (14,5), the array that "
                 "was given (7,5)");
    kn_make_array_from_callback(KN_SHAPE(7, 5), KN_F64, s, wrong_part, NULL);
    expect_error("ValueError", "make_array_from_callback: the function gave an array of shape (1,1), not (2,5)");
    kn_make_array_from_callback(KN_SHAPE(7, 5), KN_F64, s, no_part, NULL);
    expect_error_with("TypeError", "null array");
    kn_make_array_from_callback(KN_SHAPE(7, -5), KN_F64, s, rows_from, &a);
    expect_error("ValueError", "make_array_from_callback: negative dimensions are not allowed");
}

/* ---- Drawings are those of JAX 0.10 (jax.debug.visualize_array_sharding, use_color=False). */

static void drawings_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    static const struct {
        kn_shape shape;
        const char *spec, *text;
    } all[] = {
        {{1, {8}},
         "data",
         "┌───────┬───────┬───────┬───────┐\n"
         "│CPU 0,1│CPU 2,3│CPU 4,5│CPU 6,7│\n"
         "└───────┴───────┴───────┴───────┘\n"},
        {{2, {8, 4}},
         "data, model",
         "┌───────┬───────┐\n"
         "│ CPU 0 │ CPU 1 │\n"
         "├───────┼───────┤\n"
         "│ CPU 2 │ CPU 3 │\n"
         "├───────┼───────┤\n"
         "│ CPU 4 │ CPU 5 │\n"
         "├───────┼───────┤\n"
         "│ CPU 6 │ CPU 7 │\n"
         "└───────┴───────┘\n"},
        {{2, {8, 4}},
         "None, model",
         "┌───────────┬───────────┐\n"
         "│           │           │\n"
         "│           │           │\n"
         "│           │           │\n"
         "│           │           │\n"
         "│CPU 0,2,4,6│CPU 1,3,5,7│\n"
         "│           │           │\n"
         "│           │           │\n"
         "│           │           │\n"
         "│           │           │\n"
         "└───────────┴───────────┘\n"},
        {{2, {16, 4}},
         "data",
         "┌───────┐\n"
         "│CPU 0,1│\n"
         "├───────┤\n"
         "│CPU 2,3│\n"
         "├───────┤\n"
         "│CPU 4,5│\n"
         "├───────┤\n"
         "│CPU 6,7│\n"
         "└───────┘\n"},
        {{2, {8, 4}},
         "",
         "┌───────────────────┐\n"
         "│                   │\n"
         "│                   │\n"
         "│                   │\n"
         "│                   │\n"
         "│CPU 0,1,2,3,4,5,6,7│\n"
         "│                   │\n"
         "│                   │\n"
         "│                   │\n"
         "│                   │\n"
         "└───────────────────┘\n"},
        {{1, {4}},
         "model",
         "┌───────────┬───────────┐\n"
         "│CPU 0,2,4,6│CPU 1,3,5,7│\n"
         "└───────────┴───────────┘\n"},
        {{2, {8, 4}},
         "(data, model)",
         "┌──────────┐\n"
         "│  CPU 0   │\n"
         "├──────────┤\n"
         "│  CPU 1   │\n"
         "├──────────┤\n"
         "│  CPU 2   │\n"
         "├──────────┤\n"
         "│  CPU 3   │\n"
         "├──────────┤\n"
         "│  CPU 4   │\n"
         "├──────────┤\n"
         "│  CPU 5   │\n"
         "├──────────┤\n"
         "│  CPU 6   │\n"
         "├──────────┤\n"
         "│  CPU 7   │\n"
         "└──────────┘\n"},
    };
    kn_mesh m = MESH("data, model", 4, 2);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kn_sharding s = kn_named_sharding(m, all[i].spec);
        assert_string_equal((kn_visualize_sharding)(&all[i].shape, s), all[i].text);
        assert_string_equal(kn_visualize_array_sharding(kn_shard((kn_zeros)(&all[i].shape, NULL), s)), all[i].text);
    }
    assert_null(kn_visualize_array_sharding(kn_zeros(KN_SHAPE(2, 2, 2))));
    expect_error_with("ValueError", "arrays of one or two dimensions can be drawn, this one has 3");
}

/* Each device is looked at once: a plan of as many as a cluster has is drawn at once, too. */
static void many_devices_are_drawn(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(512, 128), "x, y", .abstract = true), "x");
    const char *text = kn_visualize_sharding(KN_SHAPE(512), s), *last = strstr(text, "│CPU 65408,65409,");
    assert_non_null(strstr(text, "│CPU 0,1,2,"));
    assert_non_null(last);
    assert_non_null(strstr(last, ",65534,65535│"));
}

/* ---- Errors. */

static void what_is_no_mesh(void **state)
{
    (void)state;
    FOR_ONE_PROCESS(); /* three have nine devices */
    KN_SCOPE;
    int64_t other = 0;
    assert_null(MESH("x", 9));
    expect_error("ValueError",
                 "make_mesh: the mesh needs 9 devices, there are 8 (KILN_DEVICES=9 gives a process so many)");
    kn_mesh plan = kn_make_mesh(KN_SHAPE(1024), "x", .abstract = true);
    expect_no_error();
    kn_shard(matrix(), kn_named_sharding(plan, "x"));
    expect_error("ValueError", "shard: Mesh('x': 1024) has no devices for arrays: it needs number 8, there are 8");
    assert_null(MESH("x, y", 2));
    expect_error("ValueError", "make_mesh: the shape of the mesh has 1 axes, but there are 2 names");
    assert_null(MESH("x, x", 2, 2));
    expect_error("ValueError", "make_mesh: two axes of a mesh, 0 and 1, are named 'x'");
    assert_null(MESH("x", 0));
    expect_error("ValueError", "make_mesh: axis 'x' of a mesh has size 0: at least 1 is needed");
    assert_null(kn_make_mesh(KN_SHAPE(2), NULL));
    expect_error("TypeError", "make_mesh: null names");
    assert_null(kn_make_mesh(KN_SHAPE(2), "x", .devices = kn_of(int64_t, 0, 0)));
    expect_error("ValueError", "make_mesh: device 0 is twice in a mesh");
    assert_null(kn_make_mesh(KN_SHAPE(2), "x", .devices = kn_of(int64_t, 0, 8)));
    expect_error("ValueError", "make_mesh: there is no device 8: there are 8");
    assert_null(kn_make_mesh(KN_SHAPE(1), "x", .devices = kn_of(int64_t, 0, 8)));
    expect_error("ValueError", "make_mesh: the mesh has 1 devices, but 2 are named");
    assert_null(kn_mesh_text(NULL));
    expect_error("TypeError", "mesh_text: null mesh");
    assert_null(kn_mesh_text((kn_mesh)(uintptr_t)&other));
    expect_error("TypeError", "mesh_text: this is no mesh");
    assert_null(kn_shard_map(KN_FN(f), (kn_mesh)(uintptr_t)&other, .in_specs = {"x"}, .out_specs = {"x"}));
    expect_error("TypeError", "shard_map: this is no mesh");
    assert_int_equal(kn_mesh_axis_size(mesh42(), "z"), -1);
    expect_error("ValueError", "mesh_axis_size: Mesh('x': 4, 'y': 2) has no axis 'z'");
}

static void what_is_no_sharding(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh m = mesh42();
    assert_null(kn_named_sharding(m, "x, q"));
    expect_error("ValueError", "named_sharding: spec 'x, q', position 3: the mesh has no axis 'q'; it has 'x', 'y'");
    assert_null(kn_named_sharding(m, NULL));
    expect_error("TypeError", "named_sharding: null spec");
    kn_shard(matrix(), NULL);
    expect_error("TypeError", "shard: null sharding");
    kn_shard(kn_zeros(KN_SHAPE(3)), kn_named_sharding(m, "x, y"));
    expect_error("ValueError",
                 "shard: NamedSharding(Mesh('x': 4, 'y': 2), (x, y)) is for arrays of at least 2 dimensions, this "
                 "one has 1");
    (kn_shard)(NULL, kn_named_sharding(m, "x"));
    expect_error_with("TypeError", "null array");
    assert_true(kn_sharding_is_equivalent(kn_named_sharding(m, "x"), kn_named_sharding(m, "x, None"), 2));
    assert_false(kn_sharding_is_equivalent(kn_named_sharding(m, "x"), kn_named_sharding(m, "y"), 2));
    assert_false(kn_sharding_is_equivalent(kn_named_sharding(m, "x, y"), kn_named_sharding(m, "x"), 1));
    expect_error_with("ValueError", "is for arrays of at least 2 dimensions");
}

/* ---- The rest of the world. */

static void files_and_exports(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_shard(matrix(), kn_named_sharding(mesh42(), "x, y"));
    char path[] = "/tmp/kiln-sharding-XXXXXX.npy";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    kn_save(path, x);
    expect_same(kn_load(path), matrix(), "a file");
    close(file), remove(path);
    kn_array y = kn_from_dlpack(kn_to_dlpack(x));
    expect_same(y, matrix(), "DLPack");
    expect_same(kn_device_put(x, kn_find_device("host")), matrix(), "the host");
}

static kn_array row_of_product(const kn_array *x, const kn_array *y) { return kn_at(kn_matmul(*x, *y), "3:4"); }
KN_FUNCTION(row_of_product, kn_array, kn_array, kn_array)

/* Of a product whose parts are not added up yet the devices that do not have the row have nothing. */
static void a_row_of_a_product_is_taken(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0., 256., 1.), KN_SHAPE(64, 4)), here = NULL, there = NULL;
    kn_array y = kn_reshape(kn_arange(0., 12., 1.), KN_SHAPE(4, 3));
    kn_array far_x = kn_shard(x, kn_named_sharding(mesh42(), "x, y"));
    kn_array far_y = kn_shard(y, kn_named_sharding(mesh42(), "y"));
    kn_call(kn_jit(KN_FN(row_of_product)), &here, &x, &y);
    kn_call(kn_jit(KN_FN(row_of_product)), &there, &far_x, &far_y);
    expect_same(there, here, "row");
}

static char printed[200];
static void keep_print(void *env, const char *text)
{
    (void)env;
    size_t n = strlen(printed);
    snprintf(printed + n, sizeof printed - n, "%s", text);
}

static kn_array telling(const kn_array *x)
{
    kn_array sum = kn_sum(*x), squares = kn_sum(kn_square(*x));
    kn_debug_print("sum {}", sum);
    kn_debug_print("three {}", kn_arange(0, 3, 1));
    kn_debug_print("squares {}", squares);
    kn_debug_print("two {}", kn_arange(0, 2, 1));
    return kn_add(sum, squares);
}
KN_FUNCTION(telling, kn_array, kn_array)

/* Also where sums of several devices are joined into one message. */
static void prints_keep_their_order(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    *printed = 0;
    kn_set_print(keep_print, NULL);
    kn_array y = call(kn_jit(KN_FN(telling)), kn_shard(kn_arange(0., 16., 1.), kn_named_sharding(mesh42(), "x")));
    assert_true(kn_item(y) == 1360);
    kn_set_print(NULL, NULL);
    assert_string_equal(printed, "sum 120.0\nthree [0 1 2]\nsquares 1240.0\ntwo [0 1]\n");
}

/* One function, more shardings than a program keeps. */
static void a_function_is_called_with_many_shardings(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn g = kn_jit(KN_FN(f));
    for (int turn = 0; turn < 2; turn++)
        for (int k = 0; k < 25; k++) {
            KN_SCOPE;
            static const char *const axes[] = {"None", "x", "y", "z", "(x, y)"};
            char spec[40];
            snprintf(spec, sizeof spec, "%s, %s", axes[k % 5], axes[k / 5]);
            bool twice = k % 5 && k / 5 && (k % 5 == k / 5 || (k % 5 == 4 && k / 5 < 3) || (k / 5 == 4 && k % 5 < 3));
            if (!twice)
                expect_same(call(g, kn_shard(matrix(), kn_named_sharding(mesh_number(5), spec))),
                            call(KN_FN(f), matrix()), spec);
        }
    assert_int_equal(kn_fn_trace_count(g), 1);
}

static void what_cannot_be_found_fails_with_its_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_shard(matrix(), kn_named_sharding(mesh42(), "x"));
    kn_array bad = kn_lax_dynamic_index_in_dim(x, 2);
    expect_same(bad, kn_lax_dynamic_index_in_dim(matrix(), 2), "index");
    kn_array y = kn_linalg_inv(kn_shard(kn_zeros(KN_SHAPE(4, 4)), kn_named_sharding(mesh42(), "x")));
    assert_false(kn_ok(y));
    expect_error_with("LinAlgError", "Singular matrix");
}

static void donated_arrays_are_gone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn g = kn_jit(KN_FN(constrained), .donate_argnums = KN_ARGNUMS(0));
    kn_array x = kn_shard(matrix(), kn_named_sharding(mesh42(), "x, y")), y = call(g, x);
    expect_same(y, kn_mul(matrix(), 2), "donated");
    kn_array r = kn_shard(matrix(), kn_named_sharding(mesh42(), "")), kept = kn_add(r, 0);
    expect_same(call(g, r), kn_mul(matrix(), 2), "replicated");
    expect_same(kept, matrix(), "what shared its parts");
}

static int all_devices(void **state)
{
    (void)state;
    return kndist_set_local(8) != NULL;
}

KN_TEST_GROUP(test_sharding)
{
    const struct CMUnitTest tests[] = {
        TEST(they_look_alike),
        TEST(operations_have_the_same_results),
        TEST(they_are_written_to),
        TEST(functions_have_the_same_results),
        TEST(every_dtype_and_shape),
        TEST(how_they_lie_is_told),
        TEST(parts_are_shown),
        TEST(trees_are_spread),
        TEST(devices_in_another_order),
        TEST(a_function_with_a_constraint_runs_on_the_mesh),
        TEST(constraints_stand_in_jaxprs),
        TEST(arrays_are_made_of_parts),
        TEST(drawings_are_those_of_jax),
        TEST(many_devices_are_drawn),
        TEST(what_is_no_mesh),
        TEST(what_is_no_sharding),
        TEST(files_and_exports),
        TEST(what_cannot_be_found_fails_with_its_line),
        TEST(donated_arrays_are_gone),
        TEST(a_function_is_called_with_many_shardings),
        TEST(a_row_of_a_product_is_taken),
        TEST(prints_keep_their_order),
    };
    return cmocka_run_group_tests(tests, all_devices, NULL);
}
