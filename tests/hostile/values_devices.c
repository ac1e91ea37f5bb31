/* SPDX-License-Identifier: Apache-2.0
 * values_devices.c -- costs of devices and devices of the user's, sound and otherwise; see values.h. */
#include "tables.h"
#include <stddef.h>

p_kn_offload_costs take_p_kn_offload_costs(const char *name)
{
    static const kn_offload_costs sound = {sizeof sound, 1, 1, 0, 0, {0, 1, 1, 1}, {0, 1, 1, 1}},
                                  zeros = {.size_ = sizeof zeros}, unsized = {.size_ = 0},
                                  negative = {sizeof sound, 1, 1, -1, 0, {0, 1, 1, 1}, {0, 1, -1, 1}};
    const kn_offload_costs *const table[] = {&sound, NULL, &zeros, &unsized, &negative};
    return table[pick_null(name, 1, 4)];
}

/* None of them becomes a device. */
p_kn_provider take_p_kn_provider(const char *name)
{
    static const kn_provider bare = {.size_ = sizeof bare}, unsized = {.size_ = 0},
                             named = {.size_ = sizeof named, .name = "mine:0"},
                             begun = {.size_ = offsetof(kn_provider, alloc), .name = "mine:0", .max_buffers = -1};
    const kn_provider *const table[] = {&bare, NULL, &unsized, &named, &begun};
    return table[pick_null(name, 1, 4)];
}

p_kn_provider_step take_p_kn_provider_step(const char *name)
{
    static const kn_provider_step bare = {.size_ = sizeof bare}, unsized = {.n = 3};
    const kn_provider_step *const table[] = {&bare, NULL, &unsized};
    return table[pick_null(name, 1, 2)];
}

p_kn_wgsl_facts take_p_kn_wgsl_facts(const char *name)
{
    static const kn_wgsl_facts none = {.size_ = sizeof none}, unsized = {.lanes = -1},
                               absurd = {.size_ = sizeof absurd, .lanes = -1, .most_groups = -7, .exact = -1};
    const kn_wgsl_facts *const table[] = {&none, NULL, &unsized, &absurd};
    return table[pick_null(name, 1, 3)];
}

p_kn_glsl_facts take_p_kn_glsl_facts(const char *name)
{
    static const kn_glsl_facts none = {.size_ = sizeof none}, unsized = {.width = -1},
                               absurd = {.size_ = sizeof absurd, .width = 3, .samplers = -7, .exact = -1};
    const kn_glsl_facts *const table[] = {&none, NULL, &unsized, &absurd};
    return table[pick_null(name, 1, 3)];
}

p_uint8_t take_p_uint8_t(const char *name)
{
    static const uint8_t numbers[256] = {3, 1, 255};
    return pick_null(name, 1, 1) ? NULL : numbers;
}

m_kn_source take_m_kn_source(const char *name)
{
    static kn_source source;
    int i = pick_null(name, 1, 2);
    source = (kn_source){.size_ = i == 2 ? 0 : sizeof source};
    return i == 1 ? NULL : &source;
}

m_kn_device_handle take_m_kn_device_handle(const char *name)
{
    static kn_device_handle handle;
    int i = pick_null(name, 1, 2);
    handle = (kn_device_handle){.size_ = i == 2 ? 0 : sizeof handle};
    return i == 1 ? NULL : &handle;
}
