// Parses a deck like the original: lines between *clover and *endclover, each with one or more keys
// and their values, or a state. Case-insensitive.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>

#include <atoll/base/read_file.hpp>

#include "deck.hpp"

namespace clover {
namespace {

constexpr std::uint64_t kMaxDeckBytes = 1 << 20;
constexpr std::uint64_t kMaxStates = 10'000;

/// Parses the lines of one deck.
class DeckReader {
 public:
  DeckReader(const std::string& where, int dimensions) : where_(where) {
    deck_.dimensions = dimensions;
    if (dimensions == 2) deck_.cells[2] = 1;
    if (dimensions == 3) deck_.timestep_rise = 1.05;
  }

  Deck read(std::string_view text) {
    bool inside = false, ended = false;
    while (!text.empty() && !ended) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string line = lower_case(text.substr(0, end));
      const std::vector<std::string_view> words = words_of(line);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (words.empty()) continue;
      if (words[0] == "*clover")
        inside = true;
      else if (words[0] == "*endclover")
        ended = inside;
      else if (inside)
        read_line(words);
    }
    if (!inside)
      throw Atoll::Error::input(where_, "there is no line '*clover'",
                                "a deck lies between *clover and *endclover");
    if (!ended)
      throw Atoll::Error::input(where_, "the line '*endclover' is missing",
                                "the file may be cut short");
    check_whole();
    for (const auto& [number, state] : states_) deck_.states.push_back(state);
    return std::move(deck_);
  }

 private:
  using Words = std::span<const std::string_view>;

  [[noreturn]] void refuse(const std::string& what, const std::string& way_out = "") const {
    throw Atoll::Error::input(fmt::format("{}:{}", where_, line_), what, way_out);
  }
  /// Returns a word for an error message, without characters that could break the line or a
  /// terminal.
  static std::string shown(std::string_view word) {
    std::string text(word.substr(0, 40));
    for (char& c : text)
      if (c < ' ' || c > '~') c = '?';
    return "'" + text + (word.size() > 40 ? "…'" : "'");
  }
  static std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
  }
  /// Words are separated by blanks, '=' and ','; a comment begins with '!', '#' or ';'.
  static std::vector<std::string_view> words_of(std::string_view line) {
    line = line.substr(0, line.find_first_of("!#;"));
    std::vector<std::string_view> words;
    constexpr std::string_view between = " \t\r=,";
    for (std::size_t at = line.find_first_not_of(between); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(between, at), line.size());
      words.push_back(line.substr(at, end - at));
      at = line.find_first_not_of(between, end);
    }
    return words;
  }

  /// Parses a number in Fortran's notation, such as "+1." or "0.2d0".
  double real(std::string_view key, std::string_view word) const {
    double value = 0;
    std::string text(word);
    if (const std::size_t exponent = text.find('d'); exponent != text.npos) text[exponent] = 'e';
    const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + (plus ? 1 : 0), end, value);
    if (error != std::errc{} || rest != end || !std::isfinite(value))
      refuse(fmt::format("{} is {}, which is not a number", key, shown(word)));
    return value;
  }
  double positive(std::string_view key, std::string_view word) const {
    const double value = real(key, word);
    if (!(value > 0)) refuse(fmt::format("{} is {}", key, shown(word)), "it has to be above 0");
    return value;
  }
  double not_negative(std::string_view key, std::string_view word) const {
    const double value = real(key, word);
    if (!(value >= 0)) refuse(fmt::format("{} is {}", key, shown(word)), "it can't be below 0");
    return value;
  }
  std::uint64_t whole(std::string_view key, std::string_view word, std::uint64_t least,
                      std::uint64_t most) const {
    std::uint64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || rest != end || value < least || value > most)
      refuse(fmt::format("{} is {}", key, shown(word)),
             fmt::format("it has to be a whole number from {} to {}", least, most));
    return value;
  }

  void read_line(Words words);
  [[nodiscard]] bool is_key(std::string_view word) const;
  void read_key(std::string_view key, Words values);
  void read_state(Words words);
  void check_whole() const;
  /// Refuses a key that was already given in another line.
  void once(const std::string& key) {
    const auto [found, first] = seen_.emplace(key, line_);
    if (!first) refuse(fmt::format("{} was given in line {} already", key, found->second));
  }

  std::string where_;
  int line_ = 0;
  Deck deck_;
  std::map<std::string, int> seen_;
  std::map<std::uint64_t, State> states_;
};

