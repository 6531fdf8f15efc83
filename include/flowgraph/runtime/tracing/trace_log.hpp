#pragma once
// Collects the records of traced runs: each thread fills its own chunks of fixed size without a lock, and tables contain the
// names that records refer to. observe/trace.hpp presents them.

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

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct plan;

// The names that records of one plan refer to. It never changes, and needs neither plan nor graph.
struct trace_table {
  struct named {
    std::string name, op, device;
    bool is_transfer = false;
    sequence<std::uint32_t> readers;  // records that wait for this record
    // The edges that it reads: "x, w:1". For a receiving node, the name of the tensor.
    std::string inputs = {};
  };
  sequence<named> records;
  std::unordered_map<const void*, std::uint32_t> of_node;  // the record of a call site
  std::unordered_map<const void*, std::uint32_t> loop_of;  // the loop that begins at this call site
  std::vector<std::string> frames;
};

// Times are nanoseconds of the steady clock.
struct trace_record {
  std::int64_t ready = 0, start = 0, end = 0;  // `ready` is 0 if it is not known
  std::uint64_t bytes = 0;  // bytes of outputs or memory; for a step or a helper, the number of voluntary context switches
  // number of the iteration in its loop; for a step or a helper, the number of involuntary context switches
  std::uint64_t iteration = 0;
  std::uint64_t key = 0;               // key of the iteration in the run; for memory, the address
  const void* node = nullptr;          // key in the table, never dereferenced; null: `record` is used
  const trace_table* table = nullptr;  // null: no node
  // The thing that was waited for; for a kernel, its outputs: "float[2,3], int32[]".
  const std::string* text = nullptr;
  std::uint32_t run = 0;  // 0: none
  std::uint32_t record = 0xffffffffu;
  std::uint32_t frame = 0;  // frame of the plan; 0: outside of loops
  std::uint32_t edge = 0;   // for sent and received values
  trace_kind kind = trace_kind::nothing;
};

// The records of one thread. Only that thread adds records; other threads may read earlier records at the same time.
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
  std::uint32_t number() const noexcept { return number_; }  // number in this log
  // the system's number of the thread; 0 if it has no number
  std::uint64_t system_number() const noexcept { return system_number_; }

  // Private data of the thread: when its current record became ready, what it runs, how many runs it has begun and not ended, and
  // the table that it used last.
  std::int64_t ready = 0;
  trace_record now;
  std::uint32_t steps = 0;
  std::string described = {};  // the text to store
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

// The log of a recorder. The recorder shares it with objects that may outlive the recorder.
class trace_log : public std::enable_shared_from_this<trace_log> {
public:
  // Keeps at most this number of records, rounded up to chunks.
  explicit trace_log(std::size_t most);

  // Returns the lane of the calling thread. It is always the same, and found without a lock.
  trace_lane& lane();
  const trace_table& table_of(const plan& p, trace_lane& by);
  // Stores a text for trace_record::text.
  const std::string* keep(std::string text);
  // Like `keep`, for lane.described: if a thread repeats its text, the stored text is found without a lock.
  const std::string* described(trace_lane& lane);
  // Returns memory that allocates from `from` and reports allocations; always the same object. It may outlive this log, as
  // long as it or its blocks are referenced.
  std::shared_ptr<std::pmr::memory_resource> memory_over(std::pmr::memory_resource* from);
  // Stops reports of memory.
  void close();

  // The records of the run's part in another process.
  struct part_elsewhere {
    std::uint32_t run = 0;
    std::size_t records = 0;
    std::shared_ptr<const collected_trace> trace;  // null: there was no room for them
  };
  void take(part_elsewhere part);
  sequence<part_elsewhere> elsewhere() const {
    const threading::lock_guard lock(mutex_);
    return elsewhere_;
  }

  std::uint32_t number_run() noexcept { return runs_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Calls f(lane, record) for each record.
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

  const std::uint64_t number_;  // number among all logs of the program
  std::atomic<std::int64_t> chunks_left_;
  std::atomic<std::uint32_t> runs_{0};
  mutable threading::mutex mutex_;  // guards the following members
  std::deque<trace_lane> lanes_;
  std::map<std::uint64_t, trace_lane*> lane_of_thread_;
  std::map<std::uint64_t, std::unique_ptr<trace_table>> tables_;  // by plan::number
  std::set<std::string> texts_;
  std::map<std::pmr::memory_resource*, told_memory*> memories_;
  sequence<part_elsewhere> elsewhere_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/tracing/impl/trace_log.hpp>
#endif
