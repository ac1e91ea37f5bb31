/* SPDX-License-Identifier: Apache-2.0
 * values.c -- handles, numbers, texts and lists, sound and otherwise; see values.h. */
#include "tables.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Functions to give. */
static void call_square(const void *env, void *out, const void *const *in)
{
    (void)env;
    *(kn_array *)out = kn_sum(kn_mul(*(const kn_array *)in[0], *(const kn_array *)in[0]), NULL);
}
static void call_same(const void *env, void *out, const void *const *in)
{
    (void)env;
    memcpy(out, in[0], sizeof(kn_array));
}
static void call_add(const void *env, void *out, const void *const *in)
{
    *(kn_array *)out = ((void)env, kn_add(*(const kn_array *)in[0], *(const kn_array *)in[1]));
}
static void call_two(const void *env, void *out, const void *const *in)
{
    (void)env;
    ((kn_array *)out)[0] = ((kn_array *)out)[1] = kn_add(*(const kn_array *)in[0], *(const kn_array *)in[1]);
}
static void call_null(const void *env, void *out, const void *const *in)
{
    (void)env, (void)in;
    *(kn_array *)out = NULL;
}
enum { H = sizeof(kn_array) };
static const kn_function functions[] = {
    {.size_ = sizeof(kn_function),
     .name = "square",
     .call = call_square,
     .out_bytes = H,
     .n_args = 1,
     .arg_bytes = {H}},
    {.size_ = sizeof(kn_function), .name = "same", .call = call_same, .out_bytes = H, .n_args = 1, .arg_bytes = {H}},
    {.size_ = sizeof(kn_function), .name = "add", .call = call_add, .out_bytes = H, .n_args = 2, .arg_bytes = {H, H}},
    {.size_ = sizeof(kn_function),
     .name = "two",
     .call = call_two,
     .out_bytes = 2 * H,
     .n_args = 2,
     .arg_bytes = {H, H}},
    {.size_ = sizeof(kn_function), .name = "null", .call = call_null, .out_bytes = H, .n_args = 1, .arg_bytes = {H}},
};
static int step_down(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env;
    for (int i = 0; i < n_out; i++)
        out[i] = i < n_in ? in[i] : NULL;
    return n_out > n_in;
}
static int refuses(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    return 1;
}
static bool two_more(void *env, void *element)
{
    (void)env;
    static int left = 2;
    if (left-- == 0) {
        left = 2;
        return false;
    }
    memset(element, 0, 16);
    return true;
}
static kn_array along(kn_array a, int axis)
{
    return kn_sum(a, &(kn_sum_opts){.size_ = sizeof(kn_sum_opts), .axis = {{2}, {axis}}});
}
static kn_array no_array(kn_array a, int axis) { return (void)a, (void)axis, (kn_array)0; }
static void quiet_log(void *env, int level, const char *text) { (void)env, (void)level, (void)text; }
static void quiet_print(void *env, const char *text) { (void)env, (void)text; }
static void quiet_drop(void *object) { (void)object; }
static bool never(void *env)
{
    (void)env;
    return false;
}
static void quiet_error(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    (void)env, (void)kind, (void)message, (void)place;
}
static void quiet_step(void *env, const kn_step *step) { (void)env, (void)step; }
static void quiet_round(void *env, int64_t step, int64_t length) { (void)env, (void)step, (void)length; }
static kn_array map_null(void *env, const char *path, int n, const kn_array *x)
{
    return (void)env, (void)path, (void)n, (void)x, (kn_array)0;
}
static kn_array map_release(void *env, const char *path, int n, const kn_array *x)
{
    (void)env, (void)path, (void)n;
    kn_release(x[0]);
    return x[0];
}

/* Of primitives. */
static int primitive_same(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    for (int k = 0; k < c->n_out && k < c->n_in; k++)
        y[k] = x[k];
    return 0;
}
static int primitive_nothing(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    return (void)c, (void)x, (void)y, 7;
}
static int primitive_shape(const kn_primitive_call *c, kn_aval *out)
{
    for (int k = 0; k < c->n_out && k < c->n_in; k++)
        out[k] = c->in[k];
    return c->n_in < c->n_out ? kn_primitive_error(KN_ERROR_TYPE, "too few") : 0;
}
static int primitive_wild(const kn_primitive_call *c, kn_aval *out)
{
    for (int k = 0; k < c->n_out; k++)
        out[k] = (kn_aval){kn_dtype_builtin(0), {2, {INT64_MAX, 3}}};
    return 0;
}
static int primitive_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    size_t n = c->out[0].shape.ndim ? 0 : kn_dtype_size(c->out[0].dtype);
    if (y[0] && n)
        memcpy(y[0], x[0], n);
    return 0;
}
static int primitive_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t,
                         kn_array *ty)
{
    (void)c, (void)x, (void)y, (void)i;
    ty[0] = t;
    return 0;
}
static int primitive_transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x)
{
    (void)c, (void)x, (void)i;
    *ct_x = ct[0];
    return 0;
}
static int primitive_batch(const kn_primitive_call *c, int64_t size, const int *axis, const kn_array *x, kn_array *y,
                           int *out_axis)
{
    (void)c, (void)size;
    y[0] = x[0];
    out_axis[0] = axis[0];
    return 0;
}
static kn_primitive primitives[2];

