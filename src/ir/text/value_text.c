/* SPDX-License-Identifier: Apache-2.0
 * value_text.c -- literals and parameters as texts, in all forms. */
#include "base/digits.h"
#include "base/half.h"
#include "ir/text/print.h"
#include "ir/prim.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *kni_var_name(uint64_t n, char room[KN_NAME_ROOM])
{
    char *p = room + KN_NAME_ROOM;
    *--p = '\0';
    do
        *--p = (char)('a' + n % 26);
    while (n /= 26);
    return p;
}

void kni_quoted_text(knx_str *t, const char *s)
{
    knx_str_puts(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        char hex[8];
        if (c == '"' || c == '\\') {
            knx_str_puts(t, "\\");
            knx_str_add(t, s, 1);
        } else if (c == '\n') {
            knx_str_puts(t, "\\n");
        } else if (c < 0x20 || c == 0x7f) {
            snprintf(hex, sizeof hex, "\\x%02x", c);
            knx_str_puts(t, hex);
        } else {
            knx_str_add(t, s, 1);
        }
    }
    knx_str_puts(t, "\"");
}

void kni_add_type(knx_str *t, kni_jaxpr_form form, kni_type type)
{
    knx_str_puts(t, type.dtype->short_name);
    knx_str_puts(t, "[");
    for (int i = 0; i < type.ndim; i++) {
        if (i)
            knx_str_puts(t, ",");
        kni_show_int(t, type.dim[i]);
    }
    knx_str_puts(t, form == KN_FORM_FULL && type.weak ? "]*" : "]");
}

/* Literals */

void kni_bits_text(knx_str *t, kn_dtype d, const knx_scalar_bits *bits)
{
    char text[64];
    if (d->size > 8)
        snprintf(text, sizeof text, "bits(0x%" PRIx64 ",0x%" PRIx64 ")", bits->u[0], bits->u[1]);
    else
        snprintf(text, sizeof text, "bits(0x%" PRIx64 ")", bits->u[0]);
    knx_str_puts(t, text);
}

/* Does the text, read back as a double and converted, give these bits? */
static bool round_trips(const char *text, kn_dtype d, const knx_scalar_bits *bits)
{
    double v;
    const char *end;
    if (!knx_parse_double(text, &end, &v) || *end)
        return false;
    knx_scalar_bits back = knx_scalar_from_double(d, v);
    return !memcmp(&back, bits, sizeof back);
}

/* A real number so that it reads back exactly; false if no text does (most NaNs). */
static bool exact_text(char text[48], kn_dtype d, const knx_scalar_bits *bits)
{
    double v = knx_scalar_to_double(d, *bits);
    knx_format_shortest(text, d, v);
    if (round_trips(text, d, bits))
        return true;
    snprintf(text, 48, "%a", v);
    return v == v && round_trips(text, d, bits);
}

static void add_real(knx_str *t, kni_jaxpr_form form, kn_dtype d, const knx_scalar_bits *bits)
{
    char text[48];
    if (form == KN_FORM_FULL && !exact_text(text, d, bits)) {
        kni_bits_text(t, d, bits);
        return;
    }
    /* Typed, as JAX: the number as a Python float. */
    if (form != KN_FORM_FULL)
        knx_format_shortest(text, form == KN_FORM_TYPED ? KN_DT(F64) : d, knx_scalar_to_double(d, *bits));
    knx_str_puts(t, text);
}

static knx_scalar_bits part(const kni_literal *l, int which)
{
    knx_scalar_bits one = {.u = {0}};
    size_t size = l->type.dtype->size / 2u;
    memcpy(&one, l->bits.bytes + (size_t)which * size, size);
    return one;
}

