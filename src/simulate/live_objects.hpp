// Objects of a live program: finds the object at an address, at the current point of the simulated
// threads. Their names in reports are known only after the program has ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/range_map.hpp"
#include "process/symbols.hpp"
#include "recording/objects/site_table.hpp"
#include "recording/streams/live_streams.hpp"
#include "simulate/placement.hpp"

namespace Atoll::simulate {

class LiveObjects {
 public:
  static constexpr std::uint32_t kNone = recording::kNone;
  /// Single objects get the layouts of --layout-of, by name, or of the plan (null: none). All
  /// references must outlive this object.
  LiveObjects(recording::LiveStreams& streams, const Options& options, PlanMatcher* planned);

  /// Processes an allocation or deallocation by that thread, whose number in the plan is `planned`.
  /// Returns the end of freed memory; 0 if none was freed.
  std::uint64_t event(std::uint32_t stream, const recording::StreamEvent& event,
                      std::uint32_t planned);
  /// Returns the process's call stack with that number; empty if unknown.
  [[nodiscard]] const std::vector<process::Frame>& stack_of(record::Offset process,
                                                            std::uint32_t site);

  /// Result of find(): the object, and the range and version for which the result is valid.
  struct Found {
    std::uint32_t object = kNone;
    std::uint64_t begin = 0, end = 0;
    std::uint64_t version = ~std::uint64_t{0};
  };
  [[nodiscard]] Found find(record::Offset process, std::uint64_t address);
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::size_t count() const { return objects_.size(); }
  [[nodiscard]] const PlacedObject& placed(std::uint32_t object) const {
    return objects_[object].placed;
  }
  /// Reads the names that the program has given to its memory and that --layout-of may contain.
  /// Returns the ranges of the objects that thereby got a layout. Their pages may be placed
  /// already, as the library populates its arrays before it names them.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> read_names(
      record::Offset process);
  /// Throws Error (input) if --layout-of names an object that never appeared.
  void check_all_named() const;
  /// Maps each object to the recording's object; recording::kNone if it has none.
  [[nodiscard]] std::vector<std::uint32_t> in_recording(
      const recording::Recording& recording,
      const std::unordered_map<record::Offset, std::uint32_t>& processes) const;

 private:
  using Offset = record::Offset;
  struct Object {
    PlacedObject placed;
    Offset process = 0;
    std::uint64_t clock = 0;  ///< number of the event that created it
  };
  struct Owner {
    std::uint32_t object;
    bool is_module;  ///< may be split: its variables may become objects
  };
  using Ranges = RangeMap<Owner>;

  std::uint32_t add(Offset process, recording::ObjectKind kind, std::uint64_t address,
                    std::uint64_t bytes, std::uint64_t clock);
  void put(Offset process, std::uint64_t begin, std::uint64_t end, Owner owner);
  /// Returns true if --layout-of has a layout for the object.
  bool name(std::uint32_t object, const std::string& variable, std::uint32_t site);
  void plan(std::uint32_t object, record::EventKind how, std::uint32_t site, std::uint32_t thread);
  [[nodiscard]] Found unknown(Offset process, std::uint64_t address);
  /// Splits the module's variable at the address off as a range of its own.
  void split_module(Offset process, std::uint64_t address);

  recording::LiveStreams& streams_;
  const Options& options_;
  PlanMatcher* planned_;
  std::map<std::pair<Offset, std::uint32_t>, std::vector<process::Frame>> stacks_;
  std::vector<Object> objects_;
  std::map<Offset, Ranges> ranges_;
  /// By process and call stack: the object that all its allocations share.
  std::map<std::pair<Offset, std::uint32_t>, std::uint32_t> of_site_;
  std::map<Offset, std::size_t> described_;  ///< by process: number of names read
  std::uint64_t version_ = 0;
  std::size_t unknown_ = 0;
  process::Symbols symbols_;
  std::map<std::string, bool> named_;  ///< names of --layout-of: whether an object has the name
};

}  // namespace Atoll::simulate
