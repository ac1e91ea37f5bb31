/* SPDX-License-Identifier: Apache-2.0
 * small_end.h -- undoes what small_loops.h defined, for the next type of number. */
#undef SIZES
#undef ROUNDS
#undef LANES
#undef M
#undef V
#undef F
#undef NUM
#undef T
#undef U
#undef BYTES
#undef ZIP_LO
#undef ZIP_HI
#undef MANTISSA
#undef EXPONENT
#undef ROUNDOFF
#undef NOTHING
#undef LARGEST
#undef SEED_OF_ROOT
#undef SEED_OF_INVERSE
