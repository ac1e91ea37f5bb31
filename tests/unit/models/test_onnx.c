/* SPDX-License-Identifier: Apache-2.0
 * test_onnx.c -- models in ONNX's format: what is read and refused, running by names, weights, gradients, values that are no arrays. */
#include "proto_writer.h"
#include "support/expect.h"
#include "support/group.h"
#include <kiln/models.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Files, made byte by byte. */

static message node(const char *op, const char *in, const char *in2, const char *out)
{
    message m = {0};
    text(&m, 1, in);
    if (in2)
        text(&m, 1, in2);
    text(&m, 2, out);
    text(&m, 3, "the_node");
    text(&m, 4, op);
    return m;
}

static message info(const char *name, int elem, int64_t extent, const char *dim_name)
{
    message dim = {0}, shape = {0}, tensor = {0}, type = {0}, m = {0};
    if (dim_name)
        text(&dim, 2, dim_name);
    else
        number(&dim, 1, extent);
    sub(&shape, 1, &dim);
    number(&tensor, 1, elem);
    sub(&tensor, 2, &shape);
    sub(&type, 1, &tensor);
    text(&m, 1, name);
    sub(&m, 2, &type);
    return m;
}

static message model_of(const message *n, const message *in, const message *out, const message *init)
{
    message graph = {0}, opset = {0}, m = {0};
    sub(&graph, 1, n);
    text(&graph, 2, "tiny");
    if (init)
        sub(&graph, 5, init);
    sub(&graph, 11, in);
    sub(&graph, 12, out);
    text(&opset, 1, "");
    number(&opset, 2, 20);
    number(&m, 1, 9);
    text(&m, 2, "test");
    sub(&m, 7, &graph);
    sub(&m, 8, &opset);
    return m;
}

static kn_onnx simple(const char *op, int elem)
{
    message n = node(op, "x", NULL, "y"), in = info("x", elem, 3, NULL), out = info("y", elem, 0, "n");
    message m = model_of(&n, &in, &out, NULL);
    return kn_onnx_parse(m.at, m.n);
}

/* ---- Reading. */

static void what_is_no_model(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_onnx_load("/nowhere/model.onnx"));
    expect_error_with("FileError", "/nowhere/model.onnx");
    assert_null(kn_onnx_parse("", 0));
    expect_error_with("ValueError", "it has no graph");
    assert_null(kn_onnx_parse("hello, world", 12));
    expect_error_with("ValueError", "a message ModelProto is broken at byte");
    assert_null(kn_onnx_parse(NULL, 4));
    expect_error_with("TypeError", "null bytes");
}

static void operators_that_are_not_here_are_named(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(simple("Frobnicate", 1));
    expect_error_with("NotImplementedError", "Frobnicate (ai.onnx 20, node \"the_node\")");
}

static void a_name_that_nobody_makes(void **state)
{
    (void)state;
    KN_SCOPE;
    message n = node("Abs", "z", NULL, "y"), in = info("x", 1, 3, NULL), out = info("y", 1, 3, NULL);
    message m = model_of(&n, &in, &out, NULL);
    assert_null(kn_onnx_parse(m.at, m.n));
    expect_error_with("ValueError", "node \"the_node\" (Abs): nothing before it makes its input \"z\"");
}

/* A function of x that gives y: its nodes, one after the other. */
static void function(message *model, const char *name, int n, const message *nodes)
{
    message m = {0}, opset = {0};
    text(&opset, 1, "");
    number(&opset, 2, 20);
    text(&m, 1, name);
    text(&m, 4, "x");
    text(&m, 5, "y");
    for (int i = 0; i < n; i++)
        sub(&m, 7, &nodes[i]);
    sub(&m, 9, &opset);
    sub(model, 25, &m);
}

