// Fuzzes recorded regions, as programs that write to wrong addresses may leave them. Every index in
// the resulting recording must be valid. The input is a list of patches to a valid region.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "record/recorder.hpp"
#include "recording/read_events.hpp"
#include "recording/read_region.hpp"
#include "recording/shared_region.hpp"
#include "recording_this_process.hpp"

namespace {

using namespace Atoll;
using namespace Atoll::recording;
using record::EventKind;

constexpr std::size_t kBytes = 1 << 20;

void record_something() {
  record::ThreadState* thread = record::start_thread();
  tell_this_process();
  const record::Allocated large{0x100000, 0x40000, 1, 0}, slab{0x200000, 0x4000, 2, 0};
  const record::SiteSeen seen{1, 2};
  const std::uint64_t stack[] = {0x1234, reinterpret_cast<std::uintptr_t>(&record_something)};
  record::emit(thread, EventKind::site, &seen, sizeof seen, stack, sizeof stack);
  record::emit(thread, EventKind::allocated, &large, sizeof large);
  record::emit(thread, EventKind::slab, &slab, sizeof slab);
  record::emit(thread, EventKind::stack, &slab, sizeof slab);
  record::emit(thread, EventKind::freed, &large, sizeof(record::Freed));
  record::record_bytes(thread, 0x100000, 100'000, true);
  if (::fork() == 0) {
    record::emit(record::start_thread(), EventKind::mapped, &large, sizeof large);
    ::_exit(0);
  }
  ::wait(nullptr);
}

std::vector<std::uint64_t> good_region() {
  const Region region({.bytes = 4 * kBytes});
  if (::fork() == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(1);
    record_something();
    ::_exit(0);
  }
  int status = 0;
  ::wait(&status);
  if (status != 0) __builtin_trap();
  const std::size_t used = region.header().used;
  if (used < 10'000 || used > kBytes) __builtin_trap();
  std::vector<std::uint64_t> words(kBytes / 8);
  std::memcpy(words.data(), &region.header(), used);
  reinterpret_cast<record::Header*>(words.data())->bytes = kBytes;
  return words;
}

struct Check : Consumer {
  explicit Check(const Recording& checked) : recording(checked) {}
  const Recording& recording;
  void page(const PageAccesses& accesses) override {
    int lines = 0;
    for (const ObjectLines& some : accesses.objects) {
      const bool of_the_line_before = some.first_line + 1 == lines && some.end_line == lines;
      if (some.object >= recording.objects.size() || some.words == 0) __builtin_trap();
      if (some.first_line != lines && !of_the_line_before) __builtin_trap();
      lines = some.end_line;
    }
    if (lines != kLinesOfPage || accesses.process >= recording.processes.size()) __builtin_trap();
    for (const ThreadOnPage& thread : accesses.threads)
      if (thread.thread >= recording.threads.size()) __builtin_trap();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::uint64_t> good = good_region();
  static const std::size_t used = reinterpret_cast<const record::Header*>(good.data())->used / 8;
  static ::Atoll::process::Symbols symbols;
  std::vector<std::uint64_t> words = good;
  struct Patch {
    std::uint32_t word;
    std::uint64_t value;
  };
  for (; size >= 12; data += 12, size -= 12) {
    Patch patch = {};
    std::memcpy(&patch.word, data, 4);
    std::memcpy(&patch.value, data + 4, 8);
    const std::size_t at = patch.word % used;
    if (at != offsetof(record::Header, bytes) / 8) words[at] = patch.value;
  }
  const RegionView region(*reinterpret_cast<const record::Header*>(words.data()));
  ObjectIndex index;
  PhysicalPages pages;
  const Recording recording = read_events(region, 1, {}, symbols, index, pages);
  Check check(recording);
  read_counts(
      region, pages,
      [&](std::uint32_t process, std::uint64_t page) { return index.lines_of(process, page); }, {},
      check);
  return 0;
}
