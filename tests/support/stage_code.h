/* SPDX-License-Identifier: Apache-2.0
 * stage_code.h -- stages of scenes (stages.h) as machine code, which is kept to be looked at. */
#ifndef KN_TEST_STAGE_CODE_H
#define KN_TEST_STAGE_CODE_H
#include "host/x86/lower.h"
#include "support/stages.h"

/* A maker: knh_lower for a target; env: knh_target *. The code lives until the next call of stage_code_free. */
knh_function *stage_code(void *env, const knh_request *r);
void stage_code_free(void);
typedef struct stage_code_facts {
    knh_lowered info;
    size_t bytes;
} stage_code_facts;
extern stage_code_facts stage_code_last;
#endif
