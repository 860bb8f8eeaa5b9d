// SQLite with exceptions: what saving and loading a profile share.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::profile {

/// An open database.
class Database {
 public:
  enum class Access { read, create };
  /// Throws Error (input) where it can't be opened. A new one leaves room for seals (seal.hpp).
  Database(std::string path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements without results.
  void execute(const char* statements);
  /// Closes it, so that everything is in the file.
  void close();
  [[nodiscard]] sqlite3* handle() const { return handle_; }
  /// Throws what SQLite says of the last call: reading, Error (input): the file is no profile;
  /// writing, Error (failed).
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  Access access_;
  sqlite3* handle_ = nullptr;
};

/// A statement that is run again and again with other values, or read row by row.
class Statement {
 public:
  Statement(const Database& database, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the values from the first parameter on, runs it, and makes it ready again. Text must
  /// outlive the call.
  template <class... Values>
  void run(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    finish();
  }
  /// The next row; false: there is none.
  [[nodiscard]] bool next();

  [[nodiscard]] bool is_null(int column) const;
  /// Numbers of 64 bits are stored by their bits. Throws Error (input) where none is there.
  [[nodiscard]] std::uint64_t u64(int column) const;
  /// Throws Error (input) for a number that isn't below `limit`.
  [[nodiscard]] std::uint64_t below(int column, std::uint64_t limit) const;
  /// The same; nothing for NULL.
  [[nodiscard]] std::optional<std::uint64_t> below_or_null(int column, std::uint64_t limit) const;
  [[nodiscard]] int integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  /// Valid until next().
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  void bind(int at, std::uint64_t value);
  void bind(int at, std::uint32_t value) { bind(at, std::uint64_t{value}); }
  void bind(int at, int value);
  void bind(int at, double value);
  void bind(int at, std::string_view value);
  void bind(int at, const std::string& value) { bind(at, std::string_view(value)); }
  void bind(int at, const char* value) { bind(at, std::string_view(value)); }
  template <class Value>
  void bind(int at, const std::optional<Value>& value) {
    if (value)
      bind(at, *value);
    else
      bind_null(at);
  }
  void bind_null(int at);
  void finish();
  [[noreturn]] void wrong(int column) const;

  const Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace Atoll::profile
