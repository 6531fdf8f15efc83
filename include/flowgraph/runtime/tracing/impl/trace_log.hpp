#pragma once

#include <flowgraph/core/memory.hpp>
#include <flowgraph/runtime/planning/plan.hpp>
#include <flowgraph/runtime/tracing/trace_log.hpp>

#include <chrono>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// ---- lanes

FLOWGRAPH_INLINE trace_lane::~trace_lane() {
  for (chunk* c = first_.load(std::memory_order_relaxed); c;) delete std::exchange(c, c->next.load(std::memory_order_relaxed));
}

FLOWGRAPH_INLINE bool trace_lane::begin_chunk() {
  if (chunks_left_.fetch_sub(1, std::memory_order_relaxed) <= 0) {
    chunks_left_.fetch_add(1, std::memory_order_relaxed);
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  auto* const result = new chunk;
  if (last_) last_->next.store(result, std::memory_order_release);
  else first_.store(result, std::memory_order_release);
  last_ = result;
  return true;
}

// Threads get numbers of their own, since the system uses the numbers of ended threads again.
inline std::uint64_t number_of_thread() {
  static std::atomic<std::uint64_t> threads{0};
  static thread_local const std::uint64_t number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}
inline std::uint64_t system_number_of_thread() {
#ifdef __linux__
  return static_cast<std::uint64_t>(::syscall(SYS_gettid));
#else
  return 0;
#endif
}

// ---- memory

// Counts its blocks. After close(), it is destroyed with the last block, since tensors may outlive the run, the session and the
// log.
class trace_log::told_memory final : public std::pmr::memory_resource {
public:
  told_memory(std::shared_ptr<trace_log> log, std::pmr::memory_resource* from) : log_(std::move(log)), from_(from) {}

  void close() {
    is_closed_.store(true, std::memory_order_relaxed);
    give_back();
  }
  void take() noexcept { held_.fetch_add(1, std::memory_order_relaxed); }
  void give_back() noexcept {
    if (held_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

private:
  ~told_memory() override = default;

  void tell(trace_kind what, const void* block, std::size_t bytes) {
    if (is_closed_.load(std::memory_order_relaxed)) return;
    trace_lane& lane = log_->lane();
    trace_record r = lane.now;
    r.kind = what;
    r.ready = 0;
    r.start = r.end =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
    r.bytes = bytes;
    r.key = reinterpret_cast<std::uintptr_t>(block);
    lane.add(r);
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const result = allocate_or_null(from_, bytes, alignment);
    if (!result) return refuse_memory();
    take();
    tell(trace_kind::allocation, result, bytes);
    return result;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    tell(trace_kind::release, p, bytes);
    from_->deallocate(p, bytes, alignment);
    give_back();
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::shared_ptr<trace_log> log_;
  std::pmr::memory_resource* from_;
  std::atomic<std::size_t> held_{1};  // one reference belongs to the log
  std::atomic<bool> is_closed_{false};
};

FLOWGRAPH_INLINE std::shared_ptr<std::pmr::memory_resource> trace_log::memory_over(std::pmr::memory_resource* from) {
  const threading::lock_guard lock(mutex_);
  told_memory*& result = memories_[from];
  if (!result) result = new told_memory(shared_from_this(), from);
  result->take();
  return std::shared_ptr<told_memory>(result, [](told_memory* m) { m->give_back(); });
}

FLOWGRAPH_INLINE void trace_log::close() {
  std::map<std::pmr::memory_resource*, told_memory*> all;
  {
    const threading::lock_guard lock(mutex_);
    all.swap(memories_);
  }
  for (const auto& [from, collected] : all) collected->close();
}

// ---- the log

FLOWGRAPH_INLINE trace_log::trace_log(std::size_t most)
    : number_([] {
        static std::atomic<std::uint64_t> logs{0};
        return logs.fetch_add(1, std::memory_order_relaxed) + 1;
      }()),
      chunks_left_(static_cast<std::int64_t>((most + trace_lane::records_of_chunk - 1) / trace_lane::records_of_chunk)) {}

FLOWGRAPH_INLINE trace_lane& trace_log::lane() {
  struct found {
    std::uint64_t log = 0;
    trace_lane* lane = nullptr;
  };
  static thread_local found latest;
  if (latest.log == number_) [[likely]]
    return *latest.lane;
  const threading::lock_guard lock(mutex_);
  trace_lane*& mine = lane_of_thread_[number_of_thread()];
  if (!mine) mine = &lanes_.emplace_back(chunks_left_, static_cast<std::uint32_t>(lanes_.size()), system_number_of_thread());
  latest = {number_, mine};
  return *mine;
}

FLOWGRAPH_INLINE const std::string* trace_log::keep(std::string text) {
  const threading::lock_guard lock(mutex_);
  return &*texts_.insert(std::move(text)).first;
}

FLOWGRAPH_INLINE void trace_log::take(part_elsewhere part) {
  const auto chunks = static_cast<std::int64_t>(part.records / trace_lane::records_of_chunk + 1);
  if (chunks_left_.fetch_sub(chunks, std::memory_order_relaxed) < chunks) {
    chunks_left_.fetch_add(chunks, std::memory_order_relaxed);
    part.trace.reset();
  }
  const threading::lock_guard lock(mutex_);
  elsewhere_.push_back(std::move(part));
}

FLOWGRAPH_INLINE const std::string* trace_log::described(trace_lane& lane) {
  if (lane.described.empty()) return nullptr;
  const auto [at, is_new] = lane.texts.try_emplace(lane.described, nullptr);
  if (is_new) at->second = keep(lane.described);
  return at->second;
}

inline std::string names_of_inputs(const call_site& at) {
  std::string text;
  for (std::size_t i = 0; i < at.written_inputs.size(); ++i) {
    if (i > 0) text += ", ";
    text += name_of_input(at, i);
  }
  const attribute_value received = attribute_of(at, "tensor_name");
  const std::string* const tensor = received.get<std::string>();
  return text.empty() && tensor ? *tensor : text;
}

inline std::unique_ptr<trace_table> make_trace_table(const plan& p) {
  auto result = std::make_unique<trace_table>();
  result->records.resize(p.records.size());
  for (std::size_t i = 0; i < p.records.size(); ++i) {
    const plan_record& r = p.records[i];
    trace_table::named& n = result->records[i];
    n.name = r.kind == record_kind::loop ? p.frames[p.loop(r.loop).frame].name : std::string(r.site->name);
    n.op = r.kind == record_kind::loop ? "loop" : r.kind == record_kind::feed ? "feed" : std::string(r.site->op->name());
    n.device = r.on ? to_string(r.on->name()) : "/job:localhost/task:0/device:cpu:0";
    if (r.kind != record_kind::loop) n.inputs = names_of_inputs(*r.site);
    n.is_transfer = r.table && r.table->crosses;
    for (std::uint32_t k = 0; k < r.consumer_count; ++k) n.readers.push_back(p.consumers[r.first_consumer + k].record);
    if (r.kind == record_kind::op) result->of_node.insert_or_assign(r.site, static_cast<std::uint32_t>(i));
    else if (r.kind == record_kind::feed) result->of_node.try_emplace(r.site, static_cast<std::uint32_t>(i));
    else result->loop_of.emplace(r.site, static_cast<std::uint32_t>(i));
  }
  for (const plan_frame& f : p.frames) result->frames.push_back(f.name);
  return result;
}

FLOWGRAPH_INLINE const trace_table& trace_log::table_of(const plan& p, trace_lane& by) {
  if (by.last_plan == p.number) [[likely]]
    return *by.last_table;
  const threading::lock_guard lock(mutex_);
  auto& result = tables_[p.number];
  if (!result) result = make_trace_table(p);
  by.last_plan = p.number;
  by.last_table = result.get();
  return *result;
}

}  // namespace flowgraph::detail
