/* SPDX-License-Identifier: Apache-2.0
 * reader_onnx.c -- the reader of ONNX files: what is read is asked for all that it says of itself, and its weights are
 * looked at. */
#include "readers.h"
#include "kiln/models.h"
#include <stdlib.h>
#include <string.h>

static kn_array chain(const kn_array *w, const kn_array *x)
{
    return kn_nn_softmax(kn_add(kn_matmul(kn_tanh(*x), *w), kn_of(float, 1, 2)));
}
KN_FUNCTION(chain, kn_array, kn_array, kn_array)

static kn_array half(const kn_array *x) { return kn_mul(*x, 0.5f); }
static kn_array large(const kn_array *x) { return kn_greater(kn_sum(*x), 1); }
KN_FUNCTION(half, kn_array, kn_array)
KN_FUNCTION(large, kn_array, kn_array)
static kn_array loop(const kn_array *w, const kn_array *x)
{
    kn_array y, z;
    kn_while_loop(KN_FN(large), KN_FN(half), &y, w);
    kn_cond(kn_greater(kn_max(*x), 0), KN_FN(half), KN_FN(half), &z, x);
    return kn_add(kn_sum(y), z);
}
KN_FUNCTION(loop, kn_array, kn_array, kn_array)

static kn_array pick(const kn_array *w, const kn_array *x)
{
    return kn_add(kn_take(kn_sort(*w), kn_of(int, 1, 0), .axis = KN_AXIS(0)), kn_cumsum(kn_at(*x, "0, :2")));
}
KN_FUNCTION(pick, kn_array, kn_array, kn_array)

static void add_model(reader *r, kn_fn fn, kn_array w, kn_array x, void (*add)(reader *r, const void *bytes, size_t n))
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&bytes, &n);
    int status = kn_onnx_save(NULL, fn, KN_ARGS(&w, &x), .params = KN_ARGNUMS(0), .file = f);
    fclose(f);
    if (!status && n <= READERS_ROOM)
        add(r, bytes, n);
    free(bytes);
}

void readers_add_onnx(reader *r, void (*add)(reader *r, const void *bytes, size_t n))
{
    KN_SCOPE;
    kn_array w = kn_ones(KN_SHAPE(3, 2), .dtype = KN_F32), x = kn_ones(KN_SHAPE(4, 3), .dtype = KN_F32);
    add_model(r, KN_FN(chain), w, x, add);
    add_model(r, KN_FN(loop), w, x, add);
    add_model(r, KN_FN(pick), w, x, add);
}

static uint64_t look_at_info(kn_onnx model, int inputs, int outputs)
{
    uint64_t sum = 0;
    for (int i = 0; i < inputs + outputs; i++) {
        kn_onnx_info info;
        if (i < inputs ? kn_onnx_input(model, i, &info) : kn_onnx_output(model, i - inputs, &info))
            continue;
        sum += strlen(info.name) + (uint64_t)info.ndim;
        for (int k = 0; k < info.ndim; k++)
            sum += (uint64_t)info.dim[k] + (info.dim_name[k] ? strlen(info.dim_name[k]) : 0);
    }
    return sum;
}

const char *readers_run_onnx(const readers_input *in, uint64_t *accepted)
{
    KN_SCOPE;
    kn_onnx model = kn_onnx_parse(in->bytes, in->n);
    if (!model)
        return NULL;
    ++*accepted;
    if (look_at_info(model, kn_onnx_input_count(model), kn_onnx_output_count(model)) == UINT64_MAX)
        return "names are longer than memory";
    kn_tree params = kn_onnx_params(model);
    if (!params && !kn_error_pending())
        return "weights are NULL without an error";
    for (int i = 0; params && i < kn_tree_count(params); i++) {
        kn_array x = kn_tree_get(params, i);
        int64_t n = kn_nbytes(x);
        if (n > (int64_t)in->n * 8 + 64)
            return "a weight has more bytes than the file can";
        char *bytes = malloc((size_t)n + 1);
        if (kn_tobytes(x, bytes, (size_t)n) != n)
            return free(bytes), "a weight has no elements";
        free(bytes);
    }
    const char *text = kn_onnx_metadata(model, "producer_name");
    return text && strlen(text) > in->n ? "a text is longer than the file" : NULL;
}
