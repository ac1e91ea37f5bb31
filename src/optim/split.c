/* SPDX-License-Identifier: Apache-2.0
 * split.c -- split_real_and_imaginary of optax.contrib: an optimizer sees a complex parameter as two real ones. */
#include "optim/alias.h"
#include "optim/optimizer.h"

/* How many leaves the child sees. */
static int parts_of(int n, const kni_type *type)
{
    int parts = n;
    for (int i = 0; i < n; i++)
        parts += knx_is_complex(type[i].dtype);
    return parts;
}

static kni_type real_type(kni_type t)
{
    t.dtype = knx_component(t.dtype);
    return t;
}

/* The types of the parts, and, unless they are not asked for, what their numbers are. */
static void split_types(int n, const kni_type *type, const int *number, kni_type *out, int *out_number)
{
    for (int i = 0, m = 0; i < n; i++) {
        int own = number ? number[i] : i;
        bool complex = knx_is_complex(type[i].dtype);
        if (out_number && complex)
            out_number[m + 1] = own | KNO_IMAGINARY;
        if (out_number)
            out_number[m] = complex ? own | KNO_REAL : own;
        if (complex)
            out[m++] = real_type(type[i]);
        out[m++] = complex ? real_type(type[i]) : type[i];
    }
}

/* The structure of the parameters with a pair for each complex one; NULL without memory. */
static kntree_structure *split_structure(kno_layout *l)
{
    static const char *const field[] = {"real", "imaginary"};
    kntree_structure *leaf = kntree_structure_one(KN_TREE_LEAF), *pair = NULL, *out = NULL;
    const kntree_structure **inner = knx_arena_alloc(&l->arena, ((size_t)l->n + 1) * sizeof *inner);
    if (leaf)
        pair = kntree_structure_join(KN_TREE_STRUCT, "SplitRealAndImaginaryArrays", 2,
                                     (kntree_structure *[]){leaf, leaf}, field);
    for (int i = 0; inner && i < l->n; i++)
        inner[i] = knx_is_complex(l->type[i].dtype) ? pair : leaf;
    if (inner && pair)
        out = kntree_structure_graft_each(l->like, inner);
    kntree_structure_release(leaf);
    kntree_structure_release(pair);
    return out;
}

static void split_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"inner_state"};
    const kno_layout whole = {.n = l->n, .type = l->type, .number = l->number, .like = l->like};
    int n = parts_of(l->n, l->type);
    kni_type *type = knx_arena_alloc(&l->arena, ((size_t)n + 1) * sizeof *type);
    int *number = knx_arena_alloc(&l->arena, ((size_t)n + 1) * sizeof *number);
    kntree_structure *like = l->like ? split_structure(l) : NULL;
    l->failed = l->failed || !type || !number || (l->like && !like);
    if (!l->failed) {
        split_types(l->n, l->type, l->number, type, number);
        l->n = n;
        l->type = type;
        l->number = number;
        l->like = like;
        t->child[0]->rule->layout(l, t->child[0]);
    }
    kntree_structure_release(like);
    l->n = whole.n;
    l->type = whole.type;
    l->number = whole.number;
    l->like = whole.like;
    kno_lay_node(l, "SplitRealAndImaginaryState", 1, field);
}

/* Arrays with the parts of the complex ones; NULL for NULL, or with the op failed. */
static kni_atom *split_atoms(kno_pass *s, const kni_atom *x, int n)
{
    kni_atom *out = x ? kno_room(s, (size_t)n, sizeof *out) : NULL;
    for (int i = 0, m = 0; out && !kna_failed(s->op) && i < s->n; i++) {
        bool complex = knx_is_complex(s->type[i].dtype), given = knx_is_complex(knb_type(s->b, x[i]).dtype);
        out[m++] = given ? knb_real(s->b, x[i]) : x[i];
        if (complex)
            out[m++] = given ? knb_imag(s->b, x[i]) : knb_zeros(s->b, knb_type(s->b, x[i]));
    }
    return out;
}

/* real + imaginary 1j, as optax writes it: the product has NaN where the part is infinite. */
static kni_atom merged(kni_builder *b, kni_atom real, kni_atom imaginary, kn_dtype d)
{
    kn_dtype part = knb_type(b, real).dtype;
    kni_atom one = knb_complex(b, knb_number(b, part, 0), knb_number(b, part, 1));
    kni_atom second = knb_mul(b, knb_convert(b, imaginary, d), one);
    return knb_add(b, knb_convert(b, real, d), second);
}

static void split_update(kno_pass *s, const kno_transform *t)
{
    kno_pass in = *s;
    in.n = parts_of(s->n, s->type);
    kni_type *type = kno_room(s, (size_t)in.n, sizeof *type);
    in.u = split_atoms(s, s->u, in.n);
    in.param = split_atoms(s, s->param, in.n);
    in.hessian = split_atoms(s, s->hessian, in.n);
    if (kna_failed(s->op))
        return;
    split_types(s->n, s->type, NULL, type, NULL);
    in.type = type;
    kno_update(&in, t->child[0]);
    for (int i = 0, m = 0; i < s->n && !kna_failed(s->op); i++) {
        bool complex = knx_is_complex(s->type[i].dtype);
        s->u[i] = complex ? merged(s->b, in.u[m], in.u[m + 1], s->type[i].dtype) : in.u[m];
        m += 1 + complex;
    }
    s->state = in.state;
    s->next = in.next;
}

const kno_rule kno_split = {"split_real_and_imaginary", false, split_layout, split_update};

kn_optimizer kn_optim_split_real_and_imaginary(kn_optimizer inner)
{
    kna_op op;
    kna_begin(&op, "optim_split_real_and_imaginary");
    return kno_finish(&op, kno_around(&op, &kno_split, inner));
}
