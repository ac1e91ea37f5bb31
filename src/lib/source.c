/* SPDX-License-Identifier: Apache-2.0
 * source.c -- kernels of steps as source text, for devices of users (kiln/source.h). A file of its own: a static
 * program that asks for no text is linked without what writes it. */
#include "kiln/source.h"
#include "base/context.h"
#include "device/provider/provider.h"
#include "host/csource/c_kernel.h"
#include <ctype.h>
#include <string.h>
#if KN_HAVE_WEBGPU
#include "glsl/glsl.h"
#include "kernel/internal.h"
#include "wgsl/wgsl.h"
#endif

enum { SMALLEST = offsetof(kn_source, own) + sizeof(void *) }; /* the first struct there was */
enum { MOST_MEMORIES = 31, UNIFORM_WORDS = 16384 }; /* words that any device of WebGPU has in a uniform block */

/* What stands behind kn_source.own; the texts of dispatches are in the arena. */
typedef struct made {
    knx_arena arena;
    char *text;
} made;

static const kn_source nothing;

/* The size of the caller's struct stays; what it has no room for is not filled in. */
static void put(kn_source *out, const kn_source *s)
{
    size_t size = out->size_;
    memcpy(out, s, size < sizeof *s ? size : sizeof *s);
    out->size_ = size;
}

static int refuse(const char *operation, kn_error_kind kind, const char *message)
{
    knx_report_new(operation, kind, "%s", message);
    return -1;
}

static bool check(const char *operation, const kn_provider_step *step, kn_source *out)
{
    if (!out || out->size_ < SMALLEST)
        refuse(operation, KN_ERROR_TYPE, "the result is null, or its size_ is not set");
    else if (!step || step->size_ < sizeof *step || !step->own)
        refuse(operation, KN_ERROR_TYPE, "the step is null, or no step of a program");
    else
        return true;
    return false;
}

/* There is no text: why. */
static int no_text(const char *why, kn_source *out)
{
    kn_source s = nothing;
    s.why = why;
    put(out, &s);
    return 0;
}

static const knc_step *step_of(const kn_provider_step *step) { return ((const knd_described *)step->own)->s; }

static void forget(made *m)
{
    if (!m)
        return;
    knx_free(m->text);
    knx_arena_free(&m->arena);
    knx_free(m);
}

static int finish(const char *operation, knx_error *error, made *m, kn_source *s, kn_source *out)
{
    s->own = m;
    if (error) {
        forget(m);
        refuse(operation, error->kind, error->message);
        knx_error_release(error);
    }
    put(out, error ? &nothing : s);
    return error ? -1 : 0;
}

void kn_source_free(kn_source *source)
{
    if (!source || source->size_ < SMALLEST)
        return;
    forget(source->own);
    put(source, &nothing);
}

/* ---- WGSL. */

#if KN_HAVE_WEBGPU

static uint32_t number_or(int given, uint32_t otherwise) { return given > 0 ? (uint32_t)given : otherwise; }

static knw_facts facts_of(const kn_wgsl_facts *given)
{
    kn_wgsl_facts f = {0};
    if (given)
        memcpy(&f, given, given->size_ < sizeof f ? given->size_ : sizeof f);
    return (knw_facts){.lanes = number_or(f.lanes, 256),
                       .workgroup_bytes = number_or(f.workgroup_bytes, 16384),
                       .most_groups = number_or(f.most_groups, 65535),
                       .most_turns = number_or(f.most_turns, 0),
                       .exact = (uint32_t)f.exact & ((1u << KNW_OPERATIONS) - 1),
                       .joins = !f.keeps_chains};
}

/* NULL: there is a text. */
static const char *refuses(const knw_facts *f, const knc_step *s)
{
    uint32_t at[KNW_MOST_MEMORIES + 1] = {0};
    if (!knc_is_kernel(s))
        return "it is no kernel";
    if (s->u.k.kernel->n_buffer > KNW_MOST_MEMORIES)
        return "it has too many places";
    const char *why = knw_refuses(s->u.k.kernel);
    const knw_launch l = {.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner, .at = at};
    return why ? why : knw_too_large(s->u.k.kernel, f, &l);
}

static knx_error *add_dispatch(const knw_request *r, const knw_launch *l, made *m, kn_wgsl_dispatch *d)
{
    char *text = NULL;
    uint32_t n = 0;
    KN_TRY(knw_text(r, &text, &d->memories));
    d->text = knx_arena_string(&m->arena, text);
    knx_free(text);
    KN_TRY(knw_n_words(r, &n));
    uint32_t *word = knx_arena_zero(&m->arena, ((size_t)n + 1) * sizeof *word);
    if (!d->text || !word)
        return knx_error_nomem();
    d->word = word;
    d->n_word = (int)n;
    return knw_words(r, l, word, d->groups);
}

