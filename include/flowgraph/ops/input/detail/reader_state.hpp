#pragma once
// The state of a reader at run time: its current work, and the kernels that request records. Kinds of readers differ in how they
// read their work. This class orders the requests and fetches work. It serves requests one after another, in the order of their
// arrival. A request that finds no work requests an element of the queue, and blocks no thread meanwhile. It may be cancelled,
// and so may the requests behind it.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/completion.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The reading of an element of the queue, by the kind of the reader.
class work_reader {
public:
  virtual ~work_reader() = default;
  // Begins a piece of work, usually the name of a file.
  virtual error begin(const std::string& work) = 0;
  struct outcome {
    bool has_record = false, is_at_end = false;  // at least one of them
    error why;
  };
  virtual outcome next(std::string& key, std::string& value) = 0;
  // Drops the work, even if it has not been read to its end.
  virtual void end() {}
  // Returns another one with the same attributes, and without work.
  virtual std::unique_ptr<work_reader> fresh() const = 0;
};

class reader_state final : public resource_base, private savable {
public:
  reader_state(std::string_view kind, std::string name, std::unique_ptr<work_reader> reads)
      : resource_base(kind_of<reader_state>()), kind_(kind), name_(std::move(name)), reads_(std::move(reads)) {}

  // A kernel's request for records: for one, or for up to `wanted` of one piece of work.
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

    // The element that it waits for: a separate kernel call, whose output the queue sets.
    edge_value element;
    edge_value* output = &element;
    error failure;
    kernel_call call;
    std::shared_ptr<completion> waiting;  // guarded by the reader; null: not waiting
    bool is_cancelled = false;            // guarded by the reader
    error why;                            // the queue's answer
    std::atomic<int> arrived{0};          // counts the request and the answer of the queue, which may come in any order
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
  error read_again(work_reader& by, const std::string& work, std::int64_t given) const;
  error cancelled() const;

  const std::string kind_, name_;

  mutable threading::mutex requests_mutex_;
  std::deque<std::shared_ptr<request>> requests_;  // in the order of arrival; the first is being served
  bool is_serving_ = false;

  mutable threading::mutex mutex_;  // guards the members below; not held while a request waits for work
  std::unique_ptr<work_reader> reads_;
  std::string work_;
  std::optional<std::string> next_work_;  // came from a queue after another call had restored work
  std::int64_t started_ = 0, finished_ = 0, produced_ = 0;
  std::int64_t given_ = 0;  // records of the work in progress
};

// Returns the reader that a node names in the session's container. The first node makes it. If a reader of another kind has the
// name, the kernel fails and the result is empty.
using work_reader_maker = function_ref<std::unique_ptr<work_reader>()>;
resource find_or_make_reader(cpu ctx, std::string_view kind, const std::string& section, const std::string& shared_name,
                             work_reader_maker make);
// Returns the variable with the two strings by which old ops name that reader.
resource reference_to_reader(cpu ctx, const std::string& section, const std::string& shared_name);

// Returns the reader that input 0 names. If there is none, the kernel fails and the result is null.
reader_state* named_reader(cpu ctx, resource& keep);
// The work of the ops that read, for all ways to name the reader and the queue.
void read_records(cpu ctx, std::int64_t wanted, bool is_batch, done answer);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/reader_state.hpp>
#endif
