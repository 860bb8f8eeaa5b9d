// Algorithm 1 of the paper. Its streams are: reads from the homes (stream 1, `Loaded::reading`),
// copies between slots (stream 0, together with the execution), and writes to the homes (stream 2,
// `writing_`).
#include "stencil/stream/stream_runner.hpp"

#include <chrono>
#include <utility>

#include "stencil/intervals.hpp"

namespace Atoll::stencil {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

StreamRunner::~StreamRunner() {
  cancel();
}

void StreamRunner::cancel() noexcept {
  drop_ahead();
  if (writing_.operation) writing_.operation->cancel();
  writing_ = {};
}

void StreamRunner::finish(int field, Plan::Interval rows) {
  const auto number = static_cast<std::size_t>(field);
  if (number < writing_.rows.size() && !common(writing_.rows[number], {rows}).empty())
    wait_for_writing();
}

void StreamRunner::drop_ahead() noexcept {
  if (ahead_.reading) ahead_.reading->cancel();
  ahead_ = {};
}

void StreamRunner::run(std::span<const Queued> queue, const std::shared_ptr<StreamedChain>& chain,
                       const std::shared_ptr<StreamedChain>& next, Tilings& tilings) {
  counters_.planned_bytes_in += chain->outer.bytes_in;
  counters_.planned_bytes_out += chain->outer.bytes_out;
  try {
    run_tiles(queue, chain, next, tilings);
  } catch (...) {
    cancel();
    throw;
  }
}

void StreamRunner::run_tiles(std::span<const Queued> queue,
                             const std::shared_ptr<StreamedChain>& chain,
                             const std::shared_ptr<StreamedChain>& next, Tilings& tilings) {
  const std::vector<OuterSegment>& segments = chain->outer.segments;
  for (std::size_t s = 0; s < segments.size(); ++s)
    for (std::size_t t = 0; t < segments[s].tiles.size(); ++t) {
      const OuterTile& tile = segments[s].tiles[t];
      // Lines 2 to 4. Data that were read for another chain are of no use.
      if (ahead_.tile != &tile) {
        drop_ahead();
        ahead_ = load(chain, tile, nullptr);
      }
      Loaded current = std::exchange(ahead_, {});
      wait_for(current);                    // line 6
      slot_ = (current.slot + 1) % kSlots;  // line 9
      const bool is_last = t + 1 == segments[s].tiles.size();
      // Line 7. After the last tile, reads ahead for the next segment or chain (§4.1).
      if (!is_last)
        ahead_ = load(chain, segments[s].tiles[t + 1], &current);
      else if (reads_ahead_ && s + 1 < segments.size())
        ahead_ = load(chain, segments[s + 1].tiles.front(), &current);
      else if (reads_ahead_ && next != nullptr && !next->outer.segments.empty())
        ahead_ = load(next, next->outer.segments.front().tiles.front(), &current);
      execute(current, queue, tilings);           // lines 8 and 11
      wait_for_writing();                         // line 13
      if (!is_last) copy_edges(current, ahead_);  // line 14
      write_back(current);                        // line 15
      ++counters_.outer_tiles;
    }
}

/// Starts to read the data of a tile. Rows that the homes lack now, because the transfers of the
/// tile before or of `current` have not ended, are read later.
StreamRunner::Loaded StreamRunner::load(const std::shared_ptr<StreamedChain>& chain,
                                        const OuterTile& tile, const Loaded* current) {
  Loaded loaded;
  loaded.chain = chain;
  loaded.tile = &tile;
  loaded.slot = slot_;
  loaded.layout = SlotLayout(tile, chain->fields);
  loaded.late.resize(chain->fields.size());
  std::vector<Intervals> missing = writing_.operation ? writing_.rows : std::vector<Intervals>();
  if (current != nullptr)
    for (std::size_t f = 0; f < current->chain->fields.size(); ++f) {
      const auto number = static_cast<std::size_t>(current->chain->fields[f].number);
      if (number >= missing.size()) missing.resize(number + 1);
      add(missing[number], current->tile->fields[f].out);
    }
  memory::CopyJob job;
  for (std::size_t f = 0; f < chain->fields.size(); ++f) {
    const Intervals& in = tile.fields[f].in;
    const auto number = static_cast<std::size_t>(chain->fields[f].number);
    if (number < missing.size()) loaded.late[f] = common(in, missing[number]);
    loaded.any_late = loaded.any_late || !loaded.late[f].empty();
    add_reads(loaded, f, without(in, loaded.late[f]), job);
  }
  if (!job.pieces.empty()) loaded.reading = transfers_.start(std::move(job));
  return loaded;
}

void StreamRunner::add_reads(Loaded& loaded, std::size_t f, const Intervals& rows,
                             memory::CopyJob& job) {
  const StreamedField& field = loaded.chain->fields[f];
  for (const Plan::Interval& part : rows) {
    job.pieces.push_back(
        field.read(part, slots_[loaded.slot] + loaded.layout.offset(static_cast<int>(f), part.lo)));
    counters_.bytes_in += job.pieces.back().bytes;
  }
}

void StreamRunner::wait_for(Loaded& loaded) {
  const Clock::time_point start = Clock::now();
  if (loaded.reading) loaded.reading->wait();
  loaded.reading.reset();
  if (loaded.any_late) {
    if (writing_.operation) writing_.operation->wait();
    writing_ = {};
    memory::CopyJob job;
    for (std::size_t f = 0; f < loaded.late.size(); ++f) add_reads(loaded, f, loaded.late[f], job);
    transfers_.start(std::move(job))->wait();
    loaded.any_late = false;
  }
  counters_.waited_seconds += seconds_since(start);
}

void StreamRunner::wait_for_writing() {
  if (!writing_.operation) return;
  const Clock::time_point start = Clock::now();
  writing_.operation->wait();
  writing_ = {};
  counters_.waited_seconds += seconds_since(start);
}

void StreamRunner::execute(const Loaded& loaded, std::span<const Queued> queue, Tilings& tilings) {
  StreamedChain& chain = *loaded.chain;
  loops_.set(chain.chain, queue, chain.fields, *loaded.tile, loaded.layout, slots_[loaded.slot]);
  const Clock::time_point planning = Clock::now();
  const Plan& plan = chain.inner.plan(*loaded.tile, tilings);
  plan_seconds_ += seconds_since(planning);
  const Clock::time_point start = Clock::now();
  runner_.run(plan, loops_.all(), loaded.tile->base);
  chain.inner.ran(*loaded.tile, seconds_since(start));
}

void StreamRunner::copy_edges(const Loaded& from, const Loaded& to) {
  memory::CopyJob job;
  for (std::size_t f = 0; f < to.chain->fields.size(); ++f) {
    const int field = static_cast<int>(f);
    if (!to.chain->fields[f].is_streamed()) continue;
    for (const Plan::Interval& rows : to.tile->fields[f].copied)
      job.pieces.push_back({.to = slots_[to.slot] + to.layout.offset(field, rows.lo),
                            .from = slots_[from.slot] + from.layout.offset(field, rows.lo),
                            .bytes = to.chain->fields[f].bytes(rows)});
  }
  if (!job.pieces.empty()) edges_.start(std::move(job))->wait();
}

void StreamRunner::write_back(const Loaded& loaded) {
  memory::CopyJob job;
  const std::vector<StreamedField>& fields = loaded.chain->fields;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto number = static_cast<std::size_t>(fields[f].number);
    if (number >= writing_.rows.size()) writing_.rows.resize(number + 1);
    writing_.rows[number] = loaded.tile->fields[f].out;
    for (const Plan::Interval& rows : loaded.tile->fields[f].out) {
      job.pieces.push_back(fields[f].write(
          rows, slots_[loaded.slot] + loaded.layout.offset(static_cast<int>(f), rows.lo)));
      counters_.bytes_out += job.pieces.back().bytes;
    }
  }
  if (!job.pieces.empty())
    writing_.operation = transfers_.start(std::move(job));
  else
    writing_ = {};
}

}  // namespace Atoll::stencil
