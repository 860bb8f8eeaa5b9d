// A trace as a SimulatedProgram.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/recording/objects_by_time.hpp"
#include "atoll/simulate/simulate.hpp"
#include "recording/streams/stream_cursors.hpp"
#include "simulate/model.hpp"
#include "simulate/placement.hpp"
#include "simulate/plan_matcher.hpp"
#include "simulate/program.hpp"
#include "simulate/stream_to_batch.hpp"

namespace Atoll::simulate {

class RecordedProgram : public SimulatedProgram, private recording::Consumer {
 public:
  /// Reads the recording and places its threads. All references must outlive this object.
  RecordedProgram(const std::string& path, const Machine& machine, const Model& model,
                  const Options& options);

  [[nodiscard]] const recording::Recording& recording() const { return cursors_.recording(); }
  [[nodiscard]] const std::vector<ProgramThread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<HardwareThread>& hw_threads() const { return hw_threads_; }
  [[nodiscard]] int threads_at_a_time() const { return threads_at_a_time_; }
  /// The node of each thread's place, by its number among those that live at a time.
  [[nodiscard]] const std::vector<NodeId>& nodes_of_threads() const { return nodes_of_threads_; }
  /// True if the trace records what threads wait for.
  [[nodiscard]] bool has_waits() const { return has_waits_; }
  [[nodiscard]] Placement& placement() { return *placement_; }
  /// Null without a plan.
  [[nodiscard]] const PlanMatcher* planned() const { return planned_ ? &*planned_ : nullptr; }

  bool next(std::uint32_t thread, Batch& batch) override;
  Page touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address, Fault fault) override;
  void dropped(const Page& page) override { placement_->dropped(page); }
  /// The last one stands for memory without a record.
  std::size_t objects() override { return recording().objects.size() + 1; }
  std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) override;
  Span span_of_object(std::uint32_t thread, std::uint64_t address) override;
  void execute_event(std::uint32_t thread, const recording::StreamEvent& event) override;
  std::uint16_t copy_for(std::uint32_t node, std::uint64_t address, std::uint16_t home,
                         bool write) override;

 private:
  void lay_out(const Options& options);
  /// Applies the plan to threads and objects, after they have places and layouts without it.
  void follow_plan(const Machine& machine, const Model& model);
  void place_threads(const Machine& machine, const Model& model, const Options& options);
  void accesses(std::uint32_t stream, std::span<const recording::Access> accesses) override;
  void loop(std::uint32_t stream, std::span<const recording::AccessRange> parts) override;
  void event(std::uint32_t stream, const recording::StreamEvent& event) override;
  void style(std::uint32_t stream, std::uint32_t number,
             const recording::AccessStyle& style) override;
  void work(std::uint32_t stream, const recording::Work& work) override;
  void wait(std::uint32_t stream, const recording::StreamWait& wait) override;
  void place(std::uint32_t stream, const recording::StreamPlacement& call) override;

  recording::StreamCursors cursors_;
  Options options_;
  std::optional<PlanMatcher> planned_;
  std::vector<ProgramThread> threads_;
  std::vector<HardwareThread> hw_threads_;  ///< by ProgramThread::place
  int threads_at_a_time_ = 0;
  std::vector<NodeId> nodes_of_threads_;
  std::vector<recording::ObjectCursor> cursors_of_objects_;  ///< by thread
  recording::ObjectsByTime objects_by_time_;
  std::unique_ptr<Placement> placement_;
  std::vector<PlacedObject> objects_;   ///< by object
  std::vector<StylesOfStream> styles_;  ///< by thread
  std::uint64_t iterations_ = 0;        ///< number that have begun
  bool has_waits_ = false;
  Batch* batch_ = nullptr;  ///< the batch that next() fills
};

}  // namespace Atoll::simulate
