// Command lines: options, flags and verbs. CLI11 does the work; this header doesn't include it, as
// it takes ten seconds to compile.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "atoll/options/checks.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace Atoll::options {

/// A call that can't be understood. what() names the option and the reason.
class BadCall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option, flag or positional word of a command. A handle: it is valid as long as the
/// CommandLine lives, and copies are the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// Adds a check of each value.
  Option check(const Check& check) const;
  /// Name of the value in the help, such as FILE.
  Option type_name(const std::string& name) const;
  /// Heading under which the help lists the option. "" hides it.
  Option group(const std::string& heading) const;
  Option description(const std::string& text) const;
  /// Shows the present value of the variable in the help.
  Option show_default() const;

  Option required(bool is_required = true) const;
  Option excludes(Option other) const;
  Option needs(Option other) const;

  /// Takes lists of exactly `count` values.
  Option expected(int count) const;
  /// Character between the values of a list, besides repeating the option.
  Option delimiter(char separator) const;
  /// Takes one word each time that the option is given, of an option that can be repeated.
  Option one_word_each() const;
  /// Collects the values of all times that the option is given.
  Option take_all() const;

  /// Returns true if the call has the option.
  [[nodiscard]] bool is_given() const;
  [[nodiscard]] bool is_flag() const;
  /// Returns the first name, such as "--threads".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string description() const;
  /// Returns the values as they were given.
  [[nodiscard]] std::vector<std::string> words() const;

  friend bool operator==(const Option&, const Option&) = default;

 private:
  friend class Command;
  CLI::Option* option_;
};

/// A verb or a whole program: options and verbs. A handle, as Option.
class Command {
 public:
  /// Adds an option whose value is stored in `value`, which must outlive the parsing. T is a
  /// string, a number, an optional one of these, or a vector of these: an option that takes several
  /// words or is repeated. Names are "-o,--output", or "NAME" of a positional word. The help
  /// doesn't show long names after the first: they are former names, which are still accepted.
  template <class T>
  Option add_option(const std::string& names, T& value, const std::string& help = "") const;
  /// Adds an option whose value is given to a function. T is a string, a number or a vector.
  template <class T>
  Option add_option_function(const std::string& names, const std::function<void(const T&)>& set,
                             const std::string& help = "") const;
  /// Adds an option without a value.
  Option add_flag(const std::string& names, bool& value, const std::string& help = "") const;
  /// Adds an option whose value may be left out, as in "--patterns{declared}", or follows "=".
  Option add_flag(const std::string& names, std::string& value, const std::string& help) const;
  Option add_flag_function(const std::string& names, const std::function<void()>& set,
                           const std::string& help = "") const;
  void remove(Option option) const;

  /// Adds a verb. `run` of the verb that the call names is called by parse().
  [[nodiscard]] Command add_verb(const std::string& name, const std::string& help = "") const;
  /// Returns the verb of this name, which must exist.
  [[nodiscard]] Command verb(const std::string& name) const;
  void run(const std::function<void()>& run) const;
  void require_verb() const;
  /// Returns a handle of the same command that adds options below a heading of the help. options()
  /// of the handle returns the options below this heading alone.
  [[nodiscard]] Command below(const std::string& heading) const;

  /// Text below the options in the help.
  void footer(const std::string& text) const;
  /// Replaces the usage that follows from the options. Ends with a line break.
  void usage(const std::string& text) const;

  [[nodiscard]] std::string name() const;
  /// Returns the option of this name. Throws std::logic_error if there is none.
  [[nodiscard]] Option option(const std::string& name) const;
  /// Returns true if the word of a call is an option of this command, also with a value ("-xV",
  /// "--name=V").
  [[nodiscard]] bool has_option(const std::string& word) const;
  /// Returns the number of words before the first one that is neither an option nor an option's
  /// value. If an option in front of it is unknown, returns words.size().
  [[nodiscard]] std::size_t count_leading_options(const std::vector<std::string>& words) const;
  /// Returns all options, without --help.
  [[nodiscard]] std::vector<Option> options() const;

 protected:
  explicit Command(CLI::App* app, std::string heading = "")
      : app_(app), heading_(std::move(heading)) {}
  [[nodiscard]] CLI::App* app() const { return app_; }

 private:
  [[nodiscard]] Option added(CLI::Option* option) const;

  CLI::App* app_;
  std::string heading_;
};

/// A program's command line.
class CommandLine : public Command {
 public:
  /// If `version` isn't empty, --version prints it.
  CommandLine(const std::string& about, const std::string& name, const std::string& version = "");
  ~CommandLine();
  CommandLine(CommandLine&&) = delete;

  /// Reads the call, and runs the verb that it names. Returns false if the call only asks for
  /// --help or --version, which has then been printed. Throws BadCall, also for values that are
  /// empty: those are probably unset variables of a script. An unknown option is reported before
  /// anything that is missing.
  bool parse(int argc, char** argv) const;

 private:
  std::unique_ptr<CLI::App> owned_;
};

}  // namespace Atoll::options