/* ---- Handles. */
enum { SOUND = 8, MEMORY = 4096 };
static kn_context elsewhere;
static kn_array foreign_array, foreign_waiting;
static void *foreign[16]; /* a handle of each kind, of another context */
static char memory[MEMORY], room[MEMORY];
static kn_array arrays[40];
static int n_arrays = SOUND + 1; /* as long as there is none */
static kn_fn fns[8];
static kn_jaxpr jaxprs[2];
static kn_tree trees[4];
static kn_treedef treedefs[2];
static kn_list lists[4];
static kn_optimizer optimizers[2];
static kn_schedule schedules[2];
static kn_rng rngs[2];
static kn_bit_generator bit_generators[5];
static kn_seed_sequence seed_sequences[1];
static kn_random_state random_states[2];
static kn_flatiter flatiters[2];
static kn_broadcast_iter broadcast_iters[1];
static kn_nditer nditers[4];
static kn_arrayterator arrayterators[1];
static kn_prepared prepared;
static kn_context spare, freed;
static void *dead[16];

static kn_array filled(kn_dtype d, int ndim, int64_t a, int64_t b, int64_t c)
{
    kn_shape s = {ndim, {a, b, c}};
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= s.dim[i];
    kn_array x = kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL);
    return kn_astype(kn_reshape(x, &s, NULL), d, NULL);
}

static void make_arrays(void)
{
    int n = 0;
    double wild[4] = {NAN, INFINITY, -INFINITY, -0.0};
    int64_t least[2] = {INT64_MIN, INT64_MAX};
    kn_array *a = arrays;
    a[n++] = filled(KN_F64, 2, 3, 3, 0);
    a[n++] = filled(KN_F64, 1, 3, 0, 0);
    a[n++] = filled(KN_I64, 1, 3, 0, 0);
    a[n++] = kn_like_int(2);
    a[n++] = filled(KN_BOOL, 1, 3, 0, 0);
    a[n++] = filled(KN_F32, 3, 2, 3, 4);
    a[n++] = filled(KN_C128, 2, 2, 2, 0);
    a[n++] = filled(KN_F64, 0, 0, 0, 0); /* SOUND */
    a[n++] = NULL;
    a[n++] = dead[1];
    a[n++] = foreign_array;
    a[n++] = foreign_waiting;
    a[n++] = (kn_array)fns[0];
    a[n++] = (kn_array)(uintptr_t)0x55;
    a[n++] = (kn_array)UINTPTR_MAX;
    a[n++] = kn_random_key(kn_like_int(0), NULL);
    a[n] = kn_random_split(a[n - 1], NULL);
    n++;
    a[n++] = kn_add(a[0], a[5]); /* carries an error */
    a[n++] = kn_from_memory(wild, &(kn_shape){1, {4}}, KN_F64);
    a[n++] = kn_from_memory(least, &(kn_shape){1, {2}}, KN_I64);
    a[n++] = filled(KN_F64, 2, 0, 3, 0);
    a[n++] = filled(KN_U8, 2, 2, 3, 0);
    a[n++] = kn_like_int(INT64_MIN);
    a[n++] = kn_like_uint(UINT64_MAX);
    a[n++] = kn_like_double(NAN);
    a[n++] = kn_like_double(1e300);
    a[n++] = kn_like_complex(INFINITY, 1);
    a[n++] = filled(KN_F16, 1, 1, 0, 0);
    a[n++] = filled(KN_F8_E5M2, 2, 2, 3, 0);
    a[n++] = kn_with_tangent(filled(KN_F64, 2, 3, 3, 0), filled(KN_F64, 3, 2, 3, 3));
    a[n++] = kn_watch(filled(KN_F64, 2, 3, 3, 0));
    a[n] = kn_sin(a[n - 1]);
    n++;
    a[n] = kn_batch_in(filled(KN_F64, 3, 2, 3, 3), 0);
    n++;
    a[n] = kn_sin(kn_with_tangent(kn_watch(filled(KN_F32, 1, 3, 0, 0)), filled(KN_F32, 1, 3, 0, 0)));
    n++;
    n_arrays = n;
}