/// True for a key that controls how other implementations run; it has no effect here.
bool is_ignored_key(std::string_view word) {
  for (const std::string_view key :
       {"tiles_per_chunk", "tiles_per_problem", "1d_tile_decomposition", "2d_tile_decomposition",
        "3d_tile_decomposition", "profiler_on", "use_vector_loops"})
    if (word == key) return true;
  return (word.starts_with("use_") && word.ends_with("_kernels")) || word.starts_with("opencl_");
}

bool DeckReader::is_key(std::string_view word) const {
  for (const std::string_view key :
       {"state", "initial_timestep", "max_timestep", "timestep_rise", "end_time", "end_step",
        "summary_frequency", "visit_frequency", "test_problem"})
    if (word == key) return true;
  const auto axis =
      std::string_view("xyz").substr(0, static_cast<std::size_t>(deck_.dimensions)).find(word[0]);
  const std::string_view rest = word.substr(1);
  return (axis != word.npos && (rest == "_cells" || rest == "min" || rest == "max")) ||
         is_ignored_key(word);
}

/// The values of a key extend to the next key.
void DeckReader::read_line(Words words) {
  for (std::size_t at = 0; at < words.size();) {
    if (words[at] == "state") return read_state(words.subspan(at));
    std::size_t end = at + 1;
    while (end < words.size() && !is_key(words[end])) ++end;
    if (!is_ignored_key(words[at])) read_key(words[at], words.subspan(at + 1, end - at - 1));
    at = end;
  }
}

void DeckReader::read_key(std::string_view word, Words values) {
  const std::string key(word);
  const auto value = [&]() -> std::string_view {
    if (values.size() != 1)
      refuse(fmt::format("{} has {} values", key, values.size()), "it takes one");
    return values[0];
  };
  constexpr std::string_view axes = "xyz";
  for (int axis = 0; axis < deck_.dimensions; ++axis) {
    const std::string name(1, axes[axis]);
    if (key == name + "_cells") {
      once(key);
      deck_.cells[axis] = whole(key, value(), 1, kMaxCells);
      return;
    }
    for (const auto& [end, bounds] : {std::pair{"min", &deck_.low}, {"max", &deck_.high}})
      if (key == name + end) {
        once(key);
        (*bounds)[axis] = real(key, value());
        return;
      }
  }
  const std::map<std::string_view, double*> times{{"initial_timestep", &deck_.initial_timestep},
                                                  {"max_timestep", &deck_.max_timestep},
                                                  {"timestep_rise", &deck_.timestep_rise}};
  const std::map<std::string_view, std::uint64_t*> steps{
      {"end_step", &deck_.end_step},
      {"summary_frequency", &deck_.summary_frequency},
      {"visit_frequency", &deck_.visit_frequency}};
  if (const auto time = times.find(key); time != times.end()) {
    once(key);
    *time->second = positive(key, value());
  } else if (key == "end_time") {
    once(key);
    deck_.end_time = not_negative(key, value());
  } else if (const auto step = steps.find(key); step != steps.end()) {
    once(key);
    *step->second = whole(key, value(), 0, INT64_MAX);
  } else if (key == "test_problem") {
    once(key);
    deck_.test_problem = static_cast<int>(whole(key, value(), 1, deck_.dimensions == 2 ? 5 : 4));
  } else {
    refuse("unknown key " + shown(key),
           fmt::format(
               "a deck of {} dimensions has state, {}_cells, {}min, {}max, "
               "initial_timestep, max_timestep, timestep_rise, end_time, end_step, "
               "summary_frequency, visit_frequency, test_problem",
               deck_.dimensions, deck_.dimensions == 2 ? "x_cells, y" : "x_cells, y_cells, z",
               deck_.dimensions == 2 ? "x|y" : "x|y|z", deck_.dimensions == 2 ? "x|y" : "x|y|z"));
  }
}

