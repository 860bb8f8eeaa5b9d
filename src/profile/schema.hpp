// The profile file's tables, which docs/profile-file.md explains. A file with any other table
// definition is rejected: each change of the schema has its own version number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace Atoll::profile {

inline constexpr int kApplicationId = 0x41746f6c;  ///< "Atol", in SQLite's header
inline constexpr int kVersion = 6;                 ///< user_version in SQLite's header
inline constexpr std::size_t kPageSize = 16384;    ///< of the database

struct SchemaItem {
  const char* name;
  const char* definition;
};

inline constexpr std::array<SchemaItem, 15> kSchema{{
    {"run",
     "CREATE TABLE run (\n"
     "  frontend TEXT NOT NULL, frontend_reason TEXT NOT NULL,\n"
     "  elapsed_seconds REAL NOT NULL, native_seconds REAL,\n"
     "  epoch_ns INTEGER NOT NULL, epochs INTEGER NOT NULL, machine TEXT NOT NULL,\n"
     "  split_accesses INTEGER NOT NULL,\n"
     "  chunk_count INTEGER NOT NULL, touch_count INTEGER NOT NULL, pair_count INTEGER NOT NULL,\n"
     "  sample_count INTEGER NOT NULL)"},
    {"cant_see",
     "CREATE TABLE cant_see (\n"
     "  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, count INTEGER NOT NULL, detail TEXT NOT NULL)"},
    {"losses",
     "CREATE TABLE losses (\n"
     "  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, count INTEGER NOT NULL, detail TEXT NOT NULL)"},
    {"processes",
     "CREATE TABLE processes (\n"
     "  id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, parent INTEGER REFERENCES processes,\n"
     "  executable TEXT NOT NULL, started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,\n"
     "  exit_code INTEGER, signal INTEGER)"},
    {"arguments",
     "CREATE TABLE arguments (\n"
     "  process INTEGER NOT NULL REFERENCES processes, position INTEGER NOT NULL,\n"
     "  word TEXT NOT NULL, PRIMARY KEY (process, position)) WITHOUT ROWID"},
    {"threads",
     "CREATE TABLE threads (\n"
     "  id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES processes,\n"
     "  tid INTEGER NOT NULL, creator INTEGER REFERENCES threads, creation_site INTEGER,\n"
     "  position INTEGER NOT NULL, name TEXT NOT NULL, pu INTEGER NOT NULL,\n"
     "  started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,\n"
     "  joined_ns INTEGER NOT NULL)"},
    {"sites", "CREATE TABLE sites (id INTEGER PRIMARY KEY, levels INTEGER NOT NULL)"},
    {"frames",
     "CREATE TABLE frames (\n"
     "  site INTEGER NOT NULL REFERENCES sites, level INTEGER NOT NULL,\n"
     "  function TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL,\n"
     "  module TEXT NOT NULL, build_id TEXT NOT NULL, offset INTEGER NOT NULL,\n"
     "  inlined INTEGER NOT NULL, PRIMARY KEY (site, level)) WITHOUT ROWID"},
    {"objects",
     "CREATE TABLE objects (\n"
     "  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, process INTEGER NOT NULL REFERENCES "
     "processes,\n"
     "  name TEXT NOT NULL, site INTEGER REFERENCES sites, thread INTEGER REFERENCES threads,\n"
     "  position INTEGER NOT NULL, address INTEGER NOT NULL, bytes INTEGER NOT NULL,\n"
     "  allocations INTEGER NOT NULL, module TEXT NOT NULL, build_id TEXT NOT NULL,\n"
     "  offset INTEGER NOT NULL, created_ns INTEGER NOT NULL, freed_ns INTEGER NOT NULL,\n"
     "  reads INTEGER NOT NULL, writes INTEGER NOT NULL,\n"
     "  private_lines INTEGER NOT NULL, read_shared_lines INTEGER NOT NULL,\n"
     "  write_shared_lines INTEGER NOT NULL, falsely_shared_lines INTEGER NOT NULL,\n"
     "  spinning_lines INTEGER NOT NULL, unknown_pages INTEGER NOT NULL,\n"
     "  communication INTEGER NOT NULL, write_communication INTEGER NOT NULL,\n"
     "  private_traffic INTEGER NOT NULL, read_shared_traffic INTEGER NOT NULL,\n"
     "  write_shared_traffic INTEGER NOT NULL, falsely_shared_traffic INTEGER NOT NULL,\n"
     "  spinning_traffic INTEGER NOT NULL, spinning_accesses INTEGER NOT NULL,\n"
     "  fill_site INTEGER REFERENCES sites)"},
    {"chunks",
     "CREATE TABLE chunks (\n"
     "  object INTEGER NOT NULL REFERENCES objects, first_page INTEGER NOT NULL,\n"
     "  thread INTEGER NOT NULL REFERENCES threads, pages INTEGER NOT NULL,\n"
     "  reads INTEGER NOT NULL, writes INTEGER NOT NULL, traffic INTEGER NOT NULL,\n"
     "  counts BLOB NOT NULL)"},
    {"touches",
     "CREATE TABLE touches (\n"
     "  process INTEGER NOT NULL REFERENCES processes, first_page INTEGER NOT NULL,\n"
     "  pages INTEGER NOT NULL, touches BLOB NOT NULL)"},
    {"policies",
     "CREATE TABLE policies (\n"
     "  id INTEGER PRIMARY KEY, mode INTEGER NOT NULL, nodes BLOB NOT NULL)"},
    {"homes",
     "CREATE TABLE homes (\n"
     "  id INTEGER PRIMARY KEY, thread INTEGER REFERENCES threads,\n"
     "  policy INTEGER REFERENCES policies)"},
    {"communication",
     "CREATE TABLE communication (\n"
     "  thread INTEGER NOT NULL REFERENCES threads, other INTEGER NOT NULL REFERENCES threads,\n"
     "  lines INTEGER NOT NULL, written_lines INTEGER NOT NULL,\n"
     "  PRIMARY KEY (thread, other)) WITHOUT ROWID"},
    {"samples",
     "CREATE TABLE samples (\n"
     "  object INTEGER NOT NULL REFERENCES objects, page INTEGER NOT NULL,\n"
     "  thread INTEGER NOT NULL REFERENCES threads, epoch INTEGER NOT NULL,\n"
     "  uses INTEGER NOT NULL)"},
}};

}  // namespace Atoll::profile