/* ... of which each of `levels` calls the next one so many times, and the last is Neg. */
static kn_onnx calls(int levels, int times)
{
    char own[16] = "f0", next[16];
    message n = node(own, "x", NULL, "y"), in = info("x", 1, 3, NULL), out = info("y", 1, 3, NULL);
    message m = model_of(&n, &in, &out, NULL);
    for (int i = 0; i < levels; i++) {
        snprintf(own, sizeof own, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        if (times == 2)
            function(&m, own, 2, (const message[]){node(next, "x", NULL, "t"), node(next, "t", NULL, "y")});
        else
            function(&m, own, 1, (const message[]){node(next, "x", NULL, "y")});
    }
    snprintf(own, sizeof own, "f%d", levels);
    message last = node("Neg", "x", NULL, "y");
    function(&m, own, 1, &last);
    return kn_onnx_parse(m.at, m.n);
}

static void functions_that_never_end(void **state)
{
    (void)state;
    KN_SCOPE;
    message n = node("f", "x", NULL, "y"), in = info("x", 1, 3, NULL), out = info("y", 1, 3, NULL);
    message m = model_of(&n, &in, &out, NULL);
    function(&m, "f", 1, &n);
    assert_null(kn_onnx_parse(m.at, m.n));
    expect_error_with("ValueError", "functions call themselves, are nested more than 64 deep, or");
    assert_null(calls(40, 2));
    expect_error_with("ValueError", "that a run has more than 16777216 nodes");
    assert_null(calls(64, 1));
    expect_error_with("ValueError", "nested more than 64 deep");
    kn_onnx deep = calls(62, 1), few = calls(10, 2); /* 1,024 times */
    assert_non_null(few);
    expect_values(kn_tree_at(kn_onnx_run(deep, kn_tree_list(kn_of(float, 1, -2, 3))), "y"), -1, 2, -3);
    kn_release(deep);
    expect_values(kn_tree_at(kn_onnx_run(few, kn_tree_list(kn_of(float, 1, -2, 3))), "y"), 1, -2, 3);
    kn_release(few);
}

/* A tensor of one element, of so many bytes. */
static void constant(message *graph, const char *name, int elem, const void *bytes, size_t n)
{
    message m = {0};
    number(&m, 2, elem);
    text(&m, 8, name);
    bytes_of(&m, 9, bytes, n);
    sub(graph, 5, &m);
}

static message named(const char *name)
{
    message m = {0};
    text(&m, 1, name);
    return m;
}

/* Loop: s = s + one while that is less than the limit. */
static kn_onnx counting(float limit)
{
    message body = {0}, graph = {0}, attr = {0}, loop = {0}, opset = {0}, m = {0}, one = {0}, last = {0};
    message add = node("Add", "s", "one", "t"), less = node("Less", "t", "limit", "more");
    message in = info("x", 1, 1, NULL), out = info("y", 1, 1, NULL);
    const char *const names[] = {"i", "go_on", "s"};
    sub(&body, 1, &add);
    sub(&body, 1, &less);
    text(&body, 2, "body");
    for (int k = 0; k < 3; k++) {
        message v = named(names[k]);
        sub(&body, 11, &v);
    }
    message more = named("more"), t = named("t");
    sub(&body, 12, &more);
    sub(&body, 12, &t);
    text(&attr, 1, "body");
    sub(&attr, 6, &body);
    number(&attr, 20, 5);
    text(&loop, 1, "");
    text(&loop, 1, "yes");
    text(&loop, 1, "x");
    text(&loop, 2, "y");
    text(&loop, 4, "Loop");
    sub(&loop, 5, &attr);
    sub(&graph, 1, &loop);
    text(&graph, 2, "counting");
    constant(&graph, "yes", 9, &(unsigned char){1}, 1);
    floats_of(&one, 1, 1, &(float){1});
    floats_of(&last, 1, 1, &limit);
    constant(&graph, "one", 1, one.at + 2, 4);
    constant(&graph, "limit", 1, last.at + 2, 4);
    sub(&graph, 11, &in);
    sub(&graph, 12, &out);
    text(&opset, 1, "");
    number(&opset, 2, 20);
    number(&m, 1, 9);
    sub(&m, 7, &graph);
    sub(&m, 8, &opset);
    return kn_onnx_parse(m.at, m.n);
}

static long most_kilobytes(void)
{
    struct rusage u;
    assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
    return u.ru_maxrss;
}

#ifdef __SANITIZE_ADDRESS__
enum { MOST_KILOBYTES = 1 << 30 }; /* it keeps what is freed */
#else
enum { MOST_KILOBYTES = 16 << 10 };
#endif

/* Run node by node, as where nothing is compiled. */
static void rounds_of_a_loop_leave_no_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_onnx few = counting(1000), many = counting(60000);
    kn_array y[2];
    long before = 0;
    for (int k = 0; k < 2; k++) {
        kn_tree params = kn_onnx_params(k ? many : few), in = kn_tree_list(kn_zeros(KN_SHAPE(1), .dtype = KN_F32)),
                out = NULL;
        kn_call(kn_onnx_function(k ? many : few), &out, params, in);
        y[k] = kn_tree_at(out, "y");
        kn_eval(y[k]);
        if (!k)
            before = most_kilobytes();
    }
    expect_values(y[0], 1000);
    expect_values(y[1], 60000);
    assert_true(most_kilobytes() - before < MOST_KILOBYTES);
    kn_release(few);
    kn_release(many);
}

