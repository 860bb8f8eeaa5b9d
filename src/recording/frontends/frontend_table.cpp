#include "recording/frontends/frontend_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "atoll/base/error.hpp"
#include "recording/frontends/frontend_rows.hpp"

namespace Atoll::recording {
namespace {

constexpr std::array<const FrontendRow*, 4> kRows{&kCompiledFrontend, &kGccFrontend, &kDbiFrontend,
                                                  &kSampleFrontend};

}  // namespace

std::span<const FrontendRow* const> frontends() {
  return kRows;
}

const FrontendRow& row_of(FrontendName name) {
  return **std::ranges::find(kRows, name, &FrontendRow::name);
}

std::string_view to_string(FrontendName frontend) {
  return row_of(frontend).word;
}

std::optional<FrontendName> frontend_from_string(std::string_view word) {
  const auto found = std::ranges::find(kRows, word, &FrontendRow::word);
  if (found == kRows.end()) return std::nullopt;
  return (*found)->name;
}

bool is_sampled(FrontendName frontend) {
  return row_of(frontend).is_sampled;
}

std::vector<std::string_view> frontend_words(bool with_samples) {
  std::vector<std::string_view> words;
  for (const FrontendRow* row : kRows)
    if (with_samples || !row->is_sampled) words.push_back(row->word);
  return words;
}

std::string alternatives(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return text;
}

ChosenFrontend choose_frontend(std::optional<FrontendName> requested, const std::string& program,
                               const std::string& libraries) {
  if (requested) {
    const FrontendRow& row = row_of(*requested);
    if (const std::string obstacle = row.obstacle(program, libraries); !obstacle.empty())
      throw Error::input(program, obstacle);
    return {row, "asked for by --frontend"};
  }
  // The reason names components that are missing on this computer. It doesn't mention that the
  // program wasn't compiled for a front end.
  std::string missing;
  for (const FrontendRow* row : kRows) {
    const std::string obstacle = row->obstacle(program, libraries);
    if (obstacle.empty()) {
      const std::string also = missing.empty() ? "" : "; " + missing;
      return {*row, std::string(row->about) + also, missing};
    }
    if (row->requires_emulator) missing = fmt::format("for {}, {}", row->word, obstacle);
  }
  throw Error::input(program, "no front end can watch it");
}

}  // namespace Atoll::recording
