/* SPDX-License-Identifier: Apache-2.0
 * config.c -- what Kiln was built with, what it uses of this machine, and versions. */
#include "base/cpu.h"
#include "base/out.h"
#include "base/pool.h"
#include "face/text.h"
#include "host/generators.h"
#include "kiln/numpy/introspection.h"
#include "lib/internal.h"
#include <ctype.h>
#include <string.h>

const char *kn_version(void) { return KN_VERSION; }

/* ---- The build and the machine. */

#ifdef KN_HAVE_ZLIB
static const char zlib[] = "yes";
#else
static const char zlib[] = "no";
#endif

static const char *machine(void)
{
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "another one";
#endif
}

static const char *const cpus[] = {[KN_CPU_BASE] = "base", [KN_CPU_AVX2] = "avx2", [KN_CPU_AVX512] = "avx512"};

static void add_generators(knx_str *t)
{
    const knh_generator *g;
    for (int i = 0; (g = knh_generator_number(i)); i++)
        knx_str_printf(t, "%s%s%s", i ? ", " : "", g->name, knh_generator_works(g) ? "" : " (not here)");
}

static void describe(knx_str *t)
{
    knx_str_puts(t, "Kiln " KN_VERSION "\nBuilt with:\n  compiler: " __VERSION__ "\n");
    knx_str_printf(t, "  machine: %s, %s endian\n", machine(),
                   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big");
#if defined(KN_HAVE_ISA_AVX512)
    knx_str_puts(t, "  instruction sets: base, avx2, avx512\n");
#elif defined(KN_HAVE_ISA_VARIANTS)
    knx_str_puts(t, "  instruction sets: base, avx2\n");
#else
    knx_str_puts(t, "  instruction sets: base\n");
#endif
    knx_str_puts(t, "  generators of code: ");
    add_generators(t);
    knx_str_printf(t, "\n  zlib: %s\nUses here:\n  instruction set: %s%s\n", zlib, cpus[knx_cpu_chosen()],
                   knx_cpu_chosen() == KN_CPU_AVX512 && knx_cpu_vnni() ? " with vnni" : "");
    knx_str_printf(t, "  generator of code: %s\n  threads: %d\n", knh_generator_best()->name, knx_threads_available());
}

const char *kn_show_config(const kn_show_config_opts *opts)
{
    KNX_OPTS(kn_show_config_opts, o, opts);
    bool shown = !o.mode || !strcmp(o.mode, "stdout");
    knx_str t = {0};
    kna_op op;
    kna_begin(&op, "show_config");
    if (!shown && strcmp(o.mode, "text") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "Invalid `mode`, use one of: stdout, text");
    else
        describe(&t);
    char *text = kna_failed(&op) ? NULL : knx_str_take(&t);
    if (!text && !kna_failed(&op))
        kna_fail_with(&op, knx_error_nomem());
    knx_str_free(&t);
    bool ok = kna_end_plain(&op);
    if (ok && shown)
        knx_out(text);
    return knface_own_text(ok ? text : NULL);
}

/* ---- Versions. */

typedef struct version {
    int64_t part[3];
    char before[4]; /* "a1", "b2", "rc1"; "": something else; "~": a final one, which comes after all */
    bool is_dev;
} version;

static bool read_version(const char *s, version *v)
{
    *v = (version){.before = "~"};
    for (int i = 0; i < 3; i++) {
        if ((i && *s++ != '.') || !isdigit((unsigned char)*s))
            return false;
        for (; isdigit((unsigned char)*s); s++)
            v->part[i] = v->part[i] < INT64_MAX / 16 ? 10 * v->part[i] + (*s - '0') : v->part[i];
    }
    size_t letters = *s == 'a' || *s == 'b' ? 1 : !strncmp(s, "rc", 2) ? 2 : 0;
    if (letters && isdigit((unsigned char)s[letters]))
        snprintf(v->before, sizeof v->before, "%.*s", (int)letters + 1, s);
    else if (*s)
        v->before[0] = 0;
    const char *dev = *s ? strstr(s + 1, "dev") : NULL; /* with something before it */
    v->is_dev = dev != NULL;
    return true;
}

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

int kn_lib_NumpyVersion(const char *vstring, const char *other)
{
    version a, b;
    int order = 0;
    kna_op op;
    kna_begin(&op, "lib_NumpyVersion");
    if (kna_given_pointer(&op, vstring, "vstring") && kna_given_pointer(&op, other, "other")) {
        if (!read_version(vstring, &a) || !read_version(other, &b)) {
            kna_fail(&op, KN_ERROR_VALUE, "Not a valid numpy version string");
        } else {
            for (int i = 0; i < 3 && !order; i++)
                order = order_of(a.part[i], b.part[i]);
            order = order ? order : order_of(strcmp(a.before, b.before), 0);
            order = order ? order : order_of(b.is_dev, a.is_dev);
        }
    }
    return kna_end_plain(&op) ? order : 0;
}
