#include "recording/streams/stream_cursors.hpp"

#include "recording/threads_of_events.hpp"

namespace Atoll::recording {

StreamCursors::StreamCursors(const std::string& path)
    : blocks_(path), room_(std::make_unique<StreamDecoder::Room>()) {
  blocks_.read_recording();
  recording_ = std::move(blocks_.recording());
  threads_ = threads_of_events(recording_);
  auto places = blocks_.places();
  progress_ = std::make_unique<Progress>("reading " + path, blocks_.count());
  const std::uint64_t most_bytes = most_bytes_of(recording_);
  for (Thread& thread : recording_.threads) {
    if (thread.stream == kNone) continue;
    Cursor& cursor = cursors_.emplace(thread.id, Cursor(thread.id, most_bytes)).first->second;
    cursor.places = std::move(places[thread.stream]);
    places.erase(thread.stream);
    thread.stream = thread.id;
  }
  if (!places.empty()) blocks_.damaged("has accesses of a thread and doesn't tell of it");
}

bool StreamCursors::next(std::uint32_t thread, Consumer& consumer) {
  const auto found = cursors_.find(thread);
  if (found == cursors_.end() || found->second.is_finished) return false;
  Cursor& cursor = found->second;
  if (cursor.next_place == cursor.places.size()) {
    if (cursor.decoder.is_cut()) blocks_.damaged("has a record that is cut off");
    cursor.is_finished = true;
    cursor.decoder.finish(*room_, consumer);
    return true;
  }
  blocks_.read_at(cursor.places[cursor.next_place++]);
  progress_->add(1);
  if (!cursor.decoder.add(blocks_.words(), *room_, &threads_, consumer))
    blocks_.damaged("has a block whose content is wrong");
  return true;
}

}  // namespace Atoll::recording
