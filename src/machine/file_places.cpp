// Reads and writes chains of places, and the operating system's numbers.
#include "machine/file_places.hpp"

#include <charconv>
#include <climits>
#include <map>
#include <numeric>

#include "atoll/base/units.hpp"
#include "machine/check.hpp"
#include "machine/node_set.hpp"
#include "machine/quantity.hpp"

namespace Atoll::detail {
namespace {

constexpr std::size_t kMaxPlaces = 8 * kMaxProcessors;
constexpr std::string_view kCoresFirst = "cores first";

struct Step {  // for example "4 l2 2 MiB"
  std::size_t count = 1;
  PlaceKind kind = PlaceKind::pu;
  std::uint64_t cache_bytes = 0;
};

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_cache(PlaceKind kind) {
  return kind == PlaceKind::l1 || kind == PlaceKind::l2 || kind == PlaceKind::l3;
}

Step read_step(std::string_view text, const JsonCursor& at) {
  const auto wrong = [&, whole = text] {
    return at.wrong(fmt::format("'{}' is not a place", trim(whole)),
                    "write for example '2 package > numa > l3 20 MiB > 8 core > 2 pu'");
  };
  text = trim(text);
  Step step;
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), step.count);
    if (error != std::errc{} || step.count == 0 || step.count > kMaxProcessors) throw wrong();
    text = trim(text.substr(static_cast<std::size_t>(rest - text.data())));
  }
  const std::size_t end = std::min(text.find(' '), text.size());
  const auto kind = place_kind(text.substr(0, end));
  if (!kind || kind == PlaceKind::machine) throw wrong();
  step.kind = *kind;
  text = trim(text.substr(end));
  if (!text.empty()) {
    if (!is_cache(step.kind)) throw wrong();
    step.cache_bytes = parse_bytes(text, at.where());
  }
  return step;
}

std::vector<Step> read_chain(const JsonCursor& at) {
  std::string_view text = at.string();
  std::vector<Step> steps;
  for (;;) {
    const std::size_t end = text.find('>');
    steps.push_back(read_step(text.substr(0, end), at));
    if (steps.size() > 32)
      throw at.wrong("more than 32 places within each other", "fold the groups");
    if (end == std::string_view::npos) return steps;
    text.remove_prefix(end + 1);
  }
}

std::size_t size_of(const std::vector<Place>& places) {
  std::size_t size = places.size();
  for (const Place& place : places) size += size_of(place.children);
  return size;
}

std::vector<Place> read_entries(const JsonCursor& list, std::size_t depth);

std::vector<Place> read_entry(const JsonCursor& entry, std::size_t depth) {
  std::vector<Place> inside;
  if (!entry.is_string()) {
    entry.with_keys({"chain", "inside"});
    if (depth > 32) throw entry.wrong("more than 32 lists within each other", "fold the groups");
    inside = read_entries(entry.get("inside"), depth + 1);
  }
  const std::vector<Step> steps = read_chain(entry.is_string() ? entry : entry.get("chain"));
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if ((size_of(inside) + 1) * step->count > kMaxPlaces)
      throw entry.wrong(fmt::format("more than {} places", kMaxPlaces), "give smaller counts");
    Place place;
    place.kind = step->kind;
    place.cache_bytes = step->cache_bytes;
    place.children = std::move(inside);
    inside.assign(step->count, place);
  }
  return inside;
}

std::vector<Place> read_entries(const JsonCursor& list, std::size_t depth) {
  std::vector<Place> places;
  for (const JsonCursor& entry : list.elements()) {
    std::vector<Place> some = read_entry(entry, depth);
    std::move(some.begin(), some.end(), std::back_inserter(places));
    if (size_of(places) > kMaxPlaces)
      throw list.wrong(fmt::format("more than {} places", kMaxPlaces), "give smaller counts");
  }
  return places;
}

/// True if the trees are equal except for numbers and memories, which have separate entries in the
/// file.
bool same_shape(const Place& a, const Place& b) {
  return a.kind == b.kind && a.cache_bytes == b.cache_bytes &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same_shape);
}

Json write_entries(const std::vector<Place>& places) {
  auto list = Json::array();
  for (std::size_t i = 0; i < places.size();) {
    std::string chain;
    const std::vector<Place>* level = &places;
    std::size_t at = i;
    for (;;) {
      const Place& place = (*level)[at];
      std::size_t count = 1;
      while (at + count < level->size() && same_shape(place, (*level)[at + count])) ++count;
      if (level == &places) i += count;
      if (!chain.empty()) chain += " > ";
      if (count > 1) chain += fmt::format("{} ", count);
      chain += to_string(place.kind);
      if (place.cache_bytes > 0) chain += ' ' + write_bytes(place.cache_bytes);
      level = &place.children;
      at = 0;
      const bool one_shape =
          !level->empty() && std::all_of(level->begin(), level->end(), [&](const Place& other) {
            return same_shape(level->front(), other);
          });
      if (!one_shape) break;
    }
    if (level->empty())
      list.push_back(chain);
    else
      list.push_back({{"chain", chain}, {"inside", write_entries(*level)}});
  }
  return list;
}