static message weight(int64_t extent, size_t bytes, const char *location)
{
    message m = {0}, w = {0};
    floats_of(&w, 1, 4, (const float[]){1, 2, 3, 4});
    number(&m, 1, extent);
    number(&m, 2, 1);
    text(&m, 8, "w");
    if (location) {
        message entry = {0};
        text(&entry, 1, "location");
        text(&entry, 2, location);
        sub(&m, 13, &entry);
        number(&m, 14, 1);
    } else {
        bytes_of(&m, 9, w.at + 2, bytes); /* behind the field's number and length */
    }
    return m;
}

static kn_onnx weighted(const message *w, const char *folder)
{
    message n = node("Mul", "x", "w", "y"), in = info("x", 1, 3, NULL), out = info("y", 1, 3, NULL);
    message m = model_of(&n, &in, &out, w);
    return kn_onnx_parse(m.at, m.n, .folder = folder);
}

static void weights_that_lie(void **state)
{
    (void)state;
    KN_SCOPE;
    message w = weight(4, 12, NULL);
    assert_null(weighted(&w, NULL));
    expect_error_with("ValueError", "tensor \"w\" has 4 elements (float) and 12 bytes");
    w = weight(INT64_MAX / 2, 12, NULL);
    assert_null(weighted(&w, NULL));
    expect_error_with("ValueError", "tensor \"w\"");
    w = weight(-1, 12, NULL);
    assert_null(weighted(&w, NULL));
    expect_error_with("ValueError", "-1 is no extent");
}

static void external_data_stay_inside_of_the_folder(void **state)
{
    (void)state;
    KN_SCOPE;
    message w = weight(3, 0, "../w.bin");
    assert_null(weighted(&w, "."));
    expect_error_with("ValueError", "is not inside of the model's folder");
    w = weight(3, 0, "/etc/passwd");
    assert_null(weighted(&w, "."));
    expect_error_with("ValueError", "is not inside of the model's folder");
    w = weight(3, 0, "w.bin");
    assert_null(weighted(&w, NULL));
    expect_error_with("ValueError", "has to be read from a folder");
    w = weight(3, 0, "there_is_no_such_file.bin");
    assert_null(weighted(&w, "."));
    expect_error_with("FileError", "there_is_no_such_file.bin");
}

static void external_data_are_read(void **state)
{
    (void)state;
    KN_SCOPE;
    message v = {0};
    floats_of(&v, 1, 3, (const float[]){10, 20, 30});
    FILE *f = fopen("onnx_w.bin", "wb");
    fwrite(v.at + 2, 1, 12, f); /* behind the field's number and length */
    fclose(f);
    message w = weight(3, 0, "onnx_w.bin");
    kn_onnx m = weighted(&w, ".");
    expect_values(kn_tree_at(kn_onnx_run(m, kn_tree_list(kn_of(float, 1, 2, 3))), "y"), 10, 40, 90);
    expect_values(kn_tree_at(kn_onnx_params(m), "w"), 10, 20, 30);
    remove("onnx_w.bin");
}

