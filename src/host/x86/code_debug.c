/* SPDX-License-Identifier: Apache-2.0
 * code_debug.c -- generated code for debuggers: GDB's JIT interface and perf's map of symbols. */
#define _GNU_SOURCE
#include "host/x86/code_debug.h"

#if defined(__x86_64__) && defined(__linux__)
#include "base/memory.h"
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What gdb looks for, by these names. They are local to this file, so that they meet nobody else's; gdb reads the
 * symbol table of each object by itself. */
enum { JIT_NOTHING, JIT_ADD, JIT_REMOVE };
struct jit_entry {
    struct jit_entry *next, *previous;
    const void *file;
    uint64_t size;
};
struct jit_descriptor {
    uint32_t version, action;
    struct jit_entry *relevant, *first;
};
static struct jit_descriptor __jit_debug_descriptor __attribute__((used)) = {.version = 1};

/* gdb has a breakpoint here. */
static void __attribute__((noinline, used)) __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

enum { TEXT = 1, SYMBOLS, STRINGS, SECTIONS, NAME_ROOM = 128 };
static const char section_names[] = "\0.text\0.symtab\0.strtab"; /* at 1, 7, 15 */

struct knh_gdb_entry {
    struct jit_entry jit;
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS];
    Elf64_Sym symbol[2];
    char strings[sizeof section_names + NAME_ROOM];
};

#define FROM_HEADER(field) (offsetof(struct knh_gdb_entry, field) - offsetof(struct knh_gdb_entry, header))

static void fill(knh_gdb_entry *e, const void *code, size_t n, const char *name)
{
    *e = (knh_gdb_entry){
        .jit = {.file = &e->header, .size = sizeof *e - offsetof(struct knh_gdb_entry, header)},
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE},
                   .e_type = ET_REL,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_shoff = FROM_HEADER(section),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = SECTIONS,
                   .e_shstrndx = STRINGS},
        .section = {[TEXT] = {.sh_name = 1,
                              .sh_type = SHT_NOBITS,
                              .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                              .sh_addr = (uintptr_t)code,
                              .sh_size = n,
                              .sh_addralign = 1},
                    [SYMBOLS] = {.sh_name = 7,
                                 .sh_type = SHT_SYMTAB,
                                 .sh_offset = FROM_HEADER(symbol),
                                 .sh_size = sizeof e->symbol,
                                 .sh_link = STRINGS,
                                 .sh_info = 1,
                                 .sh_entsize = sizeof(Elf64_Sym)},
                    [STRINGS] = {.sh_name = 15,
                                 .sh_type = SHT_STRTAB,
                                 .sh_offset = FROM_HEADER(strings),
                                 .sh_size = sizeof e->strings}},
        .symbol = {[1] = {.st_name = sizeof section_names,
                          .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                          .st_shndx = TEXT,
                          .st_size = n}},
    };
    memcpy(e->strings, section_names, sizeof section_names);
    strncpy(e->strings + sizeof section_names, name, NAME_ROOM - 1);
}

knh_gdb_entry *knh_gdb_add(const void *code, size_t n, const char *name)
{
    knh_gdb_entry *e = knx_alloc(sizeof *e);
    if (!e)
        return NULL;
    fill(e, code, n, name);
    e->jit.next = __jit_debug_descriptor.first;
    if (e->jit.next)
        e->jit.next->previous = &e->jit;
    __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = &e->jit;
    __jit_debug_descriptor.action = JIT_ADD;
    __jit_debug_register_code();
    return e;
}

void knh_gdb_remove(knh_gdb_entry *e)
{
    if (!e)
        return;
    if (e->jit.next)
        e->jit.next->previous = e->jit.previous;
    *(e->jit.previous ? &e->jit.previous->next : &__jit_debug_descriptor.first) = e->jit.next;
    __jit_debug_descriptor.relevant = &e->jit;
    __jit_debug_descriptor.action = JIT_REMOVE;
    __jit_debug_register_code();
    __jit_debug_descriptor.relevant = NULL;
    knx_free(e);
}

/* The file is opened anew for each piece: it is rare, a child has another one, and no descriptor is held. */
void knh_perf_note(const void *code, size_t n, const char *name)
{
    char line[256];
    snprintf(line, sizeof line, "/tmp/perf-%ld.map", (long)getpid());
    int fd = open(line, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    int length = snprintf(line, sizeof line, "%lx %zx %.*s\n", (unsigned long)(uintptr_t)code, n, NAME_ROOM, name);
    ssize_t ignored = write(fd, line, (size_t)length);
    (void)ignored;
    close(fd);
}

#else

knh_gdb_entry *knh_gdb_add(const void *code, size_t n, const char *name)
{
    (void)code, (void)n, (void)name;
    return NULL;
}
void knh_gdb_remove(knh_gdb_entry *e) { (void)e; }
void knh_perf_note(const void *code, size_t n, const char *name) { (void)code, (void)n, (void)name; }

#endif
