/* SPDX-License-Identifier: Apache-2.0
 * kiln/media.hpp -- plots, pictures and sound in C++: the functions of kiln/media.h, for programs that link kiln_media. */
/* Made by scripts/make-api.py. */
/* clang-format off */
#ifndef KILN_MEDIA_HPP
#define KILN_MEDIA_HPP
#include <kiln/media.h>
#include <kiln/kiln.hpp>
#include "kiln/cpp/media/image.hpp"
#include "kiln/cpp/media/plot.hpp"
#include "kiln/cpp/media/sound.hpp"
#endif
