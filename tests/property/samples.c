/* SPDX-License-Identifier: Apache-2.0
 * samples.c -- the lists of samples. */
#include "bench.h"

const sample *const all_samples[] = {samples_elementwise, samples_arrays,
                                     samples_indexed,     samples_conv,
                                     samples_linalg,      samples_fft,
                                     samples_loops,       samples_branches,
                                     samples_special,     samples_scan,
                                     samples_custom,      samples_lanes,
                                     samples_windows,     NULL};