/* ---- What it says of itself. */

static void what_a_model_says(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_onnx m = simple("Abs", 1);
    kn_onnx_info i;
    assert_int_equal(kn_onnx_input_count(m), 1);
    assert_int_equal(kn_onnx_output_count(m), 1);
    assert_int_equal(kn_onnx_input(m, 0, &i), 0);
    assert_string_equal(i.name, "x");
    assert_true(i.dtype == KN_F32 && i.ndim == 1 && i.dim[0] == 3 && !i.dim_name[0]);
    assert_int_equal(kn_onnx_output(m, 0, &i), 0);
    assert_string_equal(i.dim_name[0], "n");
    assert_true(i.dim[0] == -1);
    assert_int_equal(kn_onnx_input(m, 1, &i), -1);
    expect_error_with("IndexError", "there is no 1 among 1");
    assert_string_equal(kn_onnx_metadata(m, "producer_name"), "test");
    assert_string_equal(kn_onnx_metadata(m, "ir_version"), "9");
    assert_null(kn_onnx_metadata(m, "nothing"));
    assert_int_equal(kn_onnx_opset(m, ""), 20);
    assert_int_equal(kn_onnx_opset(m, "ai.onnx.ml"), 0);
}

/* ---- Running. */

static void inputs_that_do_not_fit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_onnx m = simple("Abs", 1);
    kn_onnx_run(m, kn_tree_dict("z", kn_of(float, 1, 2, 3)));
    expect_error_with("KeyError", "the input \"x\" is missing");
    kn_onnx_run(m, kn_tree_dict("x", kn_of(float, 1, 2, 3), "z", 1));
    expect_error_with("KeyError", "\"z\" is no input of the model");
    kn_onnx_run(m, kn_tree_dict("x", kn_of(double, 1, 2, 3)));
    expect_error_with("TypeError", "input \"x\" is float64, and the model wants float32");
    kn_onnx_run(m, kn_tree_dict("x", kn_of(float, 1, 2)));
    expect_error_with("ValueError", "input \"x\" has the extent 2 on axis 0, and the model wants 3");
    kn_onnx_run(m, kn_tree_dict("x", kn_ones(KN_SHAPE(3, 1), .dtype = KN_F32)));
    expect_error_with("ValueError", "input \"x\" has 2 axes, and the model wants 1");
    kn_onnx_run(m, kn_tree_leaf(kn_of(float, 1, 2, 3)));
    expect_error_with("TypeError", "a dictionary by name, or a list by position");
}

static void a_node_that_fails_is_named(void **state)
{
    (void)state;
    KN_SCOPE;
    message n = node("MatMul", "x", "x2", "y"), in = info("x", 1, 0, "n"), more = info("x2", 1, 0, "m"),
            out = info("y", 1, 0, "k");
    message graph = {0}, opset = {0}, m = {0};
    sub(&graph, 1, &n);
    sub(&graph, 11, &in);
    sub(&graph, 11, &more);
    sub(&graph, 12, &out);
    number(&opset, 2, 13);
    sub(&m, 7, &graph);
    sub(&m, 8, &opset);
    kn_onnx model = kn_onnx_parse(m.at, m.n);
    kn_onnx_run(model, kn_tree_list(kn_of(float, 1, 2, 3), kn_of(float, 1, 2)));
    expect_error_with("ValueError", "node \"the_node\" (MatMul, ai.onnx 13): ");
}