std::vector<Place*> all_of_kind(Place& place, PlaceKind kind) {
  std::vector<Place*> found;
  if (place.kind == kind) found.push_back(&place);
  for (Place& child : place.children)
    for (Place* below : all_of_kind(child, kind)) found.push_back(below);
  return found;
}

/// Numbers processing units as Linux does on most servers: the first unit of every core, then the
/// second unit of every core.
std::vector<int> cores_first(const Place& root) {
  std::map<const Place*, int> units_of_core;
  std::vector<int> ranks;
  walk(root, [&](const Place& place, const Path& path) {
    if (place.kind == PlaceKind::pu) ranks.push_back(units_of_core[path.back()]++);
  });
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
  std::vector<int> numbers(ranks.size());
  for (std::size_t i = 0; i < order.size(); ++i) numbers[order[i]] = static_cast<int>(i);
  return numbers;
}

void set_numbers(const std::optional<JsonCursor>& list, const std::vector<Place*>& places,
                 int most) {
  for (std::size_t i = 0; i < places.size(); ++i) places[i]->os_index = static_cast<int>(i);
  if (!list) return;
  const std::vector<int> numbers = parse_numbers(list->string(), list->where(), most);
  if (numbers.size() != places.size())
    throw list->wrong(fmt::format("{} numbers for {} places", numbers.size(), places.size()),
                      "give one for each, in the order of the places");
  for (std::size_t i = 0; i < places.size(); ++i) places[i]->os_index = numbers[i];
}

}  // namespace

Place read_places(const JsonCursor& places) {
  Place root;
  root.children = places.is_string() ? read_entry(places, 0) : read_entries(places, 0);
  number_places(root);
  return root;
}

Json write_places(const Place& root) {
  auto list = write_entries(root.children);
  return list.size() == 1 && list[0].is_string() ? list[0] : list;
}

void read_numbers(const JsonCursor& file, Place& root) {
  // Firmware chooses the numbers of packages: on Altix, the upper bits contain the rack.
  set_numbers(file.find("package_numbers"), all_of_kind(root, PlaceKind::package), INT_MAX);
  const auto numbers = file.find("pu_numbers");
  const std::vector<Place*> units = all_of_kind(root, PlaceKind::pu);
  if (numbers && numbers->is_string() && numbers->string() == kCoresFirst) {
    const std::vector<int> in_order = cores_first(root);
    for (std::size_t i = 0; i < units.size(); ++i) units[i]->os_index = in_order[i];
  } else {
    set_numbers(numbers, units, static_cast<int>(kMaxProcessors));
  }
}

void write_numbers(const Place& root, Json& file) {
  std::map<PlaceKind, std::vector<int>> numbers;
  walk(root,
       [&](const Place& place, const Path&) { numbers[place.kind].push_back(place.os_index); });
  const auto in_order = [](const std::vector<int>& of_kind) {
    for (std::size_t i = 0; i < of_kind.size(); ++i)
      if (of_kind[i] != static_cast<int>(i)) return false;
    return true;
  };
  if (!in_order(numbers[PlaceKind::package]))
    file["package_numbers"] = format_numbers(numbers[PlaceKind::package]);
  const std::vector<int>& units = numbers[PlaceKind::pu];
  if (in_order(units)) return;
  file["pu_numbers"] =
      units == cores_first(root) ? std::string(kCoresFirst) : format_numbers(units);
}

std::vector<Place*> find_places(const JsonCursor& at, Place& root) {
  const std::string_view text = at.string();
  const std::size_t end = std::min(text.find(' '), text.size());
  const auto kind = place_kind(text.substr(0, end));
  if (!kind)
    throw at.wrong(fmt::format("'{}' is not a kind of place", text.substr(0, end)),
                   "write for example 'numa', 'numa 0-3' or 'machine'");
  std::vector<Place*> all = all_of_kind(root, *kind);
  if (all.empty())
    throw at.wrong(fmt::format("there is no {} place", text.substr(0, end)),
                   "see 'places', or attach it to the machine");
  if (end == text.size()) return all;
  std::vector<Place*> some;
  for (const int index :
       parse_numbers(trim(text.substr(end)), at.where(), static_cast<int>(all.size()) - 1))
    some.push_back(all[static_cast<std::size_t>(index)]);
  return some;
}

}  // namespace Atoll::detail
