/* SPDX-License-Identifier: Apache-2.0
 * test_prim_transforms.c -- elementwise, shape and reduction rows: the jaxprs that their jvp, transpose and batching rules
 * write. Values are tested where programs run. */
#include "support/group.h"
#include "support/row_text.h"

/* Derivatives: operands marked with * have tangents, which are the last inputs */

static void derivatives_of_functions(void **state)
{
    (void)state;
    EXPECT_JVP(neg, NULL, OPERANDS("*f32[3]"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = neg a; c:f32[3] = neg b in (c,) }");
    EXPECT_JVP(sin, NULL, OPERANDS("*f32[3]"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = sin a c:f32[3] = cos a d:f32[3] = mul b c in (d,) }");
    EXPECT_JVP(tanh, NULL, OPERANDS("*f32[]"),
               "{ lambda ; a:f32[] b:f32[]. let c:f32[] = tanh a d:f32[] = mul c c e:f32[] = sub 1.0:f32[] d f:f32[] = "
               "mul b e in (f,) }");
    EXPECT_JVP(sqrt, NULL, OPERANDS("*c64[]"),
               "{ lambda ; a:c64[] b:c64[]. let c:c64[] = sqrt a d:c64[] = div (0.5+0j):c64[] c e:c64[] = mul b d in "
               "(e,) }");
    EXPECT_JVP(
        abs, NULL, OPERANDS("*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = abs a c:bool[2] = ge a 0.0:f32[] d:f32[2] = neg b e:f32[2] = "
        "select_n c d b in (e,) }");
    EXPECT_JVP(
        abs, NULL, OPERANDS("*c64[2]"),
        "{ lambda ; a:c64[2] b:c64[2]. let c:f32[2] = abs a d:c64[2] = conj[input_dtype=complex64] a e:c64[2] = mul "
        "d b f:f32[2] = real "
        "e g:bool[2] = eq c 0.0:f32[] h:f32[2] = broadcast_in_dim 1.0:f32[] i:f32[2] = select_n g c h j:f32[2] = "
        "div f i in (j,) }");
    EXPECT_JVP(sign, NULL, OPERANDS("*f32[2]"), "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = sign a in () }");
    EXPECT_JVP(sign, NULL, OPERANDS("*c64[2]"),
               "{ lambda ; a:c64[2] b:c64[2]. let c:c64[2] = sign a d:f32[2] = abs a e:c64[2] = "
               "conj[input_dtype=complex64] c f:c64[2] = mul e "
               "b g:f32[2] = imag f h:bool[2] = eq d 0.0:f32[] i:f32[2] = broadcast_in_dim 1.0:f32[] j:f32[2] = "
               "select_n h d i k:f32[2] = div g j l:c64[2] = complex 0.0:f32[] k m:c64[2] = mul c l in (m,) }");
    EXPECT_JVP(stop_gradient, NULL, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = stop_gradient a in () }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){3}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=3] a c:f32[2] = integer_pow[y=2] a d:f32[2] "
               "= mul 3.0:f32[] c e:f32[2] = mul b d in (e,) }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){2}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=2] a c:f32[2] = mul 2.0:f32[] a d:f32[2] = "
               "mul b c in (d,) }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){1}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=1] a in (b,) }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){0}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=0] a in () }");
    EXPECT_JVP(integer_pow, &(kni_p_integer_pow){-1}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f32[2] = integer_pow[y=-1] a c:f32[2] = integer_pow[y=-2] a "
               "d:f32[2] = mul -1.0:f32[] c e:f32[2] = mul b d in (e,) }");
}

