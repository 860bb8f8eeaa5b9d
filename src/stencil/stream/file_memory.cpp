// Files as slow memory.
#include <utility>
#include <vector>

#include "atoll/memory/backing_file.hpp"
#include "stencil/stream/slow_memory.hpp"

namespace Atoll::stencil {
namespace {

class FileMemory : public SlowMemory {
 public:
  explicit FileMemory(std::string folder)
      : folder_(std::move(folder)), engine_(memory::file_engine()) {}

  Home allocate(std::uint64_t bytes) override {
    files_.push_back(std::make_unique<memory::BackingFile>(folder_, bytes));
    return {.position = {files_.back().get(), 0}};
  }
  memory::CopyEngine& engine() override { return *engine_; }
  std::byte* map(const Home& home, std::uint64_t offset, std::uint64_t bytes, bool edits) override {
    using Access = memory::FileMapping::Access;
    mapped_.push_back(home.position.file->map(home.position.offset + offset, bytes,
                                              edits ? Access::edit : Access::view));
    return mapped_.back().data();
  }
  void release(std::byte* mapped, std::uint64_t bytes) override {
    for (const memory::FileMapping& mapping : mapped_)
      if (mapping.data() == mapped) mapping.release(bytes);
  }
  void unmap() override {
    for (memory::FileMapping& mapping : mapped_) mapping.close();
    mapped_.clear();
  }

 private:
  const std::string folder_;
  std::vector<std::unique_ptr<memory::BackingFile>> files_;
  std::vector<memory::FileMapping> mapped_;
  std::unique_ptr<memory::CopyEngine> engine_;
};

}  // namespace

std::unique_ptr<SlowMemory> file_memory(std::string folder) {
  return std::make_unique<FileMemory>(std::move(folder));
}

}  // namespace Atoll::stencil
