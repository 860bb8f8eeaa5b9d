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

/// Returns a check of a text that `read` throws an Error for.
template <class Read>
auto checked(Read read) {
  return [read](const std::string& text) {
    try {
      read(text);
      return std::string();
    } catch (const Error& error) {
      return fmt::format("{}; {}", error.problem(), error.way_out());
    }
  };
}

/// Adds --dry-run and the figures of the machine that it needs.
void add_prediction(const options::Command& call, Options& options) {
  const auto machine = [&options]() -> Prediction& {
    return options.prediction ? *options.prediction : options.prediction.emplace();
  };
  const options::Option size =
      call.add_option_function<std::string>(
              "--fast-size",
              [machine](const std::string& text) {
                machine().fast_bytes = parse_bytes(text, "--fast-size");
              },
              "With --dry-run: fast memory, such as 16GiB")
          .check(checked([](const std::string& text) { (void)parse_bytes(text, "--fast-size"); }))
          .type_name("BYTES");
  const auto bandwidth = [&](const std::string& name, double Prediction::*figure,
                             const std::string& help) {
    return call
        .add_option_function<std::string>(
            name,
            [machine, figure, name](const std::string& text) {
              machine().*figure = bandwidth_from_text(text, name);
            },
            help)
        .check(checked([name](const std::string& text) { (void)bandwidth_from_text(text, name); }))
        .type_name("BANDWIDTH");
  };
  const options::Option fast = bandwidth("--fast-bandwidth", &Prediction::fast_bytes_per_second,
                                         "With --dry-run: its bandwidth, such as 470GB/s");
  const options::Option link = bandwidth("--link", &Prediction::link_bytes_per_second,
                                         "With --dry-run: bandwidth between slow and fast memory");
  const options::Option dry =
      call.add_flag_function(
              "--dry-run", [machine] { (void)machine(); },
              "Computes nothing, and predicts the time of a step on a machine with fast memory")
          .needs(size)
          .needs(fast)
          .needs(link);
  for (const options::Option& figure : {size, fast, link}) (void)figure.needs(dry);
}

}  // namespace

void add_options(options::Command call, Options& options) {
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
  add_prediction(call, options);
}

}  // namespace Atoll::stencil