void DeckReader::read_state(Words words) {
  if (words.size() < 2) refuse("a state has no number", "write 'state 1 density=… energy=…'");
  const std::uint64_t number = whole("a state's number", words[1], 1, kMaxStates);
  const std::string name = fmt::format("state {}", number);
  once(name);
  if (words.size() % 2 != 0) refuse(fmt::format("{}: {} has no value", name, shown(words.back())));
  State state;
  std::map<std::string_view, std::string_view> values;
  for (std::size_t at = 2; at < words.size(); at += 2)
    if (!values.emplace(words[at], words[at + 1]).second)
      refuse(fmt::format("{}: {} is given twice", name, shown(words[at])));
  const auto take = [&](const std::string& key) -> std::optional<std::string_view> {
    const auto found = values.find(key);
    if (found == values.end()) return {};
    const std::string_view value = found->second;
    values.erase(found);
    return value;
  };
  const auto needed = [&](const std::string& key, const char* why) {
    const auto value = take(key);
    if (!value) refuse(fmt::format("{} has no {}", name, key), why);
    return *value;
  };
  state.density = positive(name + "'s density", needed("density", "each state needs one"));
  state.energy = not_negative(name + "'s energy", needed("energy", "each state needs one"));
  const std::string axes = std::string("xyz").substr(0, deck_.dimensions);
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (const auto value = take(std::string(1, axes[axis]) + "vel"))
      state.velocity[axis] = real(name + "'s velocity", *value);

  const std::string box = deck_.dimensions == 2 ? "rectangle" : "cuboid";
  const std::string ball = deck_.dimensions == 2 ? "circle" : "sphere";
  const std::string known = fmt::format("it can be {}, {} or point", box, ball);
  const auto geometry = take("geometry");
  if (geometry) {
    if (*geometry != box && *geometry != ball && *geometry != "point")
      refuse(fmt::format("{} has the unknown geometry {}", name, shown(*geometry)), known);
    state.geometry = *geometry == box    ? Geometry::box
                     : *geometry == ball ? Geometry::ball
                                         : Geometry::point;
  } else if (number != 1) {
    refuse(name + " has no geometry", "only state 1 is everywhere; " + known);
  }
  const auto or_zero = [&](const std::string& key) {
    const auto value = take(key);
    return value ? real(fmt::format("{}'s {}", name, key), *value) : 0;
  };
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    state.low[axis] = or_zero(axes[axis] + std::string("min"));
    state.high[axis] = or_zero(axes[axis] + std::string("max"));
  }
  state.radius = or_zero("radius");
  if (number == 1) state.geometry = Geometry::everywhere;  // its own is ignored
  if (!values.empty())
    refuse(fmt::format("{} has the unknown key {}", name, shown(values.begin()->first)),
           fmt::format("a state has density, energy, {}vel, geometry, {}min, {}max, radius",
                       axes.size() == 2 ? "x|y" : "x|y|z", axes.size() == 2 ? "x|y" : "x|y|z",
                       axes.size() == 2 ? "x|y" : "x|y|z"));
  states_.emplace(number, state);
}

void DeckReader::check_whole() const {
  if (states_.empty())
    throw Atoll::Error::input(where_, "there is no state",
                              "a line 'state 1 density=0.2 energy=1.0' fills the mesh");
  std::uint64_t next = 1;
  for (const auto& [number, state] : states_)
    if (number != next++)
      throw Atoll::Error::input(where_, fmt::format("state {} is missing", next - 1),
                                "states are numbered 1, 2, 3, …");
  for (int axis = 0; axis < deck_.dimensions; ++axis)
    if (!(deck_.low[axis] < deck_.high[axis]) || !std::isnormal(deck_.cell_size(axis)))
      throw Atoll::Error::input(where_,
                                fmt::format("the mesh reaches from {0}min = {1} to {0}max = {2}",
                                            "xyz"[axis], deck_.low[axis], deck_.high[axis]),
                                "its end has to lie behind its start");
}

}  // namespace

Deck parse_deck(std::string_view text, const std::string& where, int dimensions) {
  return DeckReader(where, dimensions).read(text);
}

Deck read_deck(const std::string& path, int dimensions) {
  return parse_deck(Atoll::read_file(path, {.most_bytes = kMaxDeckBytes,
                                            .way_out = "give a deck's file, such as clover.in"}),
                    path, dimensions);
}

}  // namespace clover
