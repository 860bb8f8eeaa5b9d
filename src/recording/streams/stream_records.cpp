#include "recording/streams/stream_records.hpp"

#include <algorithm>

#include "record/stream_words.hpp"

namespace Atoll::recording {
namespace {

using record::RecordField;
using record::RecordGroup;
using record::RecordRow;

std::uint32_t low_half(std::uint64_t word) {
  return static_cast<std::uint32_t>(word & 0xffff'ffffU);
}

void set(StreamEvent& event, RecordField field, std::uint64_t word) {
  switch (field) {
    case RecordField::clock:
    case RecordField::event:
      event.number = word;
      break;
    case RecordField::address:
      event.address = word;
      break;
    case RecordField::bytes:
      event.bytes = word;
      break;
    case RecordField::loop:
      event.loop = low_half(word);
      break;
    case RecordField::task:
      event.task = word;
      break;
    default:
      break;
  }
}

void set(StreamWait& wait, RecordField field, std::uint64_t word) {
  switch (field) {
    case RecordField::release:
      wait.release = word;
      break;
    case RecordField::key:
      wait.key = word;
      break;
    case RecordField::other_key:
      wait.other_key = word;
      break;
    case RecordField::round:
    case RecordField::post:
      wait.number = word;
      break;
    case RecordField::count:
      wait.count = low_half(word);
      break;
    default:
      break;
  }
}

void set(StreamPlacement& call, RecordField field, std::uint64_t word) {
  switch (field) {
    case RecordField::address:
      call.address = word;
      break;
    case RecordField::bytes:
      call.bytes = word;
      break;
    case RecordField::mode:
      call.mode = word;
      break;
    case RecordField::mode_and_flags:
      call.mode = low_half(word);
      call.flags = static_cast<std::uint32_t>(word >> 32);
      break;
    case RecordField::node:
      call.node = word;
      break;
    case RecordField::enabled:
      call.enabled = word != 0;
      break;
    case RecordField::by_write:
      call.by_write = word != 0;
      break;
    case RecordField::new_address:
      call.new_address = word;
      break;
    case RecordField::query:
      call.query = word;
      break;
    case RecordField::thread:
      call.thread = word;
      break;
    default:
      break;
  }
}

/// Sets the fields that the record has, except for a mask.
template <typename Into>
void set_fields(Into& into, std::span<const std::uint64_t> record, const RecordRow& row) {
  const std::size_t fields =
      std::min<std::size_t>(row.count - (row.has_mask() ? 1 : 0), record.size() - 1);
  for (std::size_t i = 0; i < fields; ++i) set(into, row.fields[i], record[i + 1]);
}

}  // namespace

const RecordRow* row_of(std::span<const std::uint64_t> record) {
  if (record.empty()) return nullptr;
  const RecordRow* row = record::find_row(record::record_kind_of(record[0]));
  return row == nullptr || record.size() < 1U + row->required ? nullptr : row;
}

StreamEvent event_of(std::span<const std::uint64_t> record, const RecordRow& row) {
  StreamEvent event{.kind = row.kind};
  set_fields(event, record, row);
  return event;
}

bool wait_of(std::span<const std::uint64_t> record, StreamWait& wait) {
  const RecordRow* row = row_of(record);
  if (row == nullptr || row->group != RecordGroup::wait) return false;
  wait = {.kind = row->kind};
  set_fields(wait, record, *row);
  return wait.kind != RecordKind::barrier || wait.count != 0;
}

bool placement_of(std::span<const std::uint64_t> record, StreamPlacement& call) {
  const RecordRow* row = row_of(record);
  if (row == nullptr || row->group != RecordGroup::placement) return false;
  call = {.kind = row->kind};
  set_fields(call, record, *row);
  if (row->has_mask()) call.mask = record.subspan(row->count);
  return true;
}

}  // namespace Atoll::recording