/* Python's str of a complex number; 2j for one whose real part is +0. */
static void add_complex_python(knx_str *t, kni_jaxpr_form form, const kni_literal *l)
{
    kn_dtype d = knx_component(l->type.dtype);
    double re = knx_scalar_to_double(d, part(l, 0)), im = knx_scalar_to_double(d, part(l, 1));
    bool has_real = re != 0 || 1 / re < 0;
    char text[48];
    if (form == KN_FORM_TYPED)
        d = KN_DT(F64);
    if (has_real) {
        knx_str_puts(t, "(");
        knx_format_shortest_part(text, d, re, false);
        knx_str_puts(t, text);
    }
    knx_format_shortest_part(text, d, im, has_real);
    knx_str_puts(t, text);
    knx_str_puts(t, has_real ? "j)" : "j");
}

static void add_complex(knx_str *t, kni_jaxpr_form form, const kni_literal *l)
{
    kn_dtype d = knx_component(l->type.dtype);
    knx_scalar_bits re = part(l, 0), im = part(l, 1);
    char re_text[48], im_text[48];
    if (form != KN_FORM_FULL) {
        add_complex_python(t, form, l);
    } else if (exact_text(re_text, d, &re) && exact_text(im_text, d, &im)) {
        knx_str_puts(t, "(");
        knx_str_puts(t, re_text);
        knx_str_puts(t, ",");
        knx_str_puts(t, im_text);
        knx_str_puts(t, ")");
    } else {
        kni_bits_text(t, l->type.dtype, &l->bits);
    }
}

static void add_integer(knx_str *t, const kni_literal *l)
{
    knx_scalar_bits wide = {.u = {0}};
    char text[24];
    bool is_signed = l->type.dtype->kind == KN_KIND_INT;
    knx_convert(l->type.dtype, &l->bits, is_signed ? KN_DT(I64) : KN_DT(U64), &wide);
    if (is_signed)
        snprintf(text, sizeof text, "%" PRId64, wide.i64);
    else
        snprintf(text, sizeof text, "%" PRIu64, wide.u64);
    knx_str_puts(t, text);
}

void kni_literal_text(knx_str *t, kni_jaxpr_form form, const kni_literal *l)
{
    kn_dtype d = l->type.dtype;
    if (d->kind == KN_KIND_BOOL && l->bits.u8 <= 1)
        knx_str_puts(t, l->bits.u8 ? "True" : "False");
    else if (knx_is_integer(d))
        add_integer(t, l);
    else if (knx_is_float(d))
        add_real(t, form, d, &l->bits);
    else if (knx_is_complex(d))
        add_complex(t, form, l);
    else
        kni_bits_text(t, d, &l->bits);
    if (form == KN_FORM_CLASSIC)
        return;
    knx_str_puts(t, ":");
    kni_add_type(t, form, l->type);
}

/* Parameters */

#define FIELD_AT(type, base, field) (*(type const *)((const char *)(base) + (field)->offset))

static bool is_empty(const kni_param_field *f, const void *params)
{
    switch (f->kind) {
    case KN_P_INTS: return FIELD_AT(kni_ints, params, f).n == 0;
    case KN_P_DOUBLES: return FIELD_AT(kni_doubles, params, f).n == 0;
    case KN_P_NAMES: return FIELD_AT(kni_names, params, f).n == 0;
    case KN_P_DTYPE: return !FIELD_AT(kn_dtype, params, f);
    case KN_P_STRING: return !FIELD_AT(char *, params, f);
    case KN_P_JAXPR: return !FIELD_AT(kni_jaxpr *, params, f);
    case KN_P_JAXPRS: return FIELD_AT(kni_jaxprs, params, f).n == 0;
    case KN_P_MESH: return !FIELD_AT(kni_mesh *, params, f);
    case KN_P_SHARDING: return false;
    case KN_P_SHARDINGS: return FIELD_AT(kni_shardings, params, f).n == 0;
    case KN_P_INT: return FIELD_AT(int64_t, params, f) == 0;
    case KN_P_BOOL: return !FIELD_AT(bool, params, f);
    case KN_P_ENUM:
    case KN_P_DOUBLE:
    case KN_P_THUNK:
    case KN_P_TEXT: return false;
    }
    return false;
}

