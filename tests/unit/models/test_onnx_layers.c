/* SPDX-License-Identifier: Apache-2.0
 * test_onnx_layers.c -- layers of ONNX: what their nodes may not say, derivatives, pictures. Their numbers are checked beside other
 * runtimes (scripts/onnx-layer-cases.py). */
#include "proto_writer.h"
#include "support/expect.h"
#include "support/group.h"
#include <kiln/models.h>

/* ---- A model of one node, made byte by byte. */

/* An attribute from a word: "group=2", "pads=1,1", "mode:max"; a list has a comma, also behind one number. */
static message attribute(const char *word)
{
    message m = {0};
    size_t n = strcspn(word, "=:");
    const char *value = word + n + 1;
    bytes_of(&m, 1, word, n);
    if (word[n] == ':') {
        text(&m, 4, value);
        number(&m, 20, 3);
    } else if (!strchr(value, ',')) {
        number(&m, 3, strtoll(value, NULL, 10));
        number(&m, 20, 2);
    } else {
        for (char *end; *value; value = *end ? end + 1 : end)
            number(&m, 8, strtoll(value, &end, 10));
        number(&m, 20, 7);
    }
    return m;
}

/* Inputs are a, b, c ... of a model, with any shape; ONNX's numbers of their types: 1 float32, 2 uint8, 7 int64. Words with blanks
 * between them are attributes. */
static kn_onnx layer(const char *op, int opset, int n, const int *elem, const char *words)
{
    message node = {0}, graph = {0}, out = {0}, domain = {0}, m = {0};
    for (int i = 0; i < n; i++) {
        message tensor = {0}, type = {0}, info = {0};
        const char name[2] = {(char)('a' + i), 0};
        text(&node, 1, elem[i] ? name : "");
        if (!elem[i])
            continue;
        number(&tensor, 1, elem[i]);
        sub(&type, 1, &tensor);
        text(&info, 1, name);
        sub(&info, 2, &type);
        sub(&graph, 11, &info);
    }
    text(&node, 2, "y");
    text(&node, 3, "it");
    text(&node, 4, op);
    for (char copy[200], *w = strtok(strcpy(copy, words), " "); w; w = strtok(NULL, " ")) {
        message a = attribute(w);
        sub(&node, 5, &a);
    }
    text(&out, 1, "y");
    sub(&graph, 1, &node);
    text(&graph, 2, "g");
    sub(&graph, 12, &out);
    number(&domain, 2, opset);
    number(&m, 1, 9);
    sub(&m, 7, &graph);
    sub(&m, 8, &domain);
    return kn_onnx_parse(m.at, m.n);
}

static kn_array ones(const kn_shape *s, int elem)
{
    return (kn_ones)(s, &(kn_zeros_opts){.size_ = sizeof(kn_zeros_opts),
                                         .dtype = elem == 1   ? KN_F32
                                                  : elem == 2 ? KN_U8
                                                              : KN_I64});
}

/* ---- What nodes may not say. */

