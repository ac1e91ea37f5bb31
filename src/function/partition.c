/* SPDX-License-Identifier: Apache-2.0
 * partition.c -- the jaxpr of one device of a mesh, and what it moves, as the user sees them. */
#include "function/jaxpr_handle.h"
#include "kiln/partition.h"
#include "base/options.h"
#include "shard/shard.h"
#include <string.h>

/* ---- Specs of inputs. */

/* The next entry, "(data, None)", without its parentheses, which is copied; NULL at the end. */
static knx_error *next_spec(const char **at, char **out)
{
    const char *s = *at + strspn(*at, " \t\n;"), *start = s + 1;
    int depth = 0;
    *out = NULL;
    if (!*s)
        return NULL;
    if (*s != '(')
        return knx_error_new(KN_ERROR_VALUE, "in_specs '%s': the spec of an input begins with a parenthesis", s);
    for (; *s; s++) {
        depth += (*s == '(') - (*s == ')');
        if (!depth)
            break;
    }
    if (depth)
        return knx_error_new(KN_ERROR_VALUE, "in_specs: a parenthesis is not closed");
    *out = knx_alloc((size_t)(s - start) + 1);
    if (!*out)
        return knx_error_nomem();
    memcpy(*out, start, (size_t)(s - start));
    (*out)[s - start] = 0;
    *at = s + 1;
    return NULL;
}

static knx_error *read_specs(const kni_jaxpr *j, const kni_mesh *mesh, const char *text, const kni_sharding **in)
{
    const char *at = text ? text : "";
    for (uint32_t i = 0; i < j->n_const + j->n_in; i++) {
        char *spec = NULL;
        if (i >= j->n_const)
            KN_TRY(next_spec(&at, &spec));
        knx_error *error = kni_parse_spec(mesh, j->type[i].ndim, spec ? spec : "", &in[i]);
        knx_free(spec);
        KN_TRY(error);
    }
    if (at[strspn(at, " \t\n;")])
        return knx_error_new(KN_ERROR_VALUE, "in_specs has more entries than the %u inputs: '%s'", j->n_in, at);
    return NULL;
}

static const char *specs_text(uint32_t n, const kni_sharding *const *s)
{
    knx_str all = {0};
    for (uint32_t i = 0; i < n; i++) {
        knx_str_puts(&all, i ? "; (" : "(");
        kni_add_spec(&all, s[i]);
        knx_str_puts(&all, ")");
    }
    return knf_text_handle(knx_str_take(&all));
}

/* ---- The jaxpr of one device. */

static knx_error *check(const kni_jaxpr *j)
{
    for (uint32_t v = 0; v < j->n_const + j->n_in; v++)
        if (kni_type_is_symbolic(j->type[v]))
            return knx_error_new(KN_ERROR_VALUE, "extents have to be numbers");
    return NULL;
}

/* The same constants: each device has them as a whole. */
static kn_jaxpr handle_of(const kna_closed *from, kni_jaxpr *local)
{
    kna_closed c = {.jaxpr = local, .n_const = local->n_const};
    c.consts = knx_alloc_zero(((size_t)c.n_const + 1) * sizeof *c.consts);
    for (uint32_t i = 0; c.consts && i < local->n_const; i++)
        c.consts[i] = kna_value_retain(from->consts[i]);
    if (c.consts)
        return knf_jaxpr_handle(&c);
    kni_release(local);
    return NULL;
}

static knx_error *partition(const kna_closed *c, kn_mesh mesh, const char *in_specs, kn_partitioned *out)
{
    const kni_jaxpr *j = c->jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    const kni_sharding **in = knx_alloc_zero((n + j->n_out + 1) * sizeof *in);
    kni_jaxpr *local = NULL;
    char *report = NULL;
    knx_error *error = in ? check(j) : knx_error_nomem();
    if (!error)
        error = read_specs(j, mesh, in_specs, in);
    if (!error)
        error = knshard_partition(j, mesh, in, &local, in + n, &report);
    if (!error) {
        out->out_specs = specs_text(j->n_out, in + n);
        out->decisions = knf_text_handle(report);
        report = NULL;
        out->jaxpr = handle_of(c, local);
        error = out->jaxpr ? NULL : knx_error_nomem();
    }
    knx_free(report);
    knx_free(in);
    return error;
}

kn_partitioned kn_partition_jaxpr(kn_jaxpr jaxpr, kn_mesh mesh, const char *in_specs)
{
    kna_op op;
    kn_partitioned out = {0};
    kna_begin(&op, "partition_jaxpr");
    const kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    if (c && !kni_is_mesh(mesh))
        kna_fail(&op, KN_ERROR_TYPE, mesh ? "this is no mesh" : "null mesh");
    knx_error *error = c && !kna_failed(&op) ? partition(c, mesh, in_specs, &out) : NULL;
    if (error)
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? out : (kn_partitioned){0};
}

/* ---- What it moves. */

static bool machine_of(kna_op *op, const kn_communication_opts *o, knshard_machine *m)
{
    *m = (knshard_machine){.latency = o->latency, .bandwidth = o->bandwidth};
    if (!(m->latency >= 0))
        kna_fail(op, KN_ERROR_VALUE, "latency must not be negative");
    if (!(m->bandwidth > 0))
        kna_fail(op, KN_ERROR_VALUE, "bandwidth must be positive");
    return !kna_failed(op);
}

static knshard_traffic traffic(const char *operation, kn_jaxpr jaxpr, const kn_communication_opts *opts, char **text)
{
    kna_op op;
    knshard_machine m;
    knshard_traffic t = {0};
    KNX_OPTS(kn_communication_opts, o, opts);
    kna_begin(&op, operation);
    const kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    if (c && machine_of(&op, &o, &m))
        t = knshard_traffic_of(c->jaxpr, &m, text);
    kna_end_plain(&op);
    return t;
}

kn_communication kn_communication_of(kn_jaxpr jaxpr, const kn_communication_opts *opts)
{
    knshard_traffic t = traffic("communication_of", jaxpr, opts, NULL);
    return (kn_communication){t.bytes, t.messages, t.collectives, t.seconds};
}

const char *kn_communication_text(kn_jaxpr jaxpr, const kn_communication_opts *opts)
{
    char *text = NULL;
    traffic("communication_text", jaxpr, opts, &text);
    return text ? knf_text_handle(text) : NULL;
}
