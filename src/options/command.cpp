#include "atoll/options/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "options/help_format.hpp"
#include "options/near_miss.hpp"

namespace Atoll::options {
namespace {

CLI::Validator validator(const Check& check) {
  return {[refusal = check.refusal](const std::string& text) { return refusal(text); }, check.hint};
}

/// Refuses empty values of all options of `app` and of its verbs, before other checks. Words of a
/// list of positional words, such as a command's, may be empty.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    const bool is_list_of_words = option->get_positional() && option->get_items_expected_max() > 1;
    if (option->get_items_expected_max() > 0 && !is_list_of_words)
      option->transform(validator(value::not_empty()));
  }
  for (CLI::App* const verb : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_values(*verb);
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

/// Returns the innermost verb that the call names.
const CLI::App& called(const CLI::App& app) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  return verbs.empty() ? app : called(*verbs.back());
}

/// Returns a suggestion for the first misspelled option among the words that were not expected.
std::string suggestion(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : called(app).get_options())
    for (const std::string& name : option->get_lnames())
      if (!option->get_group().empty()) names.push_back("--" + name);
  for (const std::string& word : app.remaining(true)) {
    if (word.empty() || word[0] != '-') continue;
    if (const std::string near = nearest(word.substr(0, word.find('=')), names); !near.empty())
      return ", did you mean " + near + "?";
  }
  return "";
}

/// Throws BadCall if the word in place of a missing verb isn't one of the verbs.
void refuse_unknown_verb(const CLI::App& app) {
  const std::vector<std::string> verbs = verbs_of(called(app)), words = app.remaining(true);
  if (verbs.empty() || words.empty() || words.front().starts_with('-')) return;
  const std::string near = nearest(words.front(), verbs);
  throw BadCall(fmt::format("'{}' is no verb of {}{}", words.front(), called(app).get_name(),
                            near.empty() ? fmt::format(", which has {}", fmt::join(verbs, ", "))
                                         : fmt::format(", did you mean {}?", near)));
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// Returns the name in an option with its value, "-xV" or "--name=V".
std::string name_of_option(const std::string& word) {
  return word.substr(0, word.starts_with("--") ? word.find('=') : 2);
}

/// Returns the option that a word of a call names; null if there is none.
const CLI::Option* option_of(const CLI::App& app, const std::string& word) {
  return is_option(word) ? app.get_option_no_throw(name_of_option(word)) : nullptr;
}

void parse_words(CLI::App& app, int argc, char** argv) {
  // CLI11 would take the next word as the value of "--name=".
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw CLI::ValidationError(std::string(word.substr(0, word.size() - 1)),
                                 "the value is empty");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError&) {
    refuse_unknown_verb(app);
    std::vector<std::string> unknown = app.remaining(true);
    std::erase_if(unknown,
                  [](const std::string& word) { return word.size() < 2 || word[0] != '-'; });
    std::erase(unknown, "--");
    if (!unknown.empty()) throw CLI::ExtrasError(std::move(unknown));
    throw;
  }
}

}  // namespace

Option Option::check(const Check& check) const {
  option_->check(validator(check));
  return *this;
}
Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}
Option Option::group(const std::string& heading) const {
  option_->group(heading);
  return *this;
}
Option Option::description(const std::string& text) const {
  option_->description(text);
  return *this;
}
Option Option::show_default() const {
  option_->capture_default_str();
  return *this;
}
Option Option::required(bool is_required) const {
  option_->required(is_required);
  return *this;
}
Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}
Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}
Option Option::expected(int count) const {
  option_->expected(count);
  return *this;
}
Option Option::delimiter(char separator) const {
  option_->delimiter(separator);
  return *this;
}
Option Option::one_word_each() const {
  option_->allow_extra_args(false);
  return *this;
}
Option Option::take_all() const {
  option_->take_all();
  return *this;
}
bool Option::is_given() const {
  return option_->count() > 0;
}
bool Option::is_flag() const {
  return option_->get_items_expected_max() == 0;
}
std::string Option::name() const {
  // CLI11's get_name() is empty for options that the help doesn't list.
  if (!option_->get_lnames().empty()) return "--" + option_->get_lnames().front();
  if (!option_->get_snames().empty()) return "-" + option_->get_snames().front();
  return option_->get_name(true);
}
std::string Option::description() const {
  return option_->get_description();
}
std::vector<std::string> Option::words() const {
  return option_->results();
}

