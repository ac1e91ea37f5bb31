/* SPDX-License-Identifier: Apache-2.0
 * test_pmap.c -- kn_pmap: its equation as the jaxpr document has it, beside kn_vmap, and on the devices of a mesh. And what
 * kn_shard_map and kn_pmap refuse. */
#include "support/expect.h"
#include "support/group.h"
#include "dist/dist.h"

typedef struct {
    kn_array a, b;
} Two;

static int eight_devices(void **state)
{
    (void)state;
    knx_error *e = kndist_set_local(8);
    if (e)
        fail_msg("%s", e->message);
    return 0;
}

/* ---- The document's func13. It calls the constant, an array of one element beside an axis of one lane, mapped; to every
 * lane the function gives all of it. */

static kn_array inner(const kn_array *extra, const kn_array *x)
{
    kn_array y = kn_add(*x, *extra);
    y = kn_add(y, kn_ones(KN_SHAPE(1)));
    return kn_div(y, kn_lax_psum(*x, "rows"));
}
KN_CLOSURE(inner, kn_array, kn_array, kn_array)
static kn_array func13(const kn_array *arr, const kn_array *extra)
{
    kn_array y;
    kn_call(kn_pmap(KN_CLOSE(inner, extra), .axis_name = "rows"), &y, arr);
    return y;
}
KN_FUNCTION(func13, kn_array, kn_array, kn_array)

static void skip_blanks(const char **s) { *s += strspn(*s, " \n;"); }

static void is_recorded_as_the_document_says(void **state)
{
    static const char want[] =
        "{ lambda c ; a b. let d = xla_pmap[ axis_name=rows axis_size=1 backend=None call_jaxpr={ lambda ; d b a. let "
        "c "
        "= add a b e = add c d f = psum[ axis_name=rows ] a g = div e f in g } devices=None global_axis_size=None "
        "mapped_invars=(False, False, True) name=inner ] c b a in d }";
    (void)state;
    KN_SCOPE;
    kn_dtype before = kn_set_default_float(KN_F32);
    kn_array arr = kn_ones(KN_SHAPE(1, 3)), extra = kn_scalar(5.0f);
    const char *got =
        kn_jaxpr_text(kn_make_jaxpr(KN_FN(func13), KN_ARGS(&arr, &extra), .fold = true), KN_JAXPR_CLASSIC);
    const char *a = got, *b = want;
    for (;; a++, b++) {
        skip_blanks(&a);
        skip_blanks(&b);
        if (*a != *b)
            fail_msg("the document has\n%s\nbut Kiln has\n%s", want, got);
        if (!*a)
            break;
    }
    kn_set_default_float(before);
}

/* ---- Beside vmap. */

static Two shares(const kn_array *w, const kn_array *x)
{
    kn_array s = kn_lax_psum(*x, "i");
    return (Two){kn_div(kn_mul(*w, *x), s), kn_add(kn_lax_axis_index("i"), kn_sum(s))};
}
KN_FUNCTION(shares, Two, kn_array, kn_array)
static kn_array loss(const kn_array *w, const kn_array *x)
{
    Two y;
    kn_call(kn_pmap(KN_FN(shares), .in_axes = {KN_UNMAPPED, KN_MAPPED(1)}, .axis_name = "i"), &y, w, x);
    return kn_sum(kn_mul(y.a, y.a));
}
static kn_array loss_by_vmap(const kn_array *w, const kn_array *x)
{
    Two y;
    kn_call(kn_vmap(KN_FN(shares), .in_axes = {KN_UNMAPPED, KN_MAPPED(1)}, .axis_name = "i"), &y, w, x);
    return kn_sum(kn_mul(y.a, y.a));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)
KN_FUNCTION(loss_by_vmap, kn_array, kn_array, kn_array)

static bool same(kn_array x, kn_array y) { return kn_ok(x) && kn_array_equal(x, y); }

