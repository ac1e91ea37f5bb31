/* SPDX-License-Identifier: Apache-2.0
 * eager_batch.c -- code for one matrix, used for many. Nothing in `attention` and `normalized` knows of a batch; kn_batch_in takes axes out of sight,
 * operations are done for each of their elements, and kn_batch_out brings them back. */
#include <kiln/kiln.h>
#include <stdio.h>

/* Of the queries, keys and values of one head of one sentence, each [words, width]. */
static kn_array attention(kn_array q, kn_array k, kn_array v)
{
    kn_array scores = kn_mul(kn_matmul(q, kn_transpose(k)), 0.5);
    return kn_matmul(kn_nn_softmax(scores), v);
}

/* Of one vector. */
static kn_array normalized(kn_array x)
{
    kn_array centred = kn_sub(x, kn_mean(x));
    return kn_div(centred, kn_sqrt(kn_mean(kn_square(centred))));
}

static void show(const char *name, kn_array x)
{
    kn_shape physical = kn_physical_shape(x), logical = kn_shape_of(x);
    printf("%s: physical", name);
    for (int i = 0; i < physical.ndim; i++)
        printf(" %d", (int)physical.dim[i]);
    printf(", logical");
    for (int i = 0; i < logical.ndim; i++)
        printf(" %d", (int)logical.dim[i]);
    printf(", %d batch axes\n", kn_batch_dims_of(x));
}

typedef struct {
    kn_array q, k, v;
} Qkv;
static kn_array one_head(const Qkv *x) { return attention(x->q, x->k, x->v); }
KN_FUNCTION(one_head, kn_array, Qkv)

int main(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(7); /* 3 sentences of 6 words, 2 heads of width 4: [sentences, words, heads, width] */
    kn_array q = kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(3, 6, 2, 4));
    kn_array k = kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(3, 6, 2, 4));
    kn_array v = kn_random_normal(kn_random_fold_in(key, 3), KN_SHAPE(3, 6, 2, 4));
    show("queries", q);

    /* The heads, then the sentences: of what is left operations see [words, width]. */
    kn_array bq = kn_batch_in(kn_batch_in(q, 2), 0), bk = kn_batch_in(kn_batch_in(k, 2), 0),
             bv = kn_batch_in(kn_batch_in(v, 2), 0);
    show("batched", bq);
    kn_array y = attention(bq, bk, bv);
    show("attention", y);

    /* The sentences come to the front again, the heads between words and width. */
    kn_array out = kn_batch_out(kn_batch_out(y, 0), 2);
    show("out", out);

    kn_array mapped;
    Qkv x = {q, k, v};
    kn_fn heads = kn_vmap(KN_FN(one_head), .in_axes = {KN_MAPPED(1)}, .out_axes = {KN_MAPPED(1)});
    kn_call(kn_vmap(heads), &mapped, &x);
    printf("kn_vmap says the same: %s\n", kn_array_equal(out, mapped) ? "yes" : "no");

    /* Arrays without batch axes take part as they are; each row is normalized by itself. */
    kn_array rows = kn_batch_in(kn_of(double, 1, 2, 3, 5), 0), weights = kn_of(double, 1, 0, 2);
    kn_print(kn_batch_out(normalized(kn_add(kn_mul(rows, weights), kn_of(double, 0, 1, 0))), 0));
    return kn_error_pending() ? 1 : kn_finish();
}