Option Command::added(CLI::Option* option) const {
  if (!heading_.empty()) option->group(heading_);
  // In place of CLI11's TEXT and UINT.
  if (option->get_items_expected_max() > 0)
    option->type_name(option->get_positional() ? "" : "VALUE");
  return Option(option);
}
template <class T>
Option Command::add_option(const std::string& names, T& value, const std::string& help) const {
  return added(app_->add_option(names, value, help));
}
template <class T>
Option Command::add_option_function(const std::string& names,
                                    const std::function<void(const T&)>& set,
                                    const std::string& help) const {
  return added(app_->add_option_function<T>(names, set, help));
}
Option Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return added(app_->add_flag(names, value, help));
}
Option Command::add_flag(const std::string& names, std::string& value,
                         const std::string& help) const {
  return added(app_->add_flag(names, value, help));
}
Option Command::add_flag_function(const std::string& names, const std::function<void()>& set,
                                  const std::string& help) const {
  return added(app_->add_flag_callback(names, set, help));
}
void Command::remove(Option option) const {
  app_->remove_option(option.option_);
}
Command Command::add_verb(const std::string& name, const std::string& help) const {
  return Command(app_->add_subcommand(name, help));
}
Command Command::verb(const std::string& name) const {
  return Command(app_->get_subcommand(name));
}
void Command::run(const std::function<void()>& run) const {
  app_->callback(run);
}
void Command::require_verb() const {
  app_->require_subcommand(1);
}
Command Command::below(const std::string& heading) const {
  return Command(app_, heading);
}
void Command::footer(const std::string& text) const {
  app_->footer(text);
}
void Command::usage(const std::string& text) const {
  app_->formatter(std::make_shared<HelpFormat>(text));
}
std::string Command::name() const {
  return app_->get_name();
}
Option Command::option(const std::string& name) const {
  CLI::Option* const found = app_->get_option_no_throw(name);
  if (found == nullptr) throw std::logic_error("there is no option " + name);
  return Option(found);
}
bool Command::has_option(const std::string& word) const {
  return option_of(*app_, word) != nullptr;
}
std::size_t Command::count_leading_options(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_option(words[i])) return i;
    const CLI::Option* const option = option_of(*app_, words[i]);
    if (option == nullptr) break;
    const bool has_value = words[i].size() > name_of_option(words[i]).size();
    if (option->get_items_expected_max() > 0 && !has_value) ++i;
  }
  return words.size();
}
std::vector<Option> Command::options() const {
  std::vector<Option> all;
  for (CLI::Option* const option : app_->get_options()) {
    const bool is_below = heading_.empty() || option->get_group() == heading_;
    if (is_below && option != app_->get_help_ptr()) all.emplace_back(option);
  }
  return all;
}

CommandLine::CommandLine(const std::string& about, const std::string& name,
                         const std::string& version)
    : Command(new CLI::App(about, name)), owned_(app()) {
  owned_->formatter(std::make_shared<HelpFormat>());  // and of its verbs
  if (!version.empty()) owned_->set_version_flag("--version", version);
}
CommandLine::~CommandLine() = default;

bool CommandLine::parse(int argc, char** argv) const {
  try {
    refuse_empty_values(*owned_);
    parse_words(*owned_, argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    if (error.get_exit_code() != 0)
      throw BadCall(error.what() + (is_unknown ? suggestion(*owned_) : ""));
    owned_->exit(error);
    return false;
  }
}

// The types that options are stored in.
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, unsigned&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&) const;
template Option Command::add_option_function(const std::string&,
                                             const std::function<void(const std::string&)>&,
                                             const std::string&) const;
template Option Command::add_option_function(const std::string&,
                                             const std::function<void(const std::vector<double>&)>&,
                                             const std::string&) const;

}  // namespace Atoll::options