static void make_trees(void)
{
    kn_tree leaves[2] = {kn_tree_leaf(arrays[1]), kn_tree_leaf(arrays[1])};
    kn_tree_item items[2] = {{"a", leaves[0]}, {"b", leaves[1]}};
    trees[0] = kn_tree_dict(2, items);
    trees[1] = kn_tree_list(2, leaves);
    trees[2] = kn_tree_none();
    trees[3] = kn_tree_leaf(NULL);
    treedefs[0] = kn_tree_structure(trees[0]);
    treedefs[1] = kn_tree_structure(trees[2]);
    lists[0] = kn_list_from((kn_array[]){arrays[1], arrays[1]}, 2);
    lists[1] = kn_list_from((kn_array[]){arrays[0]}, 1);
    lists[2] = kn_list_from(NULL, 0);
    lists[3] = kn_list_from((kn_array[]){arrays[2], NULL, dead[1]}, 3);
}

static void make_iterators(void)
{
    const kn_array two[2] = {arrays[0], NULL};
    flatiters[0] = kn_flat(arrays[0]);
    flatiters[1] = kn_flat(arrays[2]);
    broadcast_iters[0] = kn_broadcast_new(kn_list_from(arrays, 2));
    const char *const flags[] = {"multi_index", "external_loop buffered", "c_index ranged", "buffered delay_bufalloc"};
    for (int i = 0; i < 4; i++)
        nditers[i] = kn_nditer_new(2, two, &(kn_nditer_opts){.size_ = sizeof(kn_nditer_opts), .flags = flags[i]});
    arrayterators[0] = kn_arrayterator_new(arrays[0], NULL);
}

void make_values(void)
{
    kn_array x = filled(KN_F64, 1, 3, 0, 0);
    for (int i = 0; i < SIZE(functions); i++)
        fns[i] = kn_fn_of(&functions[i], NULL);
    fns[5] = kn_jit(fns[2], NULL);
    fns[6] = kn_grad(fns[0], NULL);
    fns[7] = kn_vmap(fns[1], NULL);
    {
        kn_scope inner = kn_scope_begin();
        dead[1] = filled(KN_F64, 1, 3, 0, 0);
        dead[2] = kn_fn_of(&functions[0], NULL);
        dead[3] = kn_tree_leaf(dead[1]);
        kn_scope_end(&inner);
    }
    make_arrays();
    make_trees();
    jaxprs[0] = kn_make_jaxpr(fns[0], &(kn_args){1, {{&x, H}}}, NULL);
    jaxprs[1] = kn_make_jaxpr(fns[2], &(kn_args){2, {{&x, H}, {&x, H}}}, NULL);
    optimizers[0] = kn_optim_sgd(NULL);
    optimizers[1] = kn_optim_adam(NULL);
    schedules[0] = kn_optim_constant_schedule(0.1);
    schedules[1] = kn_optim_linear_schedule(1, 0, 10, NULL);
    seed_sequences[0] = kn_SeedSequence(kn_like_int(7), NULL);
    bit_generators[0] = kn_PCG64(kn_like_int(7), NULL);
    bit_generators[1] = kn_MT19937(kn_like_int(7), NULL);
    bit_generators[2] = kn_Philox(kn_like_int(7), NULL);
    bit_generators[3] = kn_SFC64(kn_like_int(7), NULL);
    bit_generators[4] = kn_PCG64DXSM(kn_like_int(7), NULL);
    rngs[0] = kn_default_rng(kn_like_int(7));
    rngs[1] = kn_Generator(bit_generators[1]);
    random_states[0] = kn_RandomState(kn_like_int(7), NULL);
    random_states[1] = kn_RandomState(
        NULL, &(kn_random_state_opts){.size_ = sizeof(kn_random_state_opts), .bit_generator = bit_generators[2]});
    make_iterators();
    kn_error_clear();
}