static void shapes_that_depend_on_values(void **state)
{
    (void)state;
    KN_SCOPE;
    message n = node("NonZero", "x", NULL, "y"), in = info("x", 1, 3, NULL), out = info("y", 7, 0, "n");
    message m = model_of(&n, &in, &out, NULL);
    kn_onnx model = kn_onnx_parse(m.at, m.n);
    expect_values(kn_tree_at(kn_onnx_run(model, kn_tree_list(kn_of(float, 0, 5, 7))), "y"), 1, 2);
    expect_values(kn_tree_at(kn_onnx_run(model, kn_tree_list(kn_of(float, 4, 0, 0))), "y"), 0);
}

static kn_array loss(const kn_onnx *model, const kn_tree *params, const kn_tree *inputs)
{
    kn_tree out;
    kn_call(kn_onnx_function(*model), &out, *params, *inputs);
    return kn_sum(kn_mul(kn_tree_at(out, "y"), kn_of(float, 1, 1, 2)));
}
KN_FUNCTION_ENV(loss, kn_array, kn_onnx, kn_tree, kn_tree)

static void weights_have_gradients(void **state)
{
    (void)state;
    KN_SCOPE;
    message w = weight(3, 12, NULL);
    kn_onnx m = weighted(&w, NULL);
    kn_tree params = kn_onnx_params(m), in = kn_tree_dict("x", kn_of(float, 3, 5, 7)), slope;
    kn_call(kn_jit(kn_grad(KN_FN_ENV(loss, &m))), &slope, params, in);
    expect_values(kn_tree_at(slope, "w"), 3, 5, 14);
}

static void a_model_that_is_gone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f;
    {
        KN_SCOPE;
        kn_onnx m = simple("Abs", 1);
        f = kn_onnx_function(m);
        kn_keep_handle(f);
    }
    kn_tree none = kn_tree_list(), in = kn_tree_dict("x", kn_of(float, 1, 2, 3)), out;
    assert_int_equal(kn_call(f, &out, none, in), -1);
    expect_error_with("ValueError", "");
}

/* ---- Values that are no arrays. */

static void texts(void **state)
{
    (void)state;
    KN_SCOPE;
    message n = node("StringConcat", "x", "x", "y"), in = info("x", 8, 2, NULL), out = info("y", 8, 2, NULL);
    message m = model_of(&n, &in, &out, NULL);
    kn_onnx model = kn_onnx_parse(m.at, m.n);
    const char *const words[] = {"ab", "c"};
    kn_onnx_value y, x = kn_onnx_strings(&(kn_shape){1, {2}}, words);
    kn_shape s;
    assert_int_equal(kn_onnx_call(model, 1, &(kn_onnx_named){"x", x}, 1, &y), 0);
    assert_int_equal(kn_onnx_value_kind(y), KN_ONNX_STRINGS);
    const char *const *got = kn_onnx_value_texts(y, &s);
    assert_string_equal(got[0], "abab");
    assert_string_equal(got[1], "cc");
    assert_true(s.ndim == 1 && s.dim[0] == 2);
    kn_onnx_value_array(y);
    expect_error_with("TypeError", "the value is not a tensor");
}

static void sequences_and_maps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_onnx_value a = kn_onnx_tensor(kn_of(float, 1, 2)), list = kn_onnx_sequence(2, (kn_onnx_value[]){a, a});
    assert_int_equal(kn_onnx_value_count(list), 2);
    expect_values(kn_onnx_value_array(kn_onnx_value_item(list, 1)), 1, 2);
    assert_null(kn_onnx_value_item(list, 2));
    expect_error_with("IndexError", "there is no 2 among 2");
    assert_int_equal(kn_onnx_value_count(kn_onnx_optional(NULL)), 0);
    const char *const keys[] = {"a", "b"};
    kn_onnx_value map = kn_onnx_map(2, keys, NULL, kn_of(double, 5, 6));
    assert_string_equal(kn_onnx_value_key(map, 1, NULL), "b");
    expect_values(kn_onnx_value_array(kn_onnx_value_item(map, 1)), 6);
    int64_t key = 0;
    assert_null(kn_onnx_value_key(kn_onnx_map(1, NULL, (int64_t[]){7}, kn_of(double, 5)), 0, &key));
    assert_int_equal(key, 7);
    assert_null(kn_onnx_map(2, keys, NULL, kn_of(double, 5)));
    expect_error_with("ValueError", "2 keys");
}

