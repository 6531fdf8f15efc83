#pragma once
// The state of a queue at run time: its elements, and the wishes of kernels. Kinds of queues differ in how they store elements,
// and in the element that leaves next. awaited.hpp defines waiting.

#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>

#include <span>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The components that one call has added.
using queue_components = std::vector<any_tensor>;

// An element: the components of one call, or a row of them. Elements of one batch share its memory until they leave.
struct queue_element {
  static constexpr std::int64_t whole = -1;

  std::shared_ptr<const queue_components> components;
  std::int64_t row = whole;

  flowgraph::shape shape(std::size_t component) const;
};

// A node's description of its queue. All nodes that share the queue must give the same description.
struct queue_description {
  std::string_view kind;       // the op's name without its version
  std::int64_t capacity = -1;  // negative: any
  std::vector<dtype> types;
  std::vector<flowgraph::shape> shapes;  // empty: each element has its own
  bool pads = false;   // extents may be unknown: a batch is as large as its largest element, and zeros follow the others
  bool sorts = false;  // by component 0, which is a scalar of int64
  std::int64_t min_after_dequeue = 0;  // elements that stay while the queue is open
  std::int64_t seed = 0, seed2 = 0;    // of a queue that shuffles; if both are 0, the queue's name replaces them
};

class queue_state : public awaited, private savable {
public:
  struct wish : awaited::wish {
    enum class act : std::uint8_t { enqueue, dequeue, close };

    wish(cpu c, done to, act asked);
    void release() override {
      taken.clear();
      brought.reset();
    }

    act what;
    bool is_batch = false;

    std::shared_ptr<const queue_components> brought;  // enqueue: the rows [next, end) that are left, or once the whole
    std::int64_t next = 0, end = 1;

    std::vector<queue_element> taken;  // dequeue
    std::int64_t wanted = 1;
    bool may_be_less = false;  // if the queue is closed
  };

  // Returns an error if such a queue is not possible.
  static error check(const queue_description& d);

  const queue_description& description() const noexcept { return description_; }
  bool has_shapes() const noexcept { return !description_.shapes.empty(); }

  // Answers at once if possible.
  void ask(const std::shared_ptr<wish>& w);
  // Serves the most frequent case without a wish: no wish waits, and the queue has room for the whole request or contains it.
  // Returns false if nothing has been done.
  bool put_at_once(const std::shared_ptr<const queue_components>& brought, std::int64_t rows, bool is_batch);
  bool take_at_once(cpu ctx, std::int64_t wanted, bool is_batch);
  // Ends the wishes that wait to add elements, and refuses new elements.
  void close_and_cancel();

  std::size_t size() const;
  bool is_closed() const;

  savable* as_savable() noexcept override { return this; }

protected:
  queue_state(queue_description d, std::string name)
      : awaited(kind_of<queue_state>(), "queue", d.kind, std::move(name), order::strict, order::strict),
        description_(std::move(d)) {}
  ~queue_state() override = default;

  // These functions are called with the lock held. Elements that are put back leave next.
  virtual std::size_t stored() const = 0;
  virtual void store(queue_element e) = 0;
  virtual queue_element take() = 0;
  virtual void put_back(std::vector<queue_element> elements) = 0;

  // The content of any kind of queue: elements that leave before the others, the others in stored order, and the count of random
  // draws.
  struct stock {
    std::vector<queue_element> first, others;
    std::uint64_t drawn = 0;
  };
  virtual stock all() const = 0;
  virtual void replace(stock by) = 0;

private:
  FLOWGRAPH_INLINE progress advance(awaited::wish& w) override;
  FLOWGRAPH_INLINE bool would_stop_halfway(const awaited::wish& w) const override;
  FLOWGRAPH_INLINE void give_back(awaited::wish& w) override;
  FLOWGRAPH_INLINE error deliver(awaited::wish& w) override;
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  error put_element(std::string& to, std::uint32_t field, const queue_element& e) const;
  error parse_element(std::string_view bytes, std::pmr::memory_resource* memory, std::vector<queue_element>& to) const;
  progress advance_enqueue(wish& w);
  progress advance_dequeue(wish& w);
  std::size_t kept_back() const { return closed_ ? 0 : static_cast<std::size_t>(description_.min_after_dequeue); }
  error hand_out(cpu ctx, std::span<const queue_element> taken, bool is_batch) const;
  flowgraph::shape shape_delivered(std::span<const queue_element> taken, std::size_t component) const;
  result<any_tensor> batch_of(cpu ctx, std::span<const queue_element> taken, bool is_batch, std::size_t component) const;
  void copy_rows_to(std::span<const queue_element> taken, std::size_t component, any_tensor& to) const;

  const queue_description description_;
  bool closed_ = false;
};

// Returns the queue that a node names in the session's container. The first node makes it; later nodes must give the same
// description, or else the kernel fails and the result is empty.
using queue_maker = resource_base* (*)(queue_description d, std::string name);
resource find_or_make_queue(cpu ctx, queue_description d, const std::string& section, const std::string& shared_name,
                            queue_maker make);
// Returns the queue that input 0 names, by a resource or by two strings behind a reference. If there is none, the kernel fails
// and the result is empty.
resource named_queue(cpu ctx);

// The work of the queue ops, for all ways to name the queue.
void enqueue(cpu ctx, any_list components, bool is_batch, done answer);
void dequeue_one(cpu ctx, std::span<const dtype> types, done answer);
void dequeue_batch(cpu ctx, std::span<const dtype> types, view<const std::int32_t> n, bool may_be_less, done answer);
void close_queue(cpu ctx, bool cancel_pending, done answer);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/queue_calls.hpp>
#include <flowgraph/ops/data_flow/impl/queue_state.hpp>
#endif
