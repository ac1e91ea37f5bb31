/* SPDX-License-Identifier: Apache-2.0
 * kiln/media.h -- plots, pictures and sound: the library kiln_media, which a program links beside kiln. docs/media.md
 * tells about it. */
#ifndef KILN_MEDIA_H
#define KILN_MEDIA_H
#include "kiln/kiln.h"
#include "kiln/media/image.h"
#include "kiln/media/plot.h"
#include "kiln/media/sound.h"
#endif
