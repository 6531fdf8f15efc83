#pragma once
// Facts about TensorFlow's ops that flowgraph's tables do not contain: the attributes that count or type list arguments, and the
// defaults of type attributes that do not follow from an input. Sorted by op.

#include <flowgraph/core/type.hpp>

#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// The attribute of each list argument, first for inputs, then for outputs, in order. It contains a number, or a list of types.
struct list_attributes {
  std::string_view op, inputs, outputs;
};

inline constexpr list_attributes list_attributes_of_ops[] = {
    {"AccumulateNV2", "N", ""},
    {"AddN", "N", ""},
    {"Assert", "T", ""},
    {"BarrierTakeMany", "", "component_types"},
    {"CTCBeamSearchDecoder", "", "top_paths top_paths top_paths"},
    {"Concat", "N", ""},
    {"ConcatOffset", "N", "N"},
    {"ConcatV2", "N", ""},
    {"DecodeCSV", "OUT_TYPE", "OUT_TYPE"},
    {"DynamicPartition", "", "num_partitions"},
    {"DynamicStitch", "N N", ""},
    {"Einsum", "N", ""},
    {"IdentityN", "T", "T"},
    {"If", "Tin", "Tout"},
    {"MapPeek", "", "dtypes"},
    {"MapStage", "fake_dtypes", ""},
    {"MapUnstage", "", "dtypes"},
    {"MapUnstageNoKey", "", "dtypes"},
    {"Merge", "N", ""},
    {"MergeSummary", "N", ""},
    {"OptionalFromValue", "Toutput_types", ""},
    {"OptionalGetValue", "", "output_types"},
    {"OrderedMapPeek", "", "dtypes"},
    {"OrderedMapStage", "fake_dtypes", ""},
    {"OrderedMapUnstage", "", "dtypes"},
    {"OrderedMapUnstageNoKey", "", "dtypes"},
    {"Pack", "N", ""},
    {"ParallelConcat", "N", ""},
    {"ParallelDynamicStitch", "N N", ""},
    {"ParseExample", "Nsparse Ndense Tdense", "Nsparse sparse_types Nsparse Tdense"},
    {"ParseExampleV2", "Tdense", "num_sparse sparse_types num_sparse Tdense ragged_value_types ragged_split_types"},
    {"ParseSequenceExample", "Tcontext_dense",
     "Ncontext_sparse context_sparse_types Ncontext_sparse Tcontext_dense Nfeature_list_sparse "
     "feature_list_sparse_types Nfeature_list_sparse feature_list_dense_types Nfeature_list_dense"},
    {"ParseSequenceExampleV2", "Tcontext_dense",
     "Ncontext_sparse context_sparse_types Ncontext_sparse Tcontext_dense context_ragged_value_types "
     "context_ragged_split_types Nfeature_list_sparse feature_list_sparse_types Nfeature_list_sparse "
     "feature_list_dense_types Nfeature_list_dense feature_list_ragged_value_types "
     "feature_list_ragged_split_types feature_list_ragged_split_types"},
    {"ParseSingleExample", "Tdense", "num_sparse sparse_types num_sparse Tdense"},
    {"ParseSingleSequenceExample", "Ncontext_sparse Ncontext_dense Nfeature_list_sparse Nfeature_list_dense Tcontext_dense",
     "Ncontext_sparse context_sparse_types Ncontext_sparse Tcontext_dense Nfeature_list_sparse "
     "feature_list_sparse_types Nfeature_list_sparse feature_list_dense_types"},
    {"PartitionedCall", "Tin", "Tout"},
    {"Print", "U", ""},
    {"QuantizedConcat", "N N N", ""},
    {"QuantizedConcatV2", "N N N", ""},
    {"QueueDequeue", "", "component_types"},
    {"QueueDequeueMany", "", "component_types"},
    {"QueueDequeueManyV2", "", "component_types"},
    {"QueueDequeueUpTo", "", "component_types"},
    {"QueueDequeueUpToV2", "", "component_types"},
    {"QueueDequeueV2", "", "component_types"},
    {"QueueEnqueue", "Tcomponents", ""},
    {"QueueEnqueueMany", "Tcomponents", ""},
    {"QueueEnqueueManyV2", "Tcomponents", ""},
    {"QueueEnqueueV2", "Tcomponents", ""},
    {"RaggedGather", "PARAMS_RAGGED_RANK", "OUTPUT_RAGGED_RANK"},
    {"RaggedTensorToSparse", "RAGGED_RANK", ""},
    {"RaggedTensorToTensor", "num_row_partition_tensors", ""},
    {"RefMerge", "N", ""},
    {"RefSelect", "N", ""},
    {"RestoreV2", "", "dtypes"},
    {"Save", "T", ""},
    {"SaveSlices", "T", ""},
    {"SaveV2", "dtypes", ""},
    {"ShapeN", "N", "N"},
    {"SparseConcat", "N N N", ""},
    {"SparseCross", "N sparse_types N dense_types", ""},
    {"SparseCrossHashed", "N sparse_types N dense_types", ""},
    {"SparseCrossV2", "N sparse_types N dense_types", ""},
    {"SparseSplit", "", "num_split num_split num_split"},
    {"Split", "", "num_split"},
    {"SplitV", "", "num_split"},
    {"Stage", "dtypes", ""},
    {"StagePeek", "", "dtypes"},
    {"StatefulPartitionedCall", "Tin", "Tout"},
    {"StatelessIf", "Tin", "Tout"},
    {"StatelessWhile", "T", "T"},
    {"StringFormat", "T", ""},
    {"StringJoin", "N", ""},
    {"SymbolicGradient", "Tin", "Tout"},
    {"Unpack", "", "num"},
    {"Unstage", "", "dtypes"},
    {"While", "T", "T"},
};

