/* SPDX-License-Identifier: Apache-2.0
 * test_partition.c -- jaxprs cut for the devices of a mesh, beside the whole ones. The jaxpr of one device is batched
 * over each axis of the mesh by its name, so that one run on the host is a run of all devices; its results, put together, are
 * the whole jaxpr's. Elements are small integers, so sums have no rounding: all bits have to be the same. */
#include "device/device.h"
#include "shard/shard.h"
#include "support/group.h"
#include "support/mesh_lanes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 8 };
static const char *const names[] = {"x", "y", "z"};

typedef struct program {
    const char *name, *text;
    const char *in[MOST]; /* specs */
    const char *has;      /* a primitive that the part's text has to have; NULL: no matter */
    const char * not ;    /* and one that it must not have */
} program;

static void fine(knx_error *e, const char *what)
{
    if (e)
        fail_msg("%s: %s", what, e->message);
}

/* ---- Elements. */

static double element(const kni_type *t, int64_t i)
{
    int64_t v = (i * 7 + 3) % 9 - 4;
    return t->dtype->kind == KN_KIND_BOOL   ? (double)(v > 0)
           : t->dtype->kind == KN_KIND_UINT ? (double)(v + 4)
                                            : (double)v;
}

static void store(kn_dtype d, void *to, double v)
{
    switch (d->id) {
    case KN_ID_F32: *(float *)to = (float)v; break;
    case KN_ID_F64: *(double *)to = v; break;
    case KN_ID_I32: *(int32_t *)to = (int32_t)v; break;
    case KN_ID_I64: *(int64_t *)to = (int64_t)v; break;
    case KN_ID_U32: *(uint32_t *)to = (uint32_t)v; break;
    case KN_ID_BOOL: *(uint8_t *)to = v != 0; break;
    case KN_ID_KEY: *(uint64_t *)to = (uint64_t)(int64_t)v; break;
    default: fail_msg("dtype %s", d->name);
    }
}

static knx_buffer *whole(kni_type t)
{
    int64_t n = kni_type_size(t);
    knx_buffer *b = knx_buffer_new((uint64_t)n * t.dtype->size + 1);
    assert_non_null(b);
    for (int64_t i = 0; i < n; i++)
        store(t.dtype, (char *)b->data + i * t.dtype->size, element(&t, i));
    return b;
}

/* ---- Parts: all of them, one after the other in the order of the mesh's devices. */

typedef struct copying {
    char *whole, *part;
    size_t size;
} copying;

static bool into_part(void *data, int64_t whole, int64_t part)
{
    const copying *c = data;
    memcpy(c->part + (size_t)part * c->size, c->whole + (size_t)whole * c->size, c->size);
    return true;
}

static bool is_same(void *data, int64_t whole, int64_t part)
{
    const copying *c = data;
    return memcmp(c->part + (size_t)part * c->size, c->whole + (size_t)whole * c->size, c->size) == 0;
}

static knx_buffer *parts(kni_type t, const kni_sharding *s, knx_buffer *all)
{
    knx_arena arena = KN_ARENA_INIT;
    kni_type part;
    assert_true(kni_local_type(&arena, t, s, &part));
    size_t bytes = (size_t)kni_type_bytes(part);
    knx_buffer *b = knx_buffer_new(bytes * (size_t)s->mesh->n_device + 1);
    assert_non_null(b);
    memset(b->data, t.dtype->kind == KN_KIND_BOOL ? 1 : 0x7f, bytes * (size_t)s->mesh->n_device); /* padding: NaN */
    for (int64_t i = 0; i < s->mesh->n_device; i++)
        mesh_each_inside(t, part, s, i, into_part,
                         &(copying){all->data, (char *)b->data + (size_t)i * bytes, t.dtype->size});
    knx_arena_free(&arena);
    return b;
}

static void compare(const char *name, kni_type t, const kni_sharding *s, knx_buffer *all, knx_buffer *mine)
{
    knx_arena arena = KN_ARENA_INIT;
    kni_type part;
    assert_true(kni_local_type(&arena, t, s, &part));
    size_t bytes = (size_t)kni_type_bytes(part);
    for (int64_t i = 0; i < s->mesh->n_device; i++)
        if (!mesh_each_inside(t, part, s, i, is_same,
                              &(copying){all->data, (char *)mine->data + (size_t)i * bytes, t.dtype->size}))
            fail_msg("%s: device %d has other elements than the whole", name, (int)i);
    knx_arena_free(&arena);
}

