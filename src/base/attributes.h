/* SPDX-License-Identifier: Apache-2.0
 * attributes.h -- words for compilers and linkers about functions and variables. */
#ifndef KN_BASE_ATTRIBUTES_H
#define KN_BASE_ATTRIBUTES_H

#if defined(__GNUC__)
/* The function runs only when something has failed or is being told: it, and the paths that lead to it, lie aside. */
#define KNX_COLD __attribute__((cold))
/* The function runs in each call or each eager operation. Linkers lay these functions together: spread over the
 * library they would throw each other out of the first cache of instructions, which holds 32 KiB. */
#define KNX_HOT __attribute__((hot))
#else
#define KNX_COLD
#define KNX_HOT
#endif

/* Is this a build for AddressSanitizer? */
#if defined(__SANITIZE_ADDRESS__)
#define KNX_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KNX_POISONS 1
#endif
#endif

#if defined(__GNUC__) && defined(__ELF__)
#define KNX_TLS _Thread_local __attribute__((tls_model("initial-exec"))) /* one load, also in the shared library */
#else
#define KNX_TLS _Thread_local
#endif
#endif
