// Makes one pass over the chunks, then sorts by page.
#include "profile/pages_by_node.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "profile/pack.hpp"

namespace Atoll::profile {
namespace {

class Collector {
 public:
  Collector(const Profile& profile, const Places& places)
      : profile_(profile), places_(places), window_(kChunkPages * places.nodes.size()) {
    result_.nodes = places.nodes.size();
  }

  PagesByNode collect() {
    const PackedChunk* group = nullptr;  // chunks of one object and window are consecutive
    for (const PackedChunk& packed : profile_.chunks) {
      if (group != nullptr &&
          (group->object != packed.object || group->first_page != packed.first_page))
        close(*group);
      group = &packed;
      const Chunk& chunk = unpacker_.unpack(packed);
      const std::uint32_t node = places_.nodes_of_threads[chunk.thread];
      for (std::size_t i = 0; i < chunk.pages.size(); ++i) {
        const std::uint64_t count = chunk.traffic[i];
        window_[chunk.pages[i] * result_.nodes + node] += count;
      }
    }
    if (group != nullptr) close(*group);
    sort();
    return std::move(result_);
  }

 private:
  void close(const PackedChunk& group) {
    const recording::Recording& run = profile_.recording;
    const std::uint32_t process = run.objects[group.object].process;
    const auto touch = std::ranges::lower_bound(
        profile_.first_touch, std::pair(process, group.first_page), {},
        [](const FirstTouch& one) { return std::pair(one.process, one.first_page); });
    const bool touched = touch != profile_.first_touch.end() && touch->process == process &&
                         touch->first_page == group.first_page;
    std::size_t at = 0;  // position in the touch's pages
    for (std::uint32_t page = 0; page < kChunkPages; ++page) {
      const auto counts = window_.begin() + static_cast<std::ptrdiff_t>(page * result_.nodes);
      const auto counts_end = counts + static_cast<std::ptrdiff_t>(result_.nodes);
      if (std::all_of(counts, counts_end, [](std::uint64_t count) { return count == 0; })) continue;
      PageRow row{.page = group.first_page + page,
                  .process = process,
                  .object = group.object,
                  .first_touch = group.thread,
                  .samples = kSamplesUnknown};
      while (touched && at < touch->pages.size() && touch->pages[at] < page) ++at;
      if (touched && at < touch->pages.size() && touch->pages[at] == page) {
        row.first_touch = touch->threads[at];
        row.epochs = touch->epochs[at];
        if (run.epochs > 1)
          row.samples = static_cast<std::uint32_t>(std::popcount(touch->epochs[at]));
      }
      result_.rows.push_back(row);
      result_.accesses.insert(result_.accesses.end(), counts, counts_end);
      std::fill(counts, counts_end, 0);
    }
  }

  void sort() {
    const auto key = [&](std::size_t row) {
      const PageRow& of = result_.rows[row];
      return std::tuple(of.process, of.page, of.object);
    };
    std::vector<std::size_t> order(result_.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (std::ranges::is_sorted(order, {}, key)) return;
    std::ranges::sort(order, {}, key);
    PagesByNode sorted{.nodes = result_.nodes};
    sorted.rows.reserve(order.size());
    sorted.accesses.reserve(result_.accesses.size());
    for (const std::size_t row : order) {
      sorted.rows.push_back(result_.rows[row]);
      const auto counts = result_.of(row);
      sorted.accesses.insert(sorted.accesses.end(), counts.begin(), counts.end());
    }
    result_ = std::move(sorted);
  }

  const Profile& profile_;
  const Places& places_;
  std::vector<std::uint64_t> window_;  ///< accesses by page and node
  PagesByNode result_;
  Unpacker unpacker_;
};

}  // namespace

PagesByNode pages_by_node(const Profile& profile, const Places& places) {
  return Collector(profile, places).collect();
}

}  // namespace Atoll::profile
