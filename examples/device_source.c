/* SPDX-License-Identifier: Apache-2.0
 * device_source.c -- a device of one's own that wants its kernels in another language (docs/providers.md). It shows what
 * it would give to a driver, WGSL or C, and lets Kiln run the kernel, since a program may not count on a compiler. */
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory: the host's. */

static int take(void *env, size_t bytes, void **memory)
{
    (void)env;
    *memory = aligned_alloc(64, (bytes + 64) / 64 * 64);
    return *memory == NULL;
}

static void give_back(void *env, void *memory)
{
    (void)env;
    free(memory);
}

static int copy_in(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    (void)env;
    memcpy((char *)to + at, from, bytes);
    return 0;
}

static int copy_out(void *env, void *to, void *from, size_t at, size_t bytes)
{
    (void)env;
    memcpy(to, (char *)from + at, bytes);
    return 0;
}

static int copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    (void)env;
    memmove((char *)to + to_at, (char *)from + from_at, bytes);
    return 0;
}

/* ---- Steps. */

static const char *refuses(void *env, const kn_provider_step *step)
{
    (void)env;
    return step->kind == KN_STEP_KERNEL ? NULL : "it knows kernels only";
}

/* The text from this line on, or all of it. */
static const char *from_line(const char *text, const char *begin)
{
    const char *at = strstr(text, begin);
    return at ? at : text;
}

/* Each kernel once: a driver would compile the text here. */
static int prepare(void *env, const kn_provider_step *step, void **prepared)
{
    (void)env, (void)prepared;
    kn_source s = {.size_ = sizeof s};
    const kn_wgsl_facts facts = {.size_ = sizeof facts, .keeps_chains = true, .fast = true};
    if (kn_step_wgsl(step, &facts, 0, NULL, &s))
        return 1;
    if (s.why)
        printf("no WGSL: %s\n", s.why);
    for (int i = 0; i < s.n_dispatch; i++) {
        const kn_wgsl_dispatch *d = &s.dispatch[i];
        printf("WGSL for %s: %d words, %u x %u workgroups\n", step->name, d->n_word, d->groups[0], d->groups[1]);
        fputs(from_line(d->text, "@compute"), stdout);
    }
    kn_source_free(&s);
    if (kn_step_c(step, "kernel", &s))
        return 1;
    printf("C: %s\n", s.why ? s.why : "one function");
    for (const char *c = from_line(s.text, "void kernel("); *c && *c != '\n'; c++)
        putchar(*c);
    puts("\n");
    kn_source_free(&s);
    return 0;
}

static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    void *where[32];
    (void)env, (void)prepared;
    for (int i = 0; i < step->n && i < 32; i++)
        where[i] = at[i].memory ? (void *)((char *)at[i].memory + at[i].offset) : (void *)(uintptr_t)at[i].bits;
    return step->n <= 32 ? kn_provider_run_here(step, where) : 1;
}

int main(void)
{
    const kn_provider table = {.size_ = sizeof table,
                               .name = "shows:0",
                               .is_default = true,
                               .index_bits = 32,
                               .alloc = take,
                               .free = give_back,
                               .copy_in = copy_in,
                               .copy_out = copy_out,
                               .copy = copy,
                               .refuses = refuses,
                               .prepare = prepare,
                               .launch = launch};
    const float x[] = {1, 2, 3, 4};
    if (kn_register_device(&table))
        return 1;
    {
        KN_SCOPE;
        kn_array a = kn_from(x, KN_SHAPE(4));
        kn_print(kn_add(kn_mul(a, a), 1));
    }
    kn_unregister_device("shows:0");
    return kn_finish();
}
