/* SPDX-License-Identifier: Apache-2.0
 * costs.c -- how long a step takes on the host and on a device: its bytes and its operations against what either side
 * does in a second, and what it takes to begin. */
#include "device/offload/offload.h"
#include "device/host/loaded.h"
#include "device/steps/steps.h"
#include "kernel/product.h"

enum { UNKNOWN_TURNS = 64 };

typedef struct work {
    double bytes, operations, products;
} work;

double knd_copy_seconds(const kn_offload_costs *c, size_t bytes, bool up)
{
    return up ? c->up_latency + (double)bytes / c->up : c->down_latency + (double)bytes / c->down;
}

static double bytes_of(const knc_step *s)
{
    double bytes = 0;
    for (uint32_t r = 0; r < s->n_ref; r++)
        bytes += (double)s->ref[r].bytes;
    return bytes;
}

static work of_product(const knc_step *s)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    work w = {.bytes = bytes_of(s), .products = 1};
    knk_product *p = knx_alloc(sizeof *p); /* it is large */
    if (!p)
        return w;
    knk_unpack_product(s->u.p.packed, p);
    const knk_dims *group[] = {&p->batch, &p->m, &p->n, &p->k};
    for (int g = 0; g < 4; g++)
        for (int d = 0; d < group[g]->n; d++)
            w.products *= (double)group[g]->extent[d];
    knx_free(p);
    for (int i = 0; i < 3; i++) {
        double n = all[i] ? knk_cost(all[i]->kernel) : 0;
        for (int d = 0; all[i] && d < all[i]->n_batch + all[i]->n_row + all[i]->n_column; d++)
            n *= (double)all[i]->extent[d];
        w.operations += n;
    }
    return w;
}

static work of_routine(const knc_program *p, const knc_step *s)
{
    enum { PER_BYTE = 4 }; /* operations, of a row that does not say what it costs */
    const kni_rule r = knd_routine_rule(p, s);
    double bytes = 0;
    for (int i = 0; i < r.n_in + r.n_out; i++)
        bytes += (double)kni_type_bytes(i < r.n_in ? r.xt[i] : r.yt[i - r.n_in]);
    return (work){.bytes = bytes, .operations = r.prim->cost ? r.prim->cost(&r) : PER_BYTE * bytes};
}

static work of_kernel(const knc_step *s)
{
    enum { ELEMENT = 16 }; /* bytes of an element that is read and written, at most */
    double units = knd_kernel_units(s), bytes = bytes_of(s), some = ELEMENT * units;
    return (work){.bytes = s->kind == KNC_PUT && some < bytes ? some : bytes, .operations = units};
}

/* What goes from step to step of a band stays in a cache. */
static work of_band(const knc_step *s)
{
    work w = {.bytes = bytes_of(s)};
    for (uint32_t i = 0; i < s->u.band->n_step; i++) {
        const knc_step *x = &s->u.band->step[i].step;
        if (x->kind == KNC_KERNEL)
            w.operations += of_kernel(x).operations;
        if (x->kind == KNC_PRODUCT)
            w.products += of_product(x).products;
    }
    return w;
}

static double seconds_of(const kn_offload_side *side, const work *w)
{
    double memory = w->bytes / side->bytes,
           arithmetic = w->operations / side->operations + w->products / side->products;
    return side->step + (memory > arithmetic ? memory : arithmetic);
}

/* ---- Programs inside. */

static double turns_of(const knc_loop *l) { return l->length == KNC_NO_LENGTH ? UNKNOWN_TURNS : (double)l->length; }

/* A turn, in which each step runs where it can. */
static double inside_seconds(const knd_device *d, const kn_offload_costs *c, const knc_program *q, bool there)
{
    double sum = 0;
    for (uint32_t i = 0; i < q->n_step; i++) {
        const knc_step *s = &q->step[i];
        bool refused = there && knd_steps_refusal(d, q, s, NULL);
        sum += knd_step_seconds(d, c, q, i, there && !refused);
        for (uint32_t r = 0; refused && r < s->n_ref; r++)
            if (s->ref[r].space != KNC_AT_LITERAL)
                sum += knd_copy_seconds(c, s->ref[r].bytes, knc_is_written(s, r));
    }
    return sum;
}

static double control_seconds(const knd_device *d, const kn_offload_costs *c, const knc_step *s, bool there)
{
    double most = 0;
    if (s->kind == KNC_BRANCH) {
        for (uint32_t k = 0; k < knc_n_inside(s); k++) {
            double other = inside_seconds(d, c, knc_inner_program(s, k), there);
            most = other > most ? other : most;
        }
        return most;
    }
    const knc_loop *l = s->u.r.loop;
    double turn = inside_seconds(d, c, l->body, there);
    if (l->cond) /* its bool is fetched */
        turn += inside_seconds(d, c, l->cond, there) + (there ? knd_copy_seconds(c, 1, false) : 0);
    return turns_of(l) * turn;
}

double knd_step_seconds(const knd_device *d, const kn_offload_costs *c, const knc_program *p, uint32_t i, bool there)
{
    const knc_step *s = &p->step[i];
    const kn_offload_side *side = there ? &c->there : &c->here;
    work w = {0};
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: w = of_kernel(s); break;
    case KNC_COPY: w.bytes = 2 * (double)s->u.bytes; break;
    case KNC_PRODUCT: w = of_product(s); break;
    case KNC_ROUTINE: w = of_routine(p, s); break;
    case KNC_BAND: w = of_band(s); break;
    case KNC_LOOP:
    case KNC_BRANCH: return control_seconds(d, c, s, there);
    }
    return seconds_of(side, &w);
}
