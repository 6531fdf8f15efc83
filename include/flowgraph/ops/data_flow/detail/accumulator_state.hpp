#pragma once
// The state of an accumulator at run time: a sum of tensors or of slices of rows, and the number of gradients in it.

#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A node's description of its accumulator. All nodes that share the accumulator must give the same description.
struct accumulator_description {
  std::string_view kind;  // the op's name
  dtype type = dtype::invalid;
  flowgraph::shape shape;  // as far as it is known
  bool is_mean = true, is_sparse = false;
};

// A gradient, or a sum of gradients. If it is dense, only `values` is set.
struct accumulated_slices {
  std::vector<std::int64_t> indices;  // of the rows in `values`
  any_tensor values;
};

class accumulator_state final : public awaited, private savable {
public:
  struct wish : awaited::wish {
    wish(cpu c, done to, std::int32_t n) : awaited::wish(c, std::move(to), side::taking, "taking the gradient"), wanted(n) {}
    void release() override { taken = {}; }

    std::int32_t wanted;
    accumulated_slices taken;
  };

  accumulator_state(const accumulator_description& d, std::string name)
      : awaited(kind_of<accumulator_state>(), "accumulator", d.kind, std::move(name), order::strict, order::strict),
        description_(d) {}

  const accumulator_description& description() const noexcept { return description_; }

  // Adds a gradient, or drops it if it belongs to an earlier step.
  error add(cpu ctx, std::int64_t local_step, accumulated_slices gradient, const shape* said);
  std::int32_t count() const;
  void set_step(std::int64_t step);

  savable* as_savable() noexcept override { return this; }

private:
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  FLOWGRAPH_INLINE progress advance(awaited::wish& w) override;
  FLOWGRAPH_INLINE error deliver(awaited::wish& w) override;
  error check(const accumulated_slices& gradient, const shape* said) const;
  error check_rows(const accumulated_slices& gradient, const shape* said) const;
  error add_dense(const any_tensor& values, std::pmr::memory_resource* memory);
  error add_rows(const accumulated_slices& gradient, std::pmr::memory_resource* memory);
  result<any_tensor> divided(std::pmr::memory_resource* memory) const;

  const accumulator_description description_;
  std::int64_t step_ = 0;
  std::int32_t count_ = 0;  // of gradients in the sum
  accumulated_slices sum_;
  std::vector<std::int32_t> row_counts_;  // of gradients in each row
};

resource find_accumulator(cpu ctx, const accumulator_description& d, const std::string& section, const std::string& shared_name);
// Returns the accumulator that input 0 names. If there is none, or it has another type or kind, the kernel fails and the result
// is empty.
resource named_accumulator(cpu ctx);
resource named_accumulator(cpu ctx, dtype type, bool is_sparse);
void take_gradient(cpu ctx, dtype type, bool is_sparse, view<const std::int32_t> num_required, done answer);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/accumulator_state.hpp>
#endif