static void derivatives_of_arithmetic(void **state)
{
    (void)state;
    EXPECT_JVP(add, NULL, OPERANDS("*f32[3]", "*f32[3]"),
               "{ lambda ; a:f32[3] b:f32[3] c:f32[3] d:f32[3]. let _:f32[3] = add a b e:f32[3] = add c d in (e,) }");
    EXPECT_JVP(add, NULL, OPERANDS("*f32[]", "f32[3]"),
               "{ lambda ; a:f32[] b:f32[3] c:f32[]. let _:f32[3] = add a b d:f32[3] = broadcast_in_dim c in (d,) }");
    EXPECT_JVP(add, NULL, OPERANDS("*f32[]", "f32=2"),
               "{ lambda ; a:f32[] b:f32[]. let _:f32[] = add a 2.0:f32[] in (b,) }");
    EXPECT_JVP(
        sub, NULL, OPERANDS("f32[3]", "*f32[]"),
        "{ lambda ; a:f32[3] b:f32[] c:f32[]. let _:f32[3] = sub a b d:f32[] = neg c e:f32[3] = broadcast_in_dim "
        "d in (e,) }");
    EXPECT_JVP(sub, NULL, OPERANDS("*f32[3]", "*f32[]"),
               "{ lambda ; a:f32[3] b:f32[] c:f32[3] d:f32[]. let _:f32[3] = sub a b e:f32[3] = sub c d in (e,) }");
    EXPECT_JVP(mul, NULL, OPERANDS("*f32[3]", "*f32[]"),
               "{ lambda ; a:f32[3] b:f32[] c:f32[3] d:f32[]. let _:f32[3] = mul a b e:f32[3] = mul c b f:f32[3] = mul "
               "a d g:f32[3] = add_any e f in (g,) }");
    EXPECT_JVP(mul, NULL, OPERANDS("*f32[3]", "f32=2"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = mul a 2.0:f32[] c:f32[3] = mul b 2.0:f32[] in (c,) }");
    EXPECT_JVP(div, NULL, OPERANDS("*f32[]", "*f32[3]"),
               "{ lambda ; a:f32[] b:f32[3] c:f32[] d:f32[3]. let e:f32[3] = div a b f:f32[3] = div c b g:f32[3] = neg "
               "d h:f32[3] = div e b i:f32[3] = mul g h j:f32[3] = add_any f i in (j,) }");
    EXPECT_JVP(pow, NULL, OPERANDS("*f32[3]", "f32=3"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = pow a 3.0:f32[] c:f32[3] = pow a 2.0:f32[] d:f32[3] = mul "
               "3.0:f32[] c e:f32[3] = mul b d in (e,) }");
    EXPECT_JVP(pow, NULL, OPERANDS("*f32[3]", "f32=0"),
               "{ lambda ; a:f32[3] b:f32[3]. let _:f32[3] = pow a 0.0:f32[] in () }");
    EXPECT_JVP(
        pow, NULL, OPERANDS("*f32[]", "f32[2]"),
        "{ lambda ; a:f32[] b:f32[2] c:f32[]. let _:f32[2] = pow a b d:bool[2] = eq b 0.0:f32[] e:f32[] = abs a "
        "f:bool[] = ge e 1.1754943508222875e-38:f32[] g:bool[] = lt e inf:f32[] h:bool[] = and f g i:bool[] = not "
        "h j:bool[2] = and d i k:f32[2] = broadcast_in_dim 1.0:f32[] l:f32[2] = select_n j b k m:f32[2] = sub l "
        "1.0:f32[] n:f32[2] = pow a m o:f32[2] = mul l n p:f32[2] = broadcast_in_dim 0.0:f32[] q:f32[2] = "
        "select_n j o p r:f32[2] = mul c q in (r,) }");
    EXPECT_JVP(
        pow, NULL, OPERANDS("*f32[2]", "f32[]"),
        "{ lambda ; a:f32[2] b:f32[] c:f32[2]. let _:f32[2] = pow a b d:bool[] = eq b 0.0:f32[] e:f32[2] = abs a "
        "f:bool[2] = ge e 1.1754943508222875e-38:f32[] g:bool[2] = lt e inf:f32[] h:bool[2] = and f g i:bool[2] "
        "= not h j:bool[2] = and d i k:f32[2] = broadcast_in_dim b l:f32[2] = broadcast_in_dim 1.0:f32[] "
        "m:f32[2] = select_n j k l n:f32[2] = sub m 1.0:f32[] o:f32[2] = pow a n p:f32[2] = mul m o q:f32[2] = "
        "broadcast_in_dim 0.0:f32[] r:f32[2] = select_n j p q s:f32[2] = mul c r in (s,) }");
    EXPECT_JVP(
        pow, NULL, OPERANDS("f32=2", "*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = pow 2.0:f32[] a d:f32[] = log 2.0:f32[] e:f32[2] = mul d c "
        "f:f32[2] = mul b e in (f,) }");
    EXPECT_JVP(
        max, NULL, OPERANDS("*f32[3]", "f32=0"),
        "{ lambda ; a:f32[3] b:f32[3]. let c:f32[3] = max a 0.0:f32[] d:bool[3] = eq a c e:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] d f:bool[3] = eq 0.0:f32[] c g:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] f h:f32[3] = add g 1.0:f32[] i:f32[3] = div e h "
        "j:f32[3] = mul b i in (j,) }");
    EXPECT_JVP(
        max, NULL, OPERANDS("f32[3]", "*f32[]"),
        "{ lambda ; a:f32[3] b:f32[] c:f32[]. let d:f32[3] = max a b e:bool[3] = eq b d f:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] e g:bool[3] = eq a d h:f32[3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] g i:f32[3] = add h 1.0:f32[] j:f32[3] = div f i "
        "k:f32[3] = mul c j in (k,) }");
}

static void derivatives_of_the_rest(void **state)
{
    (void)state;
    EXPECT_JVP(select_n, NULL, OPERANDS("bool[]", "*f32[2]", "f32[2]"),
               "{ lambda ; a:bool[] b:f32[2] c:f32[2] d:f32[2]. let _:f32[2] = select_n a b c e:f32[2] = "
               "broadcast_in_dim 0.0:f32[] f:f32[2] = select_n a d e in (f,) }");
    EXPECT_JVP(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(F64)}, OPERANDS("*f32[2]"),
               "{ lambda ; a:f32[2] b:f32[2]. let _:f64[2] = convert_element_type[new_dtype=float64 weak_type=False] a "
               "c:f64[2] = convert_element_type[new_dtype=float64 weak_type=False] b in (c,) }");
    EXPECT_JVP(
        convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(I32)}, OPERANDS("*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let _:i32[2] = convert_element_type[new_dtype=int32 weak_type=False] a in "
        "() }");
    EXPECT_JVP(
        complex, NULL, OPERANDS("f32[2]", "*f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2] c:f32[2]. let _:c64[2] = complex a b d:f32[2] = broadcast_in_dim 0.0:f32[] "
        "e:c64[2] = complex d c in (e,) }");
    EXPECT_JVP(reshape, &(kni_p_reshape){INTS(2, 3)}, OPERANDS("*f32[6]"),
               "{ lambda ; a:f32[6] b:f32[6]. let _:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] "
               "a c:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] b in (c,) }");
    EXPECT_JVP(concatenate, &(kni_p_concatenate){0}, OPERANDS("*f32[2]", "f32[3]"),
               "{ lambda ; a:f32[2] b:f32[3] c:f32[2]. let _:f32[5] = concatenate[dimension=0] a b d:f32[3] = "
               "broadcast_in_dim 0.0:f32[] e:f32[5] = concatenate[dimension=0] c d in (e,) }");
    EXPECT_JVP(pad, (&(kni_p_pad){INTS(1), INTS(0), INTS(0)}), OPERANDS("*f32[2]", "f32[]"),
               "{ lambda ; a:f32[2] b:f32[] c:f32[2]. let _:f32[3] = pad[padding_config=((1, 0, 0),)] a b d:f32[3] = "
               "pad[padding_config=((1, 0, 0),)] c 0.0:f32[] in (d,) }");
    EXPECT_JVP(reduce_sum, &(kni_p_reduce){INTS(0)}, OPERANDS("*f32[2,3]"),
               "{ lambda ; a:f32[2,3] b:f32[2,3]. let _:f32[3] = reduce_sum[axes=(0,) out_sharding=None] a c:f32[3] = "
               "reduce_sum[axes=(0,) out_sharding=None] b in (c,) }");
    EXPECT_JVP(
        reduce_max, &(kni_p_reduce){INTS(1)}, OPERANDS("*f32[2,3]"),
        "{ lambda ; a:f32[2,3] b:f32[2,3]. let c:f32[2] = reduce_max[axes=(1,)] a d:f32[2,3] = "
        "broadcast_in_dim[broadcast_dimensions=(0,)] c e:bool[2,3] = eq a d f:f32[2,3] = "
        "convert_element_type[new_dtype=float32 weak_type=False] e g:f32[2] = reduce_sum[axes=(1,) "
        "out_sharding=None] f h:f32[2,3] = mul b f i:f32[2] = reduce_sum[axes=(1,) out_sharding=None] h j:f32[2] "
        "= div i g in (j,) }");
    EXPECT_JVP(reduce_max, &(kni_p_reduce){NO_INTS}, OPERANDS("*f32[]"),
               "{ lambda ; a:f32[] b:f32[]. let c:f32[] = reduce_max[axes=()] a d:bool[] = eq a c "
               "e:f32[] = convert_element_type[new_dtype=float32 weak_type=False] d f:f32[] = reduce_sum[axes=() "
               "out_sharding=None] e g:f32[] = mul b e h:f32[] = reduce_sum[axes=() out_sharding=None] g i:f32[] = div "
               "h f in (i,) }");
}

/* Transposes: operands marked with * are linear; the cotangent is the last input */

static void transposes_of_elementwise_primitives(void **state)
{
    (void)state;
    EXPECT_TRANSPOSE(neg, NULL, OPERANDS("*f32[2]"), "{ lambda ; a:f32[2]. let b:f32[2] = neg a in (b,) }");
    EXPECT_TRANSPOSE(add, NULL, OPERANDS("*f32[]", "*f32[2,3]"),
                     "{ lambda ; a:f32[2,3]. let b:f32[] = reduce_sum[axes=(0, 1) out_sharding=None] a in (b, a) }");
    EXPECT_TRANSPOSE(
        sub, NULL, OPERANDS("*f32[2]", "*f32[]"),
        "{ lambda ; a:f32[2]. let b:f32[] = reduce_sum[axes=(0,) out_sharding=None] a c:f32[] = neg b in (a, c) }");
    EXPECT_TRANSPOSE(
        mul, NULL, OPERANDS("*f32[]", "f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = mul b a d:f32[] = reduce_sum[axes=(0,) out_sharding=None] "
        "c in (d,) }");
    EXPECT_TRANSPOSE(mul, NULL, OPERANDS("f32=3", "*f32[2]"),
                     "{ lambda ; a:f32[2]. let b:f32[2] = mul 3.0:f32[] a in (b,) }");
    EXPECT_TRANSPOSE(
        div, NULL, OPERANDS("*f32[]", "f32[2]"),
        "{ lambda ; a:f32[2] b:f32[2]. let c:f32[2] = div b a d:f32[] = reduce_sum[axes=(0,) out_sharding=None] "
        "c in (d,) }");
    EXPECT_TRANSPOSE(real, NULL, OPERANDS("*c64[2]"),
                     "{ lambda ; a:f32[2]. let b:c64[2] = complex a 0.0:f32[] in (b,) }");
    EXPECT_TRANSPOSE(imag, NULL, OPERANDS("*c64[2]"),
                     "{ lambda ; a:f32[2]. let b:f32[2] = neg a c:c64[2] = complex 0.0:f32[] b in (c,) }");
    EXPECT_TRANSPOSE(conj, NULL, OPERANDS("*c64[2]"),
                     "{ lambda ; a:c64[2]. let b:c64[2] = conj[input_dtype=complex64] a in (b,) }");
    EXPECT_TRANSPOSE(complex, NULL, OPERANDS("*f32[2]", "*f32[]"),
                     "{ lambda ; a:c64[2]. let b:f32[2] = real a c:f32[2] = imag a d:f32[] = reduce_sum[axes=(0,) "
                     "out_sharding=None] c e:f32[] = neg d in (b, e) }");
    EXPECT_TRANSPOSE(
        select_n, NULL, OPERANDS("bool[2]", "*f32[2]", "*f32[]"),
        "{ lambda ; a:bool[2] b:f32[2]. let c:f32[2] = broadcast_in_dim 0.0:f32[] d:f32[2] = select_n a b c "
        "e:f32[2] = select_n a c b f:f32[] = reduce_sum[axes=(0,) out_sharding=None] e in (d, f) }");
    EXPECT_TRANSPOSE(
        convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(F64)}, OPERANDS("*f16[2]"),
        "{ lambda ; a:f64[2]. let b:f16[2] = convert_element_type[new_dtype=float16 weak_type=False] a in (b,) }");
    EXPECT_TRANSPOSE(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(F32)}, OPERANDS("*f32[2]"),
                     "{ lambda ; a:f32[2]. let in (a,) }");
}

static void transposes_of_views(void **state)
{
    (void)state;
    EXPECT_TRANSPOSE(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(4, 2, 3), INTS(1, 2)}), OPERANDS("*f32[1,3]"),
                     "{ lambda ; a:f32[4,2,3]. let b:f32[3] = reduce_sum[axes=(0, 1) out_sharding=None] a c:f32[1,3] = "
                     "reshape[dimensions=None new_sizes=(1, 3) sharding=None] b in (c,) }");
    EXPECT_TRANSPOSE(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(1, 3), INTS(1)}), OPERANDS("*f32[3]"),
                     "{ lambda ; a:f32[1,3]. let b:f32[3] = reduce_sum[axes=(0,) out_sharding=None] a in (b,) }");
    EXPECT_TRANSPOSE(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(2), NO_INTS}), OPERANDS("*f32[]"),
                     "{ lambda ; a:f32[2]. let b:f32[] = reduce_sum[axes=(0,) out_sharding=None] a in (b,) }");
    EXPECT_TRANSPOSE(
        reshape, &(kni_p_reshape){INTS(6)}, OPERANDS("*f32[2,3]"),
        "{ lambda ; a:f32[6]. let b:f32[2,3] = reshape[dimensions=None new_sizes=(2, 3) sharding=None] a in (b,) "
        "}");
    EXPECT_TRANSPOSE(
        squeeze, &(kni_p_dims){INTS(0)}, OPERANDS("*f32[1,3]"),
        "{ lambda ; a:f32[3]. let b:f32[1,3] = reshape[dimensions=None new_sizes=(1, 3) sharding=None] a in (b,) "
        "}");
    EXPECT_TRANSPOSE(transpose, &(kni_p_transpose){INTS(2, 0, 1)}, OPERANDS("*f32[2,3,4]"),
                     "{ lambda ; a:f32[4,2,3]. let b:f32[2,3,4] = transpose[permutation=(1, 2, 0)] a in (b,) }");
    EXPECT_TRANSPOSE(rev, &(kni_p_dims){INTS(1)}, OPERANDS("*f32[2,3]"),
                     "{ lambda ; a:f32[2,3]. let b:f32[2,3] = rev[dimensions=(1,)] a in (b,) }");
    EXPECT_TRANSPOSE(slice, (&(kni_p_slice){INTS(7), INTS(1), INTS(3)}), OPERANDS("*f32[8]"),
                     "{ lambda ; a:f32[2]. let b:f32[8] = pad[padding_config=((1, 3, 2),)] a 0.0:f32[] in (b,) }");
    EXPECT_TRANSPOSE(slice, (&(kni_p_slice){INTS(2), INTS(2), NO_INTS}), OPERANDS("*f32[5]"),
                     "{ lambda ; a:f32[0]. let b:f32[5] = pad[padding_config=((2, 3, 0),)] a 0.0:f32[] in (b,) }");
}

