// The table of front ends: what each sees of a program and what it can't see, when it applies, and
// how a command is started under it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "process/child.hpp"

namespace Atoll::trace {

struct FrontendUnseen {
  UnseenKind kind;
  std::string_view detail = {};
};

/// `libraries` is the folder of process::libraries_folder(), `region` the path of a Region.
struct FrontendRow {
  Frontend frontend;
  std::string_view about;     ///< a line: what it is for
  std::string_view slowdown;  ///< what is usual, for people
  std::span<const FrontendUnseen> cant_see;
  StreamContents contents;  ///< of a timed stream
  /// What it maps in each process besides the recording, for good and for a moment at the start.
  std::uint64_t room_bytes, room_for_a_moment_bytes;
  /// Returns "" if it can watch the program, else why not: one line with the way out.
  std::string (*obstacle)(const std::string& program, const std::string& libraries);
  /// `beside`: files of the folder `libraries` that are preloaded behind libatoll-record.so.
  process::Launch (*prepare)(const std::vector<std::string>& command, const std::string& libraries,
                             const std::string& region, const std::vector<std::string>& beside);
};

[[nodiscard]] std::span<const FrontendRow> frontends();
[[nodiscard]] const FrontendRow& row_of(Frontend frontend);

struct Chosen {
  Frontend frontend;
  std::string reason;
  std::string missing = {};  ///< why the emulator can't watch it, where only samples are left
};
/// Returns the best that applies: what the program was compiled for, else the emulator, else
/// samples. Throws Error (input) if none does.
[[nodiscard]] Chosen choose_frontend(const std::string& program, const std::string& libraries);

}  // namespace Atoll::trace
