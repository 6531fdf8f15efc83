#pragma once
// Where the records of traced runs gather: for each thread chunks of a fixed size that it alone fills, without a lock, and tables of
// the names that records speak of. Presented by observe/trace.hpp.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/tracing/run_trace.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct plan;

// What the records of one plan speak of. It never changes, and needs neither plan nor graph.
struct trace_table {
  struct named {
    std::string name, op, device;
    bool is_transfer = false;
    sequence<std::uint32_t> readers;  // records that wait for this one
    std::string inputs = {};          // "x, w:1"; of what is received the tensor
  };
  sequence<named> records;
  std::unordered_map<const void*, std::uint32_t> of_node;  // the record of a call site
  std::unordered_map<const void*, std::uint32_t> loop_of;  // the loop that is entered there first
  std::vector<std::string> frames;
};

// Times are nanoseconds on the steady clock.
struct trace_record {
  std::int64_t ready = 0, start = 0, end = 0;  // `ready` 0: not known
  std::uint64_t bytes = 0;                     // of outputs, of memory; of a step or a helper the switches that it asked for
  std::uint64_t iteration = 0;                 // its number in its loop; of a step or a helper the switches that befell it
  std::uint64_t key = 0;                       // of the iteration, among all of the run; of memory the address
  const void* node = nullptr;                  // of the table, never looked at; null: `record` says it
  const trace_table* table = nullptr;          // null: of no node
  const std::string* text = nullptr;           // what was waited for; of a kernel its outputs, "float[2,3], int32[]"
  std::uint32_t run = 0;                       // 0: none
  std::uint32_t record = 0xffffffffu;
  std::uint32_t frame = 0;  // of the plan; 0: outside of loops
  std::uint32_t edge = 0;   // of what is sent and received
  trace_kind is = trace_kind::nothing;
};

// The records of one thread. Only that thread adds; others may read meanwhile what was added before.
class trace_lane {
public:
  trace_lane(std::atomic<std::int64_t>& chunks_left, std::uint32_t number, std::uint64_t system_number)
      : chunks_left_(chunks_left), number_(number), system_number_(system_number) {}
  trace_lane(const trace_lane&) = delete;
  ~trace_lane();

  static constexpr std::uint32_t records_of_chunk = 256;

  void add(const trace_record& r) {
    std::uint32_t used = last_ ? last_->used.load(std::memory_order_relaxed) : records_of_chunk;
    if (used == records_of_chunk) [[unlikely]] {
      if (!begin_chunk()) return;
      used = 0;
    }
    last_->records[used] = r;
    last_->used.store(used + 1, std::memory_order_release);
  }
  template <class F> void each(F&& f) const {
    for (const chunk* c = first_.load(std::memory_order_acquire); c; c = c->next.load(std::memory_order_acquire))
      for (std::uint32_t i = 0, used = c->used.load(std::memory_order_acquire); i < used; ++i) f(c->records[i]);
  }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  std::uint32_t number() const noexcept { return number_; }                // counted in this log
  std::uint64_t system_number() const noexcept { return system_number_; }  // of the thread, where the system has such; else 0

  // Kept by the thread for itself: when what it has just taken became ready, what it runs now, how many runs it has begun and not
  // ended, and the table that it used last.
  std::int64_t ready = 0;
  trace_record now;
  std::uint32_t steps = 0;
  std::string described = {};  // the text that is to be kept
  std::unordered_map<std::string, const std::string*> texts = {};
  std::uint64_t last_plan = 0;
  const trace_table* last_table = nullptr;

private:
  struct chunk {
    std::array<trace_record, records_of_chunk> records;
    std::atomic<std::uint32_t> used{0};
    std::atomic<chunk*> next{nullptr};
  };
  bool begin_chunk();

  std::atomic<std::int64_t>& chunks_left_;
  std::uint32_t number_;
  std::uint64_t system_number_;
  std::atomic<chunk*> first_{nullptr};
  chunk* last_ = nullptr;
  std::atomic<std::uint64_t> dropped_{0};
};

// Shared by a recorder and what may outlive it.
class trace_log : public std::enable_shared_from_this<trace_log> {
public:
  // Keeps so many records at most, rounded up to chunks.
  explicit trace_log(std::size_t most);

  // Of the calling thread. The same from one call to the next, found without a lock.
  trace_lane& lane();
  const trace_table& table_of(const plan& p, trace_lane& by);
  // A text that stays, for trace_record::text.
  const std::string* keep(std::string text);
  // The same for lane.described, which a thread says often: found without a lock.
  const std::string* described(trace_lane& lane);
  // Memory that is taken from `from` and told of, the same each time. It stays usable after this log, for as long as somebody holds it or
  // something of it.
  std::shared_ptr<std::pmr::memory_resource> memory_over(std::pmr::memory_resource* from);
  // No more memory is told of.
  void close();

  // The records of another process of its part of a run.
  struct part_elsewhere {
    std::uint32_t run = 0;
    std::size_t records = 0;
    std::shared_ptr<const collected_trace> told;  // null: there was no room for it
  };
  void take(part_elsewhere part);
  sequence<part_elsewhere> elsewhere() const {
    const threading::lock_guard lock(mutex_);
    return elsewhere_;
  }

  std::uint32_t number_run() noexcept { return runs_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Calls f(lane, record).
  template <class F> void each(F&& f) const {
    const threading::lock_guard lock(mutex_);
    for (const trace_lane& l : lanes_) l.each([&](const trace_record& r) { f(l, r); });
  }
  template <class F> void each_lane(F&& f) const {
    const threading::lock_guard lock(mutex_);
    for (const trace_lane& l : lanes_) f(l);
  }

private:
  class told_memory;

  const std::uint64_t number_;  // among all logs of the program
  std::atomic<std::int64_t> chunks_left_;
  std::atomic<std::uint32_t> runs_{0};
  mutable threading::mutex mutex_;  // guards what follows
  std::deque<trace_lane> lanes_;
  std::map<std::uint64_t, trace_lane*> lane_of_thread_;
  std::map<std::uint64_t, std::unique_ptr<trace_table>> tables_;  // by plan::number
  std::set<std::string> texts_;
  std::map<std::pmr::memory_resource*, told_memory*> memories_;
  sequence<part_elsewhere> elsewhere_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/tracing/impl/trace_log.hpp>
#endif
