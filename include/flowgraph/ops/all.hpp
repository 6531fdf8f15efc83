#pragma once
// Includes every standard op, and defines the list of all standard ops, from which registries and tests are made. A program that
// only needs ops by name includes ops/standard.hpp instead.

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/common.hpp>
#include <flowgraph/ops/array/bitcast.hpp>
#include <flowgraph/ops/array/diagonal.hpp>
#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/array/lin_space.hpp>
#include <flowgraph/ops/array/mirror_pad.hpp>
#include <flowgraph/ops/array/one_hot.hpp>
#include <flowgraph/ops/array/partition.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/array/reverse.hpp>
#include <flowgraph/ops/array/scatter_nd.hpp>
#include <flowgraph/ops/array/search.hpp>
#include <flowgraph/ops/array/space.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/array/tiling.hpp>
#include <flowgraph/ops/array/unique_along.hpp>
#include <flowgraph/ops/array/where.hpp>
#include <flowgraph/ops/control_flow/abort.hpp>
#include <flowgraph/ops/control_flow/history.hpp>
#include <flowgraph/ops/control_flow/ref_select.hpp>
#include <flowgraph/ops/data_flow/barrier.hpp>
#include <flowgraph/ops/data_flow/conditional_accumulator.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/map_stage.hpp>
#include <flowgraph/ops/data_flow/mutex.hpp>
#include <flowgraph/ops/data_flow/optional.hpp>
#include <flowgraph/ops/data_flow/priority_queue.hpp>
#include <flowgraph/ops/data_flow/queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/data_flow/sparse_tensors_map.hpp>
#include <flowgraph/ops/data_flow/stack.hpp>
#include <flowgraph/ops/data_flow/stage.hpp>
#include <flowgraph/ops/data_flow/tensor_array.hpp>
#include <flowgraph/ops/data_flow/tensor_array_by_name.hpp>
#include <flowgraph/ops/data_flow/tensor_list.hpp>
#include <flowgraph/ops/debug/diagnostics.hpp>
#include <flowgraph/ops/debug/summary.hpp>
#include <flowgraph/ops/image/adjust_color.hpp>
#include <flowgraph/ops/image/color_space.hpp>
#include <flowgraph/ops/image/combined_suppression.hpp>
#include <flowgraph/ops/image/crop_and_resize.hpp>
#include <flowgraph/ops/image/draw_boxes.hpp>
#include <flowgraph/ops/image/glimpse.hpp>
#include <flowgraph/ops/image/patches.hpp>
#include <flowgraph/ops/image/projective_transform.hpp>
#include <flowgraph/ops/image/random_crop.hpp>
#include <flowgraph/ops/image/resize.hpp>
#include <flowgraph/ops/linear_algebra/banded_solve.hpp>
#include <flowgraph/ops/linear_algebra/cholesky.hpp>
#include <flowgraph/ops/linear_algebra/cross.hpp>
#include <flowgraph/ops/linear_algebra/eigenvalues.hpp>
#include <flowgraph/ops/linear_algebra/einsum.hpp>
#include <flowgraph/ops/linear_algebra/general_eigenvalues.hpp>
#include <flowgraph/ops/linear_algebra/inverse.hpp>
#include <flowgraph/ops/linear_algebra/least_squares.hpp>
#include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>
#include <flowgraph/ops/linear_algebra/matrix_functions.hpp>
#include <flowgraph/ops/linear_algebra/qr.hpp>
#include <flowgraph/ops/linear_algebra/solve.hpp>
#include <flowgraph/ops/linear_algebra/svd.hpp>
#include <flowgraph/ops/linear_algebra/tridiagonal.hpp>
#include <flowgraph/ops/math/accumulate_n.hpp>
#include <flowgraph/ops/math/bessel.hpp>
#include <flowgraph/ops/math/bitwise.hpp>
#include <flowgraph/ops/math/complex.hpp>
#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/math/histogram.hpp>
#include <flowgraph/ops/math/integral.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/math/rounding.hpp>
#include <flowgraph/ops/math/special.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>
#include <flowgraph/ops/nn/bias_v1.hpp>
#include <flowgraph/ops/nn/convolution_3d.hpp>
#include <flowgraph/ops/nn/data_format.hpp>
#include <flowgraph/ops/nn/depthwise.hpp>
#include <flowgraph/ops/nn/dilation.hpp>
#include <flowgraph/ops/nn/fractional_pool.hpp>
#include <flowgraph/ops/nn/global_norm.hpp>
#include <flowgraph/ops/nn/local_response.hpp>
#include <flowgraph/ops/nn/loss.hpp>
#include <flowgraph/ops/nn/pool_3d.hpp>
#include <flowgraph/ops/nn/pool_argmax.hpp>
#include <flowgraph/ops/nn/pool_v2.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>
#include <flowgraph/ops/nn/top_k.hpp>
#include <flowgraph/ops/quantize/fake_quantize.hpp>
#include <flowgraph/ops/quantize/quantize_and_dequantize.hpp>
#include <flowgraph/ops/random/distribution.hpp>
#include <flowgraph/ops/random/shuffle.hpp>
#include <flowgraph/ops/random/stateless.hpp>
#include <flowgraph/ops/reduction/norm.hpp>
#include <flowgraph/ops/reduction/scan.hpp>
#include <flowgraph/ops/reduction/segment.hpp>
#include <flowgraph/ops/reduction/sparse_segment.hpp>
#include <flowgraph/ops/sampling/accidental_hits.hpp>
#include <flowgraph/ops/sampling/candidate_sampler.hpp>
#include <flowgraph/ops/rnn/block_gru.hpp>
#include <flowgraph/ops/rnn/block_lstm.hpp>
#include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_loss.hpp>
#include <flowgraph/ops/signal/fourier.hpp>
#include <flowgraph/ops/signal/mfcc.hpp>
#include <flowgraph/ops/signal/real_fourier.hpp>
#include <flowgraph/ops/signal/spectrogram.hpp>
#include <flowgraph/ops/signal/wav.hpp>
#include <flowgraph/ops/sparse/add.hpp>
#include <flowgraph/ops/sparse/bincount.hpp>
#include <flowgraph/ops/sparse/concat.hpp>
#include <flowgraph/ops/sparse/counts.hpp>
#include <flowgraph/ops/sparse/elementwise.hpp>
#include <flowgraph/ops/sparse/extremes.hpp>
#include <flowgraph/ops/sparse/fill_empty_rows.hpp>
#include <flowgraph/ops/sparse/matmul.hpp>
#include <flowgraph/ops/sparse/pair_interactions.hpp>
#include <flowgraph/ops/sparse/ragged_gather.hpp>
#include <flowgraph/ops/sparse/ragged_range.hpp>
#include <flowgraph/ops/sparse/ragged_to_dense.hpp>
#include <flowgraph/ops/sparse/ragged_to_sparse.hpp>
#include <flowgraph/ops/sparse/reduce.hpp>
#include <flowgraph/ops/sparse/reorder.hpp>
#include <flowgraph/ops/sparse/reshape.hpp>
#include <flowgraph/ops/sparse/serialized_sparse.hpp>
#include <flowgraph/ops/sparse/sets.hpp>
#include <flowgraph/ops/sparse/slice.hpp>
#include <flowgraph/ops/sparse/softmax.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>
#include <flowgraph/ops/sparse/zero_skipping_matmul.hpp>
#include <flowgraph/ops/state/counter.hpp>
#include <flowgraph/ops/state/in_place.hpp>
#include <flowgraph/ops/state/resource_read.hpp>
#include <flowgraph/ops/state/scatter_arithmetic.hpp>
#include <flowgraph/ops/state/scatter_nd.hpp>
#include <flowgraph/ops/state/session_tensor.hpp>
#include <flowgraph/ops/state/slice_assign.hpp>
#include <flowgraph/ops/state/temporary.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>
#include <flowgraph/ops/strings/as_string.hpp>
#include <flowgraph/ops/strings/cross.hpp>
#include <flowgraph/ops/strings/edit_distance.hpp>
#include <flowgraph/ops/strings/hash_bucket.hpp>
#include <flowgraph/ops/strings/join.hpp>
#include <flowgraph/ops/strings/ngrams.hpp>
#include <flowgraph/ops/strings/regex.hpp>
#include <flowgraph/ops/strings/split.hpp>
#include <flowgraph/ops/strings/text.hpp>
#include <flowgraph/ops/strings/unicode.hpp>
#include <flowgraph/ops/training/adagrad.hpp>
#include <flowgraph/ops/training/adamax.hpp>
#include <flowgraph/ops/training/ftrl.hpp>
#include <flowgraph/ops/training/lazy_adam.hpp>
#include <flowgraph/ops/training/proximal.hpp>
#include <flowgraph/ops/training/rms_prop.hpp>
#include <flowgraph/ops/training/sign.hpp>
#include <flowgraph/ops/standard.hpp>

