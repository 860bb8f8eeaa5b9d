// Reads the single member of a compressed file or archive through libarchive.
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

class Archive {
 public:
  /// Reads up to the first member. `packed` must outlive this object. Throws Error (input) if there
  /// is no member.
  explicit Archive(InputFile& packed);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// "g.tar.gz(folder/g.mtx)"; the packed file's own name if the format doesn't name its members.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// True if the format names its members, so that it may have several.
  [[nodiscard]] bool has_members() const { return !member_.empty(); }
  /// Reads the member's next bytes, as many as requested unless the member ends.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes);
  /// Called at the member's end. Throws Error (input) if another member follows.
  void refuse_other_files();

 private:
  struct Callback;  ///< callbacks for libarchive
  Archive(InputFile& packed, archive* opened);
  void open();
  [[nodiscard]] bool next_file(archive_entry*& entry);
  [[noreturn]] void fail();
  void count_unpacked(std::size_t bytes);

  InputFile& packed_;
  std::optional<Gunzip> gunzip_;  ///< set for gzip: libarchive reads the unpacked bytes from it
  std::string name_;
  std::string member_;
  archive* archive_ = nullptr;
  std::vector<char> block_;
  std::exception_ptr error_;  ///< thrown while reading the packed file
  std::size_t unpacked_bytes_ = 0;
};

}  // namespace Atoll::graph
