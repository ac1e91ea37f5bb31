/* SPDX-License-Identifier: Apache-2.0
 * webgl.c -- the device webgl:0: elementwise kernels and reductions by the passes of kn_step_glsl (docs/webgl.md), over
 * the page's WebGL 2 context, which ../webgl.mjs has. What is no kernel runs on the host. */
#include "webgl.h"
#include "export.h"
#include "kiln/kiln.h"
#include "kiln/source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB(name) __attribute__((import_module("kiln"), import_name("webgl_" #name))) extern
typedef uint32_t object; /* 0: none */
/* clang-format off */
WEB(limits) int gl_limits(uint32_t out[4]); /* width of textures, their most rows, textures and vectors of a shader */
WEB(why) int gl_why(char *to, size_t room);
WEB(texture) object gl_texture(uint32_t words);
WEB(free_texture) void gl_free_texture(object t);
WEB(write) int gl_write(object t, uint32_t at, const void *from, uint32_t words);
WEB(read) int gl_read(object t, uint32_t at, void *to, uint32_t words);
WEB(copy) int gl_copy(object to, uint32_t at, object from, uint32_t begin, uint32_t words);
WEB(program) object gl_program(const char *text, size_t n);
WEB(free_program) void gl_free_program(object p);
WEB(draw) int gl_draw(object program, object target, uint32_t first, uint32_t end, const uint32_t *words,
                       uint32_t vectors, const uint32_t *memories, uint32_t n, object old);
WEB(wait) int gl_wait(void);
/* clang-format on */

enum { ALIGNMENT = 64, MOST_PLACES = 32, MOST_MEMORIES = 64, LITERAL = 16 };

typedef struct memory {
    object texture;
    size_t bytes;
} memory;

typedef struct ready {
    kn_source source;
    object program[]; /* per pass; 0: there is nothing to do */
} ready;

static char message[512], reason[256];
static uint32_t limit[4];
static bool exact;

static int failed(void)
{
    gl_why(message, sizeof message);
    return -1;
}

static const char *error_of(void *env)
{
    (void)env;
    return *message ? message : NULL;
}

/* ---- Memory. */

static uint32_t words_of(size_t bytes) { return (uint32_t)((bytes + 3) / 4); }

static int take(void *env, size_t bytes, void **out)
{
    (void)env;
    memory *m = malloc(sizeof *m);
    snprintf(message, sizeof message, "a texture has %u words at most", limit[0] * limit[1]);
    if (!m || bytes / 4 > (size_t)limit[0] * limit[1] - 1 || !(m->texture = gl_texture(words_of(bytes)))) {
        free(m);
        return -1;
    }
    m->bytes = bytes;
    *out = m;
    return 0;
}

static void give(void *env, void *theirs)
{
    memory *m = theirs;
    (void)env;
    gl_free_texture(m->texture);
    free(m);
}

static int fetch(void *env, void *to, void *from, size_t at, size_t bytes)
{
    const memory *m = from;
    (void)env;
    size_t first = at / 4, n = words_of(at + bytes) - first;
    if (!bytes)
        return 0;
    if (!((uintptr_t)to & 3) && !(at & 3) && !(bytes & 3))
        return gl_read(m->texture, (uint32_t)first, to, (uint32_t)n) ? 0 : failed();
    uint32_t *words = malloc(4 * n);
    bool fine = words && gl_read(m->texture, (uint32_t)first, words, (uint32_t)n);
    if (fine)
        memcpy(to, (char *)words + (at & 3), bytes);
    free(words);
    return fine ? 0 : failed();
}

static int bring(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    const memory *m = to;
    (void)env;
    size_t first = at / 4, n = words_of(at + bytes) - first;
    bool ends = at + bytes == m->bytes || !((at + bytes) & 3); /* no one else has a part of the last word */
    if (!bytes)
        return 0;
    if (!((uintptr_t)from & 3) && !(at & 3) && !(bytes & 3))
        return gl_write(m->texture, (uint32_t)first, from, (uint32_t)n) ? 0 : failed();
    uint32_t *words = calloc(n, 4);
    bool fine = words;
    if (fine && at & 3)
        fine = gl_read(m->texture, (uint32_t)first, words, 1);
    if (fine && !ends)
        fine = gl_read(m->texture, (uint32_t)(first + n - 1), words + n - 1, 1);
    if (fine) {
        memcpy((char *)words + (at & 3), from, bytes);
        fine = gl_write(m->texture, (uint32_t)first, words, (uint32_t)n);
    }
    free(words);
    return fine ? 0 : failed();
}