static void transposes_of_the_rest(void **state)
{
    (void)state;
    EXPECT_TRANSPOSE(
        concatenate, &(kni_p_concatenate){1}, OPERANDS("*f32[2,1]", "f32[2,2]", "*f32[2,3]"),
        "{ lambda ; a:f32[2,2] b:f32[2,6]. let c:f32[2,1] = slice[limit_indices=(2, 1) start_indices=(0, 0) "
        "strides=None] b d:f32[2,3] = slice[limit_indices=(2, 6) start_indices=(0, 3) strides=None] b in (c, d) }");
    EXPECT_TRANSPOSE(pad, (&(kni_p_pad){INTS(1), INTS(-1), INTS(1)}), OPERANDS("*f32[3]", "f32=0"),
                     "{ lambda ; a:f32[5]. let b:f32[5] = pad[padding_config=((-1, 1, 0),)] a 0.0:f32[] c:f32[3] = "
                     "slice[limit_indices=(5,) start_indices=(0,) strides=(2,)] b in (c,) }");
    EXPECT_TRANSPOSE(pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("f32[3]", "*f32[]"),
                     "{ lambda ; a:f32[3] b:f32[6]. let c:bool[3] = broadcast_in_dim False:bool[] d:bool[6] = "
                     "pad[padding_config=((1, 2, 0),)] c True:bool[] e:f32[6] = broadcast_in_dim 0.0:f32[] f:f32[6] = "
                     "select_n d e b g:f32[] = reduce_sum[axes=(0,) out_sharding=None] f in (g,) }");
    EXPECT_TRANSPOSE(reduce_sum, &(kni_p_reduce){INTS(0, 2)}, OPERANDS("*f32[2,3,4]"),
                     "{ lambda ; a:f32[3]. let b:f32[2,3,4] = broadcast_in_dim[broadcast_dimensions=(1,)] a in (b,) }");
    EXPECT_TRANSPOSE(reduce_sum, &(kni_p_reduce){NO_INTS}, OPERANDS("*f32[2]"), "{ lambda ; a:f32[2]. let in (a,) }");
}

