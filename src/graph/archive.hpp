// A packed file through libarchive: its one member, read to its end.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/gunzip.hpp"
#include "graph/input_file.hpp"

struct archive;
struct archive_entry;

namespace Atoll::graph {

/// How many bytes of a file is_packed() needs.
inline constexpr std::size_t kPackedHeadBytes = 512;

/// True for the beginning of a compressed file or an archive.
[[nodiscard]] bool is_packed(std::string_view head);

class Archive {
 public:
  /// Reads up to the first file. `packed` outlives this. Throws Error (input) if there is none.
  explicit Archive(InputFile& packed);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// "g.tar.gz(folder/g.mtx)"; the packed file's own name if files in it have no names.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// True if files in it have names, and there may be several.
  [[nodiscard]] bool has_members() const { return !member_.empty(); }
  /// Reads the file's next bytes, as many as requested unless it ends.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes);
  /// Called at the file's end: throws Error (input) if another file follows.
  void refuse_other_files();

 private:
  struct Callback;  ///< has the functions that libarchive calls
  Archive(InputFile& packed, archive* opened);
  void open();
  [[nodiscard]] bool next_file(archive_entry*& entry);
  [[noreturn]] void fail();
  void count_unpacked(std::size_t bytes);

  InputFile& packed_;
  std::optional<Gunzip> gunzip_;  ///< if set, libarchive reads from it
  std::string name_;
  std::string member_;
  archive* archive_ = nullptr;
  std::vector<char> block_;
  std::exception_ptr error_;  ///< from reading the packed file
  std::size_t unpacked_bytes_ = 0;
};

}  // namespace Atoll::graph
