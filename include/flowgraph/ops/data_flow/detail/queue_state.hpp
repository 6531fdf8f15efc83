#pragma once
// What a queue is at run time: its elements, and the kernels that wait for one or for a place.
//
// Kinds of queues differ in how they store elements; who waits, in which order and how it ends, is here. A kernel that waits
// holds no thread: whoever makes its wish possible answers it, after the lock is gone.

#include <flowgraph/op/kernel.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The components that one call brought.
using queue_components = std::vector<any_tensor>;

// An element: what a call brought, or a row of it. Elements of one batch share its memory until they leave.
struct queue_element {
  static constexpr std::int64_t whole = -1;

  std::shared_ptr<const queue_components> components;
  std::int64_t row = whole;

  flowgraph::shape shape(std::size_t component) const;
};

// What a node says of its queue; others that share it must say the same.
struct queue_description {
  std::string_view kind;       // the op's name without its version
  std::int64_t capacity = -1;  // negative: any
  std::vector<dtype> types;
  std::vector<flowgraph::shape> shapes;  // empty: each element has its own
  bool pads = false;  // extents may be unknown: a batch is as large as its largest element, and zeros follow the others
};

class queue_state : public resource_base {
public:
  // What a kernel asks for. It is answered once: when it has been done, or with the reason why it cannot be.
  struct wish {
    enum class act : std::uint8_t { enqueue, dequeue, close };
    enum class phase : std::uint8_t { asking, waiting, settled };

    wish(cpu c, done to, act asked) : context(c), answer(std::move(to)), what(asked) {}

    cpu context;
    done answer;
    act what;
    phase now = phase::asking;  // what follows is guarded by the queue
    error why;

    std::shared_ptr<const queue_components> brought;  // enqueue: rows [next, end) of it are left; or the whole, once
    std::int64_t next = 0, end = 1;
    bool is_batch = false;

    std::vector<queue_element> taken;  // dequeue
    std::int64_t wanted = 1;
    bool may_be_less = false;  // when the queue is closed
  };

  // Why there can be no such queue, if so.
  static error check(const queue_description& d);

  const queue_description& description() const noexcept { return description_; }
  const std::string& name() const noexcept { return name_; }
  bool has_shapes() const noexcept { return !description_.shapes.empty(); }

  // Answers at once when it can.
  void submit(const std::shared_ptr<wish>& w);
  // Ends what waits to put something in, and lets nothing in any more.
  void close_and_cancel();
  // Ends what waits, on either side: whoever comes later uses another queue. What asks from now on and cannot be served at once
  // ends too.
  void dropped() override;

  std::size_t size() const;
  bool is_closed() const;

protected:
  queue_state(queue_description d, std::string name)
      : resource_base(kind_of<queue_state>()), description_(std::move(d)), name_(std::move(name)) {}
  ~queue_state() override = default;

  // Called with the lock held. What is put back were the next elements to leave.
  virtual std::size_t stored() const = 0;
  virtual void store(queue_element e) = 0;
  virtual queue_element take() = 0;
  virtual void put_back(std::vector<queue_element> elements) = 0;

private:
  using wishes = std::deque<std::shared_ptr<wish>>;
  using settled_wishes = std::vector<std::shared_ptr<wish>>;
  enum class progress : std::uint8_t { none, some, complete };

  void cancel(const std::shared_ptr<wish>& w);
  progress advance(wish& w);
  progress advance_enqueue(wish& w);
  progress advance_dequeue(wish& w);
  bool advance_all(wishes& waiting, settled_wishes& settled);
  void advance_all(settled_wishes& settled);
  void end_all_waiting(settled_wishes& settled);
  void answer(settled_wishes settled);
  error deliver(const wish& w) const;
  flowgraph::shape shape_delivered(const wish& w, std::size_t component) const;
  result<any_tensor> batch_of(const wish& w, std::size_t component) const;
  error cancelled(const wish& w) const;

  const queue_description description_;
  const std::string name_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  bool dropped_ = false;        // out of its container
  wishes enqueues_, dequeues_;  // in the order of asking; a wish to close waits among the former
};

// The queue of the session's container that a node names: made by the first one, and the same for those that describe it so.
// Empty, and the kernel failed, when that is not so.
using queue_maker = resource_base* (*)(queue_description d, std::string name);
resource find_or_make_queue(cpu ctx, queue_description d, const std::string& section, const std::string& shared_name,
                            queue_maker make);
// The two words by which old ops name that queue, behind a reference.
resource reference_to_queue(cpu ctx, const std::string& section, const std::string& shared_name);

// The queue that input 0 names, by a resource or by words behind a reference. Empty, and the kernel failed, when it names none.
resource named_queue(cpu ctx);

// What queue ops do, whatever names the queue.
void enqueue(cpu ctx, any_list components, bool is_batch, done answer);
void dequeue_one(cpu ctx, std::span<const dtype> types, done answer);
void dequeue_batch(cpu ctx, std::span<const dtype> types, view<const std::int32_t> n, bool may_be_less, done answer);
void close_queue(cpu ctx, bool cancel_pending, done answer);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/queue_state.hpp>
#endif
