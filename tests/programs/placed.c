/* SPDX-License-Identifier: Apache-2.0
 * placed.c -- a program equation by equation through the public face, with its operands put on the host and two devices
 * at random, under random defaults, lazily or not: the bits are the same, and results are where the rules say. */
#include "programs.h"
#include "devices/devices.h"
#define KN_NO_PLACES
#include "kiln/kiln.h"

#include <string.h>

typedef struct places {
    uint64_t state;
    kn_device device[3];
} places;

static int any(places *s, int n) { return (int)(test_random(&s->state) % (uint64_t)n); }
static kn_device any_device(places *s) { return s->device[any(s, 3)]; }

/* A weak number gets the default dtype when it is put somewhere; in a program it has one of its own. */
static kn_array put(kn_array x, kn_jaxpr j, uint32_t atom, kn_device at)
{
    kn_variable own = {.size_ = sizeof own};
    kn_array y = (kn_device_put)(x, at);
    if (kn_jaxpr_variable(j, atom, &own) || kn_dtype_of(y) == own.dtype)
        return y;
    return (kn_device_put)((kn_astype)(x, own.dtype, NULL), at);
}

/* The device that an equation of these operands runs on, whatever the default is; NULL: it is the default's. */
static kn_device settle_operands(places *s, kn_jaxpr j, const kn_equation *e, kn_array *x)
{
    kn_device at = NULL;
    for (int i = 0; i < e->n_in; i++) {
        if (!kn_is_committed(x[i]) && any(s, 3))
            continue;
        at = at ? at : any(s, 2) ? kn_device_of(x[i]) : any_device(s);
        if (!kn_is_committed(x[i]) || kn_device_of(x[i]) != at)
            x[i] = put(x[i], j, e->in[i], at);
    }
    return at;
}

/* Where the user put its operands; what is not committed may be anywhere: a part of an array stays where that is. */
static bool is_placed(kn_array y, kn_device at)
{
    return kn_is_committed(y) == (at != NULL) && (!at || kn_device_of(y) == at);
}

static bool run_equation(places *s, kn_jaxpr j, int i, kn_array *value, verdict *v)
{
    kn_equation e = {.size_ = sizeof e};
    kn_array x[MAX_VALUES];
    if (kn_jaxpr_equation(j, i, &e) || e.n_in > MAX_VALUES)
        return false;
    for (int k = 0; k < e.n_in; k++)
        x[k] = kni_is_literal(e.in[k]) ? kn_jaxpr_constant(j, e.in[k]) : value[e.in[k]];
    kn_device before = kn_set_default_device(any(s, 3) ? NULL : any_device(s));
    kn_set_lazy(any(s, 4));
    kn_device at = settle_operands(s, j, &e, x);
    bool fine = !(kn_jaxpr_bind)(j, i, x, &value[e.first_out]);
    for (int k = 0; fine && k < e.n_out; k++)
        if (kn_ok(value[e.first_out + (uint32_t)k]) && !is_placed(value[e.first_out + (uint32_t)k], at))
            fails(v, "placed: result %d of %s is on %s, not %s", k, e.primitive,
                  kn_device_name(kn_device_of(value[e.first_out])), at ? kn_device_name(at) : "uncommitted");
    kn_set_default_device(before);
    return fine;
}

/* Of its equations and inputs. */
static uint32_t variables(kn_jaxpr j, kn_jaxpr_counts n)
{
    kn_equation e = {.size_ = sizeof e};
    if (!n.equations || kn_jaxpr_equation(j, n.equations - 1, &e))
        return (uint32_t)n.invars;
    return e.first_out + (uint32_t)e.n_out;
}

static void take_results(kn_jaxpr j, const program *p, kn_array *value, knx_buffer **got)
{
    for (uint32_t k = 0; k < p->j->n_out; k++) {
        uint32_t a = kn_jaxpr_outvar(j, (int)k);
        kn_array y = kni_is_literal(a) ? kn_jaxpr_constant(j, a) : value[a];
        size_t bytes = kni_type_bytes(kni_out_type(p->j, k));
        got[k] = knx_buffer_new(bytes);
        if (got[k])
            (kn_copy_to)(y, got[k]->data, bytes);
    }
}

void check_placed(const program *p, const char *text, knx_buffer *const *want, uint64_t seed, verdict *v)
{
    places s = {.state = seed * 2 + 1};
    KN_SCOPE;
    kn_jaxpr j = (kn_jaxpr_parse)(text);
    kn_jaxpr_counts n = kn_jaxpr_count(j);
    kn_array *value = knx_alloc((p->j->n_var + 1) * sizeof *value);
    knx_buffer *got[KN_MAX_ARGS] = {NULL};
    const kn_device all[] = {kn_find_device("host"), far_now(), &far_second};
    if (!value || kn_error_pending() || n.invars != program_operands(p) || variables(j, n) > p->j->n_var) {
        knx_free(value);
        kn_error_clear();
        return;
    }
    if (all[1] == &far_device)
        knx_error_release(knd_register(&far_device));
    knx_error_release(knd_register(&far_second));
    memcpy(s.device, all, sizeof all);
    for (int i = 0; i < n.invars; i++)
        value[i] = operand_array(p, i);
    bool fine = true;
    for (int i = 0; fine && i < n.equations && !v->failed; i++)
        fine = run_equation(&s, j, i, value, v);
    if (fine && !v->failed)
        take_results(j, p, value, got);
    if (kn_error_pending() && !v->failed)
        fails(v, "placed: %s", kn_error_message());
    else if (!v->failed)
        compare(v, "placed", p->j, want, NULL, got, NULL);
    kn_error_clear();
    release_all((int)p->j->n_out, got);
    knx_free(value);
}
