// Files of rows, as text or as a table. A text file has one row per line, split into words. A table
// (a CSV file, whose name ends in .csv) has column names in its first line.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "graph/input_file.hpp"
#include "graph/text_reader.hpp"
#include "program/words.hpp"

namespace Atoll::program {

enum class FileForm { text, table, binary };

/// Returns the form by the name's extension: .csv, .bin, or any other (text).
[[nodiscard]] FileForm form_of(const std::string& path);

/// A column of a file; a table identifies it by its name.
struct ColumnName {
  std::string name;
  ValueType type = ValueType::node;
};

/// Reads a file row by row.
class RowReader {
 public:
  /// Throws Error (input) if the file doesn't exist or a table lacks a column. The name of the last
  /// column must match; the others may differ.
  RowReader(const std::string& path, std::vector<ColumnName> columns);

  /// Advances to the next non-empty row. Returns false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] const std::vector<Word>& words() const { return words_; }
  [[nodiscard]] const Where& where() const { return where_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  bool take_line(std::string_view& line);
  void read_head();
  void take_cells(std::string_view line);

  std::string path_;
  std::vector<ColumnName> columns_;
  graph::InputFile file_;
  graph::TextReader reader_;
  graph::TextReader::Chunk chunk_;
  std::string_view rest_;  ///< unread part of the chunk
  std::size_t line_ = 0;
  Where where_;
  std::vector<Word> words_;

  char separator_ = 0;                  ///< separator of a table
  std::vector<std::size_t> positions_;  ///< of the columns in the table
  std::vector<std::string_view> cells_;
  std::deque<std::string> unquoted_;
};

/// Writes rows to a file that appears when it is complete.
class RowWriter {
 public:
  RowWriter(AtomicFile& file, FileForm form) : file_(file), form_(form) {}

  /// Writes a table's first line; does nothing for text.
  void head(const std::vector<std::string>& names);
  void value(ValueType type, Scalar value, const Names& names);
  void end_row();
  /// Writes the buffered rest.
  void finish();

 private:
  void cell(std::string_view text);

  AtomicFile& file_;
  FileForm form_;
  bool first_ = true;
  std::string text_, cell_;
};

}  // namespace Atoll::program