#ifndef FLOWGRAPH_NO_FILES
#include <flowgraph/ops/checkpoint/saved_slices.hpp>
#include <flowgraph/ops/checkpoint/tensor_bundle.hpp>
#include <flowgraph/ops/image/image_file.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/input/click_source.hpp>
#include <flowgraph/ops/input/clicks.hpp>
#include <flowgraph/ops/input/decode.hpp>
#include <flowgraph/ops/input/files.hpp>
#include <flowgraph/ops/input/parse_example.hpp>
#include <flowgraph/ops/input/parse_sequence.hpp>
#include <flowgraph/ops/input/png.hpp>
#include <flowgraph/ops/input/reader.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/ops/input/serialized_tensor.hpp>
#include <flowgraph/ops/lookup/hash_table.hpp>
#include <flowgraph/ops/lookup/lookup_table.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/lookup/table_anchor.hpp>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using trigonometry_part = joined<trigonometry_ops, complex_ops, power_ops>;
using division_part = joined<division_ops, rounding_ops, bitwise_ops>;
using counting_part = joined<histogram_ops, scan_ops, norm_ops, accumulate_n_ops>;
using special_part = joined<special_ops, bessel_ops, integral_ops>;
using sampling_part = joined<stateless_ops, distribution_ops, shuffle_ops, diagnostics_ops>;
using indexing_part = joined<strided_slice_ops, gather_nd_ops, scatter_nd_ops>;
using update_part = joined<variable_scatter_nd_ops, slice_assign_ops, scatter_arithmetic_ops, in_place_ops>;
using session_part = joined<counter_ops, resource_read_ops, temporary_ops, session_tensor_ops, variable_behind_ops>;
using rearrangement_part =
    joined<space_ops, mirror_pad_ops, reverse_ops, where_ops, bitcast_ops, identity_variant_ops, tiling_ops>;