void make_world(void)
{
    kn_array x;
    elsewhere = kn_context_new(NULL);
    kn_context_push(elsewhere);
    foreign_array = kn_retain(filled(KN_F64, 1, 3, 0, 0));
    kn_eval(foreign_array);
    foreign_waiting = kn_retain(kn_add(foreign_array, foreign_array));
    foreign[0] = kn_retain(kn_fn_of(&functions[0], NULL));
    foreign[1] = kn_retain(kn_tree_leaf(foreign_array));
    foreign[2] = kn_retain(kn_list_from(&foreign_array, 1));
    kn_context_pop();
    static const kn_param n = {"n", KN_PARAM_INT, 0};
    kn_primitive_opts own = {
        .size_ = sizeof own, .n_in = -1, .compute = primitive_same, .params = {8, 1, &n}, .defaults = memory};
    primitives[0] = kn_primitive_new("hostile_same", &own);
    primitives[1] = kn_primitive_new(
        "hostile_run",
        &(kn_primitive_opts){.size_ = sizeof own, .n_in = -1, .run = primitive_run, .shape = primitive_shape});
    spare = kn_context_new(NULL);
    freed = kn_context_new(NULL);
    kn_context_free(freed);
    x = filled(KN_F64, 1, 3, 0, 0);
    prepared = kn_prepare(kn_fn_of(&functions[0], NULL), &(kn_args){1, {{&x, H}}}, NULL);
}

void drop_world(void)
{
    kn_prepared_free(prepared);
    kn_context_push(elsewhere);
    kn_release(foreign_array);
    kn_release(foreign_waiting);
    for (int i = 0; i < 3; i++)
        kn_release(foreign[i]);
    kn_error_clear();
    kn_context_pop();
    kn_context_free(elsewhere);
    kn_context_free(spare);
}

kn_array take_kn_array(const char *name) { return arrays[pick_null(name, SOUND, n_arrays - SOUND)]; }

/* Sound ones, NULL, a dead one, one of another context, one of another kind, bits that are none. */
#define HANDLES(T, table, n_sound, foreigner)                             \
    T take_##T(const char *name)                                          \
    {                                                                     \
        void *hostile[] = {NULL,                                          \
                           dead[1],                                       \
                           dead[2],                                       \
                           dead[3],                                       \
                           foreigner,                                     \
                           arrays[0],                                     \
                           fns[0],                                        \
                           (void *)(uintptr_t)0x55,                       \
                           (void *)UINTPTR_MAX};                          \
        int i = pick_null(name, n_sound, SIZE(hostile));                  \
        return i < (n_sound) ? (T)(table)[i] : (T)hostile[i - (n_sound)]; \
    }
HANDLES(kn_fn, fns, 8, foreign[0])
HANDLES(kn_jaxpr, jaxprs, 2, foreign[0])
HANDLES(kn_tree, trees, 3, foreign[1])
HANDLES(kn_treedef, treedefs, 2, foreign[1])
HANDLES(kn_list, lists, 4, foreign[2])
HANDLES(kn_archive, trees, 1, foreign[2])
HANDLES(kn_safetensors, trees, 1, foreign[2])
HANDLES(kn_progress, trees, 1, foreign[2])
HANDLES(kn_optimizer, optimizers, 2, foreign[2])
HANDLES(kn_schedule, schedules, 2, foreign[2])
HANDLES(kn_rng, rngs, 2, foreign[2])
HANDLES(kn_bit_generator, bit_generators, 5, foreign[2])
HANDLES(kn_seed_sequence, seed_sequences, 1, foreign[2])
HANDLES(kn_random_state, random_states, 2, foreign[2])
HANDLES(kn_flatiter, flatiters, 2, foreign[2])
HANDLES(kn_broadcast_iter, broadcast_iters, 1, foreign[2])
HANDLES(kn_nditer, nditers, 4, foreign[2])
HANDLES(kn_arrayterator, arrayterators, 1, foreign[2])

void drop_prepared(kn_prepared p)
{
    if (p != prepared) /* which kn_prepared_for gives back */
        kn_prepared_free(p);
}

kn_prepared take_kn_prepared(const char *name)
{
    bool frees = !strcmp(called(), "kn_prepared_free");
    return pick_null(name, 1, 1) ? NULL : frees ? kn_prepare(fns[0], &(kn_args){1, {{&arrays[1], H}}}, NULL) : prepared;
}

kn_context take_kn_context(const char *name)
{
    int i = pick_null(name, 1, 4);
    return i == 0 ? spare : i == 1 ? NULL : i == 2 ? freed : i == 3 ? elsewhere : (kn_context)(uintptr_t)0x55;
}

