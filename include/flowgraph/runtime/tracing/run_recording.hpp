#pragma once
// Records the events of a traced run: the trace that a trace_recorder creates for each run.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/queue/executor.hpp>
#include <flowgraph/runtime/tracing/run_trace.hpp>
#include <flowgraph/runtime/tracing/trace_log.hpp>

#include <map>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline std::int64_t trace_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The system's counters for a thread; zero if it has no counters.
struct thread_switches {
  std::uint64_t asked = 0, suffered = 0;
  static thread_switches of_this_thread();
};

// Records the time until the end of its scope, for one thread, with its context switches.
class recorded_span {
public:
  recorded_span(trace_lane& lane, trace_kind kind, std::uint32_t run);
  recorded_span(const recorded_span&) = delete;
  ~recorded_span();

private:
  trace_lane& lane_;
  trace_record result_;
  thread_switches before_;
};

// Installs a trace, and memory that reports its allocations, in services, and removes them at the end.
class recorded_services {
public:
  void attach(run_services& to, kernel_trace& trace, trace_log& log);
  void detach();
  ~recorded_services() { detach(); }

private:
  run_services* of_ = nullptr;
  std::pmr::memory_resource* own_ = nullptr;
  std::shared_ptr<std::pmr::memory_resource> told_;
};

class run_recording final : public run_trace {
public:
  // `on_one_thread`: the run begins and ends on the same thread, and this object records its step. Otherwise the driver of the
  // run records it.
  explicit run_recording(std::shared_ptr<trace_log> log, bool on_one_thread = true);

  FLOWGRAPH_INLINE std::unique_ptr<executor_trace> join(const plan& p, run_services& services) override;
  void attach(run_services& services) override { services_.attach(services, *this, *log_); }
  void detach(run_services&) override { services_.detach(); }
  FLOWGRAPH_INLINE bool walk(schedule& s, std::size_t first, std::size_t last, const run_options& options) override;
  void add(std::shared_ptr<const collected_trace> elsewhere, std::size_t records) override {
    log_->take({number_, records, std::move(elsewhere)});
  }

  std::int64_t now() const override { return trace_clock(); }
  FLOWGRAPH_INLINE void run_blocks(const kernel_call& call, std::int64_t blocks, function_ref<void(std::int64_t)> block) override;
  FLOWGRAPH_INLINE void waited(const kernel_call& call, std::string_view kind, std::string_view name,
                               std::int64_t since) override;
  FLOWGRAPH_INLINE void copied(const call_site& from, std::size_t bytes, std::int64_t since) override;
  FLOWGRAPH_INLINE std::pmr::memory_resource* memory_over(std::pmr::memory_resource* from) override;

  // Adds the bytes of the outputs, and a text with their types and shapes.
  void describe_outputs(const kernel_call& call, trace_record& to);
  trace_log& log() noexcept { return *log_; }
  std::uint32_t number() const noexcept { return number_; }

private:
  void take_part(const trace_table& t);
  const trace_table* table_with(const call_site* n);
  void add(trace_kind kind, const call_site* n, const std::string* text, std::size_t bytes, std::int64_t since);

  std::shared_ptr<trace_log> log_;
  std::uint32_t number_;
  threading::mutex mutex_;
  sequence<const trace_table*> tables_;                                                        // tables of all plans of the run
  std::map<std::pmr::memory_resource*, std::shared_ptr<std::pmr::memory_resource>> memories_;  // recorded memories of devices
  recorded_services services_;
  std::optional<recorded_span> step_;
};

// Guarded by the executor's baton, except for completions of asynchronous kernels.
class executor_recording final : public executor_trace {
public:
  executor_recording(run_recording& run, const plan& p, run_services& services);

  FLOWGRAPH_INLINE void pump(executor& e, bool owner, threading::unique_lock<threading::mutex>& baton) override;
  FLOWGRAPH_INLINE bool invoke(call_frame& f, const plan_record& r, const iteration& at) override;
  call_times begin_async() override { return {lane().ready, trace_clock()}; }
  FLOWGRAPH_INLINE void answered(const plan_record& r, const iteration& at, const call_times& times) override;
  call_times begin_send() override { return {lane().ready, trace_clock()}; }
  FLOWGRAPH_INLINE void sent(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes,
                             const call_times& times) override;
  FLOWGRAPH_INLINE void received(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes) override;

  trace_lane& lane() { return run_.log().lane(); }
  std::uint32_t run() const noexcept { return run_.number(); }
  // Returns a stored copy of the lane's text.
  const std::string* described() { return run_.log().described(lane()); }
  // Returns the common part of all records of one node in one iteration.
  trace_record about(const plan_record& r, const iteration& at, trace_kind kind) const;

  // Detects which records have become ready since the last call.
  void note_ready(const ready_queue& ready);
  // Called when a record is taken from the queue. Returns the time at which it became ready.
  std::int64_t taken(std::uint32_t record, bool is_inner);

private:
  std::uint32_t index_of(const plan_record& r) const { return static_cast<std::uint32_t>(&r - plan_.records.data()); }
  void exchanged(const plan_record& r, const iteration& at, trace_kind kind, std::uint32_t edge, std::size_t bytes,
                 const call_times& times);

  run_recording& run_;
  const plan& plan_;
  const trace_table& table_;
  recorded_services services_;
  sequence<std::int64_t> inner_;   // in the order of the queue
  sequence<std::uint64_t> known_;  // bits of the waiting records outside of loops
  sequence<std::int64_t> outer_;   // since when they wait, by record
  std::size_t known_count_ = 0;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/tracing/impl/run_recording.hpp>
#include <flowgraph/runtime/tracing/impl/traced_driving.hpp>
#endif
