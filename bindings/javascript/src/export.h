/* SPDX-License-Identifier: Apache-2.0
 * export.h -- functions that JavaScript calls by name. */
#ifndef KJS_EXPORT_H
#define KJS_EXPORT_H
#define KJS_EXPORT(type, name, ...) \
    type name(__VA_ARGS__);         \
    __attribute__((export_name(#name), used)) type name(__VA_ARGS__)
#endif