static void is_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 1, 2, 3), x = kn_reshape(kn_arange(1.0, 13.0, 1.0), KN_SHAPE(3, 4));
    Two p, v;
    for (int jit = 0; jit < 2; jit++) {
        kn_fn by_pmap = kn_pmap(KN_FN(shares), .in_axes = {KN_UNMAPPED, KN_MAPPED(1)},
                                .out_axes = {KN_MAPPED(1), KN_MAPPED(0)}, .axis_name = "i");
        kn_fn by_vmap = kn_vmap(KN_FN(shares), .in_axes = {KN_UNMAPPED, KN_MAPPED(1)},
                                .out_axes = {KN_MAPPED(1), KN_MAPPED(0)}, .axis_name = "i");
        kn_call(jit ? kn_jit(by_pmap) : by_pmap, &p, &w, &x);
        kn_call(by_vmap, &v, &w, &x);
        assert_true(same(p.a, v.a));
        assert_true(same(p.b, v.b));
    }
    kn_call(kn_grad(KN_FN(loss), .argnums = KN_ARGNUMS(0, 1)), &p, &w, &x);
    kn_call(kn_grad(KN_FN(loss_by_vmap), .argnums = KN_ARGNUMS(0, 1)), &v, &w, &x);
    assert_true(same(p.a, v.a));
    assert_true(same(p.b, v.b));
}

static kn_array only_sum(const kn_array *x) { return kn_lax_psum(*x, "i"); }
KN_FUNCTION(only_sum, kn_array, kn_array)

static void one_result_for_all(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y;
    kn_call(kn_pmap(KN_FN(only_sum), .axis_name = "i", .out_axes = {KN_UNMAPPED}), &y, &x);
    expect_values(y, 6);
    kn_call(kn_pmap(KN_FN(only_sum), .axis_name = "i"), &y, &x);
    expect_values(y, 6, 6, 6);
}

static void runs_on_the_devices_of_its_axis(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh m = kn_make_mesh(KN_SHAPE(4), "i");
    kn_array w = kn_of(double, 1, 2, 3), x = kn_reshape(kn_arange(1.0, 13.0, 1.0), KN_SHAPE(4, 3));
    kn_array cut = kn_shard(x, kn_named_sharding(m, "i"));
    Two p, v;
    for (int jit = 0; jit < 2; jit++) {
        kn_fn f = kn_pmap(KN_FN(shares), .in_axes = {KN_UNMAPPED}, .axis_name = "i");
        kn_call(jit ? kn_jit(f) : f, &p, &w, &cut);
        kn_call(f, &v, &w, &x);
        assert_true(same(kn_device_get(p.a), v.a));
        assert_true(same(kn_device_get(p.b), v.b));
        assert_string_equal(kn_sharding_spec(kn_sharding_of(p.a)), "i, None");
    }
}

static void a_call_takes_devices_if_there_are_enough(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3, 4), many = kn_ones(KN_SHAPE(11)), y, z;
    kn_fn f = kn_pmap(KN_FN(only_sum), .axis_name = "i");
    kn_call(f, &y, &x);
    assert_non_null(strstr(kn_device_name(kn_device_of(y)), "mesh:"));
    expect_values(y, 10, 10, 10, 10);
    kn_call(kn_pmap(KN_FN(only_sum), .axis_name = "j_not_bound"), &z, &x);
    expect_error_with("NameError", "unbound axis name: i");
    kn_call(f, &y, &many); /* eleven lanes, eight devices */
    assert_string_equal(kn_device_name(kn_device_of(y)), "host");
    expect_values(y, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11);
    kn_array on_two = kn_shard(x, kn_named_sharding(kn_make_mesh(KN_SHAPE(2), "other"), "other"));
    kn_call(f, &y, &on_two); /* stays where its argument is */
    expect_values(y, 10, 10, 10, 10);
    assert_true(kn_device_of(y) == kn_device_of(on_two));
}

static kn_fn over_two; /* made outside: numbers of devices are not recorded */
static kn_array wrapped_pmap(const kn_array *x)
{
    kn_array y;
    kn_call(over_two, &y, x);
    return kn_add(y, 1);
}
KN_FUNCTION(wrapped_pmap, kn_array, kn_array)
static kn_array own_number(const kn_array *x) { return kn_add(*x, 1); }
KN_FUNCTION(own_number, kn_array, kn_array)

