/* SPDX-License-Identifier: Apache-2.0
 * step.c -- steps of programs as a user's device sees them, and running one on the host. */
#include "base/context.h"
#include "base/str.h"
#include "device/host/run.h"
#include "device/provider/provider.h"
#include "ir/text/print.h"
#include "kernel/product.h"
#include <string.h>

_Static_assert(sizeof(kn_provider_map) == sizeof(knk_map_values) &&
                   offsetof(kn_provider_map, stride) == offsetof(knk_map_values, stride),
               "maps are handed on as they are");

/* ---- Descriptions. */

static bool describe_places(kn_provider_step *x, const knc_step *s, knx_arena *a)
{
    size_t *bytes = knx_arena_alloc(a, (s->n_ref + 1) * sizeof *bytes);
    bool *written = knx_arena_alloc(a, s->n_ref + 1);
    if (!bytes || !written)
        return false;
    for (uint32_t r = 0; r < s->n_ref; r++) {
        bytes[r] = s->ref[r].bytes;
        written[r] = knc_is_written(s, r);
    }
    x->n = (int)s->n_ref;
    x->bytes = bytes;
    x->written = written;
    return true;
}

static knx_error *describe_kernel(kn_provider_step *x, const knc_step *s, knd_described *own)
{
    const knk_kernel *k = s->u.k.kernel;
    uint32_t n = s->kind == KNC_PUT ? s->u.k.n_shift : 0;
    kn_provider_shift *shift = knx_arena_zero(&own->arena, (n + 1) * sizeof *shift);
    KN_TRY(knk_text(k, &own->text));
    if (!shift)
        return knx_error_nomem();
    for (uint32_t i = 0; i < n; i++) {
        const knc_shift *from = &s->u.k.shift[i];
        shift[i] = (kn_provider_shift){.start = (int)from->start,
                                       .place = {(int)from->ref[0], from->ref[1] == KNC_NO ? -1 : (int)from->ref[1]},
                                       .dtype = from->dtype,
                                       .most = from->most,
                                       .bytes = from->bytes};
    }
    x->kind = KN_STEP_KERNEL;
    x->text = own->text;
    x->n_extent = k->n_par;
    x->n_map = k->n_map;
    x->n_stage = k->n_stage;
    x->extent = s->u.k.par;
    x->map = (const kn_provider_map *)s->u.k.map;
    x->inner = s->u.k.inner;
    x->n_shift = (int)n;
    x->shift = shift;
    return knk_prepare(k);
}

static bool describe_routine(kn_provider_step *x, const knc_program *p, const knc_step *s, knx_arena *a)
{
    kni_eqn e = p->jaxpr->eqn[s->eqn];
    knx_str text = {0};
    kn_provider_type *type = knx_arena_zero(a, (s->u.r.n_in + s->u.r.n_out + 1) * sizeof *type);
    e.params = s->u.r.params ? s->u.r.params : e.params;
    kni_params_text(&text, p->jaxpr, &e);
    x->params = text.failed ? NULL : knx_arena_string(a, text.s ? text.s : "");
    knx_str_free(&text);
    if (!type || !x->params)
        return false;
    for (uint32_t i = 0; i < s->u.r.n_in + s->u.r.n_out; i++) {
        const kni_type *t = i < s->u.r.n_in ? &s->u.r.xt[i] : &s->u.r.yt[i - s->u.r.n_in];
        type[i] = (kn_provider_type){t->dtype, t->ndim, t->dim};
    }
    x->name = e.prim->name;
    x->n_in = (int)s->u.r.n_in;
    x->n_out = (int)s->u.r.n_out;
    x->type = type;
    return true;
}

static kn_provider_group group_of(const knk_dims *d) { return (kn_provider_group){d->n, d->extent, d->a, d->b, d->c}; }

