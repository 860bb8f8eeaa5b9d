// Files of rows, as text or as a table. Text has a row's words on a line. A table (CSV, a file
// whose name ends in .csv) has columns with names in its first line.
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

/// By the name's ending: .csv, .bin, or any other.
[[nodiscard]] FileForm form_of(const std::string& path);

/// A column of a file: in a table by its name.
struct ColumnName {
  std::string name;
  ValueType type = ValueType::node;
};

/// Reads rows, one after the other.
class RowReader {
 public:
  /// Throws Error (input) if the file isn't there, and if a table lacks a column. The first columns
  /// may have other names in it, the last may not.
  RowReader(const std::string& path, std::vector<ColumnName> columns);

  /// Goes to the next row that isn't empty. Returns false at the end.
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
  std::string_view rest_;  ///< of the chunk
  std::size_t line_ = 0;
  Where where_;
  std::vector<Word> words_;

  char separator_ = 0;                  ///< of a table
  std::vector<std::size_t> positions_;  ///< of the columns in it
  std::vector<std::string_view> cells_;
  std::deque<std::string> unquoted_;
};

/// Writes rows into a file that is there when it is complete.
class RowWriter {
 public:
  RowWriter(AtomicFile& file, FileForm form) : file_(file), form_(form) {}

  /// The first line of a table; nothing in a text.
  void head(const std::vector<std::string>& names);
  void value(ValueType type, Scalar value, const Names& names);
  void end_row();
  /// Writes what is still in memory.
  void finish();

 private:
  void cell(std::string_view text);

  AtomicFile& file_;
  FileForm form_;
  bool first_ = true;
  std::string text_, cell_;
};

}  // namespace Atoll::program