static knx_error *write_wgsl(knw_request *r, const knc_step *s, made *m, kn_source *out)
{
    const knk_kernel *k = r->kernel;
    uint32_t at[KNW_MOST_MEMORIES + 1] = {0}, n = 0;
    const knw_launch l = {.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner, .at = at};
    KN_TRY(knw_n_words(r, &n));
    if (n > UNIFORM_WORDS) {
        out->why = "the numbers of its loops do not fit a uniform block";
        return NULL;
    }
    r->mode = (uint8_t)knw_choose(k, r->facts, &l);
    int parts = r->mode == KNW_PARTS ? knw_parts(k) : 1;
    uint64_t scratch = r->mode == KNW_PARTS ? knw_scratch_bytes(k, &l) : 0;
    kn_wgsl_dispatch *d = knx_arena_zero(&m->arena, (size_t)parts * sizeof *d);
    if (!d || scratch == UINT64_MAX)
        return knx_error_nomem();
    for (r->part = 0; r->part < parts; r->part++)
        KN_TRY(add_dispatch(r, &l, m, &d[r->part]));
    out->dispatch = d;
    out->n_dispatch = parts;
    out->scratch = (size_t)scratch;
    return NULL;
}

static bool are_memories(const kn_provider_step *step, int n, const uint8_t *memory)
{
    bool fine = n > 0 && n <= MOST_MEMORIES;
    for (int p = 0; memory && fine && p < step->n; p++)
        fine = memory[p] < n;
    return fine;
}

static knx_error *make_wgsl(const kn_provider_step *step, const knw_facts *f, bool fast, int n_memory,
                            const uint8_t *memory, made *m, kn_source *out)
{
    uint8_t own[MOST_MEMORIES + 1];
    for (int p = 0; p <= MOST_MEMORIES; p++)
        own[p] = (uint8_t)p;
    knw_request r = {.kernel = step_of(step)->u.k.kernel,
                     .facts = f,
                     .exact = !fast,
                     .memory = memory ? memory : own,
                     .n_memory = n_memory};
    return write_wgsl(&r, step_of(step), m, out);
}

int kn_step_wgsl(const kn_provider_step *step, const kn_wgsl_facts *facts, int n_memory, const uint8_t *memory,
                 kn_source *out)
{
    static const char operation[] = "step_wgsl";
    kn_source s = nothing;
    if (!check(operation, step, out))
        return -1;
    put(out, &nothing);
    if (facts && facts->size_ < sizeof facts->size_)
        return refuse(operation, KN_ERROR_TYPE, "size_ of the facts is not set");
    knw_facts f = facts_of(facts);
    s.why = refuses(&f, step_of(step));
    n_memory = memory ? n_memory : step->n;
    if (!s.why && !memory && n_memory > MOST_MEMORIES)
        s.why = "it has too many places";
    if (!s.why && !are_memories(step, n_memory, memory))
        return refuse(operation, KN_ERROR_VALUE, "the numbers of memories are not below n_memory, from 1 to 31");
    if (s.why)
        return no_text(s.why, out);
    made *m = knx_alloc_zero(sizeof *m);
    bool fast = facts && facts->size_ >= sizeof *facts && facts->fast;
    knx_error *error = m ? make_wgsl(step, &f, fast, n_memory, memory, m, &s) : knx_error_nomem();
    return finish(operation, error, m, &s, out);
}

/* ---- GLSL. */

static kngl_facts glsl_facts_of(const kn_glsl_facts *given)
{
    kn_glsl_facts f = {0};
    if (given)
        memcpy(&f, given, given->size_ < sizeof f ? given->size_ : sizeof f);
    return (kngl_facts){.numbers = {.exact = (uint32_t)f.exact & ((1u << KNW_OPERATIONS) - 1),
                                    .joins = !f.keeps_chains,
                                    .splits_fma = true},
                        .exact = !f.fast,
                        .width = number_or(f.width, 2048),
                        .samplers = number_or(f.samplers, 16),
                        .uniforms = number_or(f.uniforms, 224)};
}

