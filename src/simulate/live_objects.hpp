// The objects of a program that runs: which one has an address now, as the simulated threads know
// it. Their names in reports are known when the program has ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "process/symbols.hpp"
#include "simulate/placement.hpp"
#include "trace/live_streams.hpp"
#include "trace/site_table.hpp"

namespace Atoll::simulate {

class LiveObjects {
 public:
  static constexpr std::uint32_t kNone = trace::kNone;
  /// Layouts of single objects are found by name, or as a plan (null: none) says. All must outlive
  /// this.
  LiveObjects(trace::LiveStreams& streams, const Options& options, Planned* planned);

  /// An event of that thread, which the plan has as `planned`: memory that comes or goes. Returns
  /// the end of memory that went; 0: none did.
  std::uint64_t event(std::uint32_t stream, const trace::StreamEvent& event, std::uint32_t planned);
  /// The stack that a process knows by that number; empty: it isn't known.
  [[nodiscard]] const std::vector<process::Frame>& stack_of(trace::recorder::Offset process,
                                                            std::uint32_t site);

  /// What has an address, and for which addresses the answer is the same until the version changes.
  struct Found {
    std::uint32_t object = kNone;
    std::uint64_t begin = 0, end = 0;
    std::uint64_t version = ~std::uint64_t{0};
  };
  [[nodiscard]] Found find(trace::recorder::Offset process, std::uint64_t address);
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::size_t count() const { return objects_.size(); }
  [[nodiscard]] const PlacedObject& placed(std::uint32_t object) const {
    return objects_[object].placed;
  }
  /// Reads the names that the program has given its memory, which --layout-of may name. Returns the
  /// addresses of objects that got a layout so: pages may be there already, as the library
  /// populates its arrays before it names them.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> see_names(
      trace::recorder::Offset process);
  /// Throws Error (input) if --layout-of names what never came.
  void check_all_named() const;
  /// The recording's object that each one is; trace::kNone: none.
  [[nodiscard]] std::vector<std::uint32_t> in_recording(
      const trace::Recording& recording,
      const std::unordered_map<trace::recorder::Offset, std::uint32_t>& processes) const;

 private:
  using Offset = trace::recorder::Offset;
  struct Object {
    PlacedObject placed;
    Offset process = 0;
    std::uint64_t clock = 0;  ///< it is there for whoever has seen so many events
  };
  struct Range {
    std::uint64_t end;
    std::uint32_t object;
    bool is_module;  ///< its variables may be objects of their own
  };
  using Ranges = std::map<std::uint64_t, Range>;

  std::uint32_t add(Offset process, trace::ObjectKind kind, std::uint64_t address,
                    std::uint64_t bytes, std::uint64_t clock);
  void put(Offset process, std::uint64_t begin, std::uint64_t end, Range range);
  void remove(Ranges& ranges, std::uint64_t begin, std::uint64_t end);
  /// Returns true if --layout-of has a layout for the object.
  bool name(std::uint32_t object, const std::string& variable, std::uint32_t site);
  void plan(std::uint32_t object, trace::recorder::EventKind how, std::uint32_t site,
            std::uint32_t thread);
  [[nodiscard]] Found unknown(Offset process, std::uint64_t address);
  /// Gives a module's variable at the address a range of its own.
  void split_module(Offset process, std::uint64_t address);

  trace::LiveStreams& streams_;
  const Options& options_;
  Planned* planned_;
  std::map<std::pair<Offset, std::uint32_t>, std::vector<process::Frame>> stacks_;
  std::vector<Object> objects_;
  std::map<Offset, Ranges> ranges_;
  std::map<std::pair<Offset, std::uint32_t>, std::uint32_t> of_site_;  ///< pools, and many others
  std::map<Offset, std::size_t> described_;  ///< so many of the program's own names are known
  std::uint64_t version_ = 0;
  std::size_t unknown_ = 0;
  process::Symbols symbols_;
  std::map<std::string, bool> named_;  ///< --layout-of's names: whether one came
};

}  // namespace Atoll::simulate