using selection_part =
    joined<one_hot_ops, partition_ops, search_ops, diagonal_ops, matrix_diagonal_ops, unique_along_ops, lin_space_ops>;
using normalization_part = joined<batch_norm_ops, local_response_ops, top_k_ops, data_format_ops, einsum_ops, rectifier_ops,
                                  loss_ops, bias_v1_ops, global_norm_ops>;
using volume_part =
    joined<convolution_3d_ops, depthwise_ops, dilation_ops, pool_3d_ops, pool_argmax_ops, fractional_pool_ops, pool_v2_ops>;
using linear_algebra_part = joined<solve_ops, cholesky_ops, inverse_ops, qr_ops, least_squares_ops, eigenvalue_ops, svd_ops,
                                   cross_ops, general_eigenvalue_ops, matrix_function_ops, tridiagonal_ops, banded_solve_ops>;
using signal_part = joined<fourier_ops, real_fourier_ops, spectrogram_ops, mfcc_ops, wav_ops>;
using sparse_part = joined<sparse_to_dense_ops, sparse_matmul_ops, sparse_reorder_ops, sparse_reshape_ops,
                           sparse_fill_empty_rows_ops, sparse_reduce_ops, sparse_elementwise_ops, sparse_softmax_ops,
                           sparse_add_ops, sparse_extreme_ops, sparse_slice_ops, sparse_concat_ops>;