/* Batching: operands marked "*1 " have their batch axis at 1; the number behind is the axis of the result */

static void batches_of_elementwise_primitives(void **state)
{
    (void)state;
    EXPECT_BATCH(sin, NULL, OPERANDS("*1 f32[3,5]"), "{ lambda ; a:f32[3,5]. let b:f32[3,5] = sin a in (b,) } 1");
    EXPECT_BATCH(
        add, NULL, OPERANDS("*0 f32[5,3]", "*1 f32[3,5]"),
        "{ lambda ; a:f32[5,3] b:f32[3,5]. let c:f32[5,3] = transpose[permutation=(1, 0)] b d:f32[5,3] = add a c "
        "in (d,) } 0");
    EXPECT_BATCH(
        add, NULL, OPERANDS("*0 f32[5]", "f32[3]"),
        "{ lambda ; a:f32[5] b:f32[3]. let c:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(0,)] a d:f32[5,3] "
        "= broadcast_in_dim[broadcast_dimensions=(1,)] b e:f32[5,3] = add c d in (e,) } 0");
    EXPECT_BATCH(
        add, NULL, OPERANDS("f32[3]", "*0 f32[5]"),
        "{ lambda ; a:f32[3] b:f32[5]. let c:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] a d:f32[5,3] "
        "= broadcast_in_dim[broadcast_dimensions=(0,)] b e:f32[5,3] = add c d in (e,) } 0");
    EXPECT_BATCH(add, NULL, OPERANDS("*0 f32[5]", "*1 f32[3,5]"),
                 "{ lambda ; a:f32[5] b:f32[3,5]. let c:f32[3,5] = broadcast_in_dim[broadcast_dimensions=(1,)] a "
                 "d:f32[3,5] = add c b in (d,) } 1");
    EXPECT_BATCH(add, NULL, OPERANDS("*1 f32[3,5]", "f32[3]"),
                 "{ lambda ; a:f32[3,5] b:f32[3]. let c:f32[3,5] = broadcast_in_dim[broadcast_dimensions=(0,)] b "
                 "d:f32[3,5] = add a c in (d,) } 1");
    EXPECT_BATCH(add, NULL, OPERANDS("*1 f32[3,5]", "f32[]"),
                 "{ lambda ; a:f32[3,5] b:f32[]. let c:f32[3,5] = add a b in (c,) } 1");
    EXPECT_BATCH(add, NULL, OPERANDS("*0 f32[5]", "f32=2"),
                 "{ lambda ; a:f32[5]. let b:f32[5] = add a 2.0:f32[] in (b,) } 0");
    EXPECT_BATCH(
        select_n, NULL, OPERANDS("*0 bool[5]", "f32[3]", "f32[3]"),
        "{ lambda ; a:bool[5] b:f32[3] c:f32[3]. let d:bool[5,3] = broadcast_in_dim[broadcast_dimensions=(0,)] a "
        "e:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] b f:f32[5,3] = "
        "broadcast_in_dim[broadcast_dimensions=(1,)] c g:f32[5,3] = select_n d e f in (g,) } 0");
    EXPECT_BATCH(
        select_n, NULL, OPERANDS("bool[]", "*0 f32[5,3]", "f32[3]"),
        "{ lambda ; a:bool[] b:f32[5,3] c:f32[3]. let d:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] c "
        "e:f32[5,3] = select_n a b d in (e,) } 0");
}

