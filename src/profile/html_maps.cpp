// Maps of pages x threads for the HTML report. Reads the chunks of each object, builds the levels
// of its pyramid, and keeps as many levels as fit.
#include <algorithm>

#include "atoll/base/json.hpp"
#include "profile/html_parts.hpp"
#include "profile/html_tiles.hpp"
#include "profile/pack.hpp"

namespace Atoll::profile {
namespace {

/// Bytes of the page's reference to a tile, without the tile itself.
constexpr std::size_t kTileEntry = 24;

/// The highest counts of a thread on a page: the upper ends of the colour scales.
struct Most {
  std::uint64_t all = 0, reads = 0, writes = 0;
};

/// Adds an object's pages to its pyramid.
class MapReader {
 public:
  explicit MapReader(const Profile& profile) : profile_(profile), window_(kChunkPages) {}

  /// Reads the chunks of one object.
  Most read(std::span<const PackedChunk> chunks, TilePyramid& pyramid) {
    Most most;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Chunk& chunk = unpacker_.unpack(chunks[i]);
      for (std::size_t at = 0; at < chunk.pages.size(); ++at) {
        const std::uint64_t reads = chunk.reads[at], writes = chunk.writes[at];
        window_[chunk.pages[at]].accesses.push_back(
            {.thread = chunk.thread, .reads = reads, .writes = writes});
        most = {.all = std::max(most.all, reads + writes),
                .reads = std::max(most.reads, reads),
                .writes = std::max(most.writes, writes)};
      }
      if (i + 1 == chunks.size() || chunks[i + 1].first_page != chunks[i].first_page)
        close(chunks[i], pyramid);
    }
    return most;
  }

 private:
  void close(const PackedChunk& group, TilePyramid& pyramid) {
    const std::pair key(profile_.recording.objects[group.object].process, group.first_page);
    const auto touch = std::ranges::lower_bound(
        profile_.first_touch, key, {},
        [](const FirstTouch& one) { return std::pair(one.process, one.first_page); });
    for (std::uint32_t page = 0; page < kChunkPages; ++page) {
      PageColumn& column = window_[page];
      if (column.accesses.empty()) continue;
      column.first_page = group.first_page + page;
      const auto at = std::ranges::lower_bound(touch->pages, page) - touch->pages.begin();
      column.touched = {
          {.thread = toucher(touch->threads[static_cast<std::size_t>(at)]), .pages = 1}};
      pyramid.add(column);
      column.accesses.clear();
    }
  }

  /// Returns the thread that touched the page first, or the number of threads if it is unknown.
  [[nodiscard]] std::uint32_t toucher(std::uint32_t first_touch) const {
    const recording::Recording& run = profile_.recording;
    const auto threads = static_cast<std::uint32_t>(run.threads.size());
    return first_touch < threads ? first_touch
                                 : std::min(run.homes[first_touch - threads].thread, threads);
  }

  const Profile& profile_;
  std::vector<PageColumn> window_;
  Unpacker unpacker_;
};

/// Returns the finest level that can fit into `bytes`: each level has at least a quarter of the
/// bytes of the next finer one.
int finest_that_can_fit(std::span<const PackedChunk> chunks, std::size_t bytes) {
  std::size_t packed = 0;
  for (const PackedChunk& chunk : chunks) packed += chunk.counts.size();
  int finest = 0;
  for (; packed / 2 > bytes; packed /= 4) ++finest;
  return finest;
}

}  // namespace

Json html_maps(const Profile& profile, std::span<const std::uint32_t> objects, std::size_t bytes,
               HtmlData& data) {
  MapReader reader(profile);
  std::vector<std::vector<TileLevel>> levels;
  std::vector<std::uint64_t> pages;
  std::vector<Most> most;
  for (const std::uint32_t object : objects) {
    const auto range = std::ranges::equal_range(profile.chunks, object, {}, &PackedChunk::object);
    TilePyramid pyramid(finest_that_can_fit({range.begin(), range.end()}, bytes));
    most.push_back(reader.read({range.begin(), range.end()}, pyramid));
    pages.push_back(pyramid.pages());
    levels.push_back(pyramid.finish());
  }
  // The coarse levels of all objects are kept first, then finer ones, object by object.
  std::vector<std::size_t> kept(objects.size());
  std::size_t room = bytes;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (kept[i] == levels[i].size()) continue;
      const TileLevel& level = levels[i][levels[i].size() - 1 - kept[i]];
      const std::size_t next = level.bytes + level.tiles.size() * kTileEntry;
      if (next > room) continue;
      room -= next;
      ++kept[i];
      more = true;
    }
  }
  Json maps = Json::array();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Json parts = Json::array();
    for (std::size_t at = levels[i].size() - kept[i]; at < levels[i].size(); ++at) {
      Json tiles = Json::array();
      for (const std::string& tile : levels[i][at].tiles) tiles.push_back(to_json(data.add(tile)));
      parts.push_back({{"pages_a_column", levels[i][at].pages_a_column}, {"tiles", tiles}});
    }
    maps.push_back(
        {{"pages", pages[i]},
         {"most", {{"all", most[i].all}, {"reads", most[i].reads}, {"writes", most[i].writes}}},
         {"levels", parts}});
  }
  return maps;
}

}  // namespace Atoll::profile