bool kni_field_shown(kni_jaxpr_form form, const kni_param_field *f, const void *params)
{
    if ((f->flags & KN_PF_DERIVED) || ((f->flags & KN_PF_IF_TRUE) && is_empty(f, params)))
        return false;
    if (form == KN_FORM_FULL)
        return f->kind != KN_P_TEXT;
    if (f->flags & KN_PF_PRIM_NAME)
        return false;
    if (form == KN_FORM_CLASSIC)
        return !(f->flags & KN_PF_HIDE_CLASSIC);
    return !(f->flags & KN_PF_HIDE_TYPED) && !((f->flags & KN_PF_HIDE_EMPTY) && is_empty(f, params));
}

static void add_double(knx_str *t, kni_jaxpr_form form, double v)
{
    knx_scalar_bits bits = {.u = {0}};
    bits.f64 = v;
    add_real(t, form, KN_DT(F64), &bits);
}

/* A tuple of numbers, with commas as tuples of integers have them. */
static void add_doubles(knx_str *t, kni_jaxpr_form form, kni_doubles v)
{
    knx_str_puts(t, "(");
    for (int i = 0; i < v.n; i++) {
        knx_str_puts(t, i ? ", " : "");
        add_double(t, form, v.v[i]);
    }
    knx_str_puts(t, v.n == 1 ? ",)" : ")");
}

/* A tuple of Python's strings; the full form quotes them, and drops the last comma. */
static void add_names(knx_str *t, kni_jaxpr_form form, const kni_param_field *f, kni_names v)
{
    bool bare = form == KN_FORM_CLASSIC ? f->flags & (KN_PF_ONE_BARE | KN_PF_BARE_CLASSIC) : f->flags & KN_PF_ONE_BARE;
    if (form != KN_FORM_FULL && v.n == 1 && bare) {
        knx_str_puts(t, v.v[0]);
        return;
    }
    knx_str_puts(t, "(");
    for (int i = 0; i < v.n; i++) {
        knx_str_puts(t, !i ? "" : form == KN_FORM_FULL ? "," : ", ");
        if (form == KN_FORM_FULL) {
            kni_quoted_text(t, v.v[i]);
            continue;
        }
        knx_str_puts(t, "'");
        knx_str_puts(t, v.v[i]);
        knx_str_puts(t, "'");
    }
    knx_str_puts(t, v.n == 1 && form != KN_FORM_FULL ? ",)" : ")");
}

/* Mesh('x': 4, 'y': 2); in forms that are read behind it the devices, unless they are 0, 1, 2, ... */
static void add_mesh(knx_str *t, kni_jaxpr_form form, const kni_mesh *m)
{
    bool in_order = true;
    knx_str_puts(t, m ? "Mesh(" : "None");
    for (int i = 0; m && i < m->n_axis; i++) {
        knx_str_puts(t, i ? ", '" : "'");
        knx_str_puts(t, m->name[i]);
        knx_str_puts(t, "': ");
        kni_show_int(t, m->size[i]);
    }
    for (int64_t i = 0; m && i < m->n_device; i++)
        in_order &= m->device[i] == i;
    for (int64_t i = 0; m && !in_order && form != KN_FORM_TYPED && i < m->n_device; i++) {
        knx_str_puts(t, i ? ", " : "; ");
        kni_show_int(t, m->device[i]);
    }
    knx_str_puts(t, m ? ")" : "");
}

/* NamedSharding(Mesh('x': 4), (x, None)) */
static void add_sharding(knx_str *t, kni_jaxpr_form form, const kni_sharding *s)
{
    knx_str_puts(t, "NamedSharding(");
    add_mesh(t, form, s->mesh);
    knx_str_puts(t, ", (");
    for (int d = 0; d < s->ndim; d++) {
        knx_str_puts(t, d ? ", " : "");
        kni_add_spec_entry(t, s, d);
    }
    knx_str_puts(t, "))");
}

