// Ops whose inputs are handles of what a run makes: the harness has none to give them, and leaves them alone.

#include "samples.hpp"

namespace harness {

namespace {

constexpr std::string_view of_arrays = "its input is made by a node of the same run: tests/ops/data_flow/tensor_array.cpp";
constexpr std::string_view of_arrays_by_name =
    "its input is made by a node of the same run: tests/ops/data_flow/tensor_array_by_name.cpp";
constexpr std::string_view of_stacks = "its input is made by a node of the same run: tests/ops/data_flow/stack.cpp";
constexpr std::string_view of_histories = "its input is made by a node of the same run: tests/ops/control_flow/history.cpp";
constexpr std::string_view of_queues = "it waits for another run, or others for it: tests/ops/data_flow/queue.cpp";
constexpr std::string_view of_mutexes = "it waits, or holds what others wait for: tests/ops/data_flow/mutex.cpp";

}  // namespace

std::vector<sample> collection_samples() {
  return {
      {"TensorArrayV3", skip(of_arrays)},
      {"TensorArrayGradV3", skip(of_arrays)},
      {"TensorArrayGradWithShape", skip(of_arrays)},
      {"TensorArrayWriteV3", skip(of_arrays)},
      {"TensorArrayReadV3", skip(of_arrays)},
      {"TensorArrayGatherV3", skip(of_arrays)},
      {"TensorArrayScatterV3", skip(of_arrays)},
      {"TensorArrayConcatV3", skip(of_arrays)},
      {"TensorArraySplitV3", skip(of_arrays)},
      {"TensorArraySizeV3", skip(of_arrays)},
      {"TensorArrayCloseV3", skip(of_arrays)},

      {"TensorArray", skip(of_arrays_by_name)},
      {"TensorArrayV2", skip(of_arrays_by_name)},
      {"TensorArrayGrad", skip(of_arrays_by_name)},
      {"TensorArrayGradV2", skip(of_arrays_by_name)},
      {"TensorArrayWrite", skip(of_arrays_by_name)},
      {"TensorArrayRead", skip(of_arrays_by_name)},
      {"TensorArrayGather", skip(of_arrays_by_name)},
      {"TensorArrayScatter", skip(of_arrays_by_name)},
      {"TensorArrayConcat", skip(of_arrays_by_name)},
      {"TensorArraySplit", skip(of_arrays_by_name)},
      {"TensorArraySize", skip(of_arrays_by_name)},
      {"TensorArrayClose", skip(of_arrays_by_name)},
      {"TensorArrayPack", skip(of_arrays_by_name)},
      {"TensorArrayUnpack", skip(of_arrays_by_name)},
      {"TensorArrayWriteV2", skip(of_arrays_by_name)},
      {"TensorArrayReadV2", skip(of_arrays_by_name)},
      {"TensorArrayGatherV2", skip(of_arrays_by_name)},
      {"TensorArrayScatterV2", skip(of_arrays_by_name)},
      {"TensorArrayConcatV2", skip(of_arrays_by_name)},
      {"TensorArraySplitV2", skip(of_arrays_by_name)},
      {"TensorArraySizeV2", skip(of_arrays_by_name)},
      {"TensorArrayCloseV2", skip(of_arrays_by_name)},

      {"EmptyHistory", skip(of_histories)},
      {"PushHistory", skip(of_histories)},
      {"PopHistory", skip(of_histories)},
      {"HistoryValue", skip(of_histories)},
      {"HasHistory", skip(of_histories)},

      {"StackV2", skip(of_stacks)},
      {"Stack", skip(of_stacks)},
      {"StackPushV2", skip(of_stacks)},
      {"StackPopV2", skip(of_stacks)},
      {"StackCloseV2", skip(of_stacks)},
      {"StackPush", skip(of_stacks)},
      {"StackPop", skip(of_stacks)},
      {"StackClose", skip(of_stacks)},

      {"FIFOQueueV2", skip("it has no input: tests/ops/data_flow/fifo_queue.cpp")},
      {"FIFOQueue", skip("it has no input: tests/ops/data_flow/fifo_queue.cpp")},
      {"QueueEnqueueV2", skip(of_queues)},
      {"QueueEnqueueManyV2", skip(of_queues)},
      {"QueueDequeueV2", skip(of_queues)},
      {"QueueDequeueManyV2", skip(of_queues)},
      {"QueueDequeueUpToV2", skip(of_queues)},
      {"QueueCloseV2", skip(of_queues)},
      {"QueueSizeV2", skip(of_queues)},
      {"QueueIsClosedV2", skip(of_queues)},
      {"QueueEnqueue", skip(of_queues)},
      {"QueueEnqueueMany", skip(of_queues)},
      {"QueueDequeue", skip(of_queues)},
      {"QueueDequeueMany", skip(of_queues)},
      {"QueueDequeueUpTo", skip(of_queues)},
      {"QueueClose", skip(of_queues)},
      {"QueueSize", skip(of_queues)},
      {"QueueIsClosed", skip(of_queues)},

      {"MutexV2", skip(of_mutexes)},
      {"MutexLock", skip(of_mutexes)},
      {"ConsumeMutexLock", skip(of_mutexes)},

      {"Abort", skip("it has neither input nor output: tests/ops/control_flow/abort.cpp")},
  };
}

}  // namespace harness