static void batches_of_views(void **state)
{
    (void)state;
    EXPECT_BATCH(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(2, 3), INTS(1)}), OPERANDS("*1 f32[3,5]"),
                 "{ lambda ; a:f32[3,5]. let b:f32[5,3] = transpose[permutation=(1, 0)] a c:f32[5,2,3] = "
                 "broadcast_in_dim[broadcast_dimensions=(0, 2)] b in (c,) } 0");
    EXPECT_BATCH(broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(2), NO_INTS}), OPERANDS("*0 f32[5]"),
                 "{ lambda ; a:f32[5]. let b:f32[5,2] = broadcast_in_dim[broadcast_dimensions=(0,)] a in (b,) } 0");
    EXPECT_BATCH(reshape, &(kni_p_reshape){INTS(6)}, OPERANDS("*2 f32[2,3,5]"),
                 "{ lambda ; a:f32[2,3,5]. let b:f32[5,2,3] = transpose[permutation=(2, 0, 1)] a c:f32[5,6] = "
                 "reshape[dimensions=None new_sizes=(5, 6) sharding=None] b in (c,) } 0");
    EXPECT_BATCH(squeeze, &(kni_p_dims){INTS(0, 2)}, OPERANDS("*2 f32[1,3,5,1]"),
                 "{ lambda ; a:f32[1,3,5,1]. let b:f32[3,5] = squeeze[dimensions=(0, 3)] a in (b,) } 1");
    EXPECT_BATCH(transpose, &(kni_p_transpose){INTS(1, 0)}, OPERANDS("*1 f32[2,5,3]"),
                 "{ lambda ; a:f32[2,5,3]. let b:f32[5,3,2] = transpose[permutation=(1, 2, 0)] a in (b,) } 0");
    EXPECT_BATCH(rev, &(kni_p_dims){INTS(0)}, OPERANDS("*0 f32[5,3]"),
                 "{ lambda ; a:f32[5,3]. let b:f32[5,3] = rev[dimensions=(1,)] a in (b,) } 0");
    EXPECT_BATCH(
        slice, (&(kni_p_slice){INTS(3), INTS(1), NO_INTS}), OPERANDS("*0 f32[5,3]"),
        "{ lambda ; a:f32[5,3]. let b:f32[5,2] = slice[limit_indices=(5, 3) start_indices=(0, 1) strides=None] a "
        "in (b,) } 0");
    EXPECT_BATCH(
        slice, (&(kni_p_slice){INTS(3), INTS(1), INTS(2)}), OPERANDS("*1 f32[3,5]"),
        "{ lambda ; a:f32[3,5]. let b:f32[1,5] = slice[limit_indices=(3, 5) start_indices=(1, 0) strides=(2, 1)] "
        "a in (b,) } 1");
}

