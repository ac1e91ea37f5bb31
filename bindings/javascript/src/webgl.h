/* SPDX-License-Identifier: Apache-2.0
 * webgl.h -- the table of the device webgl:0, for tests that run single steps by it. */
#ifndef KJS_WEBGL_H
#define KJS_WEBGL_H
#include "kiln/provider.h"
extern const kn_provider kjs_webgl;
int kjs_webgl_begin(void); /* 1: the page has WebGL, and the device is known from now on */
#endif