static const struct {
    const char *op;
    int opset, n, elem[4];
    kn_shape shape[4];
    const char *words, *message;
} wrong[] = {
    {"Conv", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {3, {3, 2, 2}}}, "strides=1,1", "strides has 2 numbers, and there are 1"},
    {"Conv", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {3, {3, 2, 2}}}, "strides=0,", "strides has the number 0"},
    {"Conv", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {3, {3, 2, 9}}}, "", "a window over 9 elements does not fit into 5"},
    {"Conv", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {3, {3, 2, 2}}}, "group=0", "group is 0"},
    {"Conv", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {3, {3, 2, 2}}}, "auto_pad:SOME", "auto_pad \"SOME\" is none"},
    {"Conv", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {2, {3, 2}}}, "", "an image with 3 axes and a kernel with 2"},
    {"Conv",
     11,
     2,
     {1, 1},
     {{3, {1, 2, 5}}, {3, {3, 2, 2}}},
     "kernel_shape=3,",
     "kernel_shape says 3 where the kernel has 2"},
    {"ConvTranspose", 11, 2, {1, 1}, {{3, {1, 2, 5}}, {3, {3, 2, 2}}}, "", "2 features in 1 groups and a kernel for 3"},
    {"MaxPool", 12, 1, {1}, {{3, {1, 2, 5}}}, "kernel_shape=2,2", "kernel_shape has 2 numbers, and the image 3 axes"},
    {"MaxPool", 12, 1, {1}, {{3, {1, 2, 5}}}, "kernel_shape=-1,", "kernel_shape has the number -1"},
    {"Gemm", 13, 2, {1, 1}, {{1, {3}}, {2, {3, 2}}}, "", "A and B are matrices, and have 1 and 2 axes"},
    {"LRN", 13, 1, {1}, {{3, {1, 2, 5}}}, "size=0", "size is 0, and x has 3 axes"},
    {"LayerNormalization", 17, 2, {1, 1}, {{2, {2, 3}}, {1, {3}}}, "axis=2", ""},
    {"GroupNormalization",
     21,
     3,
     {1, 1, 1},
     {{3, {1, 4, 2}}, {1, {4}}, {1, {4}}},
     "num_groups=3",
     "3 groups of 4 features"},
    {"LpNormalization", 22, 1, {1}, {{2, {2, 3}}}, "p=3", "p is 3, and only 1 and 2 are defined"},
    {"LSTM",
     14,
     3,
     {1, 1, 1},
     {{3, {2, 1, 3}}, {3, {1, 8, 3}}, {3, {1, 9, 2}}},
     "",
     "X, W and R of shapes that do not fit"},
    {"RNN",
     14,
     3,
     {1, 1, 1},
     {{3, {2, 1, 3}}, {3, {1, 2, 3}}, {3, {1, 2, 2}}},
     "direction:sideways",
     "direction is \"sideways\""},
    {"Attention",
     23,
     3,
     {1, 1, 1},
     {{3, {1, 2, 6}}, {3, {1, 2, 6}}, {3, {1, 2, 6}}},
     "q_num_heads=4 kv_num_heads=2",
     "do not fit"},
    {"Resize", 13, 3, {1, 0, 1}, {{2, {2, 3}}, {0, {0}}, {1, {2}}}, "mode:square", "mode is \"square\""},
    {"Resize", 13, 3, {1, 0, 1}, {{2, {2, 3}}, {0, {0}}, {1, {3}}}, "", "scales has 3 numbers for 2 axes"},
    {"GridSample", 20, 2, {1, 1}, {{4, {1, 1, 2, 2}}, {4, {1, 2, 2, 2}}}, "padding_mode:none", "padding_mode \"none\""},
    {"DepthToSpace", 13, 1, {1}, {{4, {1, 3, 2, 2}}}, "blocksize=2", "3 features and blocks of 4"},
    {"SpaceToDepth", 13, 1, {1}, {{4, {1, 3, 3, 2}}}, "blocksize=2", "an image of 3 by 2 and blocks of 2"},
    {"NonMaxSuppression", 11, 2, {1, 1}, {{3, {1, 2, 4}}, {3, {1, 1, 3}}}, "", "boxes are (batch, boxes, 4)"},
    {"ImageDecoder", 20, 1, {2}, {{1, {4}}}, "pixel_format:HSV", "pixel_format is \"HSV\""},
};

static void what_nodes_may_not_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        KN_SCOPE;
        kn_onnx m = layer(wrong[i].op, wrong[i].opset, wrong[i].n, wrong[i].elem, wrong[i].words);
        kn_tree_item item[4];
        int n = 0;
        static const char *const names[] = {"a", "b", "c", "d"};
        for (int k = 0; k < wrong[i].n; k++)
            if (wrong[i].elem[k])
                item[n++] = (kn_tree_item){names[k], kn_tree_leaf(ones(&wrong[i].shape[k], wrong[i].elem[k]))};
        assert_non_null(m);
        kn_onnx_run(m, (kn_tree_dict)(n, item));
        const char *said = kn_error_message();
        if (!strstr(said, "node \"it\"") || !strstr(said, wrong[i].message))
            fail_msg("%s (%s): \"%s\"", wrong[i].op, wrong[i].words, said);
        kn_error_clear();
    }
}