/* Of bytes that are no words, by the host. */
static int copy_bytes(void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    char *room = malloc(bytes);
    int status = room ? fetch(NULL, room, from, from_at, bytes) : -1;
    status = status ? status : bring(NULL, to, to_at, room, bytes);
    free(room);
    return status;
}

/* A texture that is read cannot be written to. */
static int copy_inside(const memory *m, size_t to, size_t from, uint32_t words)
{
    object between = gl_texture(words);
    bool fine = between && gl_copy(between, 0, m->texture, (uint32_t)(from / 4), words) &&
                gl_copy(m->texture, (uint32_t)(to / 4), between, 0, words);
    if (between)
        gl_free_texture(between);
    return fine ? 0 : failed();
}

static int copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    const memory *a = to, *b = from;
    (void)env;
    bool pads = to_at + bytes == a->bytes && from_at + bytes == b->bytes; /* the last word of both is theirs */
    if (!bytes || (to == from && to_at == from_at))
        return 0;
    if (to_at & 3 || from_at & 3 || (bytes & 3 && !pads))
        return copy_bytes(to, to_at, from, from_at, bytes);
    if (to == from)
        return copy_inside(a, to_at, from_at, words_of(bytes));
    return gl_copy(a->texture, (uint32_t)(to_at / 4), b->texture, (uint32_t)(from_at / 4), words_of(bytes)) ? 0
                                                                                                            : failed();
}

/* ---- Steps. */

static const char *source_of(const kn_provider_step *step, kn_source *s)
{
    const kn_glsl_facts facts = {.size_ = sizeof facts,
                                 .width = (int)limit[0],
                                 .samplers = (int)limit[2],
                                 .uniforms = (int)limit[3],
                                 .fast = !exact};
    *s = (kn_source){.size_ = sizeof *s};
    if (kn_step_glsl(step, &facts, s)) {
        snprintf(reason, sizeof reason, "%s", kn_error_message());
        kn_error_clear();
        return reason;
    }
    return s->why;
}

/* Programs of the passes; a driver that refuses one leaves the step to the host. */
static const char *link_passes(const kn_source *s, object *program)
{
    for (int i = 0; i < s->n_pass; i++) {
        const kn_glsl_pass *p = &s->pass[i];
        program[i] = p->from < p->to ? gl_program(p->text, strlen(p->text)) : 0;
        if (program[i] || p->from >= p->to)
            continue;
        while (i-- > 0)
            if (program[i])
                gl_free_program(program[i]);
        failed();
        snprintf(reason, sizeof reason, "%.200s", message);
        return reason;
    }
    return NULL;
}

static ready *make(const kn_provider_step *step, const char **why)
{
    kn_source s;
    *why = source_of(step, &s);
    ready *r = *why ? NULL : calloc(1, sizeof *r + ((size_t)s.n_pass + 1) * sizeof *r->program);
    if (r)
        *why = link_passes(&s, r->program);
    if (!r || *why) {
        if (*why && *why != reason) {
            snprintf(reason, sizeof reason, "%s", *why);
            *why = reason;
        }
        kn_source_free(&s);
        free(r);
        return NULL;
    }
    r->source = s;
    return r;
}

static void discard(void *env, void *prepared)
{
    ready *r = prepared;
    (void)env;
    if (!r)
        return;
    for (int i = 0; i < r->source.n_pass; i++)
        if (r->program[i])
            gl_free_program(r->program[i]);
    kn_source_free(&r->source);
    free(r);
}

static const char *refuses(void *env, const kn_provider_step *step)
{
    const char *why = NULL;
    if (step->kind == KN_STEP_COPY)
        return NULL;
    if (step->kind != KN_STEP_KERNEL)
        return "it has kernels alone";
    if (step->n_shift)
        return "places move by data";
    if (step->n > MOST_PLACES)
        return "it has too many places";
    ready *r = make(step, &why);
    discard(env, r);
    return r ? NULL : why ? why : "there is no memory";
}

static int prepare(void *env, const kn_provider_step *step, void **prepared)
{
    const char *why = NULL;
    (void)env;
    if (step->kind == KN_STEP_COPY)
        return 0;
    *prepared = make(step, &why);
    if (*prepared)
        return 0;
    snprintf(message, sizeof message, "%s", why ? why : "there is no memory");
    return -1;
}

