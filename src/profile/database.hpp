// Exception-safe wrappers of SQLite, for saving and loading a profile.
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
  enum class OpenMode { read, create };
  /// Throws Error (input) if the file can't be opened. A new database reserves bytes of each page
  /// for checksums (seal.hpp).
  Database(std::string path, OpenMode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that return no rows.
  void execute(const char* statements);
  /// Closes the database, which completes the file.
  void close();
  [[nodiscard]] sqlite3* handle() const { return handle_; }
  /// Throws the error of SQLite's last call. When reading: Error (input), since the file is no
  /// profile. When writing: Error (failed).
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  OpenMode mode_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement: run repeatedly with different values, or read row by row.
class Statement {
 public:
  Statement(const Database& database, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds `values` to the parameters in order, runs the statement and resets it. Text must outlive
  /// the call.
  template <class... Values>
  void run(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    finish();
  }
  /// Steps to the next row. Returns false if there is none.
  [[nodiscard]] bool next();

  [[nodiscard]] bool is_null(int column) const;
  /// Returns a 64-bit unsigned number, stored as a signed integer with the same bits. Throws Error
  /// (input) if the column isn't an integer.
  [[nodiscard]] std::uint64_t u64(int column) const;
  /// Returns an unsigned number. Throws Error (input) if it isn't below `limit`.
  [[nodiscard]] std::uint64_t below(int column, std::uint64_t limit) const;
  /// Like below(), but returns std::nullopt for NULL.
  [[nodiscard]] std::optional<std::uint64_t> below_or_null(int column, std::uint64_t limit) const;
  [[nodiscard]] int integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  /// Returns the column's bytes, which are valid until next().
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
