#pragma once

#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>

#include <iterator>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class fifo_queue_state final : public queue_state {
public:
  fifo_queue_state(queue_description d, std::string name) : queue_state(std::move(d), std::move(name)) {}

protected:
  std::size_t stored() const override { return elements_.size(); }
  void store(queue_element e) override { elements_.push_back(std::move(e)); }
  queue_element take() override {
    queue_element first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }
  void put_back(std::vector<queue_element> elements) override {
    elements_.insert(elements_.begin(), std::move_iterator(elements.begin()), std::move_iterator(elements.end()));
  }

  stock all() const override { return {{}, {elements_.begin(), elements_.end()}}; }
  void replace(stock by) override {
    elements_.assign(std::move_iterator(by.others.begin()), std::move_iterator(by.others.end()));
    put_back(std::move(by.first));
  }

private:
  std::deque<queue_element> elements_;
};

FLOWGRAPH_KERNEL_INLINE resource find_fifo_queue(cpu ctx, const fifo_queue_attributes& a, bool pads) {
  return find_or_make_queue(ctx, {pads ? "PaddingFIFOQueue" : "FIFOQueue", a.capacity, a.component_types, a.shapes, pads},
                            a.container, a.shared_name, [](queue_description d, std::string name) -> resource_base* {
                              return new fifo_queue_state(std::move(d), std::move(name));
                            });
}
FLOWGRAPH_KERNEL_INLINE void name_fifo_queue(cpu ctx, const fifo_queue_attributes& a, bool pads,
                                             const unsized<resource>& handle) {
  hand_out(ctx, find_fifo_queue(ctx, a, pads), handle);
}
FLOWGRAPH_KERNEL_INLINE void name_fifo_queue(cpu ctx, const fifo_queue_attributes& a, bool pads,
                                             const reference_out<std::string>& handle) {
  find_fifo_queue(ctx, a, pads);
  hand_out(ctx, a.container, a.shared_name, handle);
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void fifo_queue_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::name_fifo_queue(ctx, *this, false, handle);
}
FLOWGRAPH_KERNEL_INLINE void fifo_queue_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::name_fifo_queue(ctx, *this, false, handle);
}
FLOWGRAPH_KERNEL_INLINE void padding_fifo_queue_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::name_fifo_queue(ctx, *this, true, handle);
}
FLOWGRAPH_KERNEL_INLINE void padding_fifo_queue_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::name_fifo_queue(ctx, *this, true, handle);
}

}  // namespace flowgraph
