/* SPDX-License-Identifier: Apache-2.0
 * bits_named.h -- for tests of generators: a bit generator by its name. */
#ifndef KN_TEST_BITS_NAMED_H
#define KN_TEST_BITS_NAMED_H
#include <kiln/kiln.h>
#include <string.h>

static inline kn_bit_generator bits_named(const char *name, kn_array seed)
{
    return !strcmp(name, "PCG64")       ? kn_PCG64(seed)
           : !strcmp(name, "PCG64DXSM") ? kn_PCG64DXSM(seed)
           : !strcmp(name, "MT19937")   ? kn_MT19937(seed)
           : !strcmp(name, "Philox")    ? kn_Philox(seed)
                                        : kn_SFC64(seed);
}
#endif