// Returns whether the attributes in the row of the op have the defaults 0 and the empty list, so that files may leave them out.
constexpr bool may_omit_lists(std::string_view op) noexcept {
  return op == "ParseSequenceExample" || op == "ParseSequenceExampleV2" || op == "ParseSingleSequenceExample";
}

struct type_default {
  std::string_view op, attribute;
  dtype type;
};

inline constexpr type_default type_defaults[] = {
    {"Angle", "Tout", dtype::float32},
    {"ArgMax", "output_type", dtype::int64},
    {"ArgMin", "output_type", dtype::int64},
    {"Complex", "Tout", dtype::complex64},
    {"ComplexAbs", "Tout", dtype::float32},
    {"DecodeImage", "dtype", dtype::uint8},
    {"DecodePng", "dtype", dtype::uint8},
    {"Dequantize", "dtype", dtype::float32},
    {"DeserializeSparse", "Tserialized", dtype::string},
    {"ExtractJpegShape", "output_type", dtype::int32},
    {"HistogramFixedWidth", "dtype", dtype::int32},
    {"IRFFT", "Treal", dtype::float32},
    {"IRFFT2D", "Treal", dtype::float32},
    {"IRFFT3D", "Treal", dtype::float32},
    {"Imag", "Tout", dtype::float32},
    {"ListDiff", "out_idx", dtype::int32},
    {"LowerBound", "out_type", dtype::int32},
    {"Lu", "output_idx_type", dtype::int32},
    {"MaxPoolWithArgmax", "Targmax", dtype::int64},
    {"Multinomial", "output_dtype", dtype::int64},
    {"RFFT", "Tcomplex", dtype::complex64},
    {"RFFT2D", "Tcomplex", dtype::complex64},
    {"RFFT3D", "Tcomplex", dtype::complex64},
    {"RaggedRange", "Tsplits", dtype::int64},
    {"RandomPoissonV2", "dtype", dtype::int64},
    {"Real", "Tout", dtype::float32},
    {"SerializeManySparse", "out_type", dtype::string},
    {"SerializeSparse", "out_type", dtype::string},
    {"Shape", "out_type", dtype::int32},
    {"ShapeN", "out_type", dtype::int32},
    {"Size", "out_type", dtype::int32},
    {"StatelessMultinomial", "output_dtype", dtype::int64},
    {"StatelessRandomNormal", "dtype", dtype::float32},
    {"StatelessRandomNormalV2", "dtype", dtype::float32},
    {"StatelessRandomUniform", "dtype", dtype::float32},
    {"StatelessRandomUniformFullInt", "dtype", dtype::uint64},
    {"StatelessRandomUniformFullIntV2", "dtype", dtype::uint64},
    {"StatelessRandomUniformV2", "dtype", dtype::float32},
    {"StatelessTruncatedNormal", "dtype", dtype::float32},
    {"StatelessTruncatedNormalV2", "dtype", dtype::float32},
    {"StringToNumber", "out_type", dtype::float32},
    {"TopKV2", "index_type", dtype::int32},
    {"UnicodeDecode", "Tsplits", dtype::int64},
    {"UnicodeDecodeWithOffsets", "Tsplits", dtype::int64},
    {"Unique", "out_idx", dtype::int32},
    {"UniqueV2", "out_idx", dtype::int32},
    {"UniqueWithCounts", "out_idx", dtype::int32},
    {"UniqueWithCountsV2", "out_idx", dtype::int32},
    {"UpperBound", "out_type", dtype::int32},
    {"VariableShape", "out_type", dtype::int32},
};

}  // namespace flowgraph::protobuf
