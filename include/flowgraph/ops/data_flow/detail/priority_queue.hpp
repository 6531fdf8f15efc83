#pragma once

#include <flowgraph/ops/data_flow/priority_queue.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>

#include <map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class priority_queue_state final : public queue_state {
public:
  priority_queue_state(queue_description d, std::string name) : queue_state(std::move(d), std::move(name)) {}

protected:
  std::size_t stored() const override { return elements_.size(); }
  void store(queue_element e) override {
    const std::int64_t priority = priority_of(e);
    elements_.emplace(priority, std::move(e));
  }
  queue_element take() override {
    queue_element first = std::move(elements_.begin()->second);
    elements_.erase(elements_.begin());
    return first;
  }
  // Before those of the same priority.
  void put_back(std::vector<queue_element> elements) override {
    for (auto e = elements.rbegin(); e != elements.rend(); ++e) {
      const std::int64_t priority = priority_of(*e);
      elements_.emplace_hint(elements_.lower_bound(priority), priority, std::move(*e));
    }
  }

private:
  static std::int64_t priority_of(const queue_element& e) {
    const auto row = static_cast<std::size_t>(e.row == queue_element::whole ? 0 : e.row);
    return e.components->front().as<std::int64_t>()[row];
  }

  std::multimap<std::int64_t, queue_element> elements_;  // equal ones in the order of coming
};

FLOWGRAPH_KERNEL_INLINE resource find_priority_queue(cpu ctx, const priority_queue_attributes& a) {
  queue_description d{"PriorityQueue", a.capacity, a.component_types, a.shapes};
  d.sorts = true;
  d.types.insert(d.types.begin(), dtype::int64);
  if (!d.shapes.empty()) d.shapes.insert(d.shapes.begin(), shape{});
  return find_or_make_queue(ctx, std::move(d), a.container, a.shared_name,
                            [](queue_description made, std::string name) -> resource_base* {
                              return new priority_queue_state(std::move(made), std::move(name));
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

}
}  // namespace flowgraph
