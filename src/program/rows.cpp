// Splits files into rows, and rows into words.
#include "program/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "graph/fields.hpp"

namespace Atoll::program {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// Returns the first of these separators that occurs in the header, as for tables of graphs.
char separator_of(std::string_view head) {
  for (const char separator : {',', ';', '\t'})
    if (head.find(separator) != std::string_view::npos) return separator;
  return ',';
}

}  // namespace

FileForm form_of(const std::string& path) {
  if (path.ends_with(".csv")) return FileForm::table;
  return path.ends_with(".bin") ? FileForm::binary : FileForm::text;
}

RowReader::RowReader(const std::string& path, std::vector<ColumnName> columns)
    : path_(path),
      columns_(std::move(columns)),
      file_(path),
      reader_(file_, kChunkBytes),
      where_([this] { return fmt::format("{}:{}", path_, line_); }) {
  if (form_of(path_) == FileForm::table) read_head();
}

bool RowReader::take_line(std::string_view& line) {
  do {
    if (rest_.empty()) {
      if (!reader_.next(chunk_)) return false;
      rest_ = chunk_.text;
    }
    line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\r') != std::string_view::npos)
      throw Error::input(where_(), graph::kLoneReturn, graph::kLoneReturnWayOut);
  } while (line.find_first_not_of(" \t") == std::string_view::npos);
  return true;
}

void RowReader::read_head() {
  std::string_view head;
  if (!take_line(head))
    throw Error::input(path_, "no line with the columns' names", "write it first");
  separator_ = separator_of(head);
  if (!graph::split_fields(head, separator_, cells_, unquoted_))
    throw Error::input(where_(), "a quote that isn't closed", "close it on the same line");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    // A property may have the same name as the first columns; its column is the last with that
    // name.
    const bool is_value = i > 0 && i + 1 == columns_.size();
    std::size_t found = cells_.size();
    for (std::size_t at = 0; at < cells_.size(); ++at)
      if (cells_[at] == columns_[i].name && (is_value || found == cells_.size())) found = at;
    if (found == cells_.size() && !is_value) found = i;
    if (found >= cells_.size())
      throw Error::input(where_(), fmt::format("no column '{}'", columns_[i].name),
                         fmt::format("its columns are {}", fmt::join(cells_, ", ")));
    positions_.push_back(found);
  }
}

void RowReader::take_cells(std::string_view line) {
  if (!graph::split_fields(line, separator_, cells_, unquoted_))
    throw Error::input(where_(), "a quote that isn't closed", "close it on the same line");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (positions_[i] >= cells_.size())
      throw Error::input(
          where_(),
          fmt::format("{} columns, and there is none of '{}'", cells_.size(), columns_[i].name),
          "each line has all columns");
    split_cell(cells_[positions_[i]], columns_[i].type, words_, where_);
  }
}

bool RowReader::next() {
  std::string_view line;
  words_.clear();
  if (!take_line(line)) return false;
  if (separator_ != 0)
    take_cells(line);
  else
    split_words(line, words_, where_);
  return true;
}

void RowWriter::cell(std::string_view text) {
  if (!first_) text_ += form_ == FileForm::table ? ',' : ' ';
  first_ = false;
  const bool quotes = form_ == FileForm::table &&
                      (text.empty() || text.find_first_of(",;\t\"") != std::string_view::npos ||
                       text.starts_with(' ') || text.ends_with(' '));
  if (!quotes) {
    text_ += text;
    return;
  }
  text_ += '"';
  for (const char c : text) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
}

void RowWriter::head(const std::vector<std::string>& names) {
  if (form_ != FileForm::table) return;
  for (const std::string& name : names) cell(name);
  end_row();
}

void RowWriter::value(ValueType type, Scalar value, const Names& names) {
  cell_.clear();
  append_value(cell_, type, value, names, form_ == FileForm::table ? Style::cell : Style::line);
  cell(cell_);
}

void RowWriter::end_row() {
  text_ += '\n';
  first_ = true;
  if (text_.size() > kChunkBytes) finish();
}

void RowWriter::finish() {
  file_.write(text_);
  text_.clear();
}

}  // namespace Atoll::program
