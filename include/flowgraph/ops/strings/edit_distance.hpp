#pragma once
// The edit distance of sequences.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The sequences of tokens in two sparse tensors. The tensors have been checked.
struct token_sequences {
  struct sequence {
    std::int64_t group = 0;           // the index of the output element
    std::size_t first = 0, last = 0;  // the tokens [first, last)
  };
  shape extents;
  std::vector<sequence> hypotheses, truths;
};
// Returns the sequences of the call's inputs. If the inputs are invalid, the call fails.
token_sequences sequences_of(cpu ctx);

}  // namespace detail

// Returns the Levenshtein distances of sequences along the last axis of two sparse tensors. If `normalize` is set, divides each
// distance by the length of the true sequence.
struct edit_distance_op {
  static constexpr std::string_view name = "EditDistance";
  using types = joined<numbers, type_list<bool, std::string>>;
  static constexpr op_facts facts{.not_differentiable = true};
  bool normalize = true;
  static constexpr auto attrs = flowgraph::attrs(attr("normalize", &edit_distance_op::normalize));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& hypothesis_indices, const flowgraph::shape& hypothesis_values,
                         const flowgraph::shape& hypothesis_shape, const flowgraph::shape& truth_indices,
                         const flowgraph::shape& truth_values, const flowgraph::shape& truth_shape) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> hypothesis_indices, view<const T> hypothesis_values,
                  view<const std::int64_t> hypothesis_shape, view<const std::int64_t> truth_indices, view<const T> truth_values,
                  view<const std::int64_t> truth_shape, unsized<float> output) const;
};

using edit_distance_ops = type_list<edit_distance_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/edit_distance.hpp>
#endif
