/* SPDX-License-Identifier: Apache-2.0
 * c_maker.c -- stage functions from C source: a shared object per unit, in a temporary directory that goes at once. */
#include "support/c_maker.h"
#include "base/memory.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first that answers. */
static const char *compiler(void)
{
    static const char *const program[] = {"gcc", "clang", "cc"};
    static const char *found = NULL;
    static bool looked = false;
    char command[4096];
    if (looked)
        return found;
    looked = true;
    const char *cc = getenv("CC");
    for (int i = cc && *cc ? -1 : 0; i < 3 && !found; i++) {
        const char *p = i < 0 ? cc : program[i];
        if (strlen(p) < 1024) {
            snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", p);
            if (system(command) == 0)
                found = p;
        }
    }
    return found;
}

bool c_maker_works(void) { return compiler() != NULL; }

static long refusals;
long c_maker_refusals(void) { return refusals; }

typedef struct request { /* a copy */
    knh_request r;
    uint8_t *cls;
    int streams;
} request;

struct c_unit {
    const char *flags;
    KN_VEC(request) requests;
    KN_VEC(knh_function *) functions;
    void *library;
};

c_unit *c_unit_new(const char *flags)
{
    c_unit *u = knx_alloc_zero(sizeof *u);
    if (u)
        u->flags = flags;
    return u;
}

int c_unit_add(c_unit *u, const knh_request *r)
{
    knh_stream stream[KNH_MAX_STREAMS];
    int n = knh_streams(r->kernel, r->stage, r->mode, stream);
    if (n < 0)
        return -1;
    request copy = {.r = *r, .cls = knx_alloc((size_t)n + 1), .streams = n};
    if (!copy.cls || !KN_VEC_PUSH(&u->requests, copy)) {
        knx_free(copy.cls);
        return -1;
    }
    if (n)
        memcpy(copy.cls, r->cls, (size_t)n);
    u->requests.at[u->requests.n - 1].r.cls = copy.cls;
    return (int)u->requests.n - 1;
}

static char *source_of(const c_unit *u)
{
    int n = (int)u->requests.n;
    knh_request *r = knx_alloc((size_t)n * sizeof *r);
    const char **name = knx_alloc((size_t)n * sizeof *name);
    char(*names)[32] = knx_alloc((size_t)n * sizeof *names), *text = NULL;
    if (r && name && names) {
        for (int i = 0; i < n; i++) {
            r[i] = u->requests.at[i].r;
            snprintf(names[i], sizeof names[i], "kn_f%d", i);
            name[i] = names[i];
        }
        knx_error *e = knh_c_sources(r, name, n, &text);
        if (e)
            fprintf(stderr, "%s\n", e->message);
        knx_error_release(e);
    }
    knx_free(r);
    knx_free(name);
    knx_free(names);
    return text;
}

static bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    bool fine = fputs(text, f) >= 0;
    return fclose(f) == 0 && fine;
}

/* One command for all: their names follow from the folder's. */
static bool compile_all(const char *dir, const char *const *text, int n, const char *flags, const char *library)
{
    const char *keep = getenv("KILN_KEEP_C"); /* for looking at: a file to copy the source to */
    char source[640], command[4096];
    bool written = true;
    for (int i = 0; i < n && written; i++) {
        snprintf(source, sizeof source, "%s/k%d.c", dir, i);
        written = text[i] && write_file(source, text[i]) && (!keep || write_file(keep, text[i]));
    }
    snprintf(command, sizeof command,
             "%s -std=gnu17 %s -Wall -Wextra -Werror -Wno-psabi -ffp-contract=off -fno-math-errno -fPIC -shared -o %s "
             "%s/k*.c -lm 1>&2",
             compiler(), flags, library, dir);
    bool fine = written && system(command) == 0;
    refusals += written && !fine;
    for (int i = 0; i < n; i++) {
        snprintf(source, sizeof source, "%s/k%d.c", dir, i);
        unlink(source);
    }
    return fine;
}

void *c_maker_load(const char *const *text, int n, const char *flags)
{
    const char *place = getenv("TMPDIR");
    char dir[600], library[640];
    if (!place || !*place || strlen(place) > 512)
        place = P_tmpdir;
    snprintf(dir, sizeof dir, "%s/kiln-c-XXXXXX", place);
    if (!compiler() || !mkdtemp(dir))
        return NULL;
    snprintf(library, sizeof library, "%s/k.so", dir);
    void *loaded = compile_all(dir, text, n, flags, library) ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(library);
    rmdir(dir);
    return loaded;
}

