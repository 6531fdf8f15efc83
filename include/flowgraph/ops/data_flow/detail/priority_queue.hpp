#pragma once

#include <flowgraph/core/stable_sort.hpp>
#include <flowgraph/ops/data_flow/priority_queue.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>

#include <algorithm>
#include <iterator>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The elements of a priority queue: a heap, and in their order the elements that a batch has given back.
class priority_queue_state final : public queue_state {
public:
  priority_queue_state(queue_description d, std::string name) : queue_state(std::move(d), std::move(name)) {}

protected:
  std::size_t stored() const override { return heap_.size() + returned_.size(); }
  void store(queue_element e) override {
    heap_.push_back(std::move(e));
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }
  queue_element take() override {
    const bool from_heap = returned_.empty() || (!heap_.empty() && is_later(returned_.front(), heap_.front()));
    if (from_heap) std::pop_heap(heap_.begin(), heap_.end(), is_later);
    queue_element first = std::move(from_heap ? heap_.back() : returned_.front());
    if (from_heap) heap_.pop_back();
    else returned_.pop_front();
    return first;
  }
  void put_back(std::vector<queue_element> elements) override {
    returned_.insert(returned_.begin(), std::move_iterator(elements.begin()), std::move_iterator(elements.end()));
    sort_stably(returned_, [](const auto& a, const auto& b) { return is_later(b, a); });
  }

  stock all() const override { return {{returned_.begin(), returned_.end()}, heap_}; }
  void replace(stock by) override {
    heap_ = std::move(by.others);
    std::make_heap(heap_.begin(), heap_.end(), is_later);  // the elements are already a heap, so nothing moves
    returned_.clear();
    put_back(std::move(by.first));
  }

private:
  static std::int64_t priority_of(const queue_element& e) {
    const auto row = static_cast<std::size_t>(e.row == queue_element::whole ? 0 : e.row);
    return e.components->front().as<std::int64_t>()[row];
  }
  static bool is_later(const queue_element& a, const queue_element& b) { return priority_of(a) > priority_of(b); }

  std::vector<queue_element> heap_;  // the heap determines the order of equal elements, as in TensorFlow
  std::deque<queue_element> returned_;
};

FLOWGRAPH_KERNEL_INLINE resource find_priority_queue(cpu ctx, const priority_queue_attributes& a) {
  queue_description d{"PriorityQueue", a.capacity, a.component_types, a.shapes};
  d.sorts = true;
  d.types.insert(d.types.begin(), dtype::int64);
  if (!d.shapes.empty()) d.shapes.insert(d.shapes.begin(), shape{});
  return find_or_make_queue(ctx, std::move(d), a.container, a.shared_name,
                            [](queue_description result, std::string name) -> resource_base* {
                              return new priority_queue_state(std::move(result), std::move(name));
                            });
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void priority_queue_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::hand_out(ctx, detail::find_priority_queue(ctx, *this), handle);
}
FLOWGRAPH_KERNEL_INLINE void priority_queue_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::find_priority_queue(ctx, *this);
  detail::hand_out(ctx, container, shared_name, handle);
}

}  // namespace flowgraph
