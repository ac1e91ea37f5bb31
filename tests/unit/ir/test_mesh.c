/* SPDX-License-Identifier: Apache-2.0
 * test_mesh.c -- meshes, shardings and their texts. */
#include "ir/mesh.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const xyz[] = {"x", "y", "z"};

static const kni_mesh *mesh(int n, const int64_t *size)
{
    const kni_mesh *m;
    knx_error *e = kni_mesh_of(n, xyz, size, NULL, &m);
    if (e)
        fail_msg("%s", e->message);
    return m;
}

static const kni_mesh *m232(void) { return mesh(3, (int64_t[]){2, 3, 2}); }

static const kni_sharding *spec(const kni_mesh *m, int ndim, const char *text)
{
    const kni_sharding *s;
    knx_error *e = kni_parse_spec(m, ndim, text, &s);
    if (e)
        fail_msg("%s: %s", text, e->message);
    return s;
}

static void refused(knx_error *e, const char *message)
{
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_VALUE);
    assert_string_equal(e->message, message);
    knx_error_release(e);
}

static void equal_meshes_are_one(void **state)
{
    (void)state;
    const char *other[] = {"x", "b"};
    int32_t devices[] = {3, 2, 1, 0, 4, 5}, plain[] = {0, 1, 2, 3, 4, 5};
    const kni_mesh *m = mesh(2, (int64_t[]){2, 3}), *n;
    assert_ptr_equal(m, mesh(2, (int64_t[]){2, 3}));
    assert_null(kni_mesh_of(2, xyz, m->size, plain, &n));
    assert_ptr_equal(m, n);
    assert_null(kni_mesh_of(2, xyz, m->size, devices, &n));
    assert_ptr_not_equal(m, n);
    assert_int_equal(n->device[0], 3);
    assert_null(kni_mesh_of(2, other, m->size, NULL, &n));
    assert_ptr_not_equal(m, n);
    assert_ptr_not_equal(m, mesh(2, (int64_t[]){3, 2}));
    assert_ptr_not_equal(m, mesh(3, (int64_t[]){2, 3, 1}));
    assert_int_equal(mesh(0, NULL)->n_device, 1);
}

static void a_mesh_keeps_names_of_its_own(void **state)
{
    (void)state;
    char name[] = "rows";
    const char *names[] = {name};
    const kni_mesh *m;
    assert_null(kni_mesh_of(1, names, (int64_t[]){4}, NULL, &m));
    strcpy(name, "gone");
    assert_string_equal(m->name[0], "rows");
}

