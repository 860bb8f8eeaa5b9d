// Finds the code that uses the pages of objects first: the loop that advice asks to run in
// parallel.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "recording/objects/object_index.hpp"
#include "recording/region_view.hpp"

namespace Atoll::recording {

class FillPlaces {
 public:
  struct Place {
    std::uint32_t process = 0;
    std::uint64_t address = 0;  ///< a return address
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  /// Adds the pages of a thread of the process, as far as it is known from where they were used.
  void add_thread(const RegionView& region, std::uint32_t process,
                  const record::ThreadRecord& thread);
  /// Returns the place that used most of an object's pages before any other did, by object.
  [[nodiscard]] std::map<std::uint32_t, Place> of_objects(ObjectIndex& index) const;

 private:
  struct First {
    std::uint64_t access, place;
  };
  std::map<std::uint32_t, std::unordered_map<std::uint64_t, First>> pages_;  ///< by process
};

}  // namespace Atoll::recording
