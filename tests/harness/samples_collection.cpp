// Ops whose inputs are handles of objects of a run. The harness cannot provide these handles, so it does not test the ops.

#include "samples.hpp"

namespace harness {

namespace {

constexpr std::string_view of_arrays = "its input is made by a node of the same run: tests/ops/data_flow/tensor_array.cpp";
constexpr std::string_view of_arrays_by_name =
    "its input is made by a node of the same run: tests/ops/data_flow/tensor_array_by_name.cpp";
constexpr std::string_view of_lists =
    "lists are made by nodes of the same run: tests/ops/data_flow/tensor_list.cpp, and recorded cases";
constexpr std::string_view of_optionals =
    "optionals are made by nodes of the same run: tests/ops/data_flow/optional.cpp, and recorded cases";
constexpr std::string_view of_stacks = "its input is made by a node of the same run: tests/ops/data_flow/stack.cpp";
constexpr std::string_view of_histories = "its input is made by a node of the same run: tests/ops/control_flow/history.cpp";
constexpr std::string_view of_stages = "an area has no handle: tests/ops/data_flow/stage.cpp";
constexpr std::string_view of_keyed_stages = "an area has no handle: tests/ops/data_flow/map_stage.cpp";
constexpr std::string_view of_accumulators =
    "its gradients go to an accumulator: tests/ops/data_flow/conditional_accumulator.cpp";
constexpr std::string_view of_barriers = "its values go to a barrier: tests/ops/data_flow/barrier.cpp";
constexpr std::string_view of_mutexes = "it waits, or holds what others wait for: tests/ops/data_flow/mutex.cpp";

// The components of the harness's queues.
call with_components(const call& c) {
  return c.with("component_types", fg::attribute_value(std::vector<fg::dtype>{fg::dtype::int32, fg::dtype::float32}));
}

}  // namespace

std::vector<sample> collection_samples() {
  return {
      {"TensorArrayV3", skip(of_arrays)},
      {"TensorArrayGradV3", skip(of_arrays)},
      {"TensorArrayGradWithShape", skip(of_arrays)},
      {"GradientArrays", skip(of_arrays)},
      {"HeldGradientArray", skip(of_arrays)},
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

      {"EmptyTensorList", skip(of_lists)},
      {"TensorListReserve", skip(of_lists)},
      {"TensorListLength", skip(of_lists)},
      {"TensorListElementShape", skip(of_lists)},
      {"TensorListResize", skip(of_lists)},
      {"TensorListPushBack", skip(of_lists)},
      {"TensorListPopBack", skip(of_lists)},
      {"TensorListGetItem", skip(of_lists)},
      {"TensorListSetItem", skip(of_lists)},
      {"TensorListStack", skip(of_lists)},
      {"TensorListFromTensor", skip(of_lists)},
      {"TensorListGather", skip(of_lists)},
      {"TensorListScatterIntoExistingList", skip(of_lists)},
      {"TensorListScatter", skip(of_lists)},
      {"TensorListScatterV2", skip(of_lists)},
      {"TensorListConcat", skip(of_lists)},
      {"TensorListConcatV2", skip(of_lists)},
      {"TensorListSplit", skip(of_lists)},
      {"TensorListConcatLists", skip(of_lists)},
      {"TensorListPushBackBatch", skip(of_lists)},

      {"OptionalFromValue", skip(of_optionals)},
      {"OptionalNone", skip(of_optionals)},
      {"OptionalHasValue", skip(of_optionals)},
      {"OptionalGetValue", skip(of_optionals)},

      {"EmptyHistory", skip(of_histories)},
      {"PushHistory", skip(of_histories)},
      {"PopHistory", skip(of_histories)},
      {"HistoryValue", skip(of_histories)},
      {"HasHistory", skip(of_histories)},
      {"AddHistories", skip(of_histories)},
      {"ZerosLikeHistory", skip(of_histories)},

      {"StackV2", skip(of_stacks)},
      {"Stack", skip(of_stacks)},
      {"StackPushV2", skip(of_stacks)},
      {"StackPopV2", skip(of_stacks)},
      {"StackCloseV2", skip(of_stacks)},
      {"StackPush", skip(of_stacks)},
      {"StackPop", skip(of_stacks)},
      {"StackClose", skip(of_stacks)},

      {"FIFOQueueV2", skip("it has no input; every sample with a queue input tries it")},
      {"FIFOQueue", skip("it has no input; every sample with a queue input tries it")},
      {"PaddingFIFOQueueV2", skip("it has no input: tests/ops/data_flow/fifo_queue.cpp")},
      {"PaddingFIFOQueue", skip("it has no input: tests/ops/data_flow/fifo_queue.cpp")},
      {"RandomShuffleQueueV2", skip("it has no input: tests/ops/data_flow/random_shuffle_queue.cpp")},
      {"RandomShuffleQueue", skip("it has no input: tests/ops/data_flow/random_shuffle_queue.cpp")},
      {"PriorityQueueV2", skip("it has no input: tests/ops/data_flow/priority_queue.cpp")},
      {"PriorityQueue", skip("it has no input: tests/ops/data_flow/priority_queue.cpp")},
      {"QueueEnqueueV2", {call{queue(), random({}), random({2})}}},
      {"QueueEnqueueManyV2", {call{queue(), random({4}), random({4, 2})}, call{queue(), random({0}), random({0, 2})}}},
      {"QueueDequeueV2", {with_components(call{queue(true)})}},
      {"QueueDequeueManyV2", {with_components(call{queue(true), number(2)}), with_components(call{queue(true), number(0)})}},
      {"QueueDequeueUpToV2", {with_components(call{queue(true), number(2)}), with_components(call{queue(true), number(5)})}},
      {"QueueCloseV2", {call{queue()}}},
      {"QueueSizeV2", {call{queue()}, call{queue(true)}}},
      {"QueueIsClosedV2", {call{queue()}, call{queue(true)}}},
      {"QueueEnqueue", {call{queue(), random({}), random({2})}}},
      {"QueueEnqueueMany", {call{queue(), random({4}), random({4, 2})}, call{queue(), random({0}), random({0, 2})}}},
      {"QueueDequeue", {with_components(call{queue(true)})}},
      {"QueueDequeueMany", {with_components(call{queue(true), number(2)}), with_components(call{queue(true), number(0)})}},
      {"QueueDequeueUpTo", {with_components(call{queue(true), number(2)}), with_components(call{queue(true), number(5)})}},
      {"QueueClose", {call{queue()}}},
      {"QueueSize", {call{queue()}, call{queue(true)}}},
      {"QueueIsClosed", {call{queue()}, call{queue(true)}}},

      {"Stage", skip(of_stages)},
      {"Unstage", skip(of_stages)},
      {"StagePeek", skip(of_stages)},
      {"StageSize", skip(of_stages)},
      {"StageClear", skip(of_stages)},

      {"MapStage", skip(of_keyed_stages)},
      {"MapUnstage", skip(of_keyed_stages)},
      {"MapUnstageNoKey", skip(of_keyed_stages)},
      {"MapPeek", skip(of_keyed_stages)},
      {"MapSize", skip(of_keyed_stages)},
      {"MapIncompleteSize", skip(of_keyed_stages)},
      {"MapClear", skip(of_keyed_stages)},
      {"OrderedMapStage", skip(of_keyed_stages)},
      {"OrderedMapUnstage", skip(of_keyed_stages)},
      {"OrderedMapUnstageNoKey", skip(of_keyed_stages)},
      {"OrderedMapPeek", skip(of_keyed_stages)},
      {"OrderedMapSize", skip(of_keyed_stages)},
      {"OrderedMapIncompleteSize", skip(of_keyed_stages)},
      {"OrderedMapClear", skip(of_keyed_stages)},

      {"ResourceConditionalAccumulator", skip(of_accumulators)},
      {"ResourceAccumulatorApplyGradient", skip(of_accumulators)},
      {"ResourceAccumulatorTakeGradient", skip(of_accumulators)},
      {"ResourceAccumulatorNumAccumulated", skip(of_accumulators)},
      {"ResourceAccumulatorSetGlobalStep", skip(of_accumulators)},
      {"ConditionalAccumulator", skip(of_accumulators)},
      {"AccumulatorApplyGradient", skip(of_accumulators)},
      {"AccumulatorTakeGradient", skip(of_accumulators)},
      {"AccumulatorNumAccumulated", skip(of_accumulators)},
      {"AccumulatorSetGlobalStep", skip(of_accumulators)},
      {"SparseConditionalAccumulator", skip(of_accumulators)},
      {"SparseAccumulatorApplyGradient", skip(of_accumulators)},
      {"SparseAccumulatorTakeGradient", skip(of_accumulators)},

      {"Barrier", skip(of_barriers)},
      {"BarrierInsertMany", skip(of_barriers)},
      {"BarrierTakeMany", skip(of_barriers)},
      {"BarrierClose", skip(of_barriers)},
      {"BarrierReadySize", skip(of_barriers)},
      {"BarrierIncompleteSize", skip(of_barriers)},

      {"MutexV2", skip(of_mutexes)},
      {"MutexLock", skip(of_mutexes)},
      {"ConsumeMutexLock", skip(of_mutexes)},

      {"Abort", skip("it has neither input nor output: tests/ops/control_flow/abort.cpp")},
  };
}

}  // namespace harness
