// A file opened for reading, or standard input.
#pragma once

#include <string>

#include "graph/byte_source.hpp"

namespace Atoll::graph {

class InputFile : public ByteSource {
 public:
  /// `path` "-" is standard input. Throws Error (input) if the file doesn't exist or is a
  /// directory.
  explicit InputFile(const std::string& path);
  ~InputFile() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::size_t bytes() const override {
    return bytes_;
  }  ///< 0 unless the file is
     ///< regular
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool regular() const { return regular_; }
  void stop() noexcept override;

 private:
  std::size_t read_next(char* to, std::size_t bytes) override;
  [[nodiscard]] bool wait_for_bytes() const;

  std::string name_;
  int descriptor_ = -1;
  bool regular_ = false;
  std::size_t bytes_ = 0;
  int stopped_[2] = {-1, -1};  ///< pipe that stop() writes to, to wake a waiting read
};

}  // namespace Atoll::graph
