#pragma once
// The names of TensorFlow's ops, sorted; and the ops that are not allowed in graphs from some version on.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// Separated by spaces, since one literal is smaller than a table of views.
inline constexpr std::string_view tensorflow_ops =
    " Abort Abs AccumulateNV2 AccumulatorApplyGradient AccumulatorNumAccumulated AccumulatorSetGlobalStep "
    "AccumulatorTakeGradient Acos Acosh Add AddManySparseToTensorsMap AddN AddSparseToTensorsMap AddV2 AdjustContrast "
    "AdjustContrastv2 AdjustHue AdjustSaturation All AllCandidateSampler Angle Any ApplyAdaMax ApplyAdadelta ApplyAdagrad "
    "ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent "
    "ApplyMomentum ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp ApproximateEqual ArgMax "
    "ArgMin AsString Asin Asinh Assert Assign AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp AssignVariableOp "
    "Atan Atan2 Atanh AudioSpectrogram AudioSummary AudioSummaryV2 AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad "
    "BandedTriangularSolve Barrier BarrierClose BarrierIncompleteSize BarrierInsertMany BarrierReadySize BarrierTakeMany "
    "BatchCholesky BatchCholeskyGrad BatchMatMul BatchMatMulV2 BatchMatrixBandPart BatchMatrixDeterminant BatchMatrixDiag "
    "BatchMatrixDiagPart BatchMatrixInverse BatchMatrixSetDiag BatchMatrixSolve BatchMatrixSolveLs BatchMatrixTriangularSolve "
    "BatchNormWithGlobalNormalization BatchNormWithGlobalNormalizationGrad BatchSelfAdjointEig BatchSelfAdjointEigV2 BatchSvd "
    "BatchToSpace BatchToSpaceND BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e "
    "BesselY0 BesselY1 Betainc BiasAdd BiasAddGrad BiasAddV1 Bincount Bitcast BitwiseAnd BitwiseOr BitwiseXor BlockLSTM "
    "BlockLSTMGrad BlockLSTMGradV2 BlockLSTMV2 BroadcastArgs BroadcastGradientArgs BroadcastTo Bucketize CTCBeamSearchDecoder "
    "CTCGreedyDecoder CTCLoss Cast Ceil CheckNumerics Cholesky CholeskyGrad ClipByValue CombinedNonMaxSuppression Complex "
    "ComplexAbs ComputeAccidentalHits Concat ConcatOffset ConcatV2 ConditionalAccumulator Conj ConjugateTranspose Const "
    "ConsumeMutexLock ControlTrigger Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropFilter "
    "Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 Cos Cosh CountUpTo CropAndResize CropAndResizeGradBoxes "
    "CropAndResizeGradImage Cross Cumprod Cumsum CumulativeLogsumexp DataFormatDimMap DataFormatVecPermute Dawsn "
    "DecodeAndCropJpeg DecodeBase64 DecodeBmp DecodeCSV DecodeCompressed DecodeGif DecodeImage DecodeJSONExample DecodeJpeg "
    "DecodePaddedRaw DecodePng DecodeRaw DecodeWav DeleteSessionTensor DenseBincount DenseCountSparseOutput "
    "DenseToDenseSetOperation DenseToSparseSetOperation DepthToSpace DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter "
    "DepthwiseConv2dNativeBackpropInput Dequantize DeserializeManySparse DeserializeSparse DestroyTemporaryVariable Diag "
    "DiagPart Digamma Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput Div DivNoNan DrawBoundingBoxes "
    "DynamicPartition DynamicStitch EditDistance Eig Einsum Elu EluGrad Empty EmptyTensorList EncodeBase64 EncodeJpeg "
    "EncodeJpegVariableQuality EncodePng EncodeWav EnsureShape Enter Equal Erf Erfc Erfinv EuclideanNorm Exit Exp ExpandDims "
    "Expint Expm1 ExtractGlimpse ExtractGlimpseV2 ExtractImagePatches ExtractJpegShape ExtractVolumePatches FFT FFT2D FFT3D "
    "FIFOQueue FIFOQueueV2 FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars "
    "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient Fill "
    "FixedLengthRecordReader FixedLengthRecordReaderV2 FixedUnigramCandidateSampler Floor FloorDiv FloorMod FractionalAvgPool "
    "FractionalAvgPoolGrad FractionalMaxPool FractionalMaxPoolGrad FresnelCos FresnelSin FusedBatchNorm FusedBatchNormGrad "
    "FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3 GRUBlockCell GRUBlockCellGrad Gather GatherNd "
    "GatherV2 GetSessionHandle GetSessionHandleV2 GetSessionTensor Greater GreaterEqual GuaranteeConst HSVToRGB HashTable "
    "HashTableV2 HistogramFixedWidth HistogramSummary IFFT IFFT2D IFFT3D IRFFT IRFFT2D IRFFT3D Identity IdentityN "
    "IdentityReader IdentityReaderV2 If Igamma IgammaGradA Igammac Imag ImageProjectiveTransformV2 ImageProjectiveTransformV3 "
    "ImageSummary InTopK InTopKV2 InitializeTable InitializeTableFromTextFile InitializeTableFromTextFileV2 InitializeTableV2 "
    "InplaceAdd InplaceSub InplaceUpdate Inv InvGrad Invert InvertPermutation IsFinite IsInf IsNan IsVariableInitialized "
    "L2Loss LRN LRNGrad LSTMBlockCell LSTMBlockCellGrad LeakyRelu LeakyReluGrad LearnedUnigramCandidateSampler LeftShift Less "
    "LessEqual Lgamma LinSpace ListDiff Log Log1p LogMatrixDeterminant LogSoftmax LogUniformCandidateSampler LogicalAnd "
    "LogicalNot LogicalOr LookupTableExport LookupTableExportV2 LookupTableFind LookupTableFindV2 LookupTableImport "
    "LookupTableImportV2 LookupTableInsert LookupTableInsertV2 LookupTableRemoveV2 LookupTableSize LookupTableSizeV2 LoopCond "
    "LowerBound Lu MapClear MapIncompleteSize MapPeek MapSize MapStage MapUnstage MapUnstageNoKey MatMul MatchingFiles "
    "MatrixBandPart MatrixDeterminant MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 "
    "MatrixExponential MatrixInverse MatrixLogarithm MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve MatrixSolveLs "
    "MatrixSquareRoot MatrixTriangularSolve Max MaxPool MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad "
    "MaxPoolGradGradV2 MaxPoolGradV2 MaxPoolGradWithArgmax MaxPoolV2 MaxPoolWithArgmax Maximum Mean Merge MergeSummary "
    "MergeV2Checkpoints Mfcc Min Minimum MirrorPad MirrorPadGrad Mod Mul MulNoNan Multinomial MutableDenseHashTable "
    "MutableDenseHashTableV2 MutableHashTable MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2 "
    "MutexLock MutexV2 Ndtri Neg NextAfter NextIteration NoOp NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 "
    "NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps NotEqual NthElement OneHot OnesLike "
    "OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone OrderedMapClear OrderedMapIncompleteSize OrderedMapPeek "
    "OrderedMapSize OrderedMapStage OrderedMapUnstage OrderedMapUnstageNoKey Pack Pad PadV2 PaddingFIFOQueue "
    "PaddingFIFOQueueV2 ParallelConcat ParallelDynamicStitch ParameterizedTruncatedNormal ParseExample ParseExampleV2 "
    "ParseSequenceExample ParseSequenceExampleV2 ParseSingleExample ParseSingleSequenceExample ParseTensor PartitionedCall "
    "Placeholder PlaceholderV2 PlaceholderWithDefault Polygamma PopulationCount Pow PreventGradient Print PrintV2 "
    "PriorityQueue PriorityQueueV2 Prod Qr QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 "
    "QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad QuantizeDownAndShrinkRange QuantizeV2 QuantizedAdd QuantizedAvgPool "
    "QuantizedBiasAdd QuantizedConcat QuantizedConcatV2 QuantizedConv2D QuantizedInstanceNorm QuantizedMatMul QuantizedMaxPool "
    "QuantizedMul QuantizedRelu QuantizedRelu6 QuantizedReshape QuantizedResizeBilinear QueueClose QueueCloseV2 QueueDequeue "
    "QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2 QueueEnqueue QueueEnqueueMany "
    "QueueEnqueueManyV2 QueueEnqueueV2 QueueIsClosed QueueIsClosedV2 QueueSize QueueSizeV2 RFFT RFFT2D RFFT3D RGBToHSV "
    "RaggedBincount RaggedCountSparseOutput RaggedGather RaggedRange RaggedTensorToSparse RaggedTensorToTensor RandomCrop "
    "RandomGamma RandomGammaGrad RandomPoisson RandomPoissonV2 RandomShuffle RandomShuffleQueue RandomShuffleQueueV2 "
    "RandomStandardNormal RandomUniform RandomUniformInt Range Rank ReadFile ReadVariableOp ReaderNumRecordsProduced "
    "ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted ReaderNumWorkUnitsCompletedV2 ReaderRead ReaderReadUpTo "
    "ReaderReadUpToV2 ReaderReadV2 ReaderReset ReaderResetV2 ReaderRestoreState ReaderRestoreStateV2 ReaderSerializeState "
    "ReaderSerializeStateV2 Real RealDiv Reciprocal ReciprocalGrad ReduceJoin RefEnter RefExit RefIdentity RefMerge "
    "RefNextIteration RefSelect RefSwitch RegexFullMatch RegexReplace Relu Relu6 Relu6Grad ReluGrad RequantizationRange "
    "Requantize Reshape ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor "
    "ResizeNearestNeighborGrad ResourceAccumulatorApplyGradient ResourceAccumulatorNumAccumulated "
    "ResourceAccumulatorSetGlobalStep ResourceAccumulatorTakeGradient ResourceApplyAdaMax ResourceApplyAdadelta "
    "ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam ResourceApplyAdamWithAmsgrad "
    "ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent "
    "ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent "
    "ResourceApplyRMSProp ResourceConditionalAccumulator ResourceCountUpTo ResourceGather ResourceGatherNd ResourceScatterAdd "
    "ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdMax "
    "ResourceScatterNdMin ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate "
    "ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA ResourceSparseApplyAdagradV2 "
    "ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl ResourceSparseApplyFtrlV2 ResourceSparseApplyMomentum "
    "ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent ResourceSparseApplyRMSProp "
    "ResourceStridedSliceAssign Restore RestoreSlice RestoreV2 Reverse ReverseSequence ReverseV2 RightShift Rint Roll Round "
    "Rsqrt RsqrtGrad SampleDistortedBoundingBox Save SaveSlices SaveV2 ScalarSummary ScaleAndTranslate ScaleAndTranslateGrad "
    "ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNd ScatterNdAdd ScatterNdMax ScatterNdMin "
    "ScatterNdNonAliasingAdd ScatterNdSub ScatterNdUpdate ScatterSub ScatterUpdate SegmentMax SegmentMean SegmentMin "
    "SegmentProd SegmentSum Select SelectV2 SelfAdjointEig SelfAdjointEigV2 Selu SeluGrad SerializeManySparse SerializeSparse "
    "SerializeTensor SetSize Shape ShapeN ShardedFilename ShardedFilespec Sigmoid SigmoidGrad Sign Sin Sinh Size Slice Softmax "
    "SoftmaxCrossEntropyWithLogits Softplus SoftplusGrad Softsign SoftsignGrad SpaceToBatch SpaceToBatchND SpaceToDepth "
    "SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient SparseAdd SparseAddGrad SparseApplyAdadelta "
    "SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2 "
    "SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp SparseBincount "
    "SparseConcat SparseConditionalAccumulator SparseCountSparseOutput SparseCross SparseCrossHashed SparseCrossV2 "
    "SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseFillEmptyRowsGrad SparseMatMul "
    "SparseReduceMax SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder SparseReshape SparseSegmentMean "
    "SparseSegmentMeanGrad SparseSegmentMeanGradV2 SparseSegmentMeanWithNumSegments SparseSegmentSqrtN SparseSegmentSqrtNGrad "
    "SparseSegmentSqrtNGradV2 SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumGrad SparseSegmentSumGradV2 "
    "SparseSegmentSumWithNumSegments SparseSlice SparseSliceGrad SparseSoftmax SparseSoftmaxCrossEntropyWithLogits "
    "SparseSparseMaximum SparseSparseMinimum SparseSplit SparseTensorDenseAdd SparseTensorDenseMatMul SparseToDense "
    "SparseToSparseSetOperation Spence Split SplitV Sqrt SqrtGrad Square SquaredDifference Squeeze Stack StackClose "
    "StackCloseV2 StackPop StackPopV2 StackPush StackPushV2 StackV2 Stage StageClear StagePeek StageSize "
    "StatefulPartitionedCall StatelessIf StatelessMultinomial StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg "
    "StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformFullInt "
    "StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2 "
    "StatelessTruncatedNormal StatelessTruncatedNormalV2 StatelessWhile StaticRegexFullMatch StaticRegexReplace StopGradient "
    "StridedSlice StridedSliceAssign StridedSliceGrad StringFormat StringJoin StringLength StringLower StringNGrams "
    "StringSplit StringSplitV2 StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong StringToNumber "
    "StringUpper Sub Substr Sum Svd Switch SymbolicGradient TFRecordReader TFRecordReaderV2 TakeManySparseFromTensorsMap Tan "
    "Tanh TanhGrad TemporaryVariable TensorArray TensorArrayClose TensorArrayCloseV2 TensorArrayCloseV3 TensorArrayConcat "
    "TensorArrayConcatV2 TensorArrayConcatV3 TensorArrayGather TensorArrayGatherV2 TensorArrayGatherV3 TensorArrayGrad "
    "TensorArrayGradV2 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayPack TensorArrayRead TensorArrayReadV2 "
    "TensorArrayReadV3 TensorArrayScatter TensorArrayScatterV2 TensorArrayScatterV3 TensorArraySize TensorArraySizeV2 "
    "TensorArraySizeV3 TensorArraySplit TensorArraySplitV2 TensorArraySplitV3 TensorArrayUnpack TensorArrayV2 TensorArrayV3 "
    "TensorArrayWrite TensorArrayWriteV2 TensorArrayWriteV3 TensorListConcat TensorListConcatLists TensorListConcatV2 "
    "TensorListElementShape TensorListFromTensor TensorListGather TensorListGetItem TensorListLength TensorListPopBack "
    "TensorListPushBack TensorListPushBackBatch TensorListReserve TensorListResize TensorListScatter "
    "TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit TensorListStack TensorScatterAdd "
    "TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate TensorSummary "
    "TensorSummaryV2 TextLineReader TextLineReaderV2 Tile TileGrad Timestamp TopK TopKV2 Transpose TridiagonalMatMul "
    "TridiagonalSolve TruncateDiv TruncateMod TruncatedNormal UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode "
    "UnicodeScript UnicodeTranscode UniformCandidateSampler Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 Unpack "
    "UnravelIndex UnsortedSegmentJoin UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Unstage "
    "UpperBound VarHandleOp VarIsInitializedOp Variable VariableShape VariableV2 Where While WholeFileReader WholeFileReaderV2 "
    "WriteFile Xdivy Xlog1py Xlogy ZerosLike Zeta ";