/* A matrix of 2 x 2 with two numbers at these positions: 2 in the flat array, or 4 by axes. */
static kn_tree sparse(int n_positions, const int64_t *positions)
{
    message values = {0}, indices = {0}, s = {0}, graph = {0}, opset = {0}, m = {0};
    number(&values, 1, 2);
    number(&values, 2, 1);
    text(&values, 8, "w");
    floats_of(&values, 9, 2, (const float[]){3, 4});
    number(&indices, 1, 2);
    if (n_positions > 2)
        number(&indices, 1, n_positions / 2);
    number(&indices, 2, 7);
    for (int i = 0; i < n_positions; i++)
        number(&indices, 7, positions[i]);
    sub(&s, 1, &values);
    sub(&s, 2, &indices);
    number(&s, 3, 2);
    number(&s, 3, 2);
    message n = node("Identity", "w", NULL, "y"), out = info("y", 1, 2, NULL);
    sub(&graph, 1, &n);
    sub(&graph, 15, &s);
    sub(&graph, 12, &out);
    number(&opset, 2, 20);
    sub(&m, 7, &graph);
    sub(&m, 8, &opset);
    kn_onnx model = kn_onnx_parse(m.at, m.n);
    assert_non_null(model);
    return kn_onnx_run(model, kn_tree_list());
}

static void sparse_weights_have_positions_of_both_kinds(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_tree_get(sparse(2, (const int64_t[]){1, 2}), 0), 0, 3, 4, 0);
    expect_values(kn_tree_get(sparse(4, (const int64_t[]){0, 1, 1, 0}), 0), 0, 3, 4, 0);
    assert_null(sparse(2, (const int64_t[]){1, 4}));
    expect_error_with("ValueError", "the sparse tensor \"w\" has a position that is not inside");
    assert_null(sparse(4, (const int64_t[]){0, 2, 1, 0}));
    expect_error_with("ValueError", "a position that is not inside");
    assert_null(sparse(6, (const int64_t[]){0, 1, 1, 0, 1, 1}));
    expect_error_with("ValueError", "other positions than values");
}

static void optionals_do_not_nest(void **state)
{
    (void)state;
    KN_SCOPE;
    message inner = node("Optional", "x", NULL, "o"), outer = node("Optional", "o", NULL, "oo"),
            has = node("OptionalHasElement", "oo", NULL, "y");
    message graph = {0}, opset = {0}, m = {0}, in = info("x", 1, 2, NULL), out = info("y", 9, 0, NULL);
    sub(&graph, 1, &inner);
    sub(&graph, 1, &outer);
    sub(&graph, 1, &has);
    sub(&graph, 11, &in);
    sub(&graph, 12, &out);
    number(&opset, 2, 20);
    sub(&m, 7, &graph);
    sub(&m, 8, &opset);
    assert_null(kn_onnx_run(kn_onnx_parse(m.at, m.n), kn_tree_list(kn_of(float, 1, 2))));
    expect_error_with("TypeError", "an optional of an optional");
}

static void windows_of_more_elements_than_there_are_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    message n = node("Col2Im", "x", "s", "y"), in = {0}, out = {0}, init = {0};
    text(&n, 1, "s");
    text(&in, 1, "x");
    text(&out, 1, "y");
    number(&init, 1, 4);
    number(&init, 2, 7);
    for (int i = 0; i < 4; i++)
        number(&init, 7, 65536); /* the product of them wraps to 0 */
    text(&init, 8, "s");
    message m = model_of(&n, &in, &out, &init);
    kn_array x = kn_ones(KN_SHAPE(1, 1, 2), .dtype = KN_F32);
    assert_null(kn_onnx_run(kn_onnx_parse(m.at, m.n), kn_tree_list(x)));
    expect_error_with("ValueError", "too many elements");
}