kn_dtype take_kn_dtype(const char *name)
{
    kn_dtype table[] = {KN_F64, KN_I64, KN_F32,  NULL,   KN_BOOL,      KN_KEY,
                        KN_C64, KN_U8,  KN_BF16, KN_U64, KN_F8_E4M3FN, KN_I4};
    return FROM_NULL(table, 3);
}

/* ---- Numbers. */
#define NUMBERS(T, n, ...)                      \
    T take_##T(const char *name)                \
    {                                           \
        static const T table[] = {__VA_ARGS__}; \
        return FROM(table, n);                  \
    }
NUMBERS(double, 3, 1, 0.5, 2, 0, -1, NAN, INFINITY, -INFINITY, 1e300, 1e18, -1e-300)
NUMBERS(bool, 2, false, true)
NUMBERS(int, 3, 0, 1, 2, -1, 64, 70, 5000, INT_MAX, INT_MIN)
NUMBERS(int32_t, 2, 0, 1, -1, 5000, INT32_MAX, INT32_MIN)
NUMBERS(int64_t, 3, 1, 0, 2, -1, 5000, INT64_C(1) << 31, INT64_C(1) << 40, (INT64_C(1) << 61) + 5, INT64_MAX, INT64_MIN)
NUMBERS(uint32_t, 2, 0, 1, 5000, 0x80000000, UINT32_MAX)
NUMBERS(uint64_t, 2, 0, 1, UINT64_MAX)
NUMBERS(size_t, 2, 1 << 20, 1 << 24, 0, 7, SIZE_MAX)
NUMBERS(char, 2, '-', '+', 0, '%', '\n')
NUMBERS(count, 3, 2, 1, 0, -1, 40, INT_MIN)
NUMBERS(kn_ufunc, 3, (kn_ufunc)0, (kn_ufunc)3, (kn_ufunc)5, (kn_ufunc)-1, (kn_ufunc)5000, (kn_ufunc)INT_MIN)
NUMBERS(kn_lax_select_prim, 2, KN_LAX_SELECT_GE, KN_LAX_SELECT_LE, (kn_lax_select_prim)5000)
NUMBERS(kn_error_kind, 2, KN_ERROR_VALUE, KN_NO_ERROR, (kn_error_kind)5000)
NUMBERS(kn_cache, 4, KN_CACHE_TRACES, KN_CACHE_PLANS, KN_CACHE_KERNELS, KN_CACHE_MEMORY, (kn_cache)5000, (kn_cache)-1)

p_char take_p_char(const char *name)
{
    static char endless[5000];
    memset(endless, 'a', sizeof endless - 1);
    const char *table[] = {"a",
                           "C",
                           "ij,jk->ik",
                           "0",
                           "wrap",
                           NULL,
                           "",
                           "%",
                           "%s%s%s%n",
                           "\xff\xfe\x80",
                           endless,
                           "[[[[[",
                           "{:>2000000000}",
                           "{",
                           "{ lambda ; a:f32[] . let in (a,) }",
                           "-1",
                           ":,%",
                           "..."};
    return FROM_NULL(table, 5);
}

p_void take_p_void(const char *name) { return pick_null(name, 1, 1) ? NULL : memory; }
m_void take_m_void(const char *name) { return pick_null(name, 1, 1) ? NULL : room; }

pp_void take_pp_void(const char *name)
{
    static void *addresses[64], *none[64];
    for (int i = 0; i < 64; i++)
        addresses[i] = (i % 2 ? memory : room) + 64 * (i % 8);
    int i = pick_null(name, 1, 2);
    return i == 0 ? addresses : i == 1 ? NULL : none;
}

/* ---- Lists of arrays, trees, functions: memory for as many as a count may say. */
enum { LONG = 64 };
#define LISTS(T, n_values, value)                                               \
    p_##T take_p_##T(const char *name)                                          \
    {                                                                           \
        static T ring[4][LONG];                                                 \
        static int next;                                                        \
        int how = pick_null(name, 2, 3);                                        \
        T *v = ring[next++ % 4];                                                \
        memset(v, 0, sizeof(T) * LONG);                                         \
        for (int i = 0; i < LONG && how != 3; i++) {                            \
            int k = how == 0 ? 0 : how == 1 ? i % 2 : (7 * i + 3) % (n_values); \
            v[i] = value;                                                       \
        }                                                                       \
        return how == 2 ? NULL : v;                                             \
    }
