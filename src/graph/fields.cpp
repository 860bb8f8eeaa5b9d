// Splits lines into fields, and parses the required ones.
#include "graph/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <unordered_map>

#include "atoll/base/units.hpp"
#include "graph/dictionary.hpp"
#include "graph/real_number.hpp"
#include "graph/text_chunks.hpp"

namespace Atoll::graph {
namespace {

/// Removes a quoted field with its quotes from the beginning of `line`. Returns false if the
/// closing quote is missing.
bool take_quoted(std::string_view& line, std::string_view& field, std::string& unquoted) {
  std::size_t end = 1;
  bool doubled = false;
  for (;; end += 2) {  // a doubled quote is one quote character
    end = line.find('"', end);
    if (end == std::string_view::npos) return false;
    if (end + 1 == line.size() || line[end + 1] != '"') break;
    doubled = true;
  }
  field = line.substr(1, end - 1);
  line.remove_prefix(end + 1);
  if (!doubled) return true;
  unquoted.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    unquoted += field[i];
    if (field[i] == '"') ++i;
  }
  field = unquoted;
  return true;
}

template <class Number>
bool reads(std::string_view word, Number& number) {
  const char* const behind = word.data() + word.size();
  const auto [end, problem] = std::from_chars(word.data(), behind, number);
  return problem == std::errc{} && end == behind;
}

bool is_exact_double(std::int64_t whole) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  return -kExact <= whole && whole <= kExact;
}

/// Parses one chunk.
class Parser {
 public:
  Parser(const FieldFormat& format, std::string_view text) : format_(format) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    pairs_.reserve(lines);
    values_.reserve(lines * format.values.size());
    columns_.resize(format.values.size());
  }

  /// Parses one line, without its line feed. Returns false for an error.
  bool line(std::string_view text) {
    if (has_lone_return(text)) return fail(kLoneReturn, kLoneReturnWayOut);
    text = trimmed(text);
    if (text.empty() || format_.comment_signs.find(text[0]) != std::string_view::npos) return true;
    if (!format_.edge_letter.empty()) {
      const std::string_view letter = next_word(text);
      if (letter.size() == 1 && format_.other_letters.find(letter[0]) != std::string_view::npos)
        return true;
      if (letter != format_.edge_letter)
        return fail(fmt::format("the line begins with {}", in_quotes(letter)),
                    fmt::format("an edge begins with {}", format_.edge_letter));
    }
    if (!split_fields(text, format_.separator, fields_, unquoted_))
      return fail("a quote that isn't closed", "close it on the same line");
    if (format_.ids.values != LineFormat::kAnyNumber &&
        fields_.size() != static_cast<std::size_t>(format_.ids.values) + 2)
      return fail(fmt::format("an entry with {} columns instead of {}", fields_.size(),
                              format_.ids.values + 2),
                  std::string(format_.ids.values_way_out));
    EdgePair<std::uint64_t> pair{};
    if (!id(format_.from, pair.from) || !id(format_.to, pair.to)) return false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_key = !format_.keys.empty() && !format_.keys[i].empty();
      if (is_key ? !keyed_value(text, i) : !column_value(format_.values[i], columns_[i]))
        return false;
    }
    pairs_.push_back(pair);
    return true;
  }

  LineError error;

  FieldChunk take(std::uint64_t& max_id) {
    FieldChunk chunk{Buffer<EdgePair<std::uint64_t>>(pairs_.size()),
                     Buffer<std::uint64_t>(values_.size()), columns_,
                     std::vector<std::string>(words_.size())};
    std::copy(pairs_.begin(), pairs_.end(), chunk.pairs.data());
    std::copy(values_.begin(), values_.end(), chunk.values.data());
    for (auto& [word, position] : words_) chunk.words[position] = word;
    max_id = max_id_;
    return chunk;
  }

 private:
  bool fail(std::string what, std::string way_out) {
    error = {0, std::move(what), std::move(way_out)};
    return false;
  }

  bool has(std::size_t column) {
    return column < fields_.size() ||
           fail(fmt::format("{} columns, and column {} is asked for", fields_.size(), column + 1),
                "each line has all columns");
  }

  bool id(std::size_t column, std::uint64_t& number) {
    if (!has(column)) return false;
    const std::string_view word = fields_[column];
    if (format_.words) {
      if (word.empty()) return fail("an empty node id", "each edge has two ends");
      number = words_.try_emplace(std::string(word), words_.size()).first->second;
      return true;
    }
    const LineFormat& ids = format_.to_ids && column == format_.to ? *format_.to_ids : format_.ids;
    if (auto wrong = read_id(word, ids, number)) {
      error = std::move(*wrong);
      return false;
    }
    number -= ids.first_id;
    max_id_ = std::max(max_id_, number);
    return true;
  }

  bool column_value(std::size_t column, ValueColumn& kept) {
    if (!has(column)) return false;
    const std::string_view word = fields_[column];
    return keep(word, kept) ||
           fail(in_quotes(word) + " is not a number",
                word.starts_with('{')
                    ? "of a dictionary, name the key: --value NAME=KEY"
                    : fmt::format("column {} is asked for as a value", column + 1));
  }

  /// Stores the value of a key in the dictionary after the two ids. The dictionary may contain
  /// blanks.
  bool keyed_value(std::string_view line, std::size_t i) {
    static_cast<void>(next_word(line));
    static_cast<void>(next_word(line));
    const std::string& key = format_.keys[i];
    const DictionaryEntry entry = find_in_dictionary(line, key);
    if (!entry.well_formed)
      return fail(fmt::format("no dictionary with '{}' behind the two ids", key),
                  "give the value's column by its number, or name columns with --columns FROM,TO");
    if (!entry.value) ++columns_[i].absent;
    return keep(entry.value.value_or("nan"), columns_[i]) ||
           fail(fmt::format("{} of '{}' is not a number", in_quotes(*entry.value), key),
                "values of edges are numbers");
  }

  /// Stores an integer as such, since a double is exact only up to 2^53. Returns false if the word
  /// isn't a number.
  bool keep(std::string_view word, ValueColumn& kept) {
    const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
    std::int64_t whole = 0;
    if (kept.whole && reads(word.substr(plus ? 1 : 0), whole) && word != "-0") {
      values_.push_back(std::bit_cast<std::uint64_t>(whole));
      kept.exact = kept.exact && is_exact_double(whole);
      return true;
    }
    double number = 0;
    if (!read_real(word, number)) return false;
    if (kept.whole) {  // the first non-integer: converts the values before it to double
      kept.whole = false;
      const auto stride = columns_.size();
      for (auto i = static_cast<std::size_t>(&kept - columns_.data()); i < values_.size();
           i += stride)
        values_[i] = whole_as_double(values_[i]);
    }
    values_.push_back(std::bit_cast<std::uint64_t>(number));
    return true;
  }

  const FieldFormat& format_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;
  std::vector<EdgePair<std::uint64_t>> pairs_;
  std::vector<std::uint64_t> values_;  // bits of std::int64_t or double
  std::vector<ValueColumn> columns_;
  std::unordered_map<std::string, std::size_t> words_;
  std::uint64_t max_id_ = 0;
};

}  // namespace