static void add_axis_names(knx_str *t, const kni_mesh *m, kni_mesh_axes a)
{
    knx_str_puts(t, !a.n ? "None" : a.n > 1 ? "(" : "");
    for (int i = 0; i < a.n; i++) {
        knx_str_puts(t, i ? ", '" : "'");
        knx_str_puts(t, m->name[a.axis[i]]);
        knx_str_puts(t, "'");
    }
    knx_str_puts(t, a.n > 1 ? ")" : "");
}

/* (P('x', None, ('y', 'z')), P('x',)); in forms that are read their mesh and a semicolon in front of them. */
static void add_shardings(knx_str *t, kni_jaxpr_form form, kni_shardings v)
{
    knx_str_puts(t, "(");
    if (form != KN_FORM_TYPED && v.n) {
        add_mesh(t, form, v.v[0]->mesh);
        knx_str_puts(t, "; ");
    }
    for (int i = 0; i < v.n; i++) {
        knx_str_puts(t, i ? ", P(" : "P(");
        for (int d = 0; d < v.v[i]->ndim; d++) {
            knx_str_puts(t, d ? ", " : "");
            add_axis_names(t, v.v[i]->mesh, v.v[i]->dim[d]);
        }
        knx_str_puts(t, v.v[i]->ndim == 1 ? ",)" : ")");
    }
    knx_str_puts(t, v.n == 1 && form == KN_FORM_TYPED ? ",)" : ")");
}

void kni_field_value(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e, const kni_param_field *f)
{
    const void *params = e->params;
    bool none = form != KN_FORM_FULL && (f->flags & KN_PF_NONE_EMPTY) && is_empty(f, params);
    const char *s;
    if (none) {
        knx_str_puts(t, "None");
        return;
    }
    switch (f->kind) {
    case KN_P_INT: kni_show_int(t, FIELD_AT(int64_t, params, f)); break;
    case KN_P_BOOL: knx_str_puts(t, FIELD_AT(bool, params, f) ? "True" : "False"); break;
    case KN_P_DTYPE:
        knx_str_puts(t, FIELD_AT(kn_dtype, params, f) ? FIELD_AT(kn_dtype, params, f)->name : "None");
        break;
    case KN_P_INTS: kni_show_ints(t, "(", FIELD_AT(kni_ints, params, f), ")", true); break;
    case KN_P_STRING:
        s = FIELD_AT(char *, params, f);
        if (s && (form == KN_FORM_FULL || (form == KN_FORM_CLASSIC && (f->flags & KN_PF_QUOTED))))
            kni_quoted_text(t, s);
        else
            knx_str_puts(t, s ? s : "None");
        break;
    case KN_P_JAXPR:
    case KN_P_JAXPRS: break;
    case KN_P_NAMES: add_names(t, form, f, FIELD_AT(kni_names, params, f)); break;
    case KN_P_MESH: add_mesh(t, form, FIELD_AT(kni_mesh *, params, f)); break;
    case KN_P_SHARDING: add_sharding(t, form, FIELD_AT(kni_sharding *, params, f)); break;
    case KN_P_SHARDINGS: add_shardings(t, form, FIELD_AT(kni_shardings, params, f)); break;
    case KN_P_THUNK:
        s = FIELD_AT(kni_thunk *, params, f)->name;
        if (form == KN_FORM_FULL)
            kni_quoted_text(t, s);
        else
            knx_str_puts(t, s);
        break;
    case KN_P_ENUM: knx_str_puts(t, f->names[FIELD_AT(int64_t, params, f)]); break;
    case KN_P_DOUBLE: add_double(t, form, FIELD_AT(double, params, f)); break;
    case KN_P_DOUBLES: add_doubles(t, form, FIELD_AT(kni_doubles, params, f)); break;
    case KN_P_TEXT:
        if (f->show)
            f->show(t, form, j, e);
        else
            knx_str_puts(t, f->text);
        break;
    }
}