LISTS(kn_array, n_arrays, arrays[k])
LISTS(kn_shapes, 16, shape_number(k))
LISTS(kn_tree, 4, k == 3 ? (kn_tree)dead[3] : trees[k])
LISTS(kn_treedef, 3, k == 2 ? (kn_treedef)dead[1] : treedefs[k])
LISTS(kn_list, 4, lists[k])
LISTS(kn_fn, 5, k == 4 ? (kn_fn)dead[2] : fns[k])
LISTS(kn_schedule, 3, k == 2 ? (kn_schedule)dead[1] : schedules[k])
LISTS(kn_optimizer, 3, k == 2 ? (kn_optimizer)dead[1] : optimizers[k])
LISTS(kn_named, n_arrays, ((kn_named){k % 3 ? "x" : NULL, arrays[k]}))
LISTS(kn_tree_item, 4, ((kn_tree_item){k == 0 ? "a" : k == 1 ? "b" : NULL, trees[k]}))
LISTS(kn_piece, n_arrays, ((kn_piece){k % 2 ? fns[0] : NULL, k % 2 ? NULL : arrays[k]}))
LISTS(kn_index_arg, n_arrays, ((kn_index_arg){k % 3 ? KN_ARG_ARRAY : k == 0 ? KN_ARG_INT : 5000, -k, arrays[k]}))
LISTS(kn_printf_arg, n_arrays,
      ((kn_printf_arg){k % 4 == 3 ? 5000
                       : k % 3    ? KN_ARG_ARRAY
                                  : KN_ARG_TEXT,
                       k, NAN, arrays[k], NULL}))
LISTS(kn_slice, n_arrays, ((kn_slice){NULL, arrays[3], k % 2 ? arrays[k] : NULL, k % 5 == 4 ? INT64_MIN : 0}))
static kn_dtype_like dtype_like_number(int k)
{
    static const char *const texts[] = {"f4", "foo", "longdouble", ">i8", "", "floating", "numeric"};
    if (k == 3)
        return (kn_dtype_like){0};
    return k % 3 == 0   ? (kn_dtype_like){.dtype = kn_dtype_builtin(k % 17)}
           : k % 3 == 1 ? (kn_dtype_like){.text = texts[k / 3 % 7]}
                        : (kn_dtype_like){.array = arrays[k % n_arrays]};
}
kn_dtype_like take_kn_dtype_like(const char *name) { return dtype_like_number(pick(name, 3, 45)); }
LISTS(kn_dtype_like, 48, dtype_like_number(k))
LISTS(kn_optim_boundary, 3, ((kn_optim_boundary){k == 2 ? INT64_MIN : i, k == 2 ? NAN : 0.5}))
LISTS(kn_optim_sgdr_cycle, 3, ((kn_optim_sgdr_cycle){0, 1, k == 2 ? INT64_MIN : 1, k == 2 ? INT64_MAX : 4, 0, k}))
LISTS(int64_t, 3, k == 2 ? INT64_MIN : i)

m_kn_array take_m_kn_array(const char *name)
{
    static kn_array slots[LONG];
    memset(slots, 0, sizeof slots);
    results_taken++;
    return pick_null(name, 1, 1) ? NULL : slots;
}

#define SLOTS(T)                                     \
    m_##T take_m_##T(const char *name)               \
    {                                                \
        static T slots[LONG];                        \
        memset(slots, 0, sizeof slots);              \
        results_taken += LONG;                       \
        return pick_null(name, 1, 1) ? NULL : slots; \
    }
SLOTS(kn_rng)
SLOTS(kn_bit_generator)
SLOTS(kn_seed_sequence)

/* States of another generator, with positions that there are not. */
p_kn_bit_generator_state take_p_kn_bit_generator_state(const char *name)
{
    static kn_bit_generator_state s;
    int i = pick_null(name, 5, 4);
    if (i == 5)
        return NULL;
    s = kn_bit_generator_get_state(bit_generators[i % 5]);
    if (i > 5)
        s.mt_pos = i == 6 ? 625 : i == 7 ? INT32_MIN : 0;
    if (i == 8)
        s.buffer_pos = INT32_MAX;
    return &s;
}

m_kn_tree take_m_kn_tree(const char *name)
{
    static kn_tree slots[2];
    slots[0] = trees[0];
    slots[1] = NULL;
    int i = pick_null(name, 1, 2);
    return i == 1 ? NULL : &slots[i / 2];
}

