#include "atoll/stencil/cli_options.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::stencil {
namespace {

std::uint64_t budget_from_text(const std::string& text) {
  const std::uint64_t bytes = parse_bytes(text, "--budget");
  if (bytes == 0) throw Error::input("--budget", "no memory", "give a size such as 2GiB");
  return bytes;
}

}  // namespace

void add_options(options::Command call, Options& options) {
  const auto checked = [](auto&& read) {
    return [read](const std::string& text) {
      try {
        read(text);
        return std::string();
      } catch (const Error& error) {
        return fmt::format("{}; {}", error.problem(), error.way_out());
      }
    };
  };
  call.add_option("--threads", options.threads, "Threads (one for each core)")
      .check(value::count(1, 4096))
      .type_name("N");
  call.add_option_function<std::string>(
          "--mode",
          [&options](const std::string& text) { options.mode = mode_from_text(text, "--mode"); },
          "tiled, untiled, or checked: what loops declare is compared with what they do (tiled)")
      .check(checked([](const std::string& text) { (void)mode_from_text(text, "--mode"); }))
      .type_name("MODE");
  call.add_option_function<std::string>(
          "--tile",
          [&options](const std::string& text) { options.tile = tile_from_text(text, "--tile"); },
          "Points of a tile, such as 480x16 (chosen)")
      .check(checked([](const std::string& text) { (void)tile_from_text(text, "--tile"); }))
      .type_name("SIZE");
  call.add_option_function<std::string>(
          "--budget",
          [&options](const std::string& text) { options.budget = budget_from_text(text); },
          "Memory for fields, such as 2GiB (as much as is available)")
      .check(checked([](const std::string& text) { (void)budget_from_text(text); }))
      .type_name("BYTES");
  call.add_option("--home", options.home,
                  "Folder of a file for fields that exceed this memory (none)")
      .type_name("FOLDER");
  call.add_option("--fast", options.fast,
                  "Or nodes of the memory for fields, such as hbm or 2-3; the others are on the "
                  "other nodes (none)")
      .type_name("NODES");
  call.add_option_function<std::string>(
          "--without",
          [&options](const std::string& text) {
            options.without = without_from_text(text, "--without");
          },
          "Optimisations that are turned off: read-only, write-first, cyclic, prefetch, summary")
      .check(checked([](const std::string& text) { (void)without_from_text(text, "--without"); }))
      .type_name("LIST");
}

}  // namespace Atoll::stencil
