// Layouts as JSON:
//   {"kind":"single","node":0,"pages":"2m"}
//   {"kind":"distributed","nodes":[0,1],"granule_bytes":4096,"pages":"4k"}
//   {"kind":"partitioned","nodes":[0,0,1,1],"pages":"2m"}
//   {"kind":"partitioned","nodes":[0,1],"ends":[10,100],"pages":"2m-pool"}
//   {"kind":"replicated","nodes":[0,1],"pages":"2m"}
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "atoll/base/error.hpp"
#include "atoll/plan/layout.hpp"
#include "base/overloaded.hpp"

namespace Atoll {
namespace {

using Json = nlohmann::json;

// Reads the members of one layout; each error names the file and the member.
class Reader {
 public:
  Reader(std::string_view text, std::string_view where) : where_(where) {
    try {
      json_ = Json::parse(text);
    } catch (const Json::parse_error& error) {
      throw Error::input(fmt::format("{}, byte {}", where, error.byte), "this is not JSON",
                         "write one object, such as " + std::string(kExample));
    }
    if (!json_.is_object())
      throw Error::input(where, "a layout is an object", "write " + std::string(kExample));
  }

  [[nodiscard]] Layout layout() const {
    const std::string kind = word("kind");
    Layout layout;
    const std::string pages = word("pages");
    const auto known = page_size_from_string(pages);
    if (!known)
      throw wrong("pages", fmt::format("'{}' is no page size", pages),
                  "write 4k, 2m, 2m-pool or 1g");
    layout.pages = *known;
    if (kind == "single") {
      only({"kind", "pages", "node"});
      layout.where = SingleNode{node(member("node"), "node")};
    } else if (kind == "distributed") {
      only({"kind", "pages", "nodes", "granule_bytes"});
      layout.where = Distributed{nodes(), granule(page_bytes(layout.pages))};
    } else if (kind == "partitioned") {
      only({"kind", "pages", "nodes", "ends"});
      const auto parts = nodes();
      layout.where = Partitioned{parts, ends(parts.size())};
    } else if (kind == "replicated") {
      only({"kind", "pages", "nodes"});
      Replicated copies{nodes()};
      auto sorted = copies.nodes;
      std::ranges::sort(sorted);
      if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw wrong("nodes", fmt::format("two copies on node {}", twice->value), "name it once");
      layout.where = std::move(copies);
    } else {
      throw wrong("kind", fmt::format("'{}' is no kind of layout", kind),
                  "write single, distributed, partitioned or replicated");
    }
    return layout;
  }

 private:
  static constexpr std::string_view kExample = R"({"kind":"single","node":0,"pages":"2m"})";

  [[nodiscard]] Error wrong(std::string_view member, std::string_view what,
                            std::string_view way_out) const {
    return Error::input(fmt::format("{}, '{}'", where_, member), what, way_out);
  }

  [[nodiscard]] const Json& member(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) throw wrong(name, "this member is missing", "add it");
    return *found;
  }

  [[nodiscard]] std::string word(const char* name) const {
    const Json& value = member(name);
    if (!value.is_string()) throw wrong(name, "this is not a string", "write it in quotes");
    return value.get<std::string>();
  }

  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [name, value] : json_.items())
      if (std::ranges::find(known, name) == known.end())
        throw wrong(name, fmt::format("a {} layout has no such member", word("kind")), "remove it");
  }

  [[nodiscard]] NodeId node(const Json& value, const char* name) const {
    // The greatest number stands for "nowhere" in lists of pages.
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= UINT32_MAX)
      throw wrong(name, fmt::format("{} is not a node's number", printed(value)),
                  "write a whole number, such as 0");
    return NodeId{value.get<std::uint32_t>()};
  }

  [[nodiscard]] std::vector<NodeId> nodes() const {
    const Json& list = member("nodes");
    if (!list.is_array() || list.empty())
      throw wrong("nodes", "this is not a list of nodes", "write it as [0,1]");
    std::vector<NodeId> result;
    for (const Json& value : list) result.push_back(node(value, "nodes"));
    return result;
  }

  [[nodiscard]] std::vector<std::uint64_t> ends(std::size_t parts) const {
    if (!json_.contains("ends")) return {};
    const Json& list = json_.at("ends");
    if (!list.is_array() || list.size() != parts)
      throw wrong("ends", "this is not a list with a number for each node", "write it as [10,100]");
    std::vector<std::uint64_t> result;
    for (const Json& value : list) {
      if (!value.is_number_unsigned() ||
          (!result.empty() && value.get<std::uint64_t>() < result.back()))
        throw wrong("ends", fmt::format("{} does not follow", printed(value)),
                    "write whole numbers in ascending order");
      result.push_back(value.get<std::uint64_t>());
    }
    return result;
  }

  [[nodiscard]] std::uint64_t granule(std::uint64_t page) const {
    const Json& value = member("granule_bytes");
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 ||
        value.get<std::uint64_t>() % page != 0)
      throw wrong("granule_bytes", fmt::format("{} is not a multiple of the page", printed(value)),
                  fmt::format("write {} or a multiple of it", page));
    return value.get<std::uint64_t>();
  }

  // For messages: short, whatever it is; lists may be nested too deep to print.
  [[nodiscard]] static std::string printed(const Json& value) {
    if (value.is_structured()) return fmt::format("an {}", value.type_name());
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() <= 24 ? text : text.substr(0, 21) + "...";
  }

  std::string where_;
  Json json_;
};

}  // namespace

std::string to_json(const Layout& layout) {
  using Object = nlohmann::ordered_json;
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
  return Reader(text, where).layout();
}

}  // namespace Atoll