static void meshes_that_are_none(void **state)
{
    (void)state;
    const kni_mesh *m;
    const char *twice[] = {"x", "x"}, *empty[] = {""}, *odd[] = {"a b"}, *none[] = {"None"}, *digit[] = {"2x"};
    int64_t two[] = {2, 2}, zero[] = {2, 0}, huge[] = {1 << 20, 2}, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const char *nine[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    refused(kni_mesh_of(2, twice, two, NULL, &m), "two axes of a mesh, 0 and 1, are named 'x'");
    refused(kni_mesh_of(1, empty, two, NULL, &m), "axis 0 of a mesh is named '': a name is an identifier, not None");
    refused(kni_mesh_of(1, odd, two, NULL, &m), "axis 0 of a mesh is named 'a b': a name is an identifier, not None");
    refused(kni_mesh_of(1, none, two, NULL, &m), "axis 0 of a mesh is named 'None': a name is an identifier, not None");
    refused(kni_mesh_of(1, digit, two, NULL, &m), "axis 0 of a mesh is named '2x': a name is an identifier, not None");
    refused(kni_mesh_of(2, xyz, zero, NULL, &m), "axis 'y' of a mesh has size 0: at least 1 is needed");
    refused(kni_mesh_of(2, xyz, huge, NULL, &m), "a mesh of more than 1048576 devices");
    refused(kni_mesh_of(9, nine, many, NULL, &m), "a mesh of 9 axes: it has at most 8");
    refused(kni_mesh_of(1, xyz, two, (int32_t[]){1, 1}, &m), "device 1 is twice in a mesh");
    refused(kni_mesh_of(1, xyz, two, (int32_t[]){0, -1}, &m), "device -1 in a mesh: numbers of devices begin at 0");
    assert_null(m);
}

static void positions_and_parts(void **state)
{
    (void)state;
    const kni_mesh *m = m232();
    assert_int_equal(m->n_device, 12);
    kni_mesh_axes zx = {2, {2, 0}}, y = {1, {1}};
    for (int64_t i = 0; i < 12; i++) {
        assert_int_equal(kni_mesh_position(m, i, 0), i / 6);
        assert_int_equal(kni_mesh_position(m, i, 1), i / 2 % 3);
        assert_int_equal(kni_mesh_position(m, i, 2), i % 2);
        assert_int_equal(kni_mesh_part(m, zx, i), i % 2 * 2 + i / 6);
        assert_int_equal(kni_mesh_part(m, y, i), i / 2 % 3);
        assert_int_equal(kni_mesh_part(m, (kni_mesh_axes){0}, i), 0);
    }
    assert_int_equal(kni_mesh_parts(m, zx), 4);
    assert_int_equal(kni_mesh_parts(m, (kni_mesh_axes){0}), 1);
    assert_int_equal(kni_mesh_axes_set(zx), 5);
    assert_int_equal(kni_mesh_axis(m, "y", 1), 1);
    assert_int_equal(kni_mesh_axis(m, "yy", 2), -1);
}

static void specs_are_read_and_written(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        const char *text, *back;
    } all[] = {
        {0, "", ""},
        {1, "", "None"},
        {1, "x", "x"},
        {2, "x", "x, None"},
        {2, " None ,x ", "None, x"},
        {1, "(x)", "x"},
        {3, "y,None,(x,z)", "y, None, (x, z)"},
        {2, "(z, x), y", "(z, x), y"},
        {2, "(), x,", "None, x"},
        {1, "(x, y,)", "(x, y)"},
        {2, "None", "None, None"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        knx_text t = {0};
        const kni_sharding *s = spec(m232(), all[i].ndim, all[i].text);
        assert_string_equal(kni_spec_text(&t, s), all[i].back);
        assert_ptr_equal(spec(m232(), all[i].ndim, all[i].back), s);
    }
    knx_text t = {0};
    assert_string_equal(kni_mesh_text(&t, m232()), "Mesh('x': 2, 'y': 3, 'z': 2)");
    assert_string_equal(kni_sharding_text(&t, spec(m232(), 2, "x, (y, z)")),
                        "NamedSharding(Mesh('x': 2, 'y': 3, 'z': 2), (x, (y, z)))");
}

static void specs_with_faults(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        const char *text, *message;
    } all[] = {
        {1, "w", "spec 'w', position 0: the mesh has no axis 'w'; it has 'x', 'y', 'z'"},
        {2, "x, x", "spec 'x, x', position 3: axis 'x' is there already; an axis of the mesh cuts one dimension, once"},
        {1, "(y, y)",
         "spec '(y, y)', position 4: axis 'y' is there already; an axis of the mesh cuts one dimension, once"},
        {1, "x y", "spec 'x y', position 2: ',' expected, not 'y'"},
        {1, "(x", "spec '(x', position 2: ',' or ')' expected"},
        {1, "(x y)", "spec '(x y)', position 3: ',' or ')' expected, not 'y'"},
        {1, "(None)", "spec '(None)', position 1: the mesh has no axis 'None'; it has 'x', 'y', 'z'"},
        {1, ",x", "spec ',x', position 0: the name of an axis, None or '(' expected, not ','"},
        {1, "1", "spec '1', position 0: the name of an axis, None or '(' expected, not '1'"},
        {1, "(,)", "spec '(,)', position 1: the name of an axis expected, not ','"},
        {0, "x", "spec 'x' has 1 entry, but the array has 0 dimensions"},
        {1, "None, x", "spec 'None, x' has 2 entries, but the array has 1 dimension"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const kni_sharding *s;
        refused(kni_parse_spec(m232(), all[i].ndim, all[i].text, &s), all[i].message);
        assert_null(s);
    }
    const kni_sharding *s;
    kni_mesh_axes twice[] = {{1, {0}}, {1, {0}}};
    refused(kni_sharding_of(m232(), 2, twice, &s),
            "axis 'x' of the mesh is twice in a sharding: it cuts one dimension, once");
}

static void types_of_parts(void **state)
{
    (void)state;
    knx_arena a = KN_ARENA_INIT;
    kni_type t = kni_type_of(KN_DT(F32), 4, (int64_t[]){7, 3, 0, 5}), part;
    const kni_sharding *s = spec(m232(), 4, "(x, z), None, y");
    t.sharding = s;
    assert_true(kni_local_type(&a, t, s, &part));
    assert_ptr_equal(part.dtype, KN_DT(F32));
    assert_null(part.sharding);
    assert_int_equal(part.ndim, 4);
    assert_memory_equal(part.dim, ((int64_t[]){2, 3, 0, 5}), 4 * sizeof(int64_t));
    assert_int_equal(kni_part_extent(7, 4), 2);
    assert_int_equal(kni_part_extent(8, 4), 2);
    assert_true(kni_local_type(&a, kni_scalar_type(KN_DT(I64)), kni_replicated(m232(), 0), &part));
    assert_int_equal(part.ndim, 0);
    assert_true(kni_is_replicated(spec(m232(), 2, "")));
    assert_true(kni_is_replicated(spec(mesh(2, (int64_t[]){1, 2}), 1, "x")));
    assert_false(kni_is_replicated(s));
    assert_ptr_equal(kni_replicated(m232(), 2), spec(m232(), 2, "None"));
    knx_arena_free(&a);
}

/* New meshes and shardings with each allocation failing. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    int64_t live = knx_alloc_live();
    for (int64_t k = 0; k < 8; k++) {
        int64_t size[] = {100 + k};
        int32_t device[200];
        const kni_mesh *m = NULL;
        const kni_sharding *s = NULL;
        for (int i = 0; i < 200; i++)
            device[i] = 199 - i;
        knx_fail_after(k, false);
        knx_error *e = kni_mesh_of(1, xyz, size, device, &m);
        if (!e)
            e = kni_parse_spec(m, 2, "x", &s);
        knx_fail_after(-1, false);
        assert_true(e ? !s : m && s);
        assert_true(!e || e->kind == KN_ERROR_MEMORY);
        assert_true(!!e == (k < 3));
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
}

KN_TEST_GROUP(test_mesh)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_meshes_are_one),
        cmocka_unit_test(a_mesh_keeps_names_of_its_own),
        cmocka_unit_test(meshes_that_are_none),
        cmocka_unit_test(positions_and_parts),
        cmocka_unit_test(specs_are_read_and_written),
        cmocka_unit_test(specs_with_faults),
        cmocka_unit_test(types_of_parts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
