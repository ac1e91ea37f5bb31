/* SPDX-License-Identifier: Apache-2.0
 * test_ir_check.c -- the checker refuses each illegal form of a jaxpr, and names the equation. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

/* Everything of `{ lambda ; a:f32[3]. let b = mul a 2.0; c = reduce_sum b in (c,) }` where a test can reach and break it. */
typedef struct broken {
    kni_jaxpr j;
    int64_t dim[1], axis[1];
    kni_type type[3];
    kni_literal literal[1];
    kni_atom mul_in[2], sum_in[1], out[1];
    kni_p_reduce sum;
    kni_eqn eqn[2];
} broken;

static void build(broken *t)
{
    *t = (broken){.dim = {3}, .axis = {0}, .mul_in = {0, KN_LITERAL_BIT}, .sum_in = {1}, .out = {2}};
    t->type[0] = t->type[1] = kni_type_of(KN_DT(F32), 1, t->dim);
    t->type[2] = kni_scalar_type(KN_DT(F32));
    t->literal[0] = (kni_literal){kni_scalar_type(KN_DT(F32)), knx_scalar_from_double(KN_DT(F32), 2)};
    t->sum.axes = (kni_ints){1, t->axis};
    t->eqn[0] = (kni_eqn){.prim = &knp_prim_mul, .n_in = 2, .n_out = 1, .in = t->mul_in, .out = 1};
    t->eqn[1] =
        (kni_eqn){.prim = &knp_prim_reduce_sum, .params = &t->sum, .n_in = 1, .n_out = 1, .in = t->sum_in, .out = 2};
    t->j = (kni_jaxpr){.refs = 1,
                       .n_in = 1,
                       .n_var = 3,
                       .n_eqn = 2,
                       .n_out = 1,
                       .n_literal = 1,
                       .type = t->type,
                       .eqn = t->eqn,
                       .out = t->out,
                       .literal = t->literal,
                       .name = ""};
}

static void expect_legal(broken *t)
{
    t->j.hash = kni_hash(&t->j);
    knx_error *e = kni_check(&t->j);
    if (e)
        fail_msg("%s", e->message);
    build(t);
}

static void expect_fault(broken *t, const char *message)
{
    knx_error *e = kni_check(&t->j);
    if (!e)
        fail_msg("legal, but expected: %s", message);
    assert_string_equal(e->message, message);
    knx_error_release(e);
    build(t);
}

static void tables(void **state)
{
    (void)state;
    broken t;
    build(&t);
    expect_legal(&t);
    t.j.name = NULL;
    expect_fault(&t, "the jaxpr has no name: \"\" stands for none");
    t.j.n_in = 4;
    expect_fault(&t, "0 constants and 4 inputs are more than 3 variables");
    t.type[0].dtype = NULL;
    expect_fault(&t, "variable 0 has no dtype");
    t.type[1].ndim = KN_MAX_NDIM + 1;
    expect_fault(&t, "variable 1 has 65 dimensions");
    t.dim[0] = -1;
    expect_fault(&t, "variable 0 has a negative extent");
    t.literal[0].type = t.type[0];
    expect_fault(&t, "literal 0 is not a scalar");
    t.literal[0].bits.bytes[5] = 1;
    expect_fault(&t, "literal 0 has bits that its dtype does not use");
    t.j.hash = kni_hash(&t.j) + 1;
    expect_fault(&t, "the hash is not that of the structure");
}

static void variables(void **state)
{
    (void)state;
    broken t;
    build(&t);
    t.mul_in[0] = 2;
    expect_fault(&t, "equation 0 (mul): operand 0 is not bound before its use");
    t.mul_in[0] = 1;
    expect_fault(&t, "equation 0 (mul): operand 0 is not bound before its use");
    t.mul_in[0] = 3;
    expect_fault(&t, "equation 0 (mul): operand 0 is a variable that does not exist");
    t.mul_in[0] = KN_ATOM_ZERO;
    expect_fault(&t, "equation 0 (mul): operand 0 is a variable that does not exist");
    t.mul_in[1] = KN_LITERAL_BIT | 1;
    expect_fault(&t, "equation 0 (mul): operand 1 is a literal that does not exist");
    t.eqn[1].out = 1;
    expect_fault(&t, "equation 1 (reduce_sum): its results are not the next variables");
    t.j.n_eqn = 1;
    expect_fault(&t, "3 variables, but constants, inputs and equations bind 2");
    t.out[0] = 7;
    expect_fault(&t, "result 0 is a variable that does not exist");
}