using sequence_part = joined<ctc_loss_ops, ctc_greedy_decoder_ops, ctc_beam_search_decoder_ops, block_lstm_ops, block_gru_ops>;
using ragged_part = joined<ragged_to_dense_ops, ragged_to_sparse_ops, ragged_range_ops, ragged_gather_ops, pair_interaction_ops,
                           sparse_bincount_ops, sparse_count_ops, set_ops, serialized_sparse_ops, zero_skipping_matmul_ops>;
using image_part = joined<resize_bilinear_ops, resize_nearest_ops, resize_bicubic_ops, resize_area_ops, scale_and_translate_ops,
                          crop_and_resize_ops, non_max_suppression_ops, combined_suppression_ops>;
using picture_part =
    joined<color_space_ops, adjust_color_ops, patch_ops, draw_box_ops, glimpse_ops, random_crop_ops, projective_transform_ops>;
using quantize_part = joined<fake_quantize_ops, quantize_and_dequantize_ops>;
using candidate_part = joined<candidate_sampler_ops, accidental_hits_ops>;
using adaptive_part = joined<adagrad_ops, adamax_ops, lazy_adam_ops, rms_prop_ops>;
using proximal_part = joined<ftrl_ops, proximal_ops, sign_ops>;
using collection_part = joined<history_ops, tensor_array_ops, stack_ops, mutex_ops, abort_ops, ref_select_ops>;
using tensor_array_v1_part = tensor_array_by_name_ops;
using list_part = joined<tensor_list_ops, optional_ops>;
using queue_part = joined<queue_ops, fifo_queue_ops, random_shuffle_queue_ops, priority_queue_ops, stage_ops, map_stage_ops,
                          conditional_accumulator_ops, barrier_ops>;
#ifdef FLOWGRAPH_NO_FILES
using file_part = type_list<>;
using parsing_part = type_list<>;
using image_file_part = type_list<>;
using lookup_part = type_list<>;
#else
using file_part = joined<tensor_bundle_ops, saved_slices_ops, file_ops, reader_ops, record_reader_ops>;
using parsing_part =
    joined<decode_ops, click_ops, click_source_ops, png_ops, serialized_tensor_ops, parse_example_ops, parse_sequence_ops>;
using image_file_part = joined<jpeg_ops, image_file_ops>;
using lookup_part = joined<hash_table_ops, lookup_table_ops, sparse_table_ops, table_anchor_ops>;
#endif
using summary_part = summary_ops;
using string_part = joined<as_string_ops, edit_distance_ops, hash_bucket_ops, join_ops, ngram_ops, regex_ops, split_ops, text_ops,
                           unicode_ops, feature_cross_ops, sparse_tensors_map_ops>;
using segment_part = segment_ops;
using sparse_segment_part = sparse_segment_ops;

using standard_parts =
    type_list<array_part, conversion_part, arithmetic_part, reduction_part, network_part, state_part, trigonometry_part,
              division_part, counting_part, special_part, sampling_part, indexing_part, update_part, session_part,
              rearrangement_part, selection_part, normalization_part, volume_part, adaptive_part, proximal_part, segment_part,
              sparse_segment_part, collection_part, tensor_array_v1_part, list_part, queue_part, file_part, parsing_part,
              summary_part, lookup_part, string_part, linear_algebra_part, image_part, picture_part, image_file_part, signal_part,
              sparse_part, quantize_part, candidate_part, sequence_part, ragged_part>;

template <class Parts> struct ops_of_parts;
template <class... Part> struct ops_of_parts<type_list<Part...>> {
  using type = joined<Part...>;
};

}  // namespace detail

using standard_ops = detail::ops_of_parts<detail::standard_parts>::type;

#ifdef FLOWGRAPH_HEADER_ONLY
// Adds every standard op to a registry, so that ops are found by name.
template <class Registry> result<void> add_standard_ops(Registry& r) { return add_ops<standard_ops>(r); }
#endif

}  // namespace flowgraph