static void batches_of_the_rest(void **state)
{
    (void)state;
    EXPECT_BATCH(concatenate, &(kni_p_concatenate){0}, OPERANDS("f32[2]", "*1 f32[3,5]"),
                 "{ lambda ; a:f32[2] b:f32[3,5]. let c:f32[2,5] = broadcast_in_dim[broadcast_dimensions=(0,)] a "
                 "d:f32[5,5] = concatenate[dimension=0] c b in (d,) } 1");
    EXPECT_BATCH(
        pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("*1 f32[3,5]", "f32=0"),
        "{ lambda ; a:f32[3,5]. let b:f32[6,5] = pad[padding_config=((1, 2, 0), (0, 0, 0))] a 0.0:f32[] in (b,) "
        "} 1");
    EXPECT_BATCH(
        pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("f32[3]", "*0 f32[5]"),
        "{ lambda ; a:f32[3] b:f32[5]. let c:f32[5,3] = broadcast_in_dim[broadcast_dimensions=(1,)] a d:f32[5,6] "
        "= pad[padding_config=((0, 0, 0), (1, 2, 0))] c 0.0:f32[] e:bool[5,3] = broadcast_in_dim False:bool[] "
        "f:bool[5,6] = pad[padding_config=((0, 0, 0), (1, 2, 0))] e True:bool[] g:f32[5,6] = "
        "broadcast_in_dim[broadcast_dimensions=(0,)] b h:f32[5,6] = select_n f d g in (h,) } 0");
    EXPECT_BATCH(
        pad, (&(kni_p_pad){INTS(1), INTS(2), INTS(0)}), OPERANDS("*1 f32[3,5]", "*0 f32[5]"),
        "{ lambda ; a:f32[3,5] b:f32[5]. let c:f32[6,5] = pad[padding_config=((1, 2, 0), (0, 0, 0))] a 0.0:f32[] "
        "d:bool[3,5] = broadcast_in_dim False:bool[] e:bool[6,5] = pad[padding_config=((1, 2, 0), (0, 0, 0))] d "
        "True:bool[] f:f32[6,5] = broadcast_in_dim[broadcast_dimensions=(1,)] b g:f32[6,5] = select_n e c f in "
        "(g,) } 1");
    EXPECT_BATCH(reduce_sum, &(kni_p_reduce){INTS(0, 1)}, OPERANDS("*1 f32[2,5,3]"),
                 "{ lambda ; a:f32[2,5,3]. let b:f32[5] = reduce_sum[axes=(0, 2) out_sharding=None] a in (b,) } 0");
    EXPECT_BATCH(reduce_max, &(kni_p_reduce){INTS(1)}, OPERANDS("*1 f32[2,5,3]"),
                 "{ lambda ; a:f32[2,5,3]. let b:f32[2,5] = reduce_max[axes=(2,)] a in (b,) } 1");
    EXPECT_BATCH(reduce_sum, &(kni_p_reduce){NO_INTS}, OPERANDS("*0 f32[5]"),
                 "{ lambda ; a:f32[5]. let b:f32[5] = reduce_sum[axes=() out_sharding=None] a in (b,) } 0");
    EXPECT_BATCH(argmax, (&(kni_p_argreduce){INTS(0), KN_DT(I32)}), OPERANDS("*2 f32[2,3,5]"),
                 "{ lambda ; a:f32[2,3,5]. let b:i32[3,5] = argmax[axes=(0,) index_dtype=int32] a in (b,) } 1");
}

KN_TEST_GROUP(test_prim_transforms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_functions),
        cmocka_unit_test(derivatives_of_arithmetic),
        cmocka_unit_test(derivatives_of_the_rest),
        cmocka_unit_test(transposes_of_elementwise_primitives),
        cmocka_unit_test(transposes_of_views),
        cmocka_unit_test(transposes_of_the_rest),
        cmocka_unit_test(batches_of_elementwise_primitives),
        cmocka_unit_test(batches_of_views),
        cmocka_unit_test(batches_of_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