bool c_unit_compile(c_unit *u)
{
    char *text = source_of(u);
    u->library = c_maker_load((const char *const[]){text}, 1, u->flags);
    for (size_t i = 0; u->library && i < u->requests.n; i++) {
        char name[32];
        knh_function *f;
        snprintf(name, sizeof name, "kn_f%zu", i);
        void *symbol = dlsym(u->library, name);
        memcpy(&f, &symbol, sizeof f);
        if (!symbol || !KN_VEC_PUSH(&u->functions, f))
            break;
    }
    knx_free(text);
    return u->library && u->functions.n == u->requests.n;
}

knh_function *c_unit_get(const c_unit *u, int number) { return u->functions.at[number]; }

void c_unit_free(c_unit *u)
{
    if (!u)
        return;
    if (u->library)
        dlclose(u->library);
    for (size_t i = 0; i < u->requests.n; i++)
        knx_free(u->requests.at[i].cls);
    KN_VEC_FREE(&u->requests);
    KN_VEC_FREE(&u->functions);
    knx_free(u);
}

/* The generators. */

enum { MOST_PER_UNIT = 64 };
static const char *maker_flags = C_MAKER_QUICK;
static struct {
    c_unit *open; /* takes more */
    KN_VEC(c_unit *) units;
    KN_VEC(knk_kernel *) kernels; /* that the requests name */
} ahead;

static bool same(const request *q, const knh_request *r)
{
    return q->r.kernel->hash == r->kernel->hash && q->r.kernel->key_bytes == r->kernel->key_bytes &&
           !memcmp(q->r.kernel->key, r->kernel->key, r->kernel->key_bytes) && q->r.stage == r->stage &&
           q->r.mode == r->mode && (!q->streams || !memcmp(q->cls, r->cls, (size_t)q->streams));
}

static knh_function *find_ahead(const knh_request *r)
{
    for (size_t i = 0; i < ahead.units.n; i++) {
        const c_unit *u = ahead.units.at[i];
        for (size_t j = 0; j < u->functions.n; j++)
            if (same(&u->requests.at[j], r))
                return u->functions.at[j];
    }
    return NULL;
}

static void nothing(knh_args *args) { (void)args; }

static knx_error *note(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    (void)g;
    *out = nothing;
    *keep = NULL;
    if (!ahead.open) {
        ahead.open = c_unit_new(C_MAKER_QUICK);
        if (!ahead.open || !KN_VEC_PUSH(&ahead.units, ahead.open))
            return knx_error_nomem();
    }
    if (!KN_VEC_PUSH(&ahead.kernels, knk_retain((knk_kernel *)(uintptr_t)r->kernel)))
        return knx_error_nomem();
    if (c_unit_add(ahead.open, r) < 0)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the stage does not fit");
    if (ahead.open->requests.n == MOST_PER_UNIT)
        ahead.open = NULL;
    return NULL;
}

bool c_maker_compile(const char *flags)
{
    bool fine = true;
    ahead.open = NULL;
    for (size_t i = 0; i < ahead.units.n && fine; i++) {
        ahead.units.at[i]->flags = flags;
        fine = ahead.units.at[i]->library || c_unit_compile(ahead.units.at[i]);
    }
    return fine;
}

void c_maker_forget(void)
{
    for (size_t i = 0; i < ahead.units.n; i++)
        c_unit_free(ahead.units.at[i]);
    for (size_t i = 0; i < ahead.kernels.n; i++)
        knk_release(ahead.kernels.at[i]);
    KN_VEC_FREE(&ahead.units);
    KN_VEC_FREE(&ahead.kernels);
    ahead.open = NULL;
}

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    (void)g;
    *keep = NULL;
    if ((*out = find_ahead(r)))
        return NULL;
    c_unit *u = c_unit_new(maker_flags);
    if (!u)
        return knx_error_nomem();
    if (c_unit_add(u, r) < 0 || !c_unit_compile(u)) {
        c_unit_free(u);
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the C source of a stage was not compiled");
    }
    *out = c_unit_get(u, 0);
    *keep = u;
    return NULL;
}

static void drop(void *keep) { c_unit_free(keep); }

const knh_generator *c_maker(const char *flags)
{
    static const knh_generator generator = {
        .name = "c", .works = c_maker_works, .make = make, .drop = drop, .lanes = 16};
    maker_flags = flags ? flags : C_MAKER_QUICK;
    return &generator;
}

const knh_generator *c_maker_noting(void)
{
    static const knh_generator generator = {.name = "c", .make = note, .drop = drop, .lanes = 16};
    return &generator;
}
