#pragma once

#include <flowgraph/core/name_key.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>
#include <flowgraph/ops/random/detail/philox.hpp>

#include <iterator>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The elements of a shuffling queue: in stored order, those that leave first, and the number of draws.
class random_shuffle_queue_state final : public queue_state {
public:
  random_shuffle_queue_state(queue_description d, std::string name) : queue_state(std::move(d), std::move(name)) {
    const auto key = static_cast<std::uint64_t>(description().seed);
    auto stream = static_cast<std::uint64_t>(description().seed2);
    if (key == 0 && stream == 0) stream = key_of_name(this->name());
    source_ = philox(key, stream);
  }

protected:
  std::size_t stored() const override { return elements_.size() + returned_.size(); }
  void store(queue_element e) override { elements_.push_back(std::move(e)); }
  queue_element take() override {
    if (returned_.empty()) return draw();
    queue_element first = std::move(returned_.front());
    returned_.pop_front();
    return first;
  }
  void put_back(std::vector<queue_element> elements) override {
    returned_.insert(returned_.begin(), std::move_iterator(elements.begin()), std::move_iterator(elements.end()));
  }

  stock all() const override { return {{returned_.begin(), returned_.end()}, elements_, drawn_}; }
  void replace(stock by) override {
    elements_ = std::move(by.others);
    returned_.clear();
    put_back(std::move(by.first));
    drawn_ = by.drawn;
  }

private:
  // Draws the same elements as TensorFlow: a number of 32 bits each. The last element takes the place of the one that leaves.
  queue_element draw() {
    if (block_ != drawn_ / 4) {
      philox at = source_;
      block_ = drawn_ / 4;
      at.skip(block_);
      numbers_ = at();
    }
    const std::uint32_t number = numbers_[drawn_++ % 4];
    queue_element& chosen = elements_[number % elements_.size()];
    std::swap(chosen, elements_.back());
    queue_element taken = std::move(elements_.back());
    elements_.pop_back();
    return taken;
  }

  philox source_{0, 0};
  std::uint64_t drawn_ = 0;
  std::uint64_t block_ = ~std::uint64_t{0};
  philox::block numbers_{};  // numbers of the current block
  std::vector<queue_element> elements_;
  std::deque<queue_element> returned_;  // drawn for a batch that was not delivered
};

FLOWGRAPH_KERNEL_INLINE resource find_random_shuffle_queue(cpu ctx, const random_shuffle_queue_attributes& a) {
  queue_description d{"RandomShuffleQueue", a.capacity, a.component_types, a.shapes};
  d.min_after_dequeue = a.min_after_dequeue;
  d.seed = a.seed;
  d.seed2 = a.seed2;
  return find_or_make_queue(ctx, std::move(d), a.container, a.shared_name,
                            [](queue_description result, std::string name) -> resource_base* {
                              return new random_shuffle_queue_state(std::move(result), std::move(name));
                            });
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void random_shuffle_queue_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::hand_out(ctx, detail::find_random_shuffle_queue(ctx, *this), handle);
}
FLOWGRAPH_KERNEL_INLINE void random_shuffle_queue_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::find_random_shuffle_queue(ctx, *this);
  detail::hand_out(ctx, container, shared_name, handle);
}

}  // namespace flowgraph