struct removed_op {
  std::string_view op;
  std::int32_t version;
};

inline constexpr removed_op removed_ops[] = {{"AdjustContrast", 2},
                                             {"AudioSummary", 15},
                                             {"BatchCholesky", 13},
                                             {"BatchCholeskyGrad", 13},
                                             {"BatchMatrixBandPart", 14},
                                             {"BatchMatrixDeterminant", 13},
                                             {"BatchMatrixDiag", 14},
                                             {"BatchMatrixDiagPart", 14},
                                             {"BatchMatrixInverse", 13},
                                             {"BatchMatrixSetDiag", 14},
                                             {"BatchMatrixSolve", 13},
                                             {"BatchMatrixSolveLs", 13},
                                             {"BatchMatrixTriangularSolve", 13},
                                             {"BatchNormWithGlobalNormalization", 9},
                                             {"BatchNormWithGlobalNormalizationGrad", 9},
                                             {"BatchSelfAdjointEig", 11},
                                             {"BatchSelfAdjointEigV2", 13},
                                             {"BatchSvd", 13},
                                             {"Conv3DBackpropFilter", 10},
                                             {"Conv3DBackpropInput", 10},
                                             {"FixedLengthRecordReader", 26},
                                             {"IdentityReader", 26},
                                             {"MatrixExponential", 27},
                                             {"PlaceholderV2", 23},
                                             {"QuantizeAndDequantize", 22},
                                             {"RandomCrop", 8},
                                             {"RandomPoisson", 25},
                                             {"SelfAdjointEig", 11},
                                             {"TFRecordReader", 26},
                                             {"TensorArray", 16},
                                             {"TensorArrayClose", 16},
                                             {"TensorArrayCloseV2", 26},
                                             {"TensorArrayConcat", 16},
                                             {"TensorArrayGather", 16},
                                             {"TensorArrayGatherV2", 26},
                                             {"TensorArrayGrad", 16},
                                             {"TensorArrayGradV2", 26},
                                             {"TensorArrayPack", 16},
                                             {"TensorArrayRead", 16},
                                             {"TensorArrayReadV2", 26},
                                             {"TensorArrayScatter", 19},
                                             {"TensorArrayScatterV2", 26},
                                             {"TensorArraySize", 16},
                                             {"TensorArraySizeV2", 26},
                                             {"TensorArraySplit", 16},
                                             {"TensorArraySplitV2", 26},
                                             {"TensorArrayUnpack", 20},
                                             {"TensorArrayV2", 26},
                                             {"TensorArrayWrite", 16},
                                             {"TensorArrayWriteV2", 26},
                                             {"TextLineReader", 26},
                                             {"TileGrad", 3},
                                             {"TopK", 7}};

}  // namespace flowgraph::protobuf