/* ---- Launches. */

typedef struct launching {
    const kn_provider_step *step;
    const ready *r;
    const kn_provider_place *at;
    object texture[MOST_MEMORIES]; /* per memory of the text */
    bool own[MOST_MEMORIES];       /* of this launch alone */
    object later[MOST_MEMORIES];   /* what passes of a group wrote, which is copied when the group ends; per memory */
    bool drawn[MOST_MEMORIES];     /* has one written there? */
} launching;

static bool find_textures(launching *l)
{
    int n = l->step->n;
    for (int p = 0; p < n; p++) {
        uint32_t bits[LITERAL / 4];
        const memory *m = l->at[p].memory;
        if (m) {
            l->texture[p] = m->texture;
            continue;
        }
        memcpy(bits, l->at[p].bits, LITERAL); /* of any dtype there is so much */
        l->own[p] = true;
        l->texture[p] = gl_texture(LITERAL / 4);
        if (!l->texture[p] || !gl_write(l->texture[p], 0, bits, LITERAL / 4))
            return false;
    }
    for (int i = 0; i < l->r->source.n_room; i++) {
        l->own[n + i] = true;
        l->texture[n + i] = gl_texture(words_of(l->r->source.room[i]));
        if (!l->texture[n + i])
            return false;
    }
    return true;
}

/* Do passes of the group from `first` on read the memory's texture? */
static bool is_read(const launching *l, int first, int target)
{
    const kn_source *s = &l->r->source;
    for (int i = first; i < s->n_pass && s->pass[i].group == s->pass[first].group; i++)
        for (int m = 0; m < MOST_MEMORIES; m++)
            if (s->pass[i].memories >> m & 1 && l->texture[m] == l->texture[target])
                return true;
    return false;
}

static size_t offset_of(const launching *l, int memory) { return memory < l->step->n ? l->at[memory].offset : 0; }

/* Do others have a part of words that the pass writes, and does its text care for them? */
static bool is_shared(const launching *l, const kn_glsl_pass *p)
{
    if (p->target >= l->step->n || !strstr(p->text, "kn_old"))
        return false;
    const memory *m = l->at[p->target].memory;
    size_t from = offset_of(l, p->target) + p->from, to = offset_of(l, p->target) + p->to;
    return !p->all || from & 3 || (to & 3 && to != m->bytes);
}

/* Draws into `into`; old: what is there now, if its words are shared. */
static bool draw(launching *l, int i, object into, object old)
{
    const kn_glsl_pass *p = &l->r->source.pass[i];
    uint32_t pairs[2 * MOST_MEMORIES], n = 0;
    uint32_t *word = malloc((size_t)p->n_word * sizeof *word);
    size_t begin = offset_of(l, p->target);
    if (!word)
        return false;
    memcpy(word, p->word, (size_t)p->n_word * sizeof *word);
    for (int b = 0; b < l->step->n; b++)
        word[3 + b] = l->at[b].memory ? (uint32_t)(l->at[b].offset / l->r->source.element[b]) : 0;
    word[0] = old != 0;
    for (uint32_t m = 0; m < MOST_MEMORIES; m++)
        if (p->memories >> m & 1) {
            pairs[2 * n] = m;
            pairs[2 * n++ + 1] = l->texture[m];
        }
    bool fine = gl_draw(l->r->program[i], into, (uint32_t)((begin + p->from) / 4), words_of(begin + p->to), word,
                        (uint32_t)p->n_word / 4, pairs, n, old);
    free(word);
    return fine;
}

/* ---- Textures that stand for targets which passes of the group read: until the group ends. */

static bool is_of(const launching *l, const kn_glsl_pass *p, int target)
{
    return p->target < l->step->n && l->texture[p->target] == l->texture[target];
}

/* Is the target of a pass written elsewhere? By all passes of the group then. */
static bool is_elsewhere(const launching *l, int first, int end, int target)
{
    bool elsewhere = target < l->step->n && is_read(l, first, target);
    for (int i = first; i < end && target < l->step->n; i++)
        elsewhere |= is_of(l, &l->r->source.pass[i], target) && is_shared(l, &l->r->source.pass[i]);
    return elsewhere;
}

/* The words that a pass may write. */
static bool copy_reach(const launching *l, object to, object from, const kn_glsl_pass *p)
{
    size_t begin = offset_of(l, p->target);
    uint32_t first = (uint32_t)((begin + p->from) / 4);
    return gl_copy(to, first, from, first, words_of(begin + p->to) - first);
}

