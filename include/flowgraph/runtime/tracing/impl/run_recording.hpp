#pragma once

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#ifdef __linux__
#include <sys/resource.h>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// ---- spans

FLOWGRAPH_INLINE thread_switches thread_switches::of_this_thread() {
#if defined(__linux__) && defined(RUSAGE_THREAD)
  rusage found{};
  if (::getrusage(RUSAGE_THREAD, &found) == 0)
    return {static_cast<std::uint64_t>(found.ru_nvcsw), static_cast<std::uint64_t>(found.ru_nivcsw)};
#endif
  return {};
}

FLOWGRAPH_INLINE recorded_span::recorded_span(trace_lane& lane, trace_kind kind, std::uint32_t run)
    : lane_(lane), before_(thread_switches::of_this_thread()) {
  result_.kind = kind;
  result_.run = run;
  result_.start = trace_clock();
  ++lane_.steps;
}

FLOWGRAPH_INLINE recorded_span::~recorded_span() {
  --lane_.steps;
  const thread_switches after = thread_switches::of_this_thread();
  result_.bytes = after.asked - before_.asked;
  result_.iteration = after.suffered - before_.suffered;
  result_.end = trace_clock();
  lane_.add(result_);
}

// ---- services

FLOWGRAPH_INLINE void recorded_services::attach(run_services& to, kernel_trace& trace, trace_log& log) {
  of_ = &to;
  own_ = to.memory;
  to.trace = &trace;
  if (far_memory::from(own_)) return;
  told_ = log.memory_over(own_);
  to.memory = told_.get();
}

FLOWGRAPH_INLINE void recorded_services::detach() {
  if (!of_) return;
  of_->trace = nullptr;
  of_->memory = own_;
  of_ = nullptr;
  told_.reset();
}

// ---- a run

FLOWGRAPH_INLINE run_recording::run_recording(std::shared_ptr<trace_log> log, bool on_one_thread)
    : log_(std::move(log)), number_(log_->number_run()) {
  if (on_one_thread) step_.emplace(log_->lane(), trace_kind::step, number_);
}

FLOWGRAPH_INLINE std::unique_ptr<executor_trace> run_recording::join(const plan& p, run_services& services) {
  take_part(log_->table_of(p, log_->lane()));
  return std::make_unique<executor_recording>(*this, p, services);
}

FLOWGRAPH_INLINE void run_recording::take_part(const trace_table& t) {
  const threading::lock_guard lock(mutex_);
  if (std::find(tables_.begin(), tables_.end(), &t) == tables_.end()) tables_.push_back(&t);
}

FLOWGRAPH_INLINE const trace_table* run_recording::table_with(const call_site* n) {
  const threading::lock_guard lock(mutex_);
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const trace_table* t) { return t->of_node.contains(n); });
  return found == tables_.end() ? nullptr : *found;
}

FLOWGRAPH_INLINE bool run_recording::walk(schedule& s, std::size_t first, std::size_t last, const run_options& options) {
  trace_lane& lane = log_->lane();
  const trace_record around = lane.now;
  trace_record r;
  r.table = &log_->table_of(s.planned(), lane);
  r.run = number_;
  r.iteration = s.at.index;
  r.key = s.at.key;
  r.frame = s.at.frame ? s.at.frame->frame : 0;
  if (!s.at.frame) take_part(*r.table);
  const bool watched = is_watched(options);
  bool is_whole = true;
  const call_site* failed = nullptr;
  for (std::size_t i = first; i < last && is_whole; ++i) {
    schedule_entry& e = s.entries[i];
    failed = e.call.at;
    if (watched && (s.failure = check_stop(options))) {
      is_whole = false;
      break;
    }
    r.kind = s.kind_of ? s.kind_of(e) : trace_kind::kernel;
    r.node = e.call.at;
    r.bytes = 0;
    lane.now = r;
    r.start = trace_clock();
    call_kernel(e.run, e.op, e.call);
    r.end = trace_clock();
    is_whole = !s.failure;
    if (r.kind == trace_kind::nothing || !r.node) continue;
    describe_outputs(e.call, r);
    lane.add(r);
    r.text = nullptr;
  }
  lane.now = around;
  if (is_whole) return true;
  return failed ? s.fail(*failed, s.failure) : false;
}

FLOWGRAPH_INLINE void run_recording::run_blocks(const kernel_call& call, std::int64_t blocks,
                                                function_ref<void(std::int64_t)> block) {
  thread_pool* const pool = call.run->pool;
  if (!pool || blocks <= 1) {
    for (std::int64_t i = 0; i < blocks; ++i) block(i);
    return;
  }
  const trace_record around = log_->lane().now;
  pool->parallel_for(blocks, [&](std::int64_t i) {
    trace_record r = around;
    r.kind = trace_kind::block;
    r.ready = 0;
    r.bytes = 0;
    r.start = trace_clock();
    block(i);
    r.end = trace_clock();
    log_->lane().add(r);
  });
}

FLOWGRAPH_INLINE void run_recording::add(trace_kind kind, const call_site* n, const std::string* text, std::size_t bytes,
                                         std::int64_t since) {
  trace_record r;
  r.kind = kind;
  r.run = number_;
  r.table = table_with(n);
  r.node = n;
  r.text = text;
  r.bytes = bytes;
  r.start = since;
  r.end = trace_clock();
  log_->lane().add(r);
}

FLOWGRAPH_INLINE void run_recording::waited(const kernel_call& call, std::string_view kind, std::string_view name,
                                            std::int64_t since) {
  add(trace_kind::waiting, call.at, log_->keep(message{kind, " '", name, '\''}.string()), 0, since);
}

