// Table of front ends: for each, the accesses that it can't see, the programs that it can watch,
// and the command that starts a program under it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "process/child.hpp"

namespace Atoll::recording {

struct FrontendUnseen {
  UnseenKind kind;
  std::string_view detail = {};
};

/// `libraries` is the folder of process::libraries_folder(), `region` the path of a Region.
struct FrontendRow {
  Frontend frontend;
  std::string_view about;     ///< a one-line description
  std::string_view slowdown;  ///< typical slowdown, as text
  std::span<const FrontendUnseen> cant_see;
  StreamContents contents;  ///< contents of a timed stream
  /// Address space that it maps in each process besides the recording, permanently and temporarily
  /// at the start.
  std::uint64_t room_bytes, temporary_mapped_bytes;
  /// Returns "" if it can watch the program, else the reason and a remedy in one line.
  std::string (*obstacle)(const std::string& program, const std::string& libraries);
  /// `beside`: libraries in the folder `libraries` that are preloaded after libatoll-record.so.
  process::Launch (*prepare)(const std::vector<std::string>& command, const std::string& libraries,
                             const std::string& region, const std::vector<std::string>& beside);
};

[[nodiscard]] std::span<const FrontendRow> frontends();
[[nodiscard]] const FrontendRow& row_of(Frontend frontend);

struct Chosen {
  Frontend frontend;
  std::string reason;
  std::string missing = {};  ///< the reason why the emulator can't watch it, if only sampling can
};
/// Returns the best front end that can watch the program: the one that it was compiled for, else
/// the emulator, else sampling. Throws Error (input) if none can.
[[nodiscard]] Chosen choose_frontend(const std::string& program, const std::string& libraries);

}  // namespace Atoll::recording