static void devices_are_named(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_mesh m = kn_make_mesh(KN_SHAPE(2), "i", .devices = kn_of(int, 5, 2));
    kn_call(kn_pmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_of(int, 5, 2)), &y, &x);
    expect_values(y, 3, 3);
    assert_ptr_equal(kn_sharding_mesh(kn_sharding_of(y)), m);
    over_two = kn_pmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_of(int, 5, 2));
    kn_call(kn_jit(KN_FN(wrapped_pmap)), &y, &x); /* a part of a program runs where that does */
    expect_values(y, 4, 4);
    kn_call(kn_pmap(KN_FN(own_number), .devices = kn_of(int, 1, 0)), &y, &x); /* without a name */
    expect_values(y, 2, 3);
    m = kn_make_mesh(KN_SHAPE(2), "devices", .devices = kn_of(int, 1, 0));
    assert_ptr_equal(kn_sharding_mesh(kn_sharding_of(y)), m);
    kn_call(kn_pmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_of(int, 0, 1, 2)), &y, &x);
    expect_error_with("ValueError",
                      "Leading axis size of input to pmapped function must equal the number of devices passed to pmap. "
                      "Got axis_size=2, num_devices=3.");
    kn_pmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_of(int, 0, 77));
    expect_error_with("ValueError", "pmap: there is no device 77: there are ");
    kn_pmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_of(int, 3, 3));
    expect_error_with("ValueError", "pmap: device 3 is twice in a mesh");
    kn_pmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_zeros(KN_SHAPE(0), .dtype = KN_I32));
    expect_error_with("ValueError", "no devices are named");
    kn_vmap(KN_FN(only_sum), .axis_name = "i", .devices = kn_of(int, 0, 1));
    expect_error_with("ValueError", "vmap: devices are for kn_pmap");
}

/* ---- What is refused. */

static kn_array twice(const kn_array *x) { return kn_mul(*x, 2.0); }
static kn_array summed(const kn_array *x) { return kn_sum(*x); }
static kn_array joined(const kn_array *x) { return kn_lax_psum(*x, "x"); }
KN_FUNCTION(twice, kn_array, kn_array)
KN_FUNCTION(summed, kn_array, kn_array)
KN_FUNCTION(joined, kn_array, kn_array)

static void refuses(kn_fn f, kn_array x, const char *kind, const char *part)
{
    kn_array y;
    kn_call(f, &y, &x);
    expect_error_with(kind, part);
}

static void specs_that_do_not_fit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh m = kn_make_mesh(KN_SHAPE(4, 2), "x, y");
    kn_array seven = kn_ones(KN_SHAPE(7, 3)), eight = kn_ones(KN_SHAPE(8));
    refuses(
        kn_shard_map(KN_FN(twice), m, .in_specs = {"y"}, .out_specs = {"y"}), seven, "ValueError",
        "the passed args[0] of shape float64[7,3] corresponds to in_specs of value P('y',), which maps array axis 0 "
        "(of size 7) to mesh axis 'y' (of size 2), but 2 does not evenly divide 7");
    refuses(kn_shard_map(KN_FN(twice), m, .in_specs = {"(x, y)"}, .out_specs = {"y"}), seven, "ValueError",
            "to mesh axis 'x' (of size 4), 'y' (of size 2), but 8 does not evenly divide 7");
    refuses(kn_shard_map(KN_FN(twice), m, .in_specs = {"x, y"}, .out_specs = {"x"}), eight, "ValueError",
            "in_specs is P('x', 'y') which has length 2, but the passed args[0] has shape float64[8], which has rank 1 "
            "(and 1 < 2)");
    refuses(kn_shard_map(KN_FN(summed), m, .in_specs = {"x"}, .out_specs = {"x"}), eight, "ValueError",
            "out_specs is P('x',) which has length 1, but array 0 of the result has shape float64[], which has rank 0 "
            "(and 0 < 1)");
    assert_null(kn_shard_map(KN_FN(twice), m, .in_specs = {"z"}, .out_specs = {"x"}));
    expect_error_with("ValueError", "the mesh has no axis 'z'; it has 'x', 'y'");
    assert_null(kn_shard_map(KN_FN(twice), m, .in_specs = {"x, x"}, .out_specs = {"x"}));
    expect_error_with("ValueError", "axis 'x' is there already");
    assert_null(kn_shard_map(KN_FN(twice), m, .in_specs = {"x", "y"}, .out_specs = {"x"}));
    expect_error_with("ValueError", "in_specs has 2 entries, but twice takes 1 argument");
    assert_null(kn_shard_map(KN_FN(twice), m, .in_specs = {"x"}));
    expect_error_with("ValueError", "shard_map out_specs argument must be given");
    assert_null(kn_shard_map(KN_FN(twice), m, .in_specs = {NULL, "x"}, .out_specs = {"x"}));
    expect_error_with("ValueError", "in_specs has entry 1, but not entry 0");
    assert_null(kn_shard_map(KN_FN(twice), NULL, .in_specs = {"x"}, .out_specs = {"x"}));
    expect_error_with("TypeError", "null");
    refuses(kn_shard_map(KN_FN(twice), m, .in_specs = {"x; y"}, .out_specs = {"x"}), eight, "ValueError",
            "in_specs 0 has 2 specs, but 1 array");
    refuses(kn_shard_map(KN_FN(twice), m, .in_specs = {"x"}, .out_specs = {"x", "x"}), eight, "ValueError",
            "out_specs has 2 entries, but twice returns 1 array");
}

