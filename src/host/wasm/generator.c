/* SPDX-License-Identifier: Apache-2.0
 * generator.c -- stage functions as modules of WebAssembly. What compiles them is outside: three imported functions,
 * which bindings/javascript/ has. */
#include "host/wasm/generator.h"
#include "base/log.h"
#include "base/memory.h"
#include "host/wasm/product.h"
#include "host/wasm/registry.h"
#include "host/wasm/stage.h"

#define IMPORT(name) __attribute__((import_module("kiln"), import_name(#name)))
/* Compiles a module and puts its functions "0", "1", ... (n of them) into the table, side by side. The place of the
 * first one; 0: there is no memory for it now; -1: the engine refuses it. */
IMPORT(publish) int knh_wasm_host_publish(const void *bytes, size_t size, int n);
IMPORT(retract) void knh_wasm_host_retract(int place, int n); /* they are not called any more */
/* Bit 0: there is relaxed_madd, and it rounds once; bit 1: modules can be made here. */
IMPORT(features) int knh_wasm_host_features(void);

enum { FUSED = 1, MAKES = 2 };

typedef struct kept {
    int place;
    size_t bytes;
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

knx_error *knh_wasm_publish(knh_wasm_function *f, uintptr_t *place, void **keep, size_t *bytes)
{
    knx_str module = {0};
    knx_error *e = NULL;
    kept *k = knx_alloc(sizeof *k);
    knh_wasm_module(f, 1, &module);
    *bytes = module.n;
    if (!k || module.failed) {
        e = knx_error_nomem();
    } else {
        *k = (kept){knh_wasm_host_publish(module.s, module.n, 1), module.n};
        if (!k->place)
            e = knx_error_nomem();
        else if (k->place < 0)
            e = knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the engine refuses a module of %zu bytes", module.n);
        else if (!knh_wasm_share(&k->place, 1, &module))
            knh_wasm_host_retract(k->place, 1), e = knx_error_nomem();
        else
            *place = (uintptr_t)k->place;
    }
    knx_str_free(&module);
    if (!e)
        *keep = k;
    else if (k)
        knx_free(k);
    return e;
}

void knh_wasm_retract(void *keep)
{
    knh_wasm_unshare(((kept *)keep)->place);
    knh_wasm_host_retract(((kept *)keep)->place, 1);
    knx_free(keep);
}

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    (void)g;
    knh_wasm_function f;
    uintptr_t place;
    size_t bytes;
    KN_TRY(knh_wasm_lower(r, knh_wasm_fuses(), &f));
    KN_TRY(knh_wasm_publish(&f, &place, keep, &bytes));
    KN_LOG(2, "function kiln_%016llx_s%d_m%d, %zu bytes", (unsigned long long)r->kernel->hash, r->stage, (int)r->mode,
           bytes);
    *out = (knh_function *)place;
    return NULL;
}

static size_t bytes(const void *keep) { return ((const kept *)keep)->bytes; }

const knh_generator knh_wasm = {
    .name = "wasm",
    .works = works,
    .make = make,
    .drop = knh_wasm_retract,
    .bytes = bytes,
    .lanes = 4,
    .leaves_copies = true,
    .product = &knh_product_wasm,
};
