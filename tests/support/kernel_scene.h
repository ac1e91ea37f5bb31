/* SPDX-License-Identifier: Apache-2.0
 * kernel_scene.h -- a kernel to begin with: one stage of one parallel loop, an f32 input x and an f32 output. */
#ifndef KN_TEST_KERNEL_SCENE_H
#define KN_TEST_KERNEL_SCENE_H
#include "kernel/kernel.h"

typedef struct scene {
    knk_builder *k;
    int in, out, map;
    knk_node x;
} scene;

static inline scene begin(void)
{
    scene s;
    s.k = knk_new(1);
    s.in = knk_add_buffer(s.k, KN_ID_F32, false);
    s.out = knk_add_buffer(s.k, KN_ID_F32, true);
    knk_begin_stage(s.k, 0);
    s.map = knk_add_map(s.k, (uint8_t[]){KNK_STRIDE_ONE});
    s.x = knk_load(s.k, s.in, s.map, KNK_NONE, KNK_NONE, KNK_NONE);
    return s;
}
#endif