static knx_error *add_pass(const kngl_plan *p, int i, made *m, kn_glsl_pass *to)
{
    char *text = NULL;
    uint64_t from, end;
    uint32_t n = kngl_n_words(p, i);
    uint32_t *word = knx_arena_alloc(&m->arena, n * sizeof *word);
    KN_TRY(kngl_text(p, i, &text, &to->memories));
    to->text = knx_arena_string(&m->arena, text);
    knx_free(text);
    if (!to->text || !word)
        return knx_error_nomem();
    kngl_words(p, i, word);
    kngl_reach(p, i, &from, &end, &to->all);
    to->word = word;
    to->n_word = (int)n;
    to->target = (int)p->pass[i].target;
    to->group = p->pass[i].group;
    to->from = (size_t)from;
    to->to = (size_t)end;
    return NULL;
}

static knx_error *add_passes(const kngl_plan *p, made *m, kn_source *out)
{
    int rooms = p->n_memory - p->k->n_buffer;
    kn_glsl_pass *pass = knx_arena_zero(&m->arena, ((size_t)p->n_pass + 1) * sizeof *pass);
    size_t *room = knx_arena_alloc(&m->arena, ((size_t)rooms + 1) * sizeof *room);
    size_t *element = knx_arena_alloc(&m->arena, ((size_t)p->k->n_buffer + 1) * sizeof *element);
    if (!pass || !room || !element)
        return knx_error_nomem();
    for (int i = 0; i < rooms; i++)
        room[i] = (size_t)p->bytes[i];
    for (int b = 0; b < p->k->n_buffer; b++)
        element[b] = (size_t)knk_size(knk_memory_dtype(p->k->buffer[b].dtype));
    for (int i = 0; i < p->n_pass; i++)
        KN_TRY(add_pass(p, i, m, &pass[i]));
    out->n_pass = p->n_pass;
    out->pass = pass;
    out->element = element;
    out->n_room = rooms;
    out->room = room;
    return NULL;
}

static knx_error *make_glsl(const knc_step *s, const kngl_facts *f, made *m, kn_source *out)
{
    const knw_launch l = {.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
    kngl_plan plan;
    knx_error *e = kngl_make_plan(s->u.k.kernel, f, &l, &plan, &out->why);
    if (!e && !out->why)
        e = add_passes(&plan, m, out);
    kngl_free_plan(&plan);
    return e;
}

int kn_step_glsl(const kn_provider_step *step, const kn_glsl_facts *facts, kn_source *out)
{
    static const char operation[] = "step_glsl";
    kn_source s = nothing;
    if (!check(operation, step, out))
        return -1;
    put(out, &nothing);
    if (facts && facts->size_ < sizeof facts->size_)
        return refuse(operation, KN_ERROR_TYPE, "size_ of the facts is not set");
    const kngl_facts f = glsl_facts_of(facts);
    if (f.width & (f.width - 1))
        return refuse(operation, KN_ERROR_VALUE, "the width of textures is not a power of 2");
    if (!knc_is_kernel(step_of(step)))
        return no_text("it is no kernel", out);
    made *m = knx_alloc_zero(sizeof *m);
    knx_error *error = m ? make_glsl(step_of(step), &f, m, &s) : knx_error_nomem();
    return finish(operation, error, m, &s, out);
}

#else

int kn_step_glsl(const kn_provider_step *step, const kn_glsl_facts *facts, kn_source *out)
{
    (void)facts;
    return check("step_glsl", step, out) ? no_text("this Kiln was built without GLSL", out) : -1;
}

int kn_step_wgsl(const kn_provider_step *step, const kn_wgsl_facts *facts, int n_memory, const uint8_t *memory,
                 kn_source *out)
{
    (void)facts, (void)n_memory, (void)memory;
    return check("step_wgsl", step, out) ? no_text("this Kiln was built without WGSL", out) : -1;
}

#endif

/* ---- C. */

static bool is_name(const char *name)
{
    bool fine = name && (isalpha((unsigned char)*name) || *name == '_');
    for (const char *c = name; fine && *c; c++)
        fine = isalnum((unsigned char)*c) || *c == '_';
    return fine;
}

int kn_step_c(const kn_provider_step *step, const char *name, kn_source *out)
{
    static const char operation[] = "step_c";
    kn_source s = nothing;
    if (!check(operation, step, out))
        return -1;
    put(out, &nothing);
    if (!is_name(name))
        return refuse(operation, KN_ERROR_VALUE, "the name is not one of C: letters, digits and underscores");
    if (!knc_is_kernel(step_of(step)))
        return no_text("it is no kernel", out);
    made *m = knx_alloc_zero(sizeof *m);
    knx_error *error = m ? knh_c_kernel(step_of(step)->u.k.kernel, name, &m->text) : knx_error_nomem();
    if (m)
        s.text = m->text;
    return finish(operation, error, m, &s, out);
}