static bool copy_reaches(const launching *l, object to, object from, int first, int end, int target)
{
    bool fine = true;
    for (int i = first; i < end; i++)
        if (is_of(l, &l->r->source.pass[i], target) && l->r->program[i])
            fine = fine && copy_reach(l, to, from, &l->r->source.pass[i]);
    return fine;
}

/* The memory whose `later` it is; it has what the target has. -1: there is no memory. */
static int stand_in(launching *l, int first, int end, int target)
{
    const memory *m = l->at[target].memory;
    for (int t = 0; t < l->step->n; t++)
        if (l->later[t] && l->texture[t] == l->texture[target])
            return t;
    l->later[target] = gl_texture(words_of(m->bytes));
    l->drawn[target] = false;
    if (!l->later[target] || !copy_reaches(l, l->later[target], l->texture[target], first, end, target))
        return -1;
    return target;
}

static bool run_pass(launching *l, int i, int first, int end)
{
    const kn_glsl_pass *p = &l->r->source.pass[i];
    object old = 0, own = 0;
    if (!l->r->program[i])
        return true;
    if (!is_elsewhere(l, first, end, p->target))
        return draw(l, i, l->texture[p->target], 0);
    int t = stand_in(l, first, end, p->target);
    bool fine = t >= 0;
    if (fine && is_shared(l, p))
        old = l->texture[p->target];
    if (old && l->drawn[t]) { /* a pass before may have written other parts of these words */
        const memory *m = l->at[p->target].memory;
        old = own = gl_texture(words_of(m->bytes));
        fine = own && copy_reach(l, own, l->later[t], p);
    }
    fine = fine && draw(l, i, l->later[t], old);
    if (own)
        gl_free_texture(own);
    if (fine)
        l->drawn[t] = true;
    return fine;
}

/* What passes wrote elsewhere goes to its place. */
static bool end_group(launching *l, int first, int end)
{
    bool fine = true;
    for (int t = 0; t < l->step->n; t++) {
        if (!l->later[t])
            continue;
        fine = fine && copy_reaches(l, l->texture[t], l->later[t], first, end, t);
        gl_free_texture(l->later[t]);
        l->later[t] = 0;
    }
    return fine;
}

static bool run_groups(launching *l)
{
    const kn_source *s = &l->r->source;
    for (int first = 0, end; first < s->n_pass; first = end) {
        bool fine = true;
        for (end = first; end < s->n_pass && s->pass[end].group == s->pass[first].group;)
            end++;
        for (int i = first; i < end; i++)
            fine = fine && run_pass(l, i, first, end);
        fine = end_group(l, first, end) && fine;
        if (!fine)
            return false;
    }
    return true;
}

static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    (void)env;
    if (step->kind == KN_STEP_COPY && !at[1].memory)
        return bring(env, at[0].memory, at[0].offset, at[1].bits, step->copied);
    if (step->kind == KN_STEP_COPY)
        return copy(env, at[0].memory, at[0].offset, at[1].memory, at[1].offset, step->copied);
    launching l = {.step = step, .r = prepared, .at = at};
    bool fine = find_textures(&l) && run_groups(&l);
    for (int m = 0; m < MOST_MEMORIES; m++)
        if (l.own[m] && l.texture[m])
            gl_free_texture(l.texture[m]);
    return fine ? 0 : failed();
}

static int wait(void *env)
{
    (void)env;
    return gl_wait() ? 0 : failed();
}

/* ---- The device. */

const kn_provider kjs_webgl = {.size_ = sizeof kjs_webgl,
                               .name = "webgl:0",
                               .no_dtypes = 1U << 12 | 1U << 14, /* float64, complex128 */
                               .max_buffers = 10,
                               .alignment = ALIGNMENT,
                               .index_bits = 32,
                               .alloc = take,
                               .free = give,
                               .copy_in = bring,
                               .copy_out = fetch,
                               .copy = copy,
                               .refuses = refuses,
                               .prepare = prepare,
                               .discard = discard,
                               .launch = launch,
                               .wait = wait,
                               .error = error_of};

/* 1: there is a device webgl:0 from now on. */
KJS_EXPORT(int, kjs_webgl_begin, void)
{
    const char *wanted = getenv("KILN_WEBGL_EXACT");
    exact = wanted && *wanted && strcmp(wanted, "0") != 0;
    return gl_limits(limit) && !kn_register_device(&kjs_webgl);
}