static void results_that_differ(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh m = kn_make_mesh(KN_SHAPE(4, 2), "x, y");
    kn_array eight = kn_ones(KN_SHAPE(8)), y;
    refuses(kn_shard_map(KN_FN(twice), m, .in_specs = {"x"}, .out_specs = {""}), eight, "ValueError",
            "shard_map applied to the function 'twice' was given out_specs which require replication which can't be "
            "statically inferred given the mesh: The mesh given has shape (4, 2) with corresponding axis names ('x', "
            "'y'). out_specs is P() which implies that the corresponding output value is only varying across mesh axes "
            "{} and not {x}, but it was inferred to be possibly varying over {x}.");
    kn_call(kn_shard_map(KN_FN(joined), m, .in_specs = {"x"}, .out_specs = {""}), &y, &eight);
    expect_values(y, 4, 4);
    refuses(kn_shard_map(KN_FN(joined), m, .in_specs = {"(x, y)"}, .out_specs = {""}), eight, "ValueError",
            "across mesh axes {} and not {y}");
    kn_call(kn_shard_map(KN_FN(twice), m, .in_specs = {"x"}, .out_specs = {""}, .check_vma = false), &y, &eight);
    expect_values(y, 2, 2);
}

/* ---- In any order. */

/* A neighbour's part, and the sum of all. */
static kn_array mixed(const kn_array *w, const kn_array *x)
{
    kn_array next = kn_lax_ppermute(*x, "x", KN_PAIRS({0, 1}, {1, 2}, {2, 3}, {3, 0}));
    kn_array y = kn_tanh(kn_add(kn_mul(*w, *x), next));
    return kn_add(y, kn_div(kn_lax_psum(kn_sum(y), "x"), 8.0));
}
KN_FUNCTION(mixed, kn_array, kn_array, kn_array)
/* The same in one place. */
static kn_array mixed_whole(const kn_array *w, const kn_array *x)
{
    kn_array y = kn_tanh(kn_add(kn_mul(*w, *x), kn_roll(*x, 2)));
    return kn_add(y, kn_div(kn_sum(y), 8.0));
}
KN_FUNCTION(mixed_whole, kn_array, kn_array, kn_array)

static kn_fn mixed_on_mesh(void)
{
    return kn_shard_map(KN_FN(mixed), kn_make_mesh(KN_SHAPE(4), "x"), .in_specs = {"", "x"}, .out_specs = {"x"});
}