/* ---- Arguments and results of functions. */
p_kn_args take_p_kn_args(const char *name)
{
    static kn_args ring[4];
    static int next;
    static kn_array wrong;
    kn_args *a = &ring[next++ % 4];
    int i = pick_null(name, 3, 10);
    wrong = dead[1];
    *a = (kn_args){i == 1 ? 2 : 1, {{&arrays[1], H}, {&arrays[1], H}}};
    switch (i) {
    case 2: *a = (kn_args){0}; break;
    case 3: return NULL;
    case 4: a->n = -1; break;
    case 5: a->n = 5000; break;
    case 6: a->part[0].at = NULL; break;
    case 7: a->part[0].bytes = 7; break;
    case 8: a->part[0].bytes = 0; break;
    case 9: a->part[0].at = &wrong; break;
    case 10: *a = (kn_args){1, {{trees[0], 1}}}; break;
    case 11: *a = (kn_args){1, {{&trees[0], 2}}}; break;
    case 12: a->part[0].at = &arrays[SOUND]; break;
    default: break;
    }
    return a;
}

p_kn_outs take_p_kn_outs(const char *name)
{
    static kn_outs ring[4];
    static kn_array slots[4][LONG];
    static kn_tree tree;
    static int next;
    int k = next++ % 4, i = pick_null(name, 2, 8);
    kn_outs *o = &ring[k];
    results_taken += i == 8 ? 3 : 2; /* a tree and its arrays, or two arrays */
    memset(slots[k], 0, sizeof slots[k]);
    *o = (kn_outs){i == 1 ? 2 : 1, {{&slots[k][0], H}, {&slots[k][1], H}}};
    switch (i) {
    case 2: return NULL;
    case 3: o->n = -1; break;
    case 4: o->n = 5000; break;
    case 5: o->part[0].at = NULL; break;
    case 6: o->part[0].bytes = 7; break;
    case 7: o->part[0].bytes = 0; break;
    case 8: o->part[0] = (kn_part){&tree, 2}; break;
    case 9: o->n = 0; break;
    default: break;
    }
    return o;
}

p_kn_function take_p_kn_function(const char *name)
{
    static kn_function f;
    int i = pick_null(name, 2, 9);
    f = functions[i < 2 ? i : 0];
    switch (i) {
    case 2: return NULL;
    case 3: f.n_args = -1; break;
    case 4: f.n_args = 5000; break;
    case 5: f.arg_bytes[0] = 7; break;
    case 6: f.out_bytes = SIZE_MAX; break;
    case 7: f.call = NULL; break;
    case 8: f.size_ = 0; break;
    case 9: f.name = NULL; break;
    case 10: f.out_bytes = 0; break;
    default: break;
    }
    return &f;
}

p_kn_fields take_p_kn_fields(const char *name)
{
    static const kn_field field[2] = {{"a", H, NULL}, {NULL, 7, NULL}};
    static const kn_fields table[] = {{sizeof(kn_fields), "T", 2 * H, 1, field},
                                      {sizeof(kn_fields), NULL, 0, 0, NULL},
                                      {sizeof(kn_fields), "T", SIZE_MAX, -1, field},
                                      {0, NULL, 7, 2, NULL},
                                      {sizeof(kn_fields), "T", 16, 2, field}};
    int i = pick_null(name, 1, SIZE(table));
    return i == 1 ? NULL : &table[i ? i - 1 : 0];
}

p_kn_mapper take_p_kn_mapper(const char *name)
{
    static kn_mapper ring[2];
    static int next;
    kn_mapper *m = &ring[next++ % 2];
    int i = pick_null(name, 2, 6);
    *m = (kn_mapper){.size_ = sizeof(kn_mapper)};
    switch (i) {
    case 0: m->two = kn_add; break;
    case 1: m->one = kn_exp; break;
    case 2: return NULL;
    case 4: m->any = map_null; break;
    case 5: m->any = map_release; break;
    case 6: m->fn = dead[2]; break;
    case 3: break;
    default: m->fn = fns[0];
    }
    return m;
}

static kn_array ones_of(void *env, const kn_shape *start, const kn_shape *shape)
{
    (void)env, (void)start;
    return (kn_ones)(shape, NULL);
}

static kn_array no_part(void *env, const kn_shape *start, const kn_shape *shape)
{
    (void)env, (void)start, (void)shape;
    return NULL;
}

/* Room for as many as any count says. */
m_kn_device take_m_kn_device(const char *name)
{
    static kn_device list[64];
    return pick_null(name, 1, 1) ? NULL : list;
}

m_kn_device_info take_m_kn_device_info(const char *name)
{
    static kn_device_info info;
    int i = pick_null(name, 1, 2);
    info = (kn_device_info){.size_ = i == 2 ? 0 : sizeof info};
    return i == 1 ? NULL : &info;
}

