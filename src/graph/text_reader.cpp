// Splits a text into chunks at line ends.
#include "graph/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"

namespace Atoll::graph {

TextReader::TextReader(ByteSource& source, std::size_t chunk_bytes)
    : source_(source), chunk_bytes_(chunk_bytes) {
  const std::string_view head = source_.peek(3);
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    throw Error::input(source_.name(), "the text is in UTF-16", "use iconv -f UTF-16 -t UTF-8");
  if (head.starts_with("\xef\xbb\xbf") && read_more(3)) at_ = 3;
}

bool TextReader::read_more(std::size_t bytes) {
  const std::size_t before = pending_.size();
  pending_.resize(before + bytes);
  const std::size_t got = source_.read(pending_.data() + before, bytes);
  pending_.resize(before + got);
  return got > 0;
}

std::string_view TextReader::peek(std::size_t bytes) {
  while (pending_.size() - at_ < bytes && read_more(bytes)) {
  }
  return std::string_view(pending_).substr(at_);
}

void TextReader::refuse_long_line(std::string_view line) const {
  if (line.find('\r') != std::string_view::npos)
    throw Error::input(source_.name(), kLoneReturn, kLoneReturnWayOut);
  throw Error::input(source_.name(), "a line of more than 1 MiB",
                     "is this a graph? write 'source target' a line");
}

std::string TextReader::where() const {
  return fmt::format("{}:{}", source_.name(), lines_taken_);
}

bool TextReader::read_line(std::string& line) {
  std::size_t end;
  while ((end = pending_.find('\n', at_)) == std::string::npos) {
    if (pending_.size() - at_ > kMaxLineBytes)
      refuse_long_line(std::string_view(pending_).substr(at_));
    if (read_more(4096)) continue;
    if (at_ == pending_.size()) return false;
    end = pending_.size();  // the last line may lack a line break
    break;
  }
  line.assign(pending_, at_, end - at_);
  at_ = std::min(end + 1, pending_.size());
  ++lines_taken_;
  if (line.find('\r') < line.size() - 1)
    throw Error::input(where(), kLoneReturn, kLoneReturnWayOut);
  return true;
}

bool TextReader::next(Chunk& chunk) {
  const std::scoped_lock lock(mutex_);
  std::vector<char>& memory = chunk.memory;
  std::size_t size = 0;
  std::size_t whole = 0;  // bytes up to the last line break
  for (bool end = false; whole == 0;) {
    if (size > kMaxLineBytes) refuse_long_line({memory.data(), size});
    const std::size_t wanted = std::max(chunk_bytes_, 2 * size);
    if (memory.size() < wanted + 1 + kPadding) memory.resize(wanted + 1 + kPadding);
    const std::size_t taken = std::min(wanted - size, pending_.size() - at_);
    std::memcpy(memory.data() + size, pending_.data() + at_, taken);
    at_ += taken;
    size += taken;
    while (size < wanted && !end) {
      const std::size_t got = source_.read(memory.data() + size, wanted - size);
      size += got;
      end = got == 0;
    }
    if (size == 0) return false;
    if (end) {
      if (memory[size - 1] != '\n') memory[size++] = '\n';
      whole = size;
    } else if (const void* last = ::memrchr(memory.data(), '\n', size)) {
      whole = static_cast<std::size_t>(static_cast<const char*>(last) - memory.data()) + 1;
    }
  }
  // The bytes after the last line break precede those still pending.
  pending_.replace(0, at_, memory.data() + whole, size - whole);
  at_ = 0;
  chunk.index = chunks_++;
  chunk.text = {memory.data(), whole};
  return true;
}

}  // namespace Atoll::graph
