/* SPDX-License-Identifier: Apache-2.0
 * generator.c -- stage functions as modules of WebAssembly. What compiles them is outside: three imported functions,
 * which bindings/javascript/ has. */
#include "host/wasm/generator.h"
#include "base/log.h"
#include "base/memory.h"
#include "host/wasm/product.h"
#include "host/wasm/registry.h"
#include "host/wasm/stage.h"
#include "host/wasm/text.h"
#include <stdio.h>

#define IMPORT(name) __attribute__((import_module("kiln"), import_name(#name)))
/* A place in the table for a function; 0: there is no memory for it. */
IMPORT(reserve) int knh_wasm_host_reserve(void);
/* Compiles a module and puts its functions "0", "1", ... (n of them) where `place` says. 1: they can be called; 0:
 * there is no memory for it now; -1: the engine refuses it. */
IMPORT(publish) int knh_wasm_host_publish(const void *bytes, size_t size, const int *place, int n);
IMPORT(retract) void knh_wasm_host_retract(int place); /* it is not called any more */
/* Bit 0: there is relaxed_madd, and it rounds once; bit 1: modules can be made here; bit 2: relaxed truncation gives
 * the least integer for what does not fit. */
IMPORT(features) int knh_wasm_host_features(void);

enum { FUSED = 1, MAKES = 2, CUTS = 4 };

/* Engines compile at most 8 MB at once on a page's main thread. */
enum { MOST_OF_A_MODULE = 4 << 20 };

typedef struct kept {
    int place;
    size_t bytes;
    knh_wasm_function f; /* until it is finished */
} kept;

static int features(void)
{
    static int known = -1;
    if (known < 0)
        known = knh_wasm_host_features();
    return known;
}

static bool works(void) { return features() & MAKES; }

bool knh_wasm_fuses(void) { return features() & FUSED; }

/* Takes f's code. */
static knx_error *reserve(knh_wasm_function *f, kept **out)
{
    kept *k = knx_alloc(sizeof *k);
    int place = k ? knh_wasm_host_reserve() : 0;
    if (!place) {
        knx_str_free(&f->code);
        knx_free(k);
        return knx_error_nomem();
    }
    *k = (kept){place, f->code.n, *f};
    *f = (knh_wasm_function){0};
    *out = k;
    return NULL;
}

/* One module; what publish answers. */
static int compile(kept *const *k, int n)
{
    knx_str module = {0};
    knh_wasm_function *f = knx_alloc((size_t)n * sizeof *f);
    int *place = knx_alloc((size_t)n * sizeof *place), answer = 0;
    if (f && place) {
        for (int i = 0; i < n; i++) {
            place[i] = k[i]->place;
            f[i] = k[i]->f;
            k[i]->f = (knh_wasm_function){0};
        }
        knh_wasm_module(f, n, &module);
        if (!module.failed)
            answer = knh_wasm_host_publish(module.s, module.n, place, n);
        if (answer > 0 && !knh_wasm_share(place, n, &module))
            answer = 0;
        KN_LOG(2, "module of %d functions, %zu bytes%s", n, module.n, answer > 0 ? "" : ": it is not to be had");
    }
    knx_str_free(&module);
    knx_free(f);
    knx_free(place);
    return answer;
}

static bool finish(void *const *keep, int n)
{
    kept *const *k = (kept *const *)keep;
    bool fine = true;
    for (int i = 0, end; i < n && fine; i = end) {
        size_t size = k[i]->bytes;
        for (end = i + 1; end < n && size + k[end]->bytes <= MOST_OF_A_MODULE; end++)
            size += k[end]->bytes;
        fine = compile(&k[i], end - i) > 0;
    }
    return fine;
}

static knx_error *finish_one(kept *k)
{
    int answer = compile(&k, 1);
    if (answer > 0)
        return NULL;
    size_t size = k->bytes;
    knh_wasm_retract(k);
    if (answer == 0)
        return knx_error_nomem();
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the engine refuses a function of %zu bytes", size);
}

knx_error *knh_wasm_publish(knh_wasm_function *f, uintptr_t *place, void **keep, size_t *bytes)
{
    kept *k;
    KN_TRY(reserve(f, &k));
    *place = (uintptr_t)k->place;
    *bytes = k->bytes;
    KN_TRY(finish_one(k));
    *keep = k;
    return NULL;
}

void knh_wasm_retract(void *keep)
{
    kept *k = keep;
    knh_wasm_unshare(k->place);
    knh_wasm_host_retract(k->place);
    knx_str_free(&k->f.code);
    knx_free(k);
}

/* Its text, beside the kernel (host/dump.h). What fails is left out. */
static void dump(const knh_request *r, const knh_wasm_function *f)
{
    char path[4200], name[64];
    snprintf(name, sizeof name, "%016llx_s%d_m%d", (unsigned long long)r->kernel->hash, r->stage, (int)r->mode);
    snprintf(path, sizeof path, "%s/%s.wat", knx_env()->dump_kernels, name);
    FILE *file = fopen(path, "wx"); /* the first one: those for other strides are much like it */
    if (!file)
        return;
    knx_str text = {0};
    knh_wasm_text(f, name, &text);
    if (!text.failed)
        fwrite(text.s, 1, text.n, file);
    knx_str_free(&text);
    fclose(file);
}

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    (void)g;
    knh_wasm_function f;
    kept *k;
    KN_TRY(knh_wasm_lower(r, knh_wasm_fuses(), features() & CUTS, &f));
    if (knx_env()->dump_kernels)
        dump(r, &f);
    KN_TRY(reserve(&f, &k));
    KN_LOG(2, "function kiln_%016llx_s%d_m%d, %zu bytes", (unsigned long long)r->kernel->hash, r->stage, (int)r->mode,
           k->bytes);
    *out = (knh_function *)(uintptr_t)k->place;
    if (!r->later)
        KN_TRY(finish_one(k));
    *keep = k;
    return NULL;
}

static size_t bytes(const void *keep) { return ((const kept *)keep)->bytes; }

const knh_generator knh_wasm = {
    .name = "wasm",
    .works = works,
    .make = make,
    .finish = finish,
    .drop = knh_wasm_retract,
    .bytes = bytes,
    .lanes = 4,
    .leaves_copies = true,
    .product = &knh_product_wasm,
};
