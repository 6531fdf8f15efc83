#pragma once
// N-grams: sequences of neighbouring words, each as one string.
//
//     auto pairs = fg::string_ngrams(words, {2});                   // "the cat", "cat sat", for each row of words

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/sparse/ragged_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the n-grams of each row of strings. Row i consists of the strings with the numbers data_splits[i] to data_splits[i + 1]
// - 1. The n-grams of a row are those of the first width, then those of the second, and so on. `pad_width` pads are added at both
// ends of a row, at most the width - 1; if it is negative, width - 1. If `preserve_short_sequences` is set, a row that is too
// short for all widths is one n-gram.
struct string_ngrams_op {
  static constexpr std::string_view name = "StringNGrams";
  using types = type_attrs<type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::string separator = {};
  std::vector<std::int64_t> ngram_widths = {};
  std::string left_pad = {}, right_pad = {};
  std::int64_t pad_width = 0;
  bool preserve_short_sequences = false;
  static constexpr auto attrs = flowgraph::attrs(
      required("separator", &string_ngrams_op::separator), required("ngram_widths", &string_ngrams_op::ngram_widths),
      required("left_pad", &string_ngrams_op::left_pad), required("right_pad", &string_ngrams_op::right_pad),
      required("pad_width", &string_ngrams_op::pad_width),
      required("preserve_short_sequences", &string_ngrams_op::preserve_short_sequences));

  shape_list shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& splits) const;
  template <class I>
  void operator()(cpu ctx, view<const std::string> data, view<const I> splits, unsized<std::string> ngrams,
                  view<I> ngrams_splits) const;
};

// The options of `string_ngrams`.
struct ngram_options {
  std::string separator = " ";            // between the words of an n-gram
  std::string left_pad = {};              // the word before the first word of a row
  std::string right_pad = {};             // the word after the last word of a row
  std::int64_t pad_width = 0;             // pads at each end; negative: as many as the n-grams have room for
  bool preserve_short_sequences = false;  // a row that is too short becomes one n-gram
};

// Returns the n-grams of each row of words, for all given widths.
template <class I>
ragged_tensor<std::string, I> string_ngrams(const ragged_tensor<std::string, I>& x, std::vector<std::int64_t> widths,
                                            ngram_options options = {}, site s = {}) {
  const string_ngrams_op op{std::move(options.separator), std::move(widths), std::move(options.left_pad),
                            std::move(options.right_pad), options.pad_width, options.preserve_short_sequences};
  const auto [ngrams, splits] = apply(s, op, x.values, x.row_splits.empty() ? out<I>() : x.row_splits.back());
  ragged_tensor<std::string, I> result{x.row_splits, ngrams};
  if (!result.row_splits.empty()) result.row_splits.back() = splits;
  return result;
}

using ngram_ops = type_list<string_ngrams_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/ngrams.hpp>
#endif
