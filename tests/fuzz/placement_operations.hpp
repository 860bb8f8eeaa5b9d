// Executes traces of operations on placed arrays by several concurrent threads, and compares the
// arrays with plain vectors. Any bytes are a trace. In any order, every copy equals the vector,
// errors leave arrays unchanged, and pages are where the layout requires unless a node was full.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/array/transfer.hpp"
#include "atoll/base/error.hpp"

namespace Atoll::fuzz {

inline void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

/// Reads a trace. After its end, all bytes are 0.
class Trace {
 public:
  explicit Trace(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
  /// Returns a number from 0 to below - 1.
  std::size_t draw(std::size_t below) {
    std::size_t value = 0;
    for (std::size_t range = below; range > 1; range /= 256)
      value = value * 256 + (at_ < bytes_.size() ? bytes_[at_++] : 0);
    return below == 0 ? 0 : value % below;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

struct Setting {
  const Machine& machine;
  memory::Backend& backend;
  std::vector<PageSize> page_sizes;
  std::size_t most_elements;
  bool nodes_have_room;  ///< if true, no page may be misplaced
};

/// Arrays that all workers share, each with a vector of the expected content.
class PlacementOperations {
 public:
  /// `teams` has one team for each worker. The teams must outlive this object.
  PlacementOperations(const Setting& setting, std::span<const Team* const> teams)
      : setting_(setting), teams_(teams) {
    engines_.add(memory::background_engine(
        {.places = teams[0]->places(), .low_priority = false, .pin = false}));
  }

  /// Splits the bytes into a trace for each worker, and runs these concurrently. Then checks and
  /// frees all arrays.
  void run(std::span<const std::uint8_t> bytes) {
    {
      std::vector<std::jthread> workers;
      const std::size_t share = bytes.size() / teams_.size();
      for (std::size_t worker = 0; worker < teams_.size(); ++worker)
        workers.emplace_back([this, worker, trace = Trace(bytes.subspan(worker * share, share))] {
          Trace rest = trace;
          while (!rest.at_end()) step(worker, rest);
        });
    }
    for (Slot& slot : slots_) {
      check(slot);
      slot.array.reset();
    }
  }

 private:
  using Value = std::uint32_t;
  struct Slot {
    std::mutex mutex;
    std::optional<Array<Value>> array;
    std::vector<Value> model;
    std::size_t owner = 0;  ///< worker whose team the array uses
  };

  void step(std::size_t worker, Trace& trace) {
    const memory::Context context{setting_.machine, *teams_[worker], setting_.backend};
    const std::size_t operation = trace.draw(10);
    Slot& slot = slots_[trace.draw(slots_.size())];
    Slot& other = slots_[trace.draw(slots_.size())];
    std::unique_lock lock(slot.mutex, std::defer_lock);
    std::unique_lock lock_other(other.mutex, std::defer_lock);
    if (&slot == &other)
      lock.lock();
    else
      std::lock(lock, lock_other);

    if (!slot.array) {
      const std::size_t size = trace.draw(trace.draw(4) == 0 ? setting_.most_elements : 5000);
      const Layout layout = draw_layout(trace, size);
      if (succeeds([&] { slot.array.emplace(context, size, layout); })) {
        slot.model.assign(size, 0);
        slot.owner = worker;
        check_places(slot, 0);
      }
      return;
    }
    if (operation == 0) return slot.array.reset();
    if (operation == 1 || slot.owner != worker) {  // a move changes the owner
      const Layout layout = draw_layout(trace, slot.model.size());
      std::uint64_t misplaced = 0;
      if (succeeds([&] { misplaced = slot.array->move_to(context, layout); })) {
        require(slot.array->layout() == layout, "layout after a move");
        slot.owner = worker;
        check_places(slot, misplaced);
      }
      return check(slot);
    }
    const std::size_t size = slot.model.size();
    switch (operation) {
      case 2: {
        const auto value = static_cast<Value>(trace.draw(1 << 24));
        slot.array->fill(value);
        slot.model.assign(size, value);
        break;
      }
      case 3: {
        std::vector<Value> part(trace.draw(size + 1));
        const std::size_t first = trace.draw(size - part.size() + 1);
        for (std::size_t i = 0; i < part.size(); ++i)
          part[i] = slot.model[first + i] = static_cast<Value>(i * 3 + first);
        slot.array->copy_from(part, first);
        break;
      }
      case 4:
        if (!other.array || &other == &slot) break;
        if (other.model.size() == size) {
          slot.array->copy_from(*other.array);
          slot.model = other.model;
        } else {
          require(!succeeds([&] { slot.array->copy_from(*other.array); }), "copied another size");
        }
        break;
      case 5: {
        WriteSet written = slot.array->write_set(trace.draw(2) == 0 ? WriteSet::Granule::line
                                                                    : WriteSet::Granule::page);
        for (std::size_t writes = size == 0 ? 0 : trace.draw(20); writes > 0; --writes) {
          const std::size_t i = trace.draw(size);
          slot.model[i] += 17;
          slot.array->set(i, slot.model[i], written);
        }
        slot.array->sync(written);
        break;
      }
      case 6:
        for (std::size_t writes = size == 0 ? 0 : trace.draw(20); writes > 0; --writes) {
          const std::size_t i = trace.draw(size);
          slot.array->set_in_all_copies(i, ++slot.model[i]);
        }
        break;
      case 7: {  // in the background; a cancelled copy leaves any part undone
        std::vector<Value> content(size);
        for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<Value>(i ^ 0x5A5A5A);
        memory::Transfer transfer = start_copy(
            engines_, *slot.array, std::span<const Value>(content), 0, {.may_block = false});
        if (trace.draw(4) == 0) {
          static_cast<void>(transfer.cancel());
          slot.array->copy_from(std::span<const Value>(slot.model));
        } else {
          transfer.wait();
          slot.model = content;
        }
        break;
      }
      default:
        check(slot);
    }
  }

  Layout draw_layout(Trace& trace, std::size_t size) const {
    const auto memories = setting_.machine.memories();
    const auto node = [&] { return memories[trace.draw(memories.size())].id; };
    Layout layout;
    layout.pages = setting_.page_sizes[trace.draw(setting_.page_sizes.size())];
    std::vector<NodeId> nodes{node()};
    while (nodes.size() < 5 && trace.draw(3) != 0) nodes.push_back(node());
    switch (trace.draw(5)) {
      case 0:
        layout.where = SingleNode{nodes.front()};
        break;
      case 1:
        layout.where = Distributed{nodes, page_bytes(layout.pages) * (1 + trace.draw(3))};
        break;
      case 2:
        layout.where = Partitioned{nodes};
        break;
      case 3: {
        Partitioned parts{nodes, {}};
        for (std::size_t part = 0; part < nodes.size(); ++part)
          parts.ends.push_back(trace.draw(size + 1));
        std::sort(parts.ends.begin(), parts.ends.end());
        parts.ends.back() = size;
        layout.where = parts;
        break;
      }
      default: {
        std::set<NodeId> different(nodes.begin(), nodes.end());
        layout.where = Replicated{{different.begin(), different.end()}};
      }
    }
    return layout;
  }

  template <class Work>
  static bool succeeds(Work&& work) {
    try {
      work();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void check(const Slot& slot) const {
    if (!slot.array) return;
    const RawArray& raw = slot.array->raw();
    require(raw.copies() == slot.array->layout().copies(), "number of copies");
    for (std::size_t copy = 0; copy < raw.copies(); ++copy)
      require(std::equal(slot.model.begin(), slot.model.end(),
                         reinterpret_cast<const Value*>(raw.copy(copy))),
              "content");
  }

  void check_places(const Slot& slot, std::uint64_t misplaced) const {
    if (!setting_.nodes_have_room) return;
    require(misplaced == 0, "pages that found no room");
    for (const CopyWhereabouts& copy : slot.array->where())
      require(copy.misplaced == 0, "a page elsewhere than the layout says");
  }

  Setting setting_;
  std::span<const Team* const> teams_;
  memory::CopyEngines engines_;
  std::array<Slot, 7> slots_;
};

}  // namespace Atoll::fuzz