std::uint64_t whole_as_double(std::uint64_t bits) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<std::int64_t>(bits)));
}

bool split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields,
                  std::deque<std::string>& unquoted) {
  fields.clear();
  if (separator == ' ') {
    while (true) {
      const std::string_view word = next_word(line);
      if (word.empty()) return true;
      fields.push_back(word);
    }
  }
  while (true) {
    while (!line.empty() && line[0] != separator && is_blank(line[0])) line.remove_prefix(1);
    std::string_view field;
    if (line.starts_with('"')) {
      if (unquoted.size() <= fields.size()) unquoted.resize(fields.size() + 8);
      if (!take_quoted(line, field, unquoted[fields.size()])) return false;
      const std::string_view behind = trimmed(line.substr(0, line.find(separator)));
      if (!behind.empty()) return false;
      line.remove_prefix(std::min(line.find(separator), line.size()));
    } else {
      field = trimmed(line.substr(0, line.find(separator)));
      line.remove_prefix(std::min(line.find(separator), line.size()));
    }
    fields.push_back(field);
    if (line.empty()) return true;
    line.remove_prefix(1);
  }
}

std::vector<FieldChunk> parse_fields(TextReader& reader, const Team& team,
                                     const FieldFormat& format, std::uint64_t budget) {
  // While pairs are distributed, each exists twice, with its position and its values.
  const std::uint64_t edge_bytes = 64 + 16 * format.values.size();
  std::mutex mutex;
  std::vector<FieldChunk> chunks;
  std::atomic<std::uint64_t> needed{0};
  parse_chunks(reader, team, [&](std::size_t, const TextReader::Chunk& chunk) {
    Parser parser(format, chunk.text);
    ChunkResult result;
    for (std::string_view rest = chunk.text; !rest.empty() && !result.error; ++result.lines) {
      const std::size_t end = rest.find('\n');
      if (!parser.line(rest.substr(0, end))) {
        result.error = parser.error;
        result.error->line = result.lines;
      }
      rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
    }
    std::uint64_t max_id = 0;
    FieldChunk parsed = parser.take(max_id);
    std::uint64_t bytes = parsed.pairs.size() * edge_bytes;
    for (const std::string& word : parsed.words) bytes += 2 * sizeof(std::string) + word.size();
    const std::uint64_t needed_so_far = needed.fetch_add(bytes) + bytes;
    if (needed_so_far > budget && !result.error)
      result.error = {result.lines - 1,
                      fmt::format("too large: the edges up to here take {} to build, {} are "
                                  "available",
                                  format_bytes(needed_so_far), format_bytes(budget)),
                      "use a smaller graph or a machine with more memory"};
    const std::scoped_lock lock(mutex);
    if (chunks.size() <= chunk.index) chunks.resize(chunk.index + 1);
    chunks[chunk.index] = std::move(parsed);
    return result;
  });
  return chunks;
}

}  // namespace Atoll::graph