/* ---- Writing. */

static kn_array twice(const kn_array *x) { return kn_mul(*x, 2.0); }
KN_FUNCTION(twice, kn_array, kn_array)

static void what_has_no_form_is_named(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), c = kn_astype(x, KN_C128);
    assert_int_equal(kn_onnx_save("never.onnx", KN_FN(twice), KN_ARGS(&x), .opset = 7), -1);
    expect_error_with("ValueError", "opset 7: it is between 18 and 26");
    assert_int_equal(kn_onnx_save("never.onnx", KN_FN(twice), KN_ARGS(&c)), -1);
    expect_error_with("NotImplementedError", "mul has no form in ONNX here: of complex numbers (");
    assert_int_equal(kn_onnx_save("never.onnx", KN_FN(twice), KN_ARGS(&x), .params = KN_ARGNUMS(3)), -1);
    expect_error_with("ValueError", "params: there is no argument 3");
    assert_int_equal(access("never.onnx", R_OK), -1);
}

static void names_and_weights_are_in_the_file(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    const kn_text_list in = {1, (const char *const[]){"signal"}}, out = {1, (const char *const[]){"louder"}};
    assert_int_equal(
        kn_onnx_save("named.onnx", KN_FN(twice), KN_ARGS(&x), .inputs = &in, .outputs = &out, .symbolic = "n"), 0);
    kn_onnx m = kn_onnx_load("named.onnx");
    kn_onnx_info i;
    kn_onnx_input(m, 0, &i);
    assert_string_equal(i.name, "signal");
    assert_string_equal(i.dim_name[0], "n");
    expect_values(kn_tree_at(kn_onnx_run(m, kn_tree_dict("signal", kn_of(double, 5, 6))), "louder"), 10, 12);
    remove("named.onnx");
}

/* What f gives after it was written, read again and run. */
static kn_array again(kn_fn f, const kn_args *args, const kn_text_list *names, kn_tree inputs)
{
    assert_int_equal(kn_onnx_save("again.onnx", f, args, .inputs = names), 0);
    kn_onnx m = kn_onnx_load("again.onnx");
    kn_tree out = kn_onnx_run(m, inputs);
    remove("again.onnx");
    return kn_tree_at(out, "output");
}

static kn_array both(const kn_array *a, const kn_array *b) { return kn_sub(kn_mul(*a, 3.0), kn_abs(*b)); }
KN_FUNCTION(both, kn_array, kn_array, kn_array)

static void names_of_the_user_are_nobody_elses(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(double, 1, 2), b = kn_of(double, -5, 7);
    const char *const names[][2] = {{"v1", "v2"}, {"v3", "vv1"}, {"v", "vv"}, {"v5", "v4"}};
    for (int i = 0; i < 4; i++) {
        const kn_text_list in = {2, names[i]};
        expect_values(again(KN_FN(both), KN_ARGS(&a, &b), &in, kn_tree_list(a, b)), -2, -1);
    }
    const kn_text_list x = {1, (const char *const[]){"x"}}, empty = {1, (const char *const[]){""}};
    assert_int_equal(kn_onnx_save("never.onnx", KN_FN(twice), KN_ARGS(&a), .inputs = &x, .outputs = &x), -1);
    expect_error_with("ValueError", "\"x\" is no name for output 0");
    assert_int_equal(kn_onnx_save("never.onnx", KN_FN(twice), KN_ARGS(&a), .outputs = &empty), -1);
    expect_error_with("ValueError", "it is empty");
}

