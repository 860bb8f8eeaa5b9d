// Fuzzes profile files. The input is a list of patches to the bytes or the table values of a valid
// file. The file is refused in one line, or the profile can be analysed, gives advice and can be
// saved again.
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "atoll/base/error.hpp"
#include "patches.hpp"
#include "profile/advise.hpp"
#include "profile/seal.hpp"
#include "profile_support.hpp"

namespace {

using namespace Atoll;

const std::string& path() {
  // A file in memory, because saving waits for the disk.
  static const std::string name = "/dev/shm/fuzz_profile.tmp" + std::to_string(::getpid());
  return name;
}

std::string content_of_file() {
  std::ifstream file(path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string good_file() {
  profile::Profile profile = profile::random_run(1, 5, 200).build();
  profile.machine = Machine::open("xeon-2x10").to_json();
  save(profile, path());
  return content_of_file();
}

/// Sets one table value. Valid databases test later checks than databases with changed bytes.
void update(std::uint64_t where, std::int64_t value) {
  static constexpr std::array kColumns{"chunks SET object",
                                       "chunks SET first_page",
                                       "chunks SET thread",
                                       "chunks SET pages",
                                       "chunks SET reads",
                                       "chunks SET writes",
                                       "touches SET process",
                                       "touches SET first_page",
                                       "touches SET pages",
                                       "objects SET process",
                                       "objects SET site",
                                       "objects SET thread",
                                       "objects SET position",
                                       "objects SET address",
                                       "objects SET bytes",
                                       "objects SET kind",
                                       "objects SET private_lines",
                                       "threads SET process",
                                       "threads SET creator",
                                       "threads SET creation_site",
                                       "threads SET pu",
                                       "run SET epochs",
                                       "run SET epoch_ns",
                                       "run SET elapsed_seconds",
                                       "run SET native_seconds",
                                       "run SET machine",
                                       "run SET chunk_count",
                                       "processes SET parent",
                                       "communication SET accesses",
                                       "communication SET write_accesses",
                                       "sites SET levels",
                                       "frames SET inlined",
                                       "frames SET offset"};
  const std::string text = kColumns[where % kColumns.size()];
  const std::string table = text.substr(0, text.find(' '));
  sqlite3* database = nullptr;
  if (sqlite3_open(path().c_str(), &database) != SQLITE_OK) __builtin_trap();
  const std::string where_row = table == "communication" || table == "frames"
                                    ? ""
                                    : " WHERE rowid % 3 = " + std::to_string(where / 64 % 3);
  sqlite3_exec(database, ("UPDATE " + text + " = " + std::to_string(value) + where_row).c_str(),
               nullptr, nullptr, nullptr);  // a violated constraint changes nothing
  sqlite3_close(database);
  profile::seal(path());
}

void use() {
  const profile::Profile loaded = profile::load(path());
  static_cast<void>(profile::check(path()));
  static const Machine machine = Machine::open("xeon-x7550");
  const profile::Advice advice = advise(loaded, machine);
  if (advice.recommendations.empty()) __builtin_trap();
  static_cast<void>(to_json(advice.plan));
  static_cast<void>(to_json(summarise(loaded, machine)));
  save(loaded, path());
  if (profile::load(path()).chunks != loaded.chunks) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = good_file();
  if (size == 0) return 0;
  std::string content = good;
  const bool by_values = (data[0] & 1) != 0;
  if (by_values) std::ofstream(path(), std::ios::binary) << content;
  for_each_patch<std::uint32_t>(data, size, [&](const auto& patch) {
    const std::uint64_t value = patch.value >> 8 * (patch.bytes % 8);  // values of 1 to 8 bytes
    if (by_values)
      update(patch.at, static_cast<std::int64_t>(value));
    else
      patch.apply(content);
  });
  if (!by_values) {
    if ((data[0] & 6) == 6) content.resize(size * 337 % content.size());
    std::ofstream(path(), std::ios::binary) << content;
    // Recomputes the seal. Otherwise, the checksums would detect almost every change.
    if ((data[0] & 8) == 0 && content.size() >= good.size()) profile::seal(path());
  }
  try {
    use();
  } catch (const Error& error) {
    if (std::strchr(error.what(), '\n') != nullptr) __builtin_trap();
  }
  ::unlink(path().c_str());
  return 0;
}