FLOWGRAPH_INLINE void run_recording::copied(const call_site& from, std::size_t bytes, std::int64_t since) {
  add(trace_kind::copy, &from, nullptr, bytes, since);
}

FLOWGRAPH_INLINE std::pmr::memory_resource* run_recording::memory_over(std::pmr::memory_resource* from) {
  if (far_memory::from(from)) return from;
  const threading::lock_guard lock(mutex_);
  auto& result = memories_[from];
  if (!result) result = log_->memory_over(from);
  return result.get();
}

// Appends a text such as "float[2,3]", after a comma if the text is not empty.
inline void describe_output(const any_tensor& t, std::string& to) {
  if (!to.empty()) to += ", ";
  if (!t.has_value()) {
    to += '-';
    return;
  }
  to += name_of(t.type());
  to += to_string(t.shape());
}

FLOWGRAPH_INLINE void run_recording::describe_outputs(const kernel_call& call, trace_record& to) {
  std::string& text = log_->lane().described;
  text.clear();
  for (std::uint32_t k = 0; k < call.output_count; ++k) {
    to.bytes += call.outputs[k]->tensor.bytes();
    describe_output(call.outputs[k]->tensor, text);
  }
  to.text = log_->described(log_->lane());
}

// ---- an executor

FLOWGRAPH_INLINE executor_recording::executor_recording(run_recording& run, const plan& p, run_services& services)
    : run_(run), plan_(p), table_(run.log().table_of(p, run.log().lane())), known_((p.records.size() + 63) / 64),
      outer_(p.records.size()) {
  services_.attach(services, run, run.log());
}

FLOWGRAPH_INLINE trace_record executor_recording::about(const plan_record& r, const iteration& at, trace_kind kind) const {
  trace_record event;
  event.kind = kind;
  event.run = run_.number();
  event.table = &table_;
  event.record = index_of(r);
  event.iteration = at.index;
  event.key = at.key;
  event.frame = at.frame ? at.frame->frame : 0;
  return event;
}

FLOWGRAPH_INLINE void executor_recording::note_ready(const ready_queue& ready) {
  if (inner_.size() == ready.inner_count() && known_count_ == ready.outer_count()) return;
  const std::int64_t now = trace_clock();
  inner_.resize(ready.inner_count(), now);
  if (ready.outer_count() < known_count_) {  // the queue was cleared
    std::fill(known_.begin(), known_.end(), 0);
    known_count_ = 0;
  }
  const std::span<const std::uint64_t> waiting = ready.outer();
  for (std::size_t word = 0; word < waiting.size() && known_count_ < ready.outer_count(); ++word)
    for (std::uint64_t fresh = waiting[word] & ~known_[word]; fresh != 0; fresh &= fresh - 1, ++known_count_) {
      known_[word] |= fresh & (~fresh + 1);
      outer_[word * 64 + static_cast<std::size_t>(std::countr_zero(fresh))] = now;
    }
}

FLOWGRAPH_INLINE std::int64_t executor_recording::taken(std::uint32_t record, bool is_inner) {
  if (is_inner) {
    const std::int64_t since = inner_.back();
    inner_.pop_back();
    return since;
  }
  known_[record / 64] &= ~(std::uint64_t{1} << record % 64);
  --known_count_;
  return outer_[record];
}

FLOWGRAPH_INLINE void executor_recording::pump(executor& e, bool owner, threading::unique_lock<threading::mutex>& baton) {
  trace_lane& mine = lane();
  if (mine.steps > 0) return e.pump_traced(*this, owner, baton);
  const recorded_span helps(mine, trace_kind::helper, run_.number());
  e.pump_traced(*this, owner, baton);
}

// Called without the baton.
FLOWGRAPH_INLINE bool executor_recording::invoke(call_frame& f, const plan_record& r, const iteration& at) {
  trace_lane& mine = lane();
  trace_record record = about(r, at, trace_kind::kernel);
  record.ready = mine.ready;
  mine.now = record;
  record.start = trace_clock();
  const bool ran = f.invoke(r);
  record.end = trace_clock();
  mine.now = {};
  run_.describe_outputs(f.call, record);
  mine.add(record);
  return ran;
}

FLOWGRAPH_INLINE void executor_recording::answered(const plan_record& r, const iteration& at, const call_times& times) {
  trace_record record = about(r, at, trace_kind::later);
  record.ready = times.ready;
  record.start = times.start;
  record.end = trace_clock();
  lane().add(record);
}

FLOWGRAPH_INLINE void executor_recording::exchanged(const plan_record& r, const iteration& at, trace_kind kind,
                                                    std::uint32_t edge, std::size_t bytes, const call_times& times) {
  trace_record record = about(r, at, kind);
  record.ready = times.ready;
  record.edge = edge;
  record.bytes = bytes;
  record.end = trace_clock();
  record.start = times.start > 0 ? times.start : record.end;
  lane().add(record);
}
FLOWGRAPH_INLINE void executor_recording::sent(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes,
                                               const call_times& times) {
  exchanged(r, at, trace_kind::send, edge, bytes, times);
}
FLOWGRAPH_INLINE void executor_recording::received(const plan_record& r, const iteration& at, std::uint32_t edge,
                                                   std::size_t bytes) {
  // Outside of loops, the time since when the record has waited for the value is known.
  exchanged(r, at, trace_kind::receive, edge, bytes, {at.frame ? 0 : outer_[index_of(r)], 0});
}

}  // namespace flowgraph::detail
