#pragma once
// Reads the labels of sequences from the logits of their frames: the best class of each frame, without repetitions and blanks.

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct ctc_decoder_shapes {
  std::int64_t time = -1, batch = -1;
};
// Checks the ranks of the logits and of the lengths.
ctc_decoder_shapes check_ctc_decoder(shape_context& c, const shape& inputs, const shape& lengths);
// Fails and returns false if the logits are empty, or if a length is wrong.
bool check_ctc_frames(cpu ctx, const shape& inputs, view<const std::int32_t> lengths);

}  // namespace detail

// Reads each sequence: the class with the largest logit of each frame, without blanks. With merge_repeated, a class that consecutive
// frames repeat is one label. Returns the labels as the parts of a sparse tensor, and the negative sum of the largest logits. A
// negative blank_index counts from the last class.
struct ctc_greedy_decoder_op {
  static constexpr std::string_view name = "CTCGreedyDecoder";
  using types = type_attrs<type_attr<"T", type_list<float, double>>>;
  static constexpr op_facts facts{.not_differentiable = true};
  bool merge_repeated = false;
  std::int64_t blank_index = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("merge_repeated", &ctc_greedy_decoder_op::merge_repeated),
                                                 attr("blank_index", &ctc_greedy_decoder_op::blank_index));

  shape_list shape(shape_context& c, const flowgraph::shape& inputs, const flowgraph::shape& lengths) const;
  std::size_t scratch(const flowgraph::shape& inputs, const flowgraph::shape& lengths) const;
  template <class T>
  void operator()(cpu ctx, view<const T> inputs, view<const std::int32_t> sequence_length, unsized<std::int64_t> decoded_indices,
                  unsized<std::int64_t> decoded_values, view<std::int64_t> decoded_shape, view<T> log_probability) const;
};

// Options of ctc_greedy_decode.
struct ctc_greedy_options {
  bool merge_repeated = true;     // false: each frame that is not blank is a label
  std::int64_t blank_index = -1;  // the class of the blank; negative: counted from the last class
};
// The result of ctc_greedy_decode.
template <class T> struct ctc_read_labels {
  sparse_tensor<std::int64_t> labels;  // row b contains the labels of sequence b
  out<T> neg_sum_logits;               // {batch, 1}: for each sequence, the negative sum of the largest logits of its frames
};

// Reads the labels of each sequence from the best class of each frame. The logits are {time, batch, classes}; `lengths` {batch}
// contains the number of frames of each sequence.
template <class T>
ctc_read_labels<T> ctc_greedy_decode(const out<T>& logits, const out<std::int32_t>& lengths, const ctc_greedy_options& o = {},
                                     site s = {}) {
  const auto [indices, values, extents, total] =
      apply(ctc_greedy_decoder_op{o.merge_repeated, o.blank_index}, logits, lengths, s);
  return {{indices, values, extents}, total};
}

using ctc_greedy_decoder_ops = type_list<ctc_greedy_decoder_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sequence/detail/ctc_greedy_decoder.hpp>
#endif