/* ---- Derivatives. */

typedef struct operands {
    kn_array x, w, r;
} operands;

static kn_array loss(const kn_onnx *model, const operands *a)
{
    kn_tree out, none = kn_tree_list(), in = kn_tree_dict("a", a->x, "b", a->w, "c", a->r);
    kn_call(kn_onnx_function(*model), &out, none, in);
    return kn_sum(kn_square(kn_tree_at(out, "y")));
}
KN_FUNCTION_ENV(loss, kn_array, kn_onnx, operands)

static operands moved(const operands *a, double by)
{
    return (operands){kn_add(a->x, by), kn_add(a->w, by), kn_add(a->r, by)};
}

/* The slope of a step along each of the three arguments at once, by differences and by the gradient. */
static void recurrent_layers_have_gradients(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        int gates;
    } kinds[] = {{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}};
    for (int i = 0; i < 3; i++) {
        KN_SCOPE;
        int64_t rows = 2 * kinds[i].gates;
        kn_onnx m = layer(kinds[i].op, 14, 3, (int[]){11, 11, 11}, "hidden_size=2");
        kn_array count = kn_arange(0, 2 * rows, 1, .dtype = KN_F64);
        operands slope,
            x = {kn_reshape(kn_sin(kn_arange(0, 12, 1, .dtype = KN_F64)), KN_SHAPE(3, 2, 2)),
                 kn_reshape(kn_cos(count), KN_SHAPE(1, rows, 2)), kn_reshape(kn_sin(count), KN_SHAPE(1, rows, 2))};
        operands up = moved(&x, 1e-5), down = moved(&x, -1e-5);
        kn_array high, low;
        kn_call(kn_jit(kn_grad(KN_FN_ENV(loss, &m))), &slope, &x);
        kn_call(KN_FN_ENV(loss, &m), &high, &up);
        kn_call(KN_FN_ENV(loss, &m), &low, &down);
        double by_difference = (kn_item(high) - kn_item(low)) / 2e-5;
        double by_gradient = kn_item(kn_sum(slope.x)) + kn_item(kn_sum(slope.w)) + kn_item(kn_sum(slope.r));
        assert_true(fabs(by_difference - by_gradient) < 1e-6 * fabs(by_difference) && fabs(by_difference) > 0.1);
    }
}

/* ---- Pictures. */

static void what_is_no_picture_has_no_pixels(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_onnx m = layer("ImageDecoder", 20, 1, (int[]){2}, "");
    kn_shape s = kn_shape_of(kn_tree_at(kn_onnx_run(m, kn_tree_dict("a", kn_of(uint8_t, 1, 2, 3, 4))), "y"));
    assert_true(s.ndim == 3 && s.dim[0] == 0 && s.dim[1] == 0 && s.dim[2] == 3);
    s = kn_shape_of(kn_tree_at(kn_onnx_run(m, kn_tree_dict("a", kn_of(uint8_t, 'B', 'M', 3, 4))), "y"));
    assert_true(s.ndim == 3 && s.dim[0] == 0);
}

static void a_picture_of_text(void **state)
{
    (void)state;
    KN_SCOPE;
    static const uint8_t ppm[] = "P3 2 1 255  1 2 3  40 50 60";
    kn_onnx m = layer("ImageDecoder", 20, 1, (int[]){2}, "pixel_format:BGR");
    kn_array bytes = kn_from(ppm, KN_SHAPE((int64_t)sizeof ppm - 1));
    expect_values(kn_tree_at(kn_onnx_run(m, kn_tree_dict("a", bytes)), "y"), 3, 2, 1, 60, 50, 40);
}

KN_TEST_GROUP(test_onnx_layers)
{
    const struct CMUnitTest tests[] = {
        TEST(what_nodes_may_not_say),
        TEST(recurrent_layers_have_gradients),
        TEST(what_is_no_picture_has_no_pixels),
        TEST(a_picture_of_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
