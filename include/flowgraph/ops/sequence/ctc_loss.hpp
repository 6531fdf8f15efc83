#pragma once
// Connectionist temporal classification (Graves et al., 2006): the loss of a network that labels sequences, without a mark of where
// each label begins. The network writes one row of logits per frame; the last class is the blank, which separates labels.
//
//     auto loss = fg::ctc_loss(logits, labels, lengths);                 // logits are {time, batch, classes}, loss is {batch}
//     auto read = fg::ctc_greedy_decode(logits, lengths);                // ctc_greedy_decoder.hpp

#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns, for each sequence of a batch, the negative logarithm of the probability that its frames are read as its labels, and the
// gradient of this loss with respect to the logits. Row i of labels_indices contains the number of a sequence and the position of
// label i in it.
struct ctc_loss_op {
  static constexpr std::string_view name = "CTCLoss";
  using types = type_attrs<type_attr<"T", type_list<float, double>>>;
  bool preprocess_collapse_repeated = false, ctc_merge_repeated = true, ignore_longer_outputs_than_inputs = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("preprocess_collapse_repeated", &ctc_loss_op::preprocess_collapse_repeated),
                       attr("ctc_merge_repeated", &ctc_loss_op::ctc_merge_repeated),
                       attr("ignore_longer_outputs_than_inputs", &ctc_loss_op::ignore_longer_outputs_than_inputs));

  shape_list shape(shape_context& c, const flowgraph::shape& inputs, const flowgraph::shape& indices,
                   const flowgraph::shape& values, const flowgraph::shape& lengths) const;
  std::size_t scratch(const flowgraph::shape& inputs, const flowgraph::shape& indices, const flowgraph::shape& values,
                      const flowgraph::shape& lengths) const;
  template <class T>
  void operator()(cpu ctx, view<const T> inputs, view<const std::int64_t> labels_indices, view<const std::int32_t> labels_values,
                  view<const std::int32_t> sequence_length, view<T> loss, view<T> gradient) const;
  template <class T>
  gradients_of<T, 4> gradient(out<T>, out<std::int64_t>, out<std::int32_t>, out<std::int32_t>, out<T>, out<T> slope, out<T> dloss,
                              out<T>) const {
    const out<T> once = prevent_gradient(slope, "CTCLoss has no gradient of second order");
    return {{expand_dims(dloss, -1) * once, none, none, none}};
  }
};

// Options of ctc_loss.
struct ctc_loss_options {
  bool preprocess_collapse_repeated = false;       // true: equal labels that follow each other count as one label
  bool ctc_merge_repeated = true;                  // false: a repeated label of the frames is a new label
  bool ignore_longer_outputs_than_inputs = false;  // true: a sequence with more labels than frames has the loss 0
};

// Returns the loss of each sequence: logits are {time, batch, classes}, of which the last class is the blank; `labels` contains row b
// for sequence b; and `lengths` {batch} contains the number of frames of each sequence. The loss has a gradient of first order.
template <class T>
out<T> ctc_loss(const out<T>& logits, const sparse_tensor<std::int32_t>& labels, const out<std::int32_t>& lengths,
                const ctc_loss_options& o = {}, site s = {}) {
  return std::get<0>(apply(ctc_loss_op{o.preprocess_collapse_repeated, o.ctc_merge_repeated, o.ignore_longer_outputs_than_inputs},
                           logits, labels.indices, labels.values, lengths, s));
}

using ctc_loss_ops = type_list<ctc_loss_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sequence/detail/ctc_loss.hpp>
#endif
