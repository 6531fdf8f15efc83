#pragma once
// Reads the labels of sequences from the logits of their frames by beam search: the probability of labels is summed over the paths
// that are read as these labels.
//
//     auto read = fg::ctc_beam_search_decode(logits, lengths, {.beam_width = 20, .top_paths = 2});
//     auto best = read.labels[0];

#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Reads each sequence by beam search with beam_width candidates. Returns the top_paths best labels as the parts of sparse tensors,
// and the logarithms of their probabilities. The last class is the blank. With merge_repeated, equal labels that follow each other
// are one label in the result.
struct ctc_beam_search_decoder_op {
  static constexpr std::string_view name = "CTCBeamSearchDecoder";
  using types = type_attrs<type_attr<"T", type_list<float, double>>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t beam_width = 1, top_paths = 1;
  bool merge_repeated = true;
  static constexpr auto attrs = flowgraph::attrs(required("beam_width", &ctc_beam_search_decoder_op::beam_width),
                                                 required("top_paths", &ctc_beam_search_decoder_op::top_paths),
                                                 attr("merge_repeated", &ctc_beam_search_decoder_op::merge_repeated));

  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& inputs, const flowgraph::shape& lengths) const;
  std::size_t scratch(const flowgraph::shape& inputs, const flowgraph::shape& lengths) const;
  template <class T>
  void operator()(cpu ctx, view<const T> inputs, view<const std::int32_t> sequence_length,
                  unsized_list<std::int64_t> decoded_indices, unsized_list<std::int64_t> decoded_values,
                  view_list<std::int64_t> decoded_shape, view<T> log_probability) const;
};

// Options of ctc_beam_search_decode.
struct ctc_beam_search_options {
  std::int64_t beam_width = 100;  // the number of candidates that each step keeps
  std::int64_t top_paths = 1;     // the number of results for each sequence, at most beam_width
  bool merge_repeated = false;    // true: equal labels that follow each other become one label, even if a blank separates them
};
// The result of ctc_beam_search_decode.
template <class T> struct ctc_read_paths {
  std::vector<sparse_tensor<std::int64_t>> labels;  // the results, the best first; row b contains the labels of sequence b
  out<T> log_probability;                           // {batch, top_paths}
};

// Reads the labels of each sequence by beam search. The logits are {time, batch, classes}, of which the last class is the blank;
// `lengths` {batch} contains the number of frames of each sequence. If a beam contains fewer than top_paths candidates, the run
// fails.
template <class T>
ctc_read_paths<T> ctc_beam_search_decode(const out<T>& logits, const out<std::int32_t>& lengths,
                                         const ctc_beam_search_options& o = {}, site s = {}) {
  const auto [indices, values, extents, total] =
      apply(ctc_beam_search_decoder_op{o.beam_width, o.top_paths, o.merge_repeated}, logits, lengths, s);
  ctc_read_paths<T> read{{}, total};
  for (std::size_t i = 0; i < indices.size(); ++i) read.labels.push_back({indices[i], values[i], extents[i]});
  return read;
}

using ctc_beam_search_decoder_ops = type_list<ctc_beam_search_decoder_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sequence/detail/ctc_beam_search_decoder.hpp>
#endif
