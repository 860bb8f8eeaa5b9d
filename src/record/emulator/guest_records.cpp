// Records events for guests that can't load the preloaded library (static or 32-bit programs). The
// plugin then records in its place: the program, its modules, stacks of threads, and mappings.
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "record/emulator/guest.hpp"
#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {
namespace {

using record::Allocated;
using record::EventKind;
using record::Freed;
using record::Mapped;
using record::ModuleLoaded;
using record::ThreadState;

struct Segments {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;  ///< virtual addresses in the file
  std::uint64_t code = 0;                            ///< virtual address of the requested code
                                                     ///< segment
  bool has_code = false;
};

template <typename Head, typename Segment>
Segments segments_as(int file, std::uint64_t code_offset) {
  Segments found;
  Head head = {};
  if (pread(file, &head, sizeof head, 0) != sizeof head) return found;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Segment segment = {};
    const auto at = static_cast<off_t>(head.e_phoff + i * sizeof segment);
    if (pread(file, &segment, sizeof segment, at) != sizeof segment) break;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr < found.begin) found.begin = segment.p_vaddr;
    if (segment.p_vaddr + segment.p_memsz > found.end)
      found.end = segment.p_vaddr + segment.p_memsz;
    const bool wanted =
        code_offset == ~std::uint64_t{0} || segment.p_offset / 4096 == code_offset / 4096;
    if ((segment.p_flags & PF_X) == 0 || found.has_code || !wanted) continue;
    found.has_code = true;
    found.code = segment.p_vaddr;
  }
  return found;
}

/// Reads the file's segments. `code_offset` selects the code segment at this offset of the file;
/// all ones selects the first one.
Segments segments_of(int file, std::uint64_t code_offset) {
  return guest.is_64_bit ? segments_as<Elf64_Ehdr, Elf64_Phdr>(file, code_offset)
                         : segments_as<Elf32_Ehdr, Elf32_Phdr>(file, code_offset);
}

void record_module(ThreadState* thread, const Segments& segments, std::uint64_t bias,
                   const char* path) {
  const ModuleLoaded module = {bias, bias + segments.begin, bias + segments.end};
  record::emit(thread, EventKind::module, &module, sizeof module, path, strlen(path) + 1);
}

/// Records the module whose code a dynamic linker has mapped.
void record_mapped_module(ThreadState* thread, const SystemCall& call, std::uint64_t address,
                          std::uint64_t offset) {
  char path[PATH_MAX];
  if (!mapped_path(call, path)) return;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const Segments segments = segments_of(file, offset);
  close(file);
  if (segments.has_code)
    record_module(thread, segments, address - segments.code / 4096 * 4096, path);
}

std::uint64_t round_up(std::uint64_t bytes) {
  return (bytes + 4095) & ~std::uint64_t{4095};
}

void record_mapped(ThreadState* thread, const Mapped& mapped, const char* path = "") {
  record::emit(thread, EventKind::mapped, &mapped, sizeof mapped, path, strlen(path) + 1);
}

/// Records an mmap. A private mapping of code records its module. Other private file mappings with
/// MAP_FIXED are parts of that module and aren't recorded.
void record_mmap(ThreadState* thread, const SystemCall& call, std::uint64_t address) {
  const auto& a = call.argument;
  const auto flags = static_cast<int>(a[3]);
  const auto file = static_cast<int>(a[4]);
  const std::uint64_t offset = a[5] << numbers().offset_shift;
  if ((flags & MAP_ANONYMOUS) == 0 && (flags & MAP_TYPE) == MAP_PRIVATE) {
    if ((a[2] & PROT_EXEC) != 0) return record_mapped_module(thread, call, address, offset);
    if ((flags & MAP_FIXED) != 0) return;
  }
  Mapped mapped = {.range = {address, round_up(a[1]), 0, 0}};
  char path[record::kMaxPath];
  record::find_backing(mapped, path, flags, file, offset);
  record_mapped(thread, mapped, path);
}

