#pragma once
// The bodies of all functions, for programs that compile them once: every file of the program defines FLOWGRAPH_SPLIT, and one
// file includes this header before all other headers of the library. The other files then compile much faster.
//
//     c++ -std=c++20 -DFLOWGRAPH_SPLIT -c flowgraph.cpp    // contains only #include <flowgraph/implementation.hpp>
//     c++ -std=c++20 -DFLOWGRAPH_SPLIT -c program.cpp

#ifndef FLOWGRAPH_SPLIT
#error "flowgraph/implementation.hpp is for programs in which every file defines FLOWGRAPH_SPLIT"
#endif
#ifdef FLOWGRAPH_INLINE
#error "flowgraph/implementation.hpp must come before every other header of flowgraph"
#endif
#define FLOWGRAPH_IMPLEMENTATION

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/formats/summary_values.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/io/planned_record.hpp>
#include <flowgraph/observe/configurations.hpp>
#include <flowgraph/observe/constant_objective.hpp>
#include <flowgraph/observe/gradient_check.hpp>
#include <flowgraph/observe/model_account.hpp>
#include <flowgraph/observe/not_finite.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/runtime/joint_run.hpp>
#include <flowgraph/placement/cost_placement.hpp>
#include <flowgraph/placement/delay_transfers.hpp>
#include <flowgraph/placement/save_memory.hpp>
#include <flowgraph/train/coordinator.hpp>
#include <flowgraph/train/loop_products.hpp>
#include <flowgraph/train/loss_scale.hpp>
#include <flowgraph/train/moving_average.hpp>
#include <flowgraph/train/queue_runner.hpp>
#include <flowgraph/train/replicate.hpp>
#include <flowgraph/train/scopes.hpp>

#ifndef FLOWGRAPH_NO_FILES
#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/formats/byte_stream.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/formats/compression.hpp>
#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/json_example.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>
#include <flowgraph/formats/png.hpp>
#include <flowgraph/formats/png_reader.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/formats/wav.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>
#include <flowgraph/train/recovery_hook.hpp>
#include <flowgraph/train/saver.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>
#include <flowgraph/train/training_hooks.hpp>
#include <flowgraph/train/training_loop.hpp>
#include <flowgraph/train/weights.hpp>
#endif