static kn_array clipped(const kn_array *x)
{
    return kn_take(*x, kn_of(int, 0, 9, -3), .axis = KN_AXIS(0), .mode = "clip");
}
KN_FUNCTION(clipped, kn_array, kn_array)
static kn_array running_least(const kn_array *x) { return kn_lax_cummin(*x); }
KN_FUNCTION(running_least, kn_array, kn_array)
static kn_array log_sums(const kn_array *x) { return kn_lax_cumlogsumexp(*x); }
KN_FUNCTION(log_sums, kn_array, kn_array)
static kn_array no_power(const kn_array *x) { return kn_lax_integer_pow(*x, 0); }
KN_FUNCTION(no_power, kn_array, kn_array)
static kn_array lengths(const kn_array *x, const kn_array *y) { return kn_hypot(*x, *y); }
KN_FUNCTION(lengths, kn_array, kn_array, kn_array)
static kn_array angles(const kn_array *x, const kn_array *y) { return kn_arctan2(*x, *y); }
KN_FUNCTION(angles, kn_array, kn_array, kn_array)
static kn_array smaller(const kn_array *x, const kn_array *y) { return kn_less(*x, *y); }
KN_FUNCTION(smaller, kn_array, kn_array, kn_array)

static void ends_of_ranges_are_what_they_are_here(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 4, 5, 6), m = kn_of(int64_t, 3, 9, -2),
             far = kn_of(double, -INFINITY, -INFINITY, 0, INFINITY);
    kn_args args = {1, {{&x, sizeof x}}};
    assert_int_equal(kn_onnx_save("again.onnx", KN_FN(clipped), &args, .symbolic = "b"), 0);
    kn_onnx model = kn_onnx_load("again.onnx");
    expect_values(kn_tree_at(kn_onnx_run(model, kn_tree_list(x)), "output"), 4, 6, 4);
    expect_values(kn_tree_at(kn_onnx_run(model, kn_tree_list(kn_of(double, 1, 2))), "output"), 1, 2, 1);
    remove("again.onnx");
    expect_values(again(KN_FN(running_least), KN_ARGS(&m), NULL, kn_tree_list(m)), 3, 3, -2);
    expect_values(again(KN_FN(log_sums), KN_ARGS(&far), NULL, kn_tree_list(far)), -INFINITY, -INFINITY, 0, INFINITY);
    expect_values(again(KN_FN(no_power), KN_ARGS(&far), NULL, kn_tree_list(far)), 1, 1, 1, 1);
    kn_array big = kn_of(double, 3e300, INFINITY, 0), other = kn_of(double, 4e300, 1, 0),
             two = kn_of(double, INFINITY, INFINITY, 1);
    expect_values(again(KN_FN(lengths), KN_ARGS(&big, &other), NULL, kn_tree_list(big, other)), 5e300, INFINITY, 0);
    expect_values(again(KN_FN(angles), KN_ARGS(&big, &two), NULL, kn_tree_list(big, two)), 0, KN_PI / 4, 0);
    kn_array yes = kn_of(bool, true, false), no = kn_of(bool, true, true);
    expect_values(again(KN_FN(smaller), KN_ARGS(&yes, &no), NULL, kn_tree_list(yes, no)), 0, 1);
}

KN_TEST_GROUP(test_onnx)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_no_model),
        TEST(operators_that_are_not_here_are_named),
        TEST(a_name_that_nobody_makes),
        TEST(functions_that_never_end),
        TEST(rounds_of_a_loop_leave_no_memory),
        TEST(weights_that_lie),
        TEST(external_data_stay_inside_of_the_folder),
        TEST(external_data_are_read),
        TEST(what_a_model_says),
        TEST(inputs_that_do_not_fit),
        TEST(a_node_that_fails_is_named),
        TEST(shapes_that_depend_on_values),
        TEST(weights_have_gradients),
        TEST(a_model_that_is_gone),
        TEST(texts),
        TEST(sequences_and_maps),
        TEST(sparse_weights_have_positions_of_both_kinds),
        TEST(optionals_do_not_nest),
        TEST(windows_of_more_elements_than_there_are_numbers),
        TEST(what_has_no_form_is_named),
        TEST(names_and_weights_are_in_the_file),
        TEST(names_of_the_user_are_nobody_elses),
        TEST(ends_of_ranges_are_what_they_are_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