static void equations(void **state)
{
    (void)state;
    broken t;
    build(&t);
    t.eqn[0].prim = NULL;
    expect_fault(&t, "equation 0 has no primitive");
    t.eqn[0].n_in = 1;
    expect_fault(&t, "equation 0 (mul): 1 operands instead of 2");
    t.eqn[0].n_out = 2;
    expect_fault(&t, "equation 0 (mul): 2 results instead of 1");
    t.eqn[0].params = &t.sum;
    expect_fault(&t, "equation 0 (mul): parameters, but it takes none");
    t.eqn[1].params = NULL;
    expect_fault(&t, "equation 1 (reduce_sum): the parameters are missing");
    t.sum.axes.n = -1;
    expect_fault(&t, "equation 1 (reduce_sum): parameter axes is no list");
    t.type[2].dtype = KN_DT(F64);
    expect_fault(&t, "equation 1 (reduce_sum): result 0 has type f64[], the type rule gives f32[]");
    t.type[2].weak = true;
    expect_fault(&t, "equation 1 (reduce_sum): result 0 has type f32[]*, the type rule gives f32[]");
    t.axis[0] = 1; /* the type rule refuses it */
    knx_error *e = kni_check(&t.j);
    assert_non_null(e);
    assert_memory_equal(e->message, "equation 1 (reduce_sum): ", 25);
    knx_error_release(e);
}

static void parameters(void **state)
{
    (void)state;
    broken t;
    build(&t);
    kni_p_convert convert = {.new_dtype = NULL};
    t.eqn[1].prim = &knp_prim_convert_element_type;
    t.eqn[1].params = &convert;
    expect_fault(&t, "equation 1 (convert_element_type): parameter new_dtype is missing");
    kni_p_gather gather = {.mode = 9};
    t.eqn[1].prim = &knp_prim_gather;
    t.eqn[1].params = &gather;
    t.eqn[1].n_in = 2;
    t.eqn[1].in = t.mul_in;
    expect_fault(&t, "equation 1 (gather): parameter mode is out of range");
}

static void jaxprs_in_parameters(void **state)
{
    (void)state;
    broken t, inner;
    build(&t);
    build(&inner);
    kni_p_jit jit = {.name = "f", .jaxpr = &inner.j};
    inner.j.hash = kni_hash(&inner.j);
    t.eqn[1] = (kni_eqn){.prim = &knp_prim_jit, .params = &jit, .n_in = 1, .n_out = 1, .in = t.sum_in, .out = 2};
    kni_eqn call = t.eqn[1];
    expect_legal(&t);
    inner.mul_in[0] = 2;
    t.eqn[1] = call;
    expect_fault(&t, "equation 1 (jit): jaxpr: equation 0 (mul): operand 0 is not bound before its use");
    jit.jaxpr = NULL;
    t.eqn[1] = call;
    expect_fault(&t, "equation 1 (jit): jaxpr: there is none");
    build(&inner);
    inner.j.hash = kni_hash(&inner.j);
    jit.jaxpr = &inner.j;
    t.eqn[1] = call;
    t.eqn[1].n_out = 0;
    t.j.n_var = 2;
    t.out[0] = 1;
    expect_fault(&t, "equation 1 (jit): the type rule gives 1 results, not 0");
}

KN_TEST_GROUP(test_ir_check)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(variables),
        cmocka_unit_test(equations),
        cmocka_unit_test(parameters),
        cmocka_unit_test(jaxprs_in_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
