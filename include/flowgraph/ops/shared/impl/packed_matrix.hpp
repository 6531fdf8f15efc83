#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/shared/detail/packed_matrix.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The copies of all graphs of the program, so that plans of several sessions share them.
class packed_copies {
public:
  static packed_copies& of_program() {
    static packed_copies& all = *new packed_copies;  // never destroyed: sessions that are static may plan last
    return all;
  }
  // Returns the copy of these weights, or null.
  std::shared_ptr<const packed_weights> find(const packed_matrix& of, const any_tensor& weights) {
    const threading::lock_guard lock(mutex_);
    return found(of, weights);
  }
  // Adds a copy, unless another thread has added one meanwhile. Returns the one that all plans share.
  std::shared_ptr<const packed_weights> add(const packed_matrix& of, std::shared_ptr<const packed_weights> result) {
    const threading::lock_guard lock(mutex_);
    erase_if(entries_, [](const entry& e) { return e.copy.expired(); });
    if (auto before = found(of, result->weights)) return before;
    entries_.push_back({result->weights.data(), of, result});
    return result;
  }

private:
  struct entry {
    const void* weights;  // an address that no other tensor has while the copy exists
    packed_matrix of;
    std::weak_ptr<const packed_weights> copy;

    bool is_of(const packed_matrix& matrix, const any_tensor& t) const { return weights == t.data() && of == matrix; }
  };
  std::shared_ptr<const packed_weights> found(const packed_matrix& of, const any_tensor& weights) const {
    for (const entry& e : entries_)
      if (auto copy = e.is_of(of, weights) ? e.copy.lock() : nullptr) return copy;
    return nullptr;
  }

  threading::mutex mutex_;
  sequence<entry> entries_;
};

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::shared_ptr<const packed_weights> packed_copy(const packed_matrix& of,
                                                                                  const any_tensor& weights) {
  const std::int64_t size = of.size<float>();
  if (size > packed_weights::most_growth * of.k * of.n) return nullptr;
  packed_copies& all = packed_copies::of_program();
  if (auto found = all.find(of, weights)) return found;
  auto panels = any_tensor::allocate(dtype::float32, {size});
  if (!panels) return nullptr;
  const auto result = std::make_shared<packed_weights>(packed_weights{weights, *std::move(panels)});
  const auto* const from = static_cast<const float*>(weights.data());
  kernel::dispatch([]<class L>(L) { return &L::template pack<float>; })(of.product(1), from,
                                                                        static_cast<float*>(result->panels.data()));
  result->are_finite = all_finite(from, of.k * of.n);
  return all.add(of, result);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
