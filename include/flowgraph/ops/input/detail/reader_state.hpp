#pragma once
// What a reader is at run time: the work it has begun, and the kernels that ask it for records.
//
// Kinds of readers differ in what they make of their work; who asks, in which order, and how work is fetched, is here. Requests are served
// one after the other, in the order in which they came. The one that finds no work asks the queue for an element, and holds no thread until
// it has it; it may be cancelled, as those behind it may.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/completion.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What a kind of reader makes of an element of its queue.
class work_reader {
public:
  virtual ~work_reader() = default;
  // Begins with a piece of work: the name of a file, most often.
  virtual error begin(const std::string& work) = 0;
  struct outcome {
    bool has_record = false, is_at_end = false;  // one of them, or both
    error why;
  };
  virtual outcome next(std::string& key, std::string& value) = 0;
  // Drops the work, read to its end or not.
  virtual void end() {}
};

class reader_state final : public resource_base, private savable {
public:
  reader_state(std::string_view kind, std::string name, std::unique_ptr<work_reader> reads)
      : resource_base(kind_of<reader_state>()), kind_(kind), name_(std::move(name)), reads_(std::move(reads)) {}

  // A kernel that asks for records: one, or up to `wanted` of one piece of work.
  struct request {
    request(cpu c, done to, resource reader_asked, resource queue_asked, std::int64_t n, bool in_batch)
        : context(c), answer(std::move(to)), reader(std::move(reader_asked)), queue(std::move(queue_asked)), wanted(n),
          is_batch(in_batch) {}

    cpu context;
    done answer;
    resource reader, queue;
    std::int64_t wanted;
    bool is_batch;
    std::vector<std::string> keys, values;

    // The element of the queue that it waits for: a kernel call of its own, of which the queue sets the output.
    edge_value element;
    edge_value* output = &element;
    error failure;
    kernel_call call;
    std::shared_ptr<completion> waiting;  // guarded by the reader; null: it does not
    bool is_cancelled = false;            // guarded by the reader
    error why;                            // the queue's answer
    std::atomic<int> arrived{0};          // of the two that meet: who has asked, and the answer
  };

  void submit(const std::shared_ptr<request>& r);

  const std::string& kind() const noexcept { return kind_; }
  const std::string& name() const noexcept { return name_; }
  std::int64_t records_produced() const;
  std::int64_t work_units_completed() const;
  std::string serialize() const;
  error restore(std::string_view state);
  void reset();

  savable* as_savable() noexcept override { return this; }

private:
  result<std::string> save() const override { return serialize(); }
  error load(std::string_view bytes, std::pmr::memory_resource*) override { return restore(bytes); }
  void serve();
  bool give_records(request& r);
  bool take_record(request& r, error& why);
  bool ask_queue(const std::shared_ptr<request>& r);
  void take_work(request& r);
  void finish(const std::shared_ptr<request>& r, error why);
  void cancel(const std::shared_ptr<request>& r);
  error begin(const std::string& work);
  error cancelled() const;

  const std::string kind_, name_;

  mutable threading::mutex requests_mutex_;
  std::deque<std::shared_ptr<request>> requests_;  // in the order of asking; the first one is being served
  bool is_serving_ = false;

  mutable threading::mutex mutex_;  // what follows; not held while a request waits for work
  std::unique_ptr<work_reader> reads_;
  std::string work_;
  std::int64_t started_ = 0, finished_ = 0, produced_ = 0;
  std::int64_t given_ = 0;  // records of the work in progress
};

// The reader of the session's container that a node names: made by the first one. Empty, and the kernel failed, when there is one of
// another kind.
using work_reader_maker = function_ref<std::unique_ptr<work_reader>()>;
resource find_or_make_reader(cpu ctx, std::string_view kind, const std::string& section, const std::string& shared_name,
                             work_reader_maker make);
// The variable that holds the two words by which old ops name that reader.
resource reference_to_reader(cpu ctx, const std::string& section, const std::string& shared_name);

// The reader that input 0 names; null, and the kernel failed, where it names none.
reader_state* named_reader(cpu ctx, resource& keep);
// What the ops do that read, whatever names reader and queue.
void read_records(cpu ctx, std::int64_t wanted, bool is_batch, done answer);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/reader_state.hpp>
#endif