void record_segment(ThreadState* thread, std::uint64_t address, int segment) {
  shmid_ds about = {};
  if (shmctl(segment, IPC_STAT, &about) != 0) return;
  record_mapped(thread, {.range = {address, round_up(about.shm_segsz), 0, 0},
                         .inode = static_cast<std::uint64_t>(segment),
                         .backing = record::Backing::system_v});
}

void record_unmapped(ThreadState* thread, std::uint64_t address, std::uint64_t bytes) {
  const Freed unmapped = {address, bytes};
  record::emit(thread, EventKind::unmapped, &unmapped, sizeof unmapped);
}

// Operation numbers of ipc, with which 32-bit programs attach and detach System V shared memory.
constexpr std::uint64_t kIpcAttach = 21, kIpcDetach = 22;

std::uint64_t heap_end = 0;  ///< highest program break so far: growth below it reuses recorded
                             ///< memory

__attribute__((tls_model("initial-exec"))) thread_local Allocated own_stack = {};

/// Returns the anonymous mapping that contains an address, or an Allocated of 0 bytes if there is
/// none.
Allocated stack_around(std::uint64_t address) {
  Allocated stack = {};
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return stack;
  const auto base = reinterpret_cast<std::uint64_t>(guest.base);
  char line[PATH_MAX + 128];
  while (stack.bytes == 0 && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char rights[5] = "";
    char path[2] = "";
    const int found = sscanf(line, "%lx-%lx %4s %*s %*s %*s %1s", &begin, &end, rights, path);
    if (found < 3 || base + address < begin || base + address >= end) continue;
    if (found != 3 || strcmp(rights, "rw-p") != 0) break;
    stack = {begin - base, end - begin, 0, 0};
  }
  fclose(maps);
  return stack;
}

}  // namespace

void record_program(ThreadState* thread) {
  record::emit(thread, EventKind::program, guest.program, strlen(guest.program) + 1,
               guest.arguments, guest.argument_bytes);
  const int file = open(guest.program, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const Segments segments = segments_of(file, ~std::uint64_t{0});
  close(file);
  if (segments.has_code)
    record_module(thread, segments, qemu_plugin_start_code() - segments.code, guest.program);
}

void record_stack(ThreadState* thread, std::uint64_t address_in_it) {
  if (address_in_it != 0) own_stack = stack_around(address_in_it);
  if (own_stack.bytes != 0) record::emit(thread, EventKind::stack, &own_stack, sizeof own_stack);
}

void record_memory_call(const SystemCall& call, std::int64_t result) {
  const SystemCallNumbers& number = numbers();
  const auto& a = call.argument;
  const auto address = static_cast<std::uint64_t>(result);
  if (address > ~std::uint64_t{4095}) return;  // an error code
  ThreadState* thread = record::current_thread();
  if (call.number == number.mmap) {
    record_mmap(thread, call, address);
  } else if (call.number == number.munmap) {
    record_unmapped(thread, a[0], round_up(a[1]));
  } else if (call.number == number.mremap) {
    record_unmapped(thread, a[0], round_up(a[1]));
    record_mapped(thread, {.range = {address, round_up(a[2]), 0, 0},
                           .offset = a[0],
                           .backing = record::Backing::moved});
  } else if (call.number == number.shmat) {
    record_segment(thread, address, static_cast<int>(a[0]));
  } else if (call.number == number.shmdt) {
    record_unmapped(thread, a[0], 0);
  } else if (call.number == number.ipc && (a[0] & 0xffff) == kIpcAttach) {
    std::uint32_t attached = 0;
    if (copy_from_guest(a[3], &attached, sizeof attached))
      record_segment(thread, attached, static_cast<int>(a[1]));
  } else if (call.number == number.ipc && (a[0] & 0xffff) == kIpcDetach) {
    record_unmapped(thread, a[4], 0);
  } else if (call.number == number.brk) {
    if (heap_end != 0 && address > heap_end) {
      const Allocated grown = {heap_end, address - heap_end, 0, 0};
      record::emit(thread, EventKind::brk, &grown, sizeof grown);
    }
    if (address > heap_end) heap_end = address;
  }
}

}  // namespace Atoll::record::dbi
