// Formats help for 80 columns: long descriptions are wrapped between words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

namespace Atoll::options {

class HelpFormat : public CLI::Formatter {
 public:
  /// A non-empty `usage` replaces the usage line that CLI11 derives from the options.
  explicit HelpFormat(std::string usage = "") : usage_(std::move(usage)) { column_width(kColumn); }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return usage_.empty() ? CLI::Formatter::make_usage(app, std::move(name)) : usage_;
  }
  /// Leaves out all long names but the first: they are former names.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  /// Leaves out which other options an option needs or excludes; descriptions say that.
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override {
    return folded(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::string line = "  " + verb->get_name();
    line.resize(std::max<std::size_t>(line.size() + 1, kVerbColumn), ' ');
    return line + folded(verb->get_description(), kVerbColumn) + "\n";
  }

 private:
  static constexpr std::size_t kColumns = 80, kColumn = 30, kVerbColumn = 12;

  static std::string folded(const std::string& text, std::size_t column = kColumn);

  std::string usage_;
};

}  // namespace Atoll::options
