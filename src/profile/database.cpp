// Converts SQLite's result codes to one-line errors.
#include "profile/database.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "atoll/base/error.hpp"
#include "profile/seal.hpp"

namespace Atoll::profile {

Database::Database(std::string path, OpenMode mode) : path_(std::move(path)), mode_(mode) {
  const int flags =
      mode == OpenMode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int result = sqlite3_open_v2(path_.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (result != SQLITE_OK) {
    const std::string reason = sqlite3_errmsg(handle_);
    sqlite3_close(std::exchange(handle_, nullptr));
    throw Error::input(path_, "can't be opened: " + reason);
  }
  sqlite3_extended_result_codes(handle_, 1);
  int reserved = kSealBytes;
  if (mode == OpenMode::create &&
      sqlite3_file_control(handle_, nullptr, SQLITE_FCNTL_RESERVE_BYTES, &reserved) != SQLITE_OK)
    fail();
  // The file may come from an untrusted source: its schema must not run code.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::execute(const char* statements) {
  if (sqlite3_exec(handle_, statements, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::close() {
  if (sqlite3_close(handle_) != SQLITE_OK) fail();
  handle_ = nullptr;
}

void Database::fail() const {
  const std::string reason = sqlite3_errmsg(handle_);
  if (mode_ == OpenMode::create) throw Error::failed(path_, "writing it: " + reason);
  throw Error::input(path_, "is no whole profile: " + reason,
                     "record it again with 'atoll profile'");
}

Statement::Statement(const Database& database, std::string_view text) : database_(database) {
  if (sqlite3_prepare_v2(database.handle(), text.data(), static_cast<int>(text.size()), &handle_,
                         nullptr) != SQLITE_OK)
    database.fail();
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

void Statement::finish() {
  const int result = sqlite3_step(handle_);
  sqlite3_reset(handle_);
  if (result != SQLITE_DONE) database_.fail();
}

bool Statement::next() {
  const int result = sqlite3_step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) database_.fail();
  return false;
}

void Statement::wrong(int column) const {
  throw Error::input(sqlite3_db_filename(database_.handle(), "main"),
                     fmt::format("is no whole profile: a {} is out of range",
                                 sqlite3_column_name(handle_, column)),
                     "record it again with 'atoll profile'");
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::uint64_t Statement::u64(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_INTEGER) wrong(column);
  return std::bit_cast<std::uint64_t>(std::int64_t{sqlite3_column_int64(handle_, column)});
}

std::uint64_t Statement::below(int column, std::uint64_t limit) const {
  const std::uint64_t value = u64(column);
  if (value >= limit) wrong(column);
  return value;
}

std::optional<std::uint64_t> Statement::below_or_null(int column, std::uint64_t limit) const {
  if (is_null(column)) return std::nullopt;
  return below(column, limit);
}

int Statement::integer(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_INTEGER) wrong(column);
  const std::int64_t value = sqlite3_column_int64(handle_, column);
  if (!std::in_range<int>(value)) wrong(column);
  return static_cast<int>(value);
}

double Statement::real(int column) const {
  const int type = sqlite3_column_type(handle_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) wrong(column);
  const double value = sqlite3_column_double(handle_, column);
  if (!(value >= 0 && value < 1e12)) wrong(column);  // all real columns are seconds
  return value;
}

std::string Statement::text(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_TEXT) wrong(column);
  return std::string(bytes(column));
}

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

void Statement::bind(int at, std::uint64_t value) {
  sqlite3_bind_int64(handle_, at, std::bit_cast<std::int64_t>(value));
}

void Statement::bind(int at, int value) {
  sqlite3_bind_int(handle_, at, value);
}

void Statement::bind(int at, double value) {
  sqlite3_bind_double(handle_, at, value);
}

void Statement::bind(int at, std::string_view value) {
  sqlite3_bind_text(handle_, at, value.data() == nullptr ? "" : value.data(),
                    static_cast<int>(value.size()), SQLITE_STATIC);
}

void Statement::bind_null(int at) {
  sqlite3_bind_null(handle_, at);
}

}  // namespace Atoll::profile
