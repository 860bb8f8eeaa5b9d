// A front end is a method of observing a program's accesses. Each is a class in a file of its own,
// with a row in frontend_table.cpp. Other code queries its capabilities, never its name.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/recording/recording.hpp"
#include "process/child.hpp"
#include "recording/read_region.hpp"

namespace Atoll::recording {

class Frontend;

struct FrontendOptions {
  bool records_counts = false;  ///< false: streams or tasks, which need no first touches
  double sampling_share = 0;    ///< share of the program's processor time for samples, 0 to 1
};

/// Properties of a front end that are known without a run. `libraries` is the folder of
/// process::libraries_folder().
struct FrontendRow {
  FrontendName name;
  std::string_view word;    ///< its name on command lines and in files
  std::string_view about;   ///< the programs that it can watch
  std::string_view help;    ///< the same for help texts, with the typical slowdown
  bool is_sampled = false;  ///< records samples of pages instead of every access
  /// The reason for an obstacle is this computer, not the way in which the program was compiled.
  bool requires_emulator = false;
  /// Returns "" if it can watch the program, else the reason and a remedy in one line.
  std::string (*obstacle)(const std::string& program, const std::string& libraries);
  std::unique_ptr<Frontend> (*create)(const FrontendOptions& options);
};

/// Address space that a front end maps in each process besides the recording, in bytes.
struct FrontendMappings {
  std::uint64_t permanent = 0, at_start = 0;
};

/// Contract: one object observes one run. Call prepare(); start() while the program waits to be
/// executed; step() at least every 20 ms while it runs; finish() after its end, before the region
/// is read. losses() and first_touches() are complete after finish().
class Frontend {
 public:
  explicit Frontend(const FrontendRow& row) : row_(row) {}
  virtual ~Frontend() = default;
  Frontend(const Frontend&) = delete;
  Frontend& operator=(const Frontend&) = delete;

  [[nodiscard]] FrontendName name() const { return row_.name; }
  /// Returns true if it can record streams and tasks; false if it records samples.
  [[nodiscard]] bool records_every_access() const { return !row_.is_sampled; }
  /// Returns the optional contents of its timed streams.
  [[nodiscard]] virtual StreamContents stream_contents() const { return {}; }
  [[nodiscard]] virtual FrontendMappings mappings() const;
  /// Returns the accesses that it does not observe. Samples: complete after start().
  [[nodiscard]] virtual std::vector<Unseen> cant_see() const = 0;

  /// Returns the command that runs `command` with the region at `region_path`, and with libraries
  /// of the folder `libraries`: libatoll-record.so, then `preload`.
  [[nodiscard]] virtual process::Launch prepare(const std::vector<std::string>& command,
                                                const std::string& libraries,
                                                const std::string& region_path,
                                                const std::vector<std::string>& preload);
  virtual void start(pid_t /*pid*/) {}
  virtual void step(const record::Header& /*header*/) {}
  virtual void finish(record::Header& /*header*/) {}

  [[nodiscard]] virtual std::vector<Loss> losses() const { return {}; }
  /// Returns the first touches that it observed besides the region. The result must not outlive
  /// this object.
  [[nodiscard]] virtual FirstTouches first_touches(const RegionView& /*region*/) const {
    return {};
  }
  /// Returns the error for a run without a recorded process, with the likely reason. `status` is
  /// as from waitpid().
  [[nodiscard]] virtual Error nothing_recorded(const std::string& program,
                                               const std::vector<std::string>& command,
                                               int status) const;

 private:
  const FrontendRow& row_;
};

}  // namespace Atoll::recording