/* ---- Running. */

static void run(const kni_jaxpr *j, knx_buffer **in, knx_buffer **out, const char *what)
{
    knd_loaded *l = NULL;
    knd_operand x[MOST];
    fine(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &l), what);
    for (uint32_t i = 0; i < j->n_in; i++)
        x[i] = (knd_operand){.buffer = in[i]};
    fine(knd_run(l, x, out, NULL), what);
    knd_release(l);
}

static void check(const program *p, const kni_mesh *m)
{
    kni_jaxpr *j, *local, *all;
    const kni_sharding *in[MOST], *out[MOST];
    knx_buffer *x[MOST], *xs[MOST], *y[MOST], *ys[MOST];
    char *report = NULL, *text = NULL;
    fine(kni_parse(p->text, &j), p->name);
    for (uint32_t i = 0; i < j->n_in; i++) {
        fine(kni_parse_spec(m, kni_in_type(j, i).ndim, p->in[i], &in[i]), p->name);
        x[i] = whole(kni_in_type(j, i));
        xs[i] = parts(kni_in_type(j, i), in[i], x[i]);
    }
    fine(knshard_partition(j, m, in, &local, out, &report), p->name);
    fine(kni_text(local, KN_FORM_TYPED, &text), p->name);
    if (getenv("SHOW"))
        printf("%s\n%s\n%s", p->name, text, report ? report : "");
    bool even = m->size[0] == 2; /* as the extents are */
    if (p->has && even && !strstr(text, p->has))
        fail_msg("%s has no %s: %s", p->name, p->has, text);
    if (p->not &&even && strstr(text, p->not ))
        fail_msg("%s has %s: %s", p->name, p->not, text);
    fine(mesh_lanes(local, m, &all), p->name);
    run(j, x, y, p->name);
    run(all, xs, ys, p->name);
    for (uint32_t i = 0; i < j->n_out; i++)
        compare(p->name, kni_out_type(j, i), out[i], y[i], ys[i]);
    for (uint32_t i = 0; i < j->n_in; i++) {
        knx_buffer_release(x[i]);
        knx_buffer_release(xs[i]);
    }
    for (uint32_t i = 0; i < j->n_out; i++) {
        knx_buffer_release(y[i]);
        knx_buffer_release(ys[i]);
    }
    knx_free(report);
    knx_free(text);
    kni_release(all);
    kni_release(local);
    kni_release(j);
}

