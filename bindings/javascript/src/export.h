/* SPDX-License-Identifier: Apache-2.0
 * export.h -- functions that JavaScript calls by name, and those of JavaScript's. */
#ifndef KJS_EXPORT_H
#define KJS_EXPORT_H
#define KJS_IMPORT(name) __attribute__((import_module("kjs"), import_name(#name)))
#define KJS_EXPORT(type, name, ...) \
    type name(__VA_ARGS__);         \
    __attribute__((export_name(#name), used)) type name(__VA_ARGS__)
#endif
