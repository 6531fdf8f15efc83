// The full entries of the reference: layers, recurrent networks, control flow, queues and input.

#include "shown.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/image/image_file.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/ops/input/buckets.hpp>
#include <flowgraph/ops/input/click_source.hpp>
#include <flowgraph/ops/input/clicks.hpp>
#include <flowgraph/ops/input/decode.hpp>
#include <flowgraph/ops/input/files.hpp>
#include <flowgraph/ops/input/parse_example.hpp>
#include <flowgraph/ops/input/png.hpp>
#include <flowgraph/ops/input/prefetch.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/ops/input/serialized_tensor.hpp>
#include <flowgraph/ops/input/shuffled_batches.hpp>
#include <flowgraph/ops/input/slices.hpp>
#include <flowgraph/ops/jacobian.hpp>
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
#include <flowgraph/ops/sampling/sampled_loss.hpp>
#include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_loss.hpp>
#include <flowgraph/ops/sparse/embedding.hpp>
#include <flowgraph/ops/sparse/matmul.hpp>
#include <flowgraph/ops/sparse/ragged_tensor.hpp>
#include <flowgraph/ops/sparse/ragged_to_dense.hpp>
#include <flowgraph/ops/sparse/reorder.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>
#include <flowgraph/ops/state/assign_all.hpp>
#include <flowgraph/ops/strings/ngrams.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>
#include <flowgraph/train/queue_runner.hpp>

#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace fg = flowgraph;

#include "shown/control_flow.hpp"
#include "shown/convolutions.hpp"
#include "shown/gradients.hpp"
#include "shown/images.hpp"
#include "shown/input.hpp"
#include "shown/labels.hpp"
#include "shown/matrices.hpp"
#include "shown/queues.hpp"
#include "shown/recurrent.hpp"
#include "shown/sampling.hpp"
#include "shown/sparse.hpp"
#include "shown/strings.hpp"