static const program list[] = {
    {"elementwise",
     "{ lambda ; a:f32[8,6] b:f32[8,6]. let c:f32[8,6] = mul a b; d:f32[8,6] = add c a in (d,) }",
     {"x, y", "x, y"},
     NULL,
     "all_gather"},
    {"elementwise, otherwise cut",
     "{ lambda ; a:f32[8,6] b:f32[8,6]. let c:f32[8,6] = mul a b in (c,) }",
     {"x, None", "None, x"},
     "all_to_all",
     "all_gather"},
    {"sum", "{ lambda ; a:f32[8,6]. let b:f32[6] = reduce_sum[axes=(0,)] a in (b,) }", {"x, y"}, "psum", "all_gather"},
    {"maximum", "{ lambda ; a:f32[8,6]. let b:f32[] = reduce_max[axes=(0,1)] a in (b,) }", {"x, y"}, "pmax", NULL},
    {"uneven sum", "{ lambda ; a:f32[7,5]. let b:f32[] = reduce_sum[axes=(0,1)] a in (b,) }", {"x, y"}, "psum", NULL},
    {"uneven product",
     "{ lambda ; a:f32[7,5] b:f32[5,3]. let c:f32[7,3] = dot_general[lhs_contract=(1,) rhs_contract=(0,) lhs_batch=() "
     "rhs_batch=() preferred_element_type=None] a b in (c,) }",
     {"x, y", "y, None"},
     "psum",
     NULL},
    {"transposed",
     "{ lambda ; a:f32[8,6]. let b:f32[6,8] = transpose[permutation=(1,0)] a in (b,) }",
     {"x, y"},
     NULL,
     "all_"},
    {"broadcast",
     "{ lambda ; a:f32[6] b:f32[8,6]. let c:f32[8,6] = broadcast_in_dim[shape=(8,6) broadcast_dimensions=(1,)] a; "
     "d:f32[8,6] = add c b in (d,) }",
     {"", "x, y"},
     NULL,
     "all_"},
    {"iota",
     "{ lambda ; b:i32[8,6]. let c:i32[8,6] = iota[dimension=0 dtype=i32 shape=(8,6)]; d:i32[8,6] = add c b in (d,) }",
     {"x, y"},
     NULL,
     "all_"},
    {"uneven iota",
     "{ lambda ; b:i32[7,5]. let c:i32[7,5] = iota[dimension=1 dtype=i32 shape=(7,5)]; d:i32[7,5] = add c b in (d,) }",
     {"x, y"},
     NULL,
     "all_"},
    {"joined axes",
     "{ lambda ; a:f32[8,6]. let b:f32[48] = reshape[new_sizes=(48,)] a; c:f32[48] = neg b in (c,) }",
     {"x, None"},
     NULL,
     "all_"},
    {"order",
     "{ lambda ; a:f32[8,6]. let b:f32[8,6] = sort[dimension=1 is_stable=True num_keys=1] a in (b,) }",
     {"x, y"},
     "all_",
     NULL},
    {"order of a list",
     "{ lambda ; a:f32[8]. let b:f32[8] = sort[dimension=0 is_stable=True num_keys=1] a in (b,) }",
     {"x"},
     "all_gather",
     NULL},
    {"order by another axis",
     "{ lambda ; a:f32[12,12]. let b:f32[12,12] = sort[dimension=1 is_stable=True num_keys=1] a in (b,) }",
     {"None, x"},
     "all_to_all",
     "all_gather"},
    {"neighbours along two axes of the mesh",
     "{ lambda ; a:f32[24,3]. let b:f32[26,3] = pad[hi=(1, 0) interior=(0, 0) lo=(1, 0)] a 0.0:f32[]; "
     "c:f32[24,3] = slice[limit_indices=(25, 3) start_indices=(1, 0) strides=(1, 1)] b; d:f32[24,3] = "
     "rev[dimensions=(0,)] c "
     "in (b, c, d) }",
     {"(x, y)"},
     "ppermute",
     "all_gather"},
    {"neighbours along two axes in another order",
     "{ lambda ; a:f32[24,3]. let b:f32[23,3] = slice[limit_indices=(24, 3) start_indices=(1, 0) strides=(1, 1)] a; "
     "c:f32[23,3] = slice[limit_indices=(23, 3) start_indices=(0, 0) strides=(1, 1)] a; d:f32[23,3] = sub b c in (d,) "
     "}",
     {"(y, x)"},
     "ppermute",
     "all_gather"},
    {"lists, one behind the other",
     "{ lambda ; a:f32[48] b:f32[48]. let c:f32[96] = concatenate[dimension=0] a b in (c,) }",
     {"(x, y)", "(x, y)"},
     "ppermute",
     "all_gather"},
    {"lists of other lengths, one behind the other",
     "{ lambda ; a:f32[48] b:f32[12] c:f32[25]. let d:f32[85] = concatenate[dimension=0] a b c in (d,) }",
     {"(x, y)", "(x, y)", "(x, y)"},
     NULL,
     NULL},
    {"a few rows that one device has",
     "{ lambda ; a:f32[64,3] b:bool[64]. let c:f32[2,3] = slice[limit_indices=(35, 3) start_indices=(33, 0) "
     "strides=(1, 1)] a; "
     "d:bool[2] = slice[limit_indices=(36,) start_indices=(33,) strides=(2,)] b in (c, d) }",
     {"x", "x"},
     "pbroadcast",
     "psum"},
    {"a few rows that several devices have",
     "{ lambda ; a:f32[64,3]. let c:f32[3,3] = slice[limit_indices=(34, 3) start_indices=(31, 0) strides=(1, 1)] a in "
     "(c,) }",
     {"x"},
     "psum",
     "pbroadcast"},
    {"a sum stays open behind linear equations",
     "{ lambda ; a:f32[8,6] b:f32[8,6]. let c:f32[6] = reduce_sum[axes=(0,)] a; d:f32[6] = reduce_sum[axes=(0,)] b; "
     "e:f32[6] = add c d; f:f32[6] = mul e 2.0:f32[] in (f,) }",
     {"x", "x"},
     "psum",
     "psum[axes=('x',)] c"},
    {"a sum goes where it is wanted",
     "{ lambda ; a:f32[8,6] b:f32[6]. let c:f32[6] = reduce_sum[axes=(0,)] a; d:f32[6] = mul c b in (d,) }",
     {"x", "x"},
     "reduce_scatter",
     "all_gather"},
    {"small sums go together",
     "{ lambda ; a:f32[8,6] b:f32[8,3]. let c:f32[6] = reduce_sum[axes=(0,)] a; d:f32[3] = reduce_sum[axes=(0,)] b in "
     "(c, d) }",
     {"x", "x"},
     "f32[9] = psum",
     "f32[6] = psum"},
    {"a product of truths is joined by or",
     "{ lambda ; a:bool[2,6] b:bool[6,2]. let c:bool[2,2] = dot_general[lhs_contract=(1,) rhs_contract=(0,) "
     "lhs_batch=() "
     "rhs_batch=() preferred_element_type=None] a b in (c,) }",
     {"None, x", "x, None"},
     NULL,
     "psum"},
    {"a sum is whole before it is cut to an integer",
     "{ lambda ; a:f32[8,6]. let b:f32[6] = reduce_sum[axes=(0,)] a; c:f32[6] = mul b 0.3:f32[]; "
     "d:i32[6] = convert_element_type[new_dtype=int32 weak_type=False] c in (d,) }",
     {"x"},
     "psum",
     "i32[6] = psum"},
    {"a sum is whole before it is a truth",
     "{ lambda ; a:i32[8,6]. let b:i32[6] = reduce_sum[axes=(0,)] a; "
     "c:bool[6] = convert_element_type[new_dtype=bool weak_type=False] b in (c,) }",
     {"x"},
     "psum",
     NULL},
    {"keys are padded with keys",
     "{ lambda ; a:key<fry>[3] b:f32[3]. let c:f32[3] = abs b; d:f32[3] = add c 1.0:f32[]; "
     "e:f32[3] = random_gamma[log_space=False] a d in (e,) }",
     {"", "x"},
     NULL,
     NULL},
    {"products of reflections are blocked by how many rows they have",
     "{ lambda ; a:f32[3,3] b:f32[3] c:f32[34,3]. let d:f32[3,3] = mul a 0.1:f32[]; e:f32[3] = mul b 0.1:f32[]; "
     "f:f32[34,3] = sin c; g:f32[34,3] = ormqr[left=False transpose=True] d e f in (g,) }",
     {"", "", "x"},
     "all_gather",
     NULL},
    {"scan",
     "{ lambda ; a:f32[6] b:f32[5,6]. let c:f32[6] d:f32[5,6] = scan[checkpoint=0 jaxpr={ lambda ; e:f32[6] f:f32[6]. "
     "let "
     "g:f32[6] = add e f; h:f32[6] = mul g 2.0:f32[] in (g, h) } length=5 num_carry=1 num_consts=0 reverse=False "
     "unroll=1] a b in (c, d) }",
     {"", "None, x"},
     NULL,
     "all_"},
};

static const struct shape {
    int n;
    int64_t size[3];
} shapes[] = {{2, {1, 1}}, {2, {2, 1}}, {2, {2, 2}}, {2, {3, 2}}, {2, {4, 3}}};

static void test_list(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const kni_mesh *m;
        fine(kni_mesh_of(shapes[k].n, names, shapes[k].size, NULL, &m), "mesh");
        for (size_t i = 0; i < sizeof list / sizeof *list; i++)
            check(&list[i], m);
    }
}

KN_TEST_GROUP(test_partition)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