#define STEPS(f, call)                                                           \
    static Two step_##f(const kn_array *w, const kn_array *c, const kn_array *x) \
    {                                                                            \
        kn_array y;                                                              \
        kn_call(call, &y, w, c);                                                 \
        return (Two){kn_add(y, *x), kn_sum(y)};                                  \
    }                                                                            \
    KN_CLOSURE(step_##f, Two, kn_array, kn_array, kn_array)                      \
    static kn_array loss_##f(const kn_array *w, const kn_array *c)               \
    {                                                                            \
        Two out;                                                                 \
        kn_array xs = kn_of(double, 0.1, 0.2, 0.3);                              \
        kn_scan(KN_CLOSE(step_##f, w), &out, c, &xs);                            \
        return kn_add(kn_sum(kn_mul(out.a, out.a)), kn_sum(out.b));              \
    }                                                                            \
    KN_FUNCTION(loss_##f, kn_array, kn_array, kn_array)
STEPS(by_mesh, kn_jit(mixed_on_mesh()))
STEPS(whole, KN_FN(mixed_whole))

static bool close(kn_array x, kn_array y)
{
    return kn_ok(x) && kn_ok(y) && kn_item_bool(kn_all(kn_isclose(kn_device_get(x), y, .rtol = 1e-13, .atol = 1e-14)));
}

/* A scan of a jitted function of one device, its gradient, that of several arguments at once, and all of it compiled. */
static void in_any_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(0.7), c = kn_sin(kn_arange(0.0, 8.0, 1.0)), y, z;
    kn_array many = kn_stack(KN_LIST(c, kn_mul(c, 0.5), kn_negative(c)));
    kn_fn mesh = KN_FN(loss_by_mesh), whole = KN_FN(loss_whole);
    Two g, h;
    for (int jit = 0; jit < 2; jit++) {
        kn_call(jit ? kn_jit(mesh) : mesh, &y, &w, &c);
        kn_call(whole, &z, &w, &c);
        assert_true(close(y, z));
        kn_fn dm = kn_grad(mesh, .argnums = KN_ARGNUMS(0, 1)), dw = kn_grad(whole, .argnums = KN_ARGNUMS(0, 1));
        kn_call(jit ? kn_jit(dm) : dm, &g, &w, &c);
        kn_call(dw, &h, &w, &c);
        assert_true(close(g.a, h.a));
        assert_true(close(g.b, h.b));
        kn_fn vm = kn_vmap(dm, .in_axes = {KN_UNMAPPED, KN_MAPPED(0)});
        kn_call(jit ? kn_jit(vm) : vm, &g, &w, &many);
        kn_call(kn_vmap(dw, .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &h, &w, &many);
        assert_true(close(g.a, h.a));
        assert_true(close(g.b, h.b));
        kn_call(jit ? kn_jit(kn_hessian(mesh)) : kn_hessian(mesh), &y, &w, &c);
        kn_call(kn_hessian(whole), &z, &w, &c);
        assert_true(close(y, z));
    }
}

/* On the mesh, but in a program that it is not the mesh of: arrays that are cut by another one. */
static void beside_other_meshes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(0.7), c = kn_sin(kn_arange(0.0, 8.0, 1.0)), y, z;
    kn_array cut = kn_shard(c, kn_named_sharding(kn_make_mesh(KN_SHAPE(4), "x"), "x"));
    kn_array elsewhere = kn_shard(c, kn_named_sharding(kn_make_mesh(KN_SHAPE(2), "other"), "other"));
    kn_call(mixed_on_mesh(), &y, &w, &cut);
    kn_call(KN_FN(mixed_whole), &z, &w, &c);
    assert_true(close(y, z));
    assert_string_equal(kn_sharding_spec(kn_sharding_of(y)), "x");
    kn_call(kn_jit(mixed_on_mesh()), &y, &w, &elsewhere);
    expect_error_with("ValueError", "the arrays are on different devices");
}

/* Lanes that have the name of an axis which the function does not use are spread over it. */
static kn_array about_y(const kn_array *x) { return kn_mul(kn_lax_psum(*x, "x"), kn_lax_psum(1.0, "y")); }
KN_FUNCTION(about_y, kn_array, kn_array)

static void lanes_by_an_axis_of_the_mesh(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mesh m = kn_make_mesh(KN_SHAPE(2, 4), "x, y");
    kn_array x = kn_reshape(kn_arange(0.0, 32.0, 1.0), KN_SHAPE(8, 4)), y, z;
    kn_fn f = kn_shard_map(KN_FN(joined), m, .in_specs = {"x"}, .out_specs = {""});
    kn_call(kn_vmap(f, .axis_name = "y"), &y, &x);
    kn_call(kn_vmap(f), &z, &x);
    assert_true(close(y, kn_device_get(z)));
    assert_string_equal(kn_sharding_spec(kn_sharding_of(y)), "y, None");
    const char *text = kn_jaxpr_text(kn_make_jaxpr(kn_vmap(f, .axis_name = "y"), KN_ARGS(&x)), KN_JAXPR_TYPED);
    assert_non_null(strstr(text, "in_specs=(P('y', 'x'),)")); /* as jax.vmap with spmd_axis_name='y' */
    assert_non_null(strstr(text, "out_specs=(P('y',),)"));
    assert_non_null(strstr(text, "{ lambda ; c:f64[2,2]. let"));
    kn_array odd = kn_reshape(kn_arange(0.0, 12.0, 1.0), KN_SHAPE(3, 4));
    kn_call(kn_vmap(f, .axis_name = "y"), &y, &odd);
    kn_call(kn_vmap(f), &z, &odd);
    assert_true(close(y, kn_device_get(z)));
    kn_fn g = kn_shard_map(KN_FN(about_y), m, .in_specs = {"x"}, .out_specs = {""}); /* y is that of the mesh */
    kn_call(kn_vmap(g, .axis_name = "y"), &y, &x);
    kn_call(kn_vmap(g), &z, &x);
    assert_true(close(y, kn_device_get(z)));
}

/* A tree of arguments, with a spec for each array. */
static Two pair_of(const Two *p) { return (Two){kn_lax_psum(kn_mul(p->a, kn_sum(p->b)), "x"), p->b}; }
KN_FUNCTION(pair_of, Two, Two)

static void a_spec_for_each_array(void **state)
{
    (void)state;
    KN_SCOPE;
    Two in = {kn_of(double, 1, 2, 3), kn_of(double, 1, 2, 3, 4)}, y;
    kn_mesh m = kn_make_mesh(KN_SHAPE(4), "x");
    kn_call(kn_shard_map(KN_FN(pair_of), m, .in_specs = {"; x"}, .out_specs = {"; x"}), &y, &in);
    expect_values(y.a, 10, 20, 30);
    expect_values(y.b, 1, 2, 3, 4);
    kn_call(kn_shard_map(KN_FN(pair_of), m, .in_specs = {"None; x"}, .out_specs = {"", "x"}), &y, &in);
    expect_values(y.a, 10, 20, 30);
}

static void names_end_with_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(4)), y;
    refuses(KN_FN(joined), x, "NameError", "unbound axis name: x");
    kn_call(kn_shard_map(KN_FN(joined), kn_make_mesh(KN_SHAPE(2), "x"), .in_specs = {"x"}, .out_specs = {""}), &y, &x);
    expect_values(y, 2, 2);
    refuses(KN_FN(joined), x, "NameError", "unbound axis name: x");
}

KN_TEST_GROUP(test_pmap)
{
    const struct CMUnitTest tests[] = {TEST(is_recorded_as_the_document_says),
                                       TEST(is_vmap),
                                       TEST(one_result_for_all),
                                       TEST(runs_on_the_devices_of_its_axis),
                                       TEST(a_call_takes_devices_if_there_are_enough),
                                       TEST(devices_are_named),
                                       TEST(specs_that_do_not_fit),
                                       TEST(results_that_differ),
                                       TEST(in_any_order),
                                       TEST(beside_other_meshes),
                                       TEST(lanes_by_an_axis_of_the_mesh),
                                       TEST(a_spec_for_each_array),
                                       TEST(names_end_with_the_function)};
    return cmocka_run_group_tests(tests, eight_devices, NULL);
}
