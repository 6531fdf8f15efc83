#pragma once
// Queues whose elements leave in random order. Each element in the queue is equally likely to be next.
//
//     fg::random_shuffle_queue<float, std::int64_t> q(g, {.capacity = 1000, .min_after_dequeue = 500, .shapes = {{28, 28}, {}}});
//     auto [images, labels] = q.dequeue_many(16);
//
// The more elements remain in the queue, the better they are mixed. The choice of the n-th element depends only on the seed
// and n, not on the consumer. Elements that are put and taken in the same order leave in the same order in every run.

#include <flowgraph/ops/data_flow/queue.hpp>
#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct random_shuffle_queue_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::vector<dtype> component_types = {};
  std::vector<shape> shapes = {};
  std::int64_t capacity = -1, min_after_dequeue = 0, seed = 0, seed2 = 0;
  std::string container = {}, shared_name = {};
  static constexpr auto attrs = flowgraph::attrs(
      required("component_types", &random_shuffle_queue_attributes::component_types),
      attr("shapes", &random_shuffle_queue_attributes::shapes), attr("capacity", &random_shuffle_queue_attributes::capacity),
      attr("min_after_dequeue", &random_shuffle_queue_attributes::min_after_dequeue),
      attr("seed", &random_shuffle_queue_attributes::seed), attr("seed2", &random_shuffle_queue_attributes::seed2),
      attr("container", &random_shuffle_queue_attributes::container),
      attr("shared_name", &random_shuffle_queue_attributes::shared_name));
};

}  // namespace detail

// Returns a handle to a queue whose elements leave in random order. The queue is in the session's container.
struct random_shuffle_queue_v2_op : detail::random_shuffle_queue_attributes {
  static constexpr std::string_view name = "RandomShuffleQueueV2";

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of a queue whose elements leave in random order. The queue is in the session's container.
struct random_shuffle_queue_op : detail::random_shuffle_queue_attributes {
  static constexpr std::string_view name = "RandomShuffleQueue";

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

using random_shuffle_queue_ops = type_list<random_shuffle_queue_v2_op, random_shuffle_queue_op>;

// Options of a random_shuffle_queue.
struct random_shuffle_queue_options {
  std::int64_t capacity = -1;             // the largest number of elements in the queue; negative: no limit
  std::int64_t min_after_dequeue = 0;     // the number of elements that remain for mixing while the queue is open
  std::optional<std::int64_t> seed = {};  // combined with the graph's seed; default: the number of earlier nodes in the graph
  std::vector<shape> shapes = {};         // the components' shapes; empty: elements may differ in shape, and there are no batches
  std::string container = {};             // nodes with the same container and shared_name share a queue
  std::string shared_name = {};           // the shared name; empty: the node has its own queue
};

// A queue whose elements leave in random order.
template <class... T> class random_shuffle_queue : public queue<T...> {
public:
  random_shuffle_queue() = default;
  explicit random_shuffle_queue(const graph& g, const random_shuffle_queue_options& o = {}, site s = {})
      : queue<T...>(make(g, o, s), o.shapes) {}

private:
  static out<resource> make(const graph& g, const random_shuffle_queue_options& o, const site& s) {
    const detail::random_seeds seeds = detail::seeds_in(g, o.seed);
    random_shuffle_queue_v2_op op;
    op.component_types = {dtype_of<T>...};
    op.shapes = o.shapes;
    op.capacity = o.capacity;
    op.min_after_dequeue = o.min_after_dequeue;
    op.seed = seeds.seed;
    op.seed2 = seeds.seed2;
    op.container = o.container;
    op.shared_name = o.shared_name;
    return apply_in<>(g, op, s);
  }
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/random_shuffle_queue.hpp>
#endif
