// Layouts as JSON:
//   {"kind":"single","node":0,"pages":"2m"}
//   {"kind":"distributed","nodes":[0,1],"granule_bytes":4096,"pages":"4k"}
//   {"kind":"partitioned","nodes":[0,0,1,1],"pages":"2m"}
//   {"kind":"partitioned","nodes":[0,1],"ends":[10,100],"pages":"2m-pool"}
//   {"kind":"replicated","nodes":[0,1],"pages":"2m"}
#include "plan/layout_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/json.hpp"
#include "base/json_text.hpp"
#include "base/overloaded.hpp"

namespace Atoll {
namespace {

using detail::JsonCursor;

constexpr std::string_view kExample =
    R"(write one object, such as {"kind":"single","node":0,"pages":"2m"})";

NodeId node_from(const JsonCursor& json) {
  // The greatest number is reserved: in lists of pages it means that a page has no node.
  return NodeId{json.whole_number(UINT32_MAX - 1)};
}

std::vector<NodeId> nodes_from(const JsonCursor& layout) {
  const JsonCursor list = layout.get("nodes");
  std::vector<NodeId> nodes;
  for (const JsonCursor& node : list.elements()) nodes.push_back(node_from(node));
  if (nodes.empty()) throw list.wrong("a layout needs a node", "write them as [0,1]");
  return nodes;
}

std::vector<std::uint64_t> ends_from(const JsonCursor& layout, std::size_t parts) {
  const auto list = layout.find("ends");
  if (!list) return {};
  std::vector<std::uint64_t> ends;
  for (const JsonCursor& end : list->elements()) {
    ends.push_back(end.whole_number(UINT64_MAX));
    if (ends.size() > 1 && ends.back() < ends[ends.size() - 2])
      throw end.wrong(fmt::format("{} does not follow", ends.back()),
                      "write them in ascending order");
  }
  if (ends.size() != parts)
    throw list->wrong("there must be one number for each node", "write it as [10,100]");
  return ends;
}

std::uint64_t granule_from(const JsonCursor& json, std::uint64_t page) {
  const auto granule = json.whole_number(UINT64_MAX);
  if (granule == 0 || granule % page != 0)
    throw json.wrong(fmt::format("{} is not a multiple of the page", granule),
                     fmt::format("write {} or a multiple of it", page));
  return granule;
}

Replicated copies_from(const JsonCursor& layout) {
  Replicated copies{nodes_from(layout)};
  auto sorted = copies.nodes;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw layout.get("nodes").wrong(fmt::format("two copies on node {}", twice->value),
                                    "name it once");
  return copies;
}

}  // namespace

Layout detail::layout_from(const JsonCursor& json) {
  if (!json.json().is_object()) throw json.wrong("a layout is an object", kExample);
  const JsonCursor kind = json.get("kind"), pages = json.get("pages");
  Layout layout;
  const auto known = page_size_from_string(pages.string());
  if (!known)
    throw pages.wrong(fmt::format("'{}' is no page size", pages.string()),
                      "write 4k, 2m, 2m-pool or 1g");
  layout.pages = *known;
  if (kind.string() == "single") {
    layout.where = SingleNode{node_from(json.with_keys({"kind", "pages", "node"}).get("node"))};
  } else if (kind.string() == "distributed") {
    json.with_keys({"kind", "pages", "nodes", "granule_bytes"});
    layout.where = Distributed{nodes_from(json),
                               granule_from(json.get("granule_bytes"), page_bytes(layout.pages))};
  } else if (kind.string() == "partitioned") {
    const auto parts = nodes_from(json.with_keys({"kind", "pages", "nodes", "ends"}));
    layout.where = Partitioned{parts, ends_from(json, parts.size())};
  } else if (kind.string() == "replicated") {
    layout.where = copies_from(json.with_keys({"kind", "pages", "nodes"}));
  } else {
    throw kind.wrong(fmt::format("'{}' is no kind of layout", kind.string()),
                     "write single, distributed, partitioned or replicated");
  }
  return layout;
}

std::string to_json(const Layout& layout) {
  using Object = Json;
  const auto numbers = [](const std::vector<NodeId>& nodes) {
    std::vector<std::uint32_t> values;
    values.reserve(nodes.size());
    for (const NodeId node : nodes) values.push_back(node.value);
    return values;
  };
  const detail::Overloaded object_of{
      [](const SingleNode& single) {
        return Object{{"kind", "single"}, {"node", single.node.value}};
      },
      [&](const Distributed& distributed) {
        return Object{{"kind", "distributed"},
                      {"nodes", numbers(distributed.nodes)},
                      {"granule_bytes", distributed.granule_bytes}};
      },
      [&](const Partitioned& parts) {
        Object object{{"kind", "partitioned"}, {"nodes", numbers(parts.nodes)}};
        if (!parts.ends.empty()) object["ends"] = parts.ends;
        return object;
      },
      [&](const Replicated& copies) {
        return Object{{"kind", "replicated"}, {"nodes", numbers(copies.nodes)}};
      },
  };
  Object json = std::visit(object_of, layout.where);
  json["pages"] = to_string(layout.pages);
  return json.dump();
}

Layout layout_from_json(std::string_view text, std::string_view where) {
  const Json json = detail::parse_json(text, where, kExample);
  return detail::layout_from(JsonCursor(json, where, kExample));
}

}  // namespace Atoll
