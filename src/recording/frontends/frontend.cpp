#include "recording/frontends/frontend.hpp"

#include <array>
#include <string>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "process/libraries.hpp"
#include "process/linkage.hpp"
#include "record/region.hpp"
#include "recording/frontends/frontend_dbi.hpp"

namespace Atoll::recording {
namespace {

constexpr std::string_view kRecordLibrary = "libatoll-record.so";

/// Instrumentation of a program's executable.
struct Instrumented {
  bool by_us = false;    ///< links Atoll's library
  bool by_tsan = false;  ///< calls the interface of -fsanitize=thread
};

Instrumented instrumentation_of(const std::string& program) {
  Instrumented found;
  process::visit_linkage(
      program,
      {.needed =
           [&](std::string_view library) {
             found.by_us = found.by_us || library == kRecordLibrary;
           },
       .symbol = [&](std::string_view name,
                     bool) { found.by_tsan = found.by_tsan || name.starts_with("__tsan_"); }});
  return found;
}

std::string no_obstacle(const std::string&, const std::string&) {
  return {};
}

process::Launch with_library(const std::vector<std::string>& command, const std::string& libraries,
                             const std::string& region, const std::vector<std::string>& beside) {
  std::string preload = process::preloadable(libraries, kRecordLibrary);
  for (const std::string& library : beside)
    preload += ":" + process::preloadable(libraries, library);
  return {.command = command,
          .environment = {{record::kVariable, region}, {"LD_PRELOAD", preload}}};
}

std::string obstacle_to_compiled(const std::string& program, const std::string&) {
  const Instrumented found = instrumentation_of(program);
  if (found.by_us && !found.by_tsan) return {};
#if ATOLL_HAS_ATOLLCC
  return "it wasn't compiled with atollcc or atollc++; compile it so, or take --frontend dbi";
#else
  return "it wasn't compiled with atollcc, which was left out of this build of Atoll for want of "
         "LLVM; take --frontend dbi, or compile it with atollgcc";
#endif
}

std::string obstacle_to_gcc(const std::string& program, const std::string&) {
  const Instrumented found = instrumentation_of(program);
  if (found.by_us && found.by_tsan) return {};
  return "it wasn't compiled with atollgcc or atollg++; compile it so, or take --frontend dbi";
}

constexpr std::array<FrontendUnseen, 3> kCompiledCantSee{
    {{UnseenKind::other_libraries, "atollcc"}, {UnseenKind::kernel}, {UnseenKind::registers}}};
constexpr std::array<FrontendUnseen, 3> kGccCantSee{
    {{UnseenKind::other_libraries, "atollgcc"}, {UnseenKind::kernel}, {UnseenKind::vector_loops}}};
constexpr std::array<FrontendUnseen, 3> kDbiCantSee{
    {{UnseenKind::kernel}, {UnseenKind::avx512}, {UnseenKind::numa_calls}}};

// Measured address space that watching adds to a program that does nothing. kLibraryBytes: Atoll's
// library, the libraries it links and its tables. kEmulatorBytes: qemu with its buffer for
// translated code, and the plugin's first mapping.
constexpr std::uint64_t kLibraryBytes = 4 * kMiB, kEmulatorBytes = 300 * kMiB;
constexpr std::uint64_t kEmulatorsReachBytes = 1536 * kMiB;

constexpr std::array kRows{
    FrontendRow{.frontend = Frontend::compiled,
                .about = ATOLL_HAS_ATOLLCC ? "programs compiled with atollcc or atollc++ (clang)"
                                           : "programs compiled with atollcc: not in this build",
                .slowdown = "1.5 to 12 times as long as native",
                .cant_see = kCompiledCantSee,
                .contents = {.work = true, .dependence = true, .atomics = true},
                .room_bytes = kLibraryBytes,
                .temporary_mapped_bytes = 0,
                .obstacle = obstacle_to_compiled,
                .prepare = with_library},
    FrontendRow{.frontend = Frontend::gcc,
                .about = "programs compiled with atollgcc or atollg++ (gcc -fsanitize=thread)",
                .slowdown = "2 to 20 times as long as native",
                .cant_see = kGccCantSee,
                .contents = {.atomics = true},
                .room_bytes = kLibraryBytes,
                .temporary_mapped_bytes = 0,
                .obstacle = obstacle_to_gcc,
                .prepare = with_library},
    FrontendRow{.frontend = Frontend::dbi,
                .about = "any x86 program as it is, in qemu's user-mode emulator",
                .slowdown = "5 to 100 times as long as native",
                .cant_see = kDbiCantSee,
                .contents = {.work = true, .dependence = true, .atomics = true},
                .room_bytes = kEmulatorBytes,
                .temporary_mapped_bytes = kEmulatorsReachBytes,
                .obstacle = obstacle_to_dbi,
                .prepare = prepare_dbi},
    FrontendRow{.frontend = Frontend::sample,
                .about = "any program, in production: samples of pages",
                .slowdown = "at most 1.05 times as long as native",
                .cant_see = {},  // depends on the system: SampleFrontend::cant_see()
                .contents = {},
                .room_bytes = kLibraryBytes,
                .temporary_mapped_bytes = 0,
                .obstacle = no_obstacle,
                .prepare = with_library},
};

}  // namespace

std::span<const FrontendRow> frontends() {
  return kRows;
}

const FrontendRow& row_of(Frontend frontend) {
  for (const FrontendRow& row : kRows)
    if (row.frontend == frontend) return row;
  throw Error::failed("front end " + std::string(to_string(frontend)), "has no row");
}

Chosen choose_frontend(const std::string& program, const std::string& libraries) {
  // The reason names components that are missing on this computer. It doesn't mention that the
  // program wasn't compiled for a front end.
  std::string missing;
  for (const FrontendRow& row : kRows) {
    const std::string obstacle = row.obstacle(program, libraries);
    if (obstacle.empty()) {
      const std::string also = missing.empty() ? "" : "; for dbi, " + missing;
      return {row.frontend, std::string(row.about) + also, missing};
    }
    if (row.frontend == Frontend::dbi) missing = obstacle;
  }
  throw Error::input(program, "no front end can watch it");
}

}  // namespace Atoll::recording