/* ---- The rest. */
m_int take_m_int(const char *name)
{
    static int v;
    int i = pick_null(name, 1, 2);
    v = i == 2 ? INT_MIN : -1;
    return i == 1 ? NULL : &v;
}

static const char *say_array(void *env, kn_array x)
{
    (void)env;
    return kn_repr(x, NULL);
}
static const char *say_nothing(void *env, kn_array x)
{
    (void)env;
    (void)x;
    return NULL;
}

p_kn_formatter take_p_kn_formatter(const char *name)
{
    static const kn_formatter says = {.all = say_array}, nothing = {.all = say_nothing}, none = {.env = NULL};
    const p_kn_formatter table[] = {&says, NULL, &none, &nothing};
    return FROM_NULL(table, 1);
}

p_kn_place take_p_kn_place(const char *name)
{
    static const kn_place place = {"a.c", 3, "f"}, bare = {NULL, -1, NULL};
    int i = pick_null(name, 1, 2);
    return i == 0 ? &place : i == 1 ? NULL : &bare;
}

m_kn_scope take_m_kn_scope(const char *name)
{
    static kn_scope s;
    int i = pick_null(name, 1, 3);
    s = (kn_scope){i == 2 ? UINT64_MAX : i == 3 ? 77 : 0, i == 3 ? freed : NULL};
    return i == 1 ? NULL : &s;
}

m_FILE take_m_FILE(const char *name)
{
    static FILE *out;
    if (!out)
        out = tmpfile();
    return pick_null(name, 1, 1) ? NULL : out;
}

kn_primitive take_kn_primitive(const char *name)
{
    int i = pick_null(name, 2, 3);
    return i < 2 ? primitives[i] : i == 2 ? NULL : i == 3 ? (kn_primitive)(uintptr_t)dead[0] : (kn_primitive)memory;
}

#define OUT(T)                                     \
    m_##T take_m_##T(const char *name)             \
    {                                              \
        static T out[LONG];                        \
        memset(out, 0, sizeof out);                \
        return pick_null(name, 1, 1) ? NULL : out; \
    }
OUT(kn_lax_pad_pair)
OUT(kn_offload_decision)
#define OUT_SIZED(T)                                \
    m_##T take_m_##T(const char *name)              \
    {                                               \
        static T out;                               \
        int i = pick_null(name, 1, 2);              \
        out = (T){.size_ = i == 2 ? 0 : sizeof(T)}; \
        return i == 1 ? NULL : &out;                \
    }
OUT_SIZED(kn_variable)
OUT_SIZED(kn_equation)
OUT_SIZED(kn_running_step)
OUT_SIZED(kn_device_counts)
OUT_SIZED(kn_offload_costs)

#define FUNCTIONS(T, n, ...)                    \
    T take_##T(const char *name)                \
    {                                           \
        static const T table[] = {__VA_ARGS__}; \
        return FROM_NULL(table, n);             \
    }
FUNCTIONS(kn_callback, 1, step_down, NULL, refuses)
FUNCTIONS(kn_primitive_compute, 1, primitive_same, NULL, primitive_nothing)
FUNCTIONS(kn_primitive_run, 1, primitive_run, NULL)
FUNCTIONS(kn_primitive_shape, 1, primitive_shape, NULL, primitive_wild)
FUNCTIONS(kn_primitive_jvp, 1, primitive_jvp, NULL)
FUNCTIONS(kn_primitive_transpose, 1, primitive_transpose, NULL)
FUNCTIONS(kn_primitive_batch, 1, primitive_batch, NULL)
FUNCTIONS(kn_testing_comparison, 1, kn_add, NULL)
FUNCTIONS(kn_step_hook, 1, quiet_step, NULL)
FUNCTIONS(kn_scan_step, 1, quiet_round, NULL)
FUNCTIONS(kn_next, 1, two_more, NULL)
FUNCTIONS(kn_mask_func, 1, kn_triu, NULL)
FUNCTIONS(kn_poll, 1, never, NULL)
FUNCTIONS(kn_shard_callback, 1, ones_of, NULL, no_part)
FUNCTIONS(kn_error_hook, 1, quiet_error, NULL)
FUNCTIONS(kn_axis_func, 1, along, NULL, no_array)
FUNCTIONS(function_drop, 1, quiet_drop, NULL)
FUNCTIONS(function_print, 1, quiet_print, NULL)
FUNCTIONS(function_log, 1, quiet_log, NULL)
