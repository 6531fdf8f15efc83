#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/shared/detail/packed_matrix.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The copies of all graphs of the program, so that plans of several sessions share them.
struct packed_copies {
  struct entry {
    const void* weights;  // an address that no other tensor has while the copy exists
    packed_matrix of;
    std::weak_ptr<const packed_weights> copy;
  };
  threading::mutex mutex;
  sequence<entry> entries;

  static packed_copies& of_program() {
    static packed_copies all;
    return all;
  }
};

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::shared_ptr<const packed_weights> packed_copy(const packed_matrix& of,
                                                                                  const any_tensor& weights) {
  packed_copies& all = packed_copies::of_program();
  const threading::lock_guard lock(all.mutex);
  erase_if(all.entries, [](const packed_copies::entry& e) { return e.copy.expired(); });
  const auto is_same = [&](const packed_copies::entry& e) { return e.weights == weights.data() && e.of == of; };
  if (const auto* const found = std::ranges::find_if(all.entries, is_same); found != all.entries.end())
    if (auto copy = found->copy.lock()) return copy;
  auto panels = any_tensor::allocate(dtype::float32, {of.size<float>()});
  if (!panels) return nullptr;
  const auto made = std::make_shared<packed_weights>(packed_weights{weights, *std::move(panels)});
  const auto* const from = static_cast<const float*>(weights.data());
  kernel::dispatch([]<class L>(L) { return &L::template pack<float>; })(of.product(1), from,
                                                                        static_cast<float*>(made->panels.data()));
  made->are_finite = all_finite(from, of.k * of.n);
  all.entries.push_back({weights.data(), of, made});
  return made;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
