// Every line of use that docs/reference shows: tools/reference takes the lines from uses/. The test compiles them; linked with
// flowgraph::interop, the program builds them into graphs.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/core/generator.hpp>
#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/launch.hpp>
#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/distributed/tls.hpp>
#include <flowgraph/distributed/token.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/save_model.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/interop/served_model.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/io/planned_record.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/image/image_file.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/image/adjust_color.hpp>
#include <flowgraph/ops/image/color_space.hpp>
#include <flowgraph/ops/image/combined_suppression.hpp>
#include <flowgraph/ops/image/crop_and_resize.hpp>
#include <flowgraph/ops/image/draw_boxes.hpp>
#include <flowgraph/ops/image/glimpse.hpp>
#include <flowgraph/ops/image/non_max_suppression.hpp>
#include <flowgraph/ops/image/patches.hpp>
#include <flowgraph/ops/image/random_crop.hpp>
#include <flowgraph/ops/image/resize.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/ops/input/buckets.hpp>
#include <flowgraph/ops/input/prefetch.hpp>
#include <flowgraph/ops/input/shuffled_batches.hpp>
#include <flowgraph/ops/input/slices.hpp>
#include <flowgraph/ops/jacobian.hpp>
#include <flowgraph/ops/math/clip.hpp>
#include <flowgraph/ops/rnn/attention_cell.hpp>
#include <flowgraph/ops/rnn/basic_rnn_cell.hpp>
#include <flowgraph/ops/rnn/beam_search.hpp>
#include <flowgraph/ops/rnn/bidirectional.hpp>
#include <flowgraph/ops/rnn/block_gru.hpp>
#include <flowgraph/ops/rnn/block_lstm.hpp>
#include <flowgraph/ops/rnn/decoder.hpp>
#include <flowgraph/ops/rnn/dropout_cell.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>
#include <flowgraph/ops/rnn/stacked_cells.hpp>
#include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_loss.hpp>
#include <flowgraph/placement/cost_placement.hpp>
#include <flowgraph/ops/signal/fourier.hpp>
#include <flowgraph/ops/signal/mfcc.hpp>
#include <flowgraph/ops/signal/real_fourier.hpp>
#include <flowgraph/ops/signal/spectrogram.hpp>
#include <flowgraph/ops/signal/wav.hpp>
#include <flowgraph/ops/sparse/add.hpp>
#include <flowgraph/ops/sparse/concat.hpp>
#include <flowgraph/ops/sparse/elementwise.hpp>
#include <flowgraph/ops/sparse/embedding.hpp>
#include <flowgraph/ops/sparse/extremes.hpp>
#include <flowgraph/ops/sparse/fill_empty_rows.hpp>
#include <flowgraph/ops/sparse/matmul.hpp>
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
#include <flowgraph/ops/sampling/sampled_loss.hpp>
#include <flowgraph/ops/sparse/zero_skipping_matmul.hpp>
#include <flowgraph/runtime/joint_run.hpp>
#include <flowgraph/train/accumulate_gradients.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/adamw.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/loss_scale.hpp>
#include <flowgraph/train/metrics.hpp>
#include <flowgraph/train/moving_average.hpp>
#include <flowgraph/train/proximal.hpp>
#include <flowgraph/train/queue_runner.hpp>
#include <flowgraph/train/recovery_hook.hpp>
#include <flowgraph/train/replicate.hpp>
#include <flowgraph/train/rms_prop.hpp>
#include <flowgraph/train/samples.hpp>
#include <flowgraph/train/saver.hpp>
#include <flowgraph/train/rate_schedule.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>
#include <flowgraph/train/scopes.hpp>
#include <flowgraph/train/state_bytes.hpp>
#include <flowgraph/train/training_hooks.hpp>
#include <flowgraph/train/weights.hpp>

#include <chrono>
#include <stop_token>

namespace fg = flowgraph;

#include "uses/array.hpp"
#include "uses/control_flow.hpp"
#include "uses/devices.hpp"
#include "uses/distributed.hpp"
#include "uses/engine.hpp"
#include "uses/files.hpp"
#include "uses/image.hpp"
#include "uses/input.hpp"
#include "uses/math.hpp"
#include "uses/nn.hpp"
#include "uses/signal.hpp"
#include "uses/sampling.hpp"
#include "uses/sparse.hpp"
#include "uses/strings.hpp"
#include "uses/summaries.hpp"
#include "uses/tensors.hpp"
#include "uses/traces.hpp"
#include "uses/training.hpp"

int main() {
  for (const auto use : {uses_of_arrays,         uses_of_control_flow,
                         uses_of_data_flow,      uses_of_checks,
                         uses_of_graphs,         uses_of_sessions,
                         uses_of_numbers,        uses_of_matrices,
                         uses_of_reductions,     uses_of_sparse_tensors,
                         uses_of_layers,         uses_of_images,
                         uses_of_random_numbers, uses_of_recurrent_networks,
                         uses_of_signals,        uses_of_state,
                         uses_of_training,       uses_of_input,
                         uses_of_strings,        uses_of_summaries,
                         uses_of_sampling})
    use(fg::graph());
  uses_of_tensors();
  uses_of_files(fg::graph());
}
