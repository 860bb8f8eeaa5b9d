// Builds one dictionary of all chunks' words, in the order of the text.
#include "graph/words.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>

#include "graph/buckets.hpp"

namespace Atoll::graph {
namespace {

/// True if all words are decimal numbers in the form of to_string(); then `numbers` holds them.
bool all_numbers(const std::vector<std::string>& words, std::vector<std::uint64_t>& numbers) {
  numbers.reserve(words.size());
  for (const std::string& word : words) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc{} || end != word.data() + word.size() ||
        (word[0] == '0' && word.size() > 1))
      return false;
    numbers.push_back(number);
  }
  return true;
}

}  // namespace

std::vector<std::string> number_words(std::vector<FieldChunk>& chunks, const Team& team) {
  std::unordered_map<std::string, std::uint64_t> dictionary;
  std::vector<std::vector<std::uint64_t>> nodes(chunks.size());  // of each chunk's words
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    for (std::string& word : chunks[i].words)
      nodes[i].push_back(dictionary.try_emplace(std::move(word), dictionary.size()).first->second);
    chunks[i].words = {};
  }
  std::vector<std::string> words(dictionary.size());
  while (!dictionary.empty()) {
    auto entry = dictionary.extract(dictionary.begin());
    words[entry.mapped()] = std::move(entry.key());
  }

  std::vector<std::uint64_t> place(words.size());  // final number of each node
  std::iota(place.begin(), place.end(), 0);
  if (std::vector<std::uint64_t> numbers; all_numbers(words, numbers)) {
    std::vector<std::uint64_t> order = place;
    std::sort(order.begin(), order.end(),
              [&](std::uint64_t a, std::uint64_t b) { return numbers[a] < numbers[b]; });
    std::vector<std::string> sorted(words.size());
    for (std::uint64_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted[i] = std::move(words[order[i]]);
    }
    words = std::move(sorted);
  }
  for_each_part(team, chunks.size(), [&](std::size_t i) {
    for (std::size_t pair = 0; pair < chunks[i].pairs.size(); ++pair) {
      auto& [from, to] = chunks[i].pairs[pair];
      from = place[nodes[i][from]];
      to = place[nodes[i][to]];
    }
  });
  return words;
}

}  // namespace Atoll::graph
