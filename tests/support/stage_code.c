/* SPDX-License-Identifier: Apache-2.0
 * stage_code.c -- stages of scenes as machine code. */
#include "support/stage_code.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { MOST_CODES = 64 };
static struct {
    void *at;
    size_t bytes;
} codes[MOST_CODES];
static int n_code;
stage_code_facts stage_code_last;

void stage_code_free(void)
{
    while (n_code)
        n_code--, munmap(codes[n_code].at, codes[n_code].bytes);
}

knh_function *stage_code(void *env, const knh_request *r)
{
    static knh_asm a;
    static bool ready;
    if (!ready)
        knh_asm_init(&a);
    ready = true;
    knh_asm_reset(&a);
    knx_error *e = knh_lower(r, *(knh_target *)env, &a, &stage_code_last.info);
    if (e) {
        if (e->kind != KN_ERROR_NOT_IMPLEMENTED)
            fail_msg("%s", e->message);
        if (getenv("KN_TEST_SHOW"))
            print_message("%s\n", e->message);
        knx_error_release(e);
        return NULL;
    }
    assert_true(n_code < MOST_CODES);
    size_t bytes = (a.code.n + 4095) & ~(size_t)4095;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    memcpy(p, a.code.at, a.code.n);
    stage_code_last.bytes = a.code.n;
    const char *dump = getenv("KN_TEST_DUMP");
    if (dump && (!getenv("KN_TEST_DUMP_STAGE") || r->stage == atoi(getenv("KN_TEST_DUMP_STAGE")))) {
        FILE *f = fopen(dump, "wb");
        assert_non_null(f);
        fwrite(a.code.at, 1, a.code.n, f);
        fclose(f);
    }
    assert_int_equal(mprotect(p, bytes, PROT_READ | PROT_EXEC), 0);
    codes[n_code].at = p;
    codes[n_code++].bytes = bytes;
    knh_function *f;
    memcpy(&f, &p, sizeof f);
    return f;
}