static bool describe_product(kn_provider_step *x, const knc_step *s, knx_arena *a)
{
    knk_product *q = knx_arena_alloc(a, sizeof *q);
    kn_provider_product *y = knx_arena_zero(a, sizeof *y);
    kn_provider_window *window = knx_arena_zero(a, KNK_MAX_WINDOWS * sizeof *window);
    if (!q || !y || !window)
        return false;
    knk_unpack_product(s->u.p.packed, q);
    for (int i = 0; i < q->n_window; i++) {
        const knk_window *w = &q->window[i];
        window[i] = (kn_provider_window){w->m, w->k, w->step, w->dilation, w->low, w->base, w->extent, w->stride};
    }
    *y = (kn_provider_product){.operand = q->operand,
                               .result = q->result,
                               .batch = group_of(&q->batch),
                               .m = group_of(&q->m),
                               .n = group_of(&q->n),
                               .k = group_of(&q->k),
                               .a_offset = q->a_offset,
                               .b_offset = q->b_offset,
                               .c_offset = q->c_offset,
                               .n_window = q->n_window,
                               .window = window,
                               .a = (int)s->u.p.a,
                               .b = (int)s->u.p.b,
                               .c = (int)s->u.p.c};
    x->product = y;
    return true;
}

knx_error *knd_describe_step(const knc_program *p, const knc_step *s, kn_provider_step *out, knd_described *own)
{
    knx_text operations = {0};
    *own = (knd_described){.p = p, .s = s, .arena = KN_ARENA_INIT};
    *out = (kn_provider_step){.size_ = sizeof *out, .kind = s->kind, .own = own};
    knc_step_operations(p, (uint32_t)(s - p->step), &operations);
    out->name = knx_arena_string(&own->arena, operations.s);
    bool fine = out->name && describe_places(out, s, &own->arena);
    if (fine && knc_is_kernel(s))
        return describe_kernel(out, s, own);
    if (s->kind == KNC_COPY)
        out->copied = s->u.bytes;
    else if (fine && s->kind == KNC_ROUTINE)
        fine = describe_routine(out, p, s, &own->arena);
    else if (fine && s->kind == KNC_PRODUCT)
        fine = describe_product(out, s, &own->arena);
    return fine ? NULL : knx_error_nomem();
}

void knd_forget_step(knd_described *own)
{
    knd_release(own->host);
    knx_free(own->text);
    knx_arena_free(&own->arena);
    *own = (knd_described){.arena = KN_ARENA_INIT};
}

/* ---- On the host. */

static KNX_TLS knx_error *failed; /* what the launch around it takes */

knx_error *knd_take_error(void)
{
    knx_error *error = failed;
    failed = NULL;
    return error;
}

static knx_error *interpret(const knc_step *s, void *const *address)
{
    size_t bytes = knk_scratch_bytes(s->u.k.kernel);
    knx_buffer *scratch = knx_buffer_new(bytes ? bytes : 1);
    if (!scratch)
        return knx_error_nomem();
    const knk_launch launch = {.buffer = address, .map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
    knk_interpret(s->u.k.kernel, &launch, scratch->data);
    knx_buffer_release(scratch);
    return NULL;
}

/* As a part of the program, which the host loads for it. */
static knx_error *run_loaded(knd_described *own, void *const *address)
{
    static _Alignas(64) char nothing[64];
    void **at = knx_alloc((own->s->n_ref + 1) * sizeof *at);
    if (!at)
        return knx_error_nomem();
    for (uint32_t i = 0; i < own->s->n_ref; i++) /* C's functions want an address also for no elements */
        at[i] = address[i] ? address[i] : nothing;
    knx_error *error = own->host ? NULL : knd_load(&knd_host, (knc_program *)(uintptr_t)own->p, &own->host);
    const knd_host_loaded *h = error ? NULL : knd_host_of(own->host);
    knx_buffer *memory = h ? knx_buffer_new(h->room + h->scratch + 1) : NULL;
    if (!error && !memory)
        error = knx_error_nomem();
    if (!error) {
        char *room = memory->data;
        const knd_one_run r = {.l = h, .p = own->p, .room = room, .scratch = room + h->room, .threads = 1};
        error = knd_run_step_at(&r, (uint32_t)(own->s - own->p->step), at);
    }
    knx_buffer_release(memory);
    knx_free(at);
    return error;
}

int kn_provider_run_here(const kn_provider_step *step, void *const *address)
{
    if (!step || step->size_ < sizeof *step || !step->own || (!address && step->n)) {
        knx_report_new("provider_run_here", KN_ERROR_TYPE, "the step or the addresses are null");
        return -1;
    }
    knd_described *own = (knd_described *)(uintptr_t)step->own;
    knx_error *error = own->s->kind == KNC_KERNEL ? interpret(own->s, address) : run_loaded(own, address);
    knx_error_release(failed);
    failed = error;
    return error ? -1 : 0;
}
