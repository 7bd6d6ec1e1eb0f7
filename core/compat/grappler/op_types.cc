// SPDX-License-Identifier: Apache-2.0
// The questions of op_types.h that lists of ops answer.
#include "core/compat/grappler/op_types.h"

#include <initializer_list>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace grappler {
namespace {

bool Is(const NodeDef& node, std::initializer_list<absl::string_view> ops) {
  for (absl::string_view op : ops) {
    if (node.op() == op) return true;
  }
  return false;
}

}  // namespace

// A macro, because each question is a function of its own.
#define OF(Question, ...) \
  bool Question(const NodeDef& node) { return Is(node, {__VA_ARGS__}); }

OF(IsAddN, "AddN")
OF(IsAll, "All")
OF(IsAngle, "Angle")
OF(IsAny, "Any")
OF(IsAnyBatchMatMul, "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
OF(IsAnyDiv, "RealDiv", "Div", "Xdivy", "DivNoNan", "FloorDiv", "TruncateDiv")
OF(IsAnyMatMul, "MatMul", "SparseMatMul", "BatchMatMul", "BatchMatMulV2",
   "BatchMatMulV3", "QuantizedMatMul")
OF(IsAnyMax, "Max", "SegmentMax", "UnsortedSegmentMax")
OF(IsAnyMaxPool, "MaxPool", "MaxPoolV2", "MaxPool3D", "MaxPoolWithArgmax",
   "FractionalMaxPool")
OF(IsAnyMin, "Min", "SegmentMin", "UnsortedSegmentMin")
OF(IsAnyMul, "Mul", "MulNoNan", "AccumulateNV2")
OF(IsAnySparseSegmentReduction, "SparseSegmentSum",
   "SparseSegmentSumWithNumSegments", "SparseSegmentMean",
   "SparseSegmentMeanWithNumSegments", "SparseSegmentSqrtN",
   "SparseSegmentSqrtNWithNumSegments")
OF(IsApproximateEqual, "ApproximateEqual")
OF(IsArg, "_Arg", "_DeviceArg")
OF(IsArgMax, "ArgMax")
OF(IsArgMin, "ArgMin")
OF(IsAsString, "AsString")
OF(IsAssert, "Assert")
OF(IsAssign, "Assign", "AssignVariableOp")
OF(IsAtan2, "Atan2")
OF(IsAvgPoolGrad, "AvgPoolGrad")
OF(IsBetainc, "Betainc")
OF(IsBiasAdd, "BiasAdd", "BiasAddV1")
OF(IsBiasAddGrad, "BiasAddGrad")
OF(IsBiasAddV2, "BiasAdd")
OF(IsBitcast, "Bitcast")
OF(IsBroadcastTo, "BroadcastTo")
OF(IsCast, "Cast")
OF(IsCastLike, "Angle", "Bucketize", "Cast", "Dequantize", "Imag", "IsFinite",
   "IsInf", "IsNan", "QuantizedReshape", "Quantize", "QuantizeV2", "Real",
   "Requantize")
OF(IsCheckNumerics, "CheckNumerics")
OF(IsCollective, "CollectiveReduce", "CollectiveBcastSend",
   "CollectiveBcastRecv", "CollectiveGather")
OF(IsComplex, "Complex")
OF(IsComplexAbs, "ComplexAbs")
OF(IsConcat, "Concat", "ConcatV2")
OF(IsConcatOffset, "ConcatOffset")
OF(IsConj, "Conj")
OF(IsConjugateTranspose, "ConjugateTranspose")
OF(IsConstant, "Const")
OF(IsControlFlow, "ControlTrigger", "Enter", "RefEnter", "Exit", "RefExit",
   "LoopCond", "Merge", "RefMerge", "_XlaMerge", "NextIteration",
   "RefNextIteration", "Switch", "RefSwitch", "_SwitchN")
OF(IsConv2D, "Conv2D")
OF(IsConv2DBackpropFilter, "Conv2DBackpropFilter")
OF(IsConv2DBackpropInput, "Conv2DBackpropInput")
OF(IsConv3D, "Conv3D")
OF(IsConv3DBackpropFilterV2, "Conv3DBackpropFilterV2")
OF(IsConv3DBackpropInputV2, "Conv3DBackpropInputV2")
OF(IsDepthwiseConv2dNative, "DepthwiseConv2dNative")
OF(IsDepthwiseConv2dNativeBackpropFilter, "DepthwiseConv2dNativeBackpropFilter")
OF(IsDepthwiseConv2dNativeBackpropInput, "DepthwiseConv2dNativeBackpropInput")
OF(IsDequeueOp, "QueueDequeueManyV2", "QueueDequeueMany", "QueueDequeueV2",
   "QueueDequeue", "QueueDequeueUpToV2", "QueueDequeueUpTo")
OF(IsDiv, "Div")
OF(IsDivNoNan, "DivNoNan")
OF(IsElu, "Elu")
OF(IsEluGrad, "EluGrad")
OF(IsEnter, "Enter", "RefEnter")
OF(IsEqual, "Equal")
OF(IsExit, "Exit", "RefExit")
OF(IsExp, "Exp")
OF(IsFakeParam, "FakeParam")
OF(IsFill, "Fill")
OF(IsFloorDiv, "FloorDiv")
OF(IsFloorMod, "FloorMod")
OF(IsFusedBatchNorm, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
OF(IsFusedBatchNormEx, "_FusedBatchNormEx")
OF(IsFusedBatchNormGrad, "FusedBatchNormGrad", "FusedBatchNormGradV2",
   "FusedBatchNormGradV3")
OF(IsGather, "Gather", "GatherV2", "ResourceGather")
OF(IsGreater, "Greater")
OF(IsGreaterEqual, "GreaterEqual")
OF(IsHistogramSummary, "HistogramSummary")
OF(IsHostConstant, "HostConst")
OF(IsIdempotent, "Abs", "Ceil", "Floor", "Identity", "LogicalAnd", "LogicalOr",
   "Maximum", "Minimum", "OnesLike", "Relu", "Relu6", "Rint", "Round", "Sign",
   "Snapshot", "StopGradient", "ZerosLike")
OF(IsIdentity, "Identity", "RefIdentity")
OF(IsIdentityN, "IdentityN")
OF(IsIf, "If", "StatelessIf")
OF(IsIgamma, "Igamma")
OF(IsIgammac, "Igammac")
OF(IsImag, "Imag")
OF(IsImmutableConst, "ImmutableConst")
OF(IsInvGrad, "InvGrad")
OF(IsInvolution, "Conj", "Reciprocal", "Invert", "Neg", "LogicalNot")
OF(IsLeakyRelu, "LeakyRelu")
OF(IsLeakyReluGrad, "LeakyReluGrad")
OF(IsLess, "Less")
OF(IsLessEqual, "LessEqual")
OF(IsLog, "Log")
OF(IsLogicalAnd, "LogicalAnd")
OF(IsLogicalNot, "LogicalNot")
OF(IsLogicalOr, "LogicalOr")
OF(IsLoopCond, "LoopCond")
OF(IsMatMul, "MatMul")
OF(IsMax, "Max")
OF(IsMaxPoolGrad, "MaxPoolGrad")
OF(IsMaximum, "Maximum")
OF(IsMean, "Mean")
OF(IsMerge, "Merge", "RefMerge")
OF(IsMin, "Min")
OF(IsMinimum, "Minimum")
OF(IsMirrorPad, "MirrorPad")
OF(IsMirrorPadGrad, "MirrorPadGrad")
OF(IsMklFusedMish, "_MklFusedMish")
OF(IsMod, "Mod")
OF(ModifiesFrameInfo, "Enter", "RefEnter", "Exit", "RefExit", "NextIteration",
   "RefNextIteration")
OF(IsMul, "Mul")
OF(IsMulNoNan, "MulNoNan")
OF(IsNeg, "Neg")
OF(IsNextIteration, "NextIteration", "RefNextIteration")
OF(IsNoOp, "NoOp")
OF(IsNotEqual, "NotEqual")
OF(IsOnesLike, "OnesLike")
OF(IsPack, "Pack")
OF(IsPad, "Pad")
OF(IsPartitionedCall, "PartitionedCall")
OF(IsPersistent, "Const", "Variable", "VariableV2", "AutoReloadVariable",
   "VarHandleOp", "HostConst")
OF(IsPlaceholder, "Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
OF(IsPolygamma, "Polygamma")
OF(IsPow, "Pow")
OF(IsPrint, "Print", "PrintV2")
OF(IsProd, "Prod")
OF(IsQuantizationEmulation, "QuantizeAndDequantize", "QuantizeAndDequantizeV2",
   "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4",
   "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars",
   "FakeQuantWithMinMaxVarsPerChannel")
OF(IsQuantizedMatMul, "QuantizedMatMul", "QuantizedMatMulV2")
OF(IsQueue, "FIFOQueue", "FIFOQueueV2", "PaddingFIFOQueue",
   "PaddingFIFOQueueV2", "PriorityQueue", "PriorityQueueV2",
   "RandomShuffleQueue", "RandomShuffleQueueV2")
OF(IsRandomShuffle, "RandomShuffle")
OF(IsRank, "Rank")
OF(IsReadVariableOp, "ReadVariableOp")
OF(IsReadVariablesOp, "_ReadVariablesOp")
OF(IsReal, "Real")
OF(IsRealDiv, "RealDiv")
OF(IsReciprocalGrad, "ReciprocalGrad")
OF(IsRecv, "_Recv", "_HostRecv")
OF(IsReduction, "Sum", "Prod", "Min", "Max", "Mean", "Any", "All")
OF(IsRelu, "Relu")
OF(IsRelu6, "Relu6")
OF(IsRelu6Grad, "Relu6Grad")
OF(IsReluGrad, "ReluGrad")
OF(IsReshape, "Reshape")
OF(IsRestore, "Restore", "RestoreV2", "RestoreSlice")
OF(IsRetval, "_Retval", "_DeviceRetval")
OF(IsReverse, "Reverse")
OF(IsReverseV2, "ReverseV2")
OF(IsRsqrt, "Rsqrt")
OF(IsRsqrtGrad, "RsqrtGrad")
OF(IsSelect, "Select", "SelectV2")
OF(IsSeluGrad, "SeluGrad")
OF(IsSend, "_Send", "_HostSend")
OF(IsShape, "Shape")
OF(IsShapeN, "ShapeN")
OF(IsShuffle, "Shuffle")
OF(IsSigmoid, "Sigmoid")
OF(IsSigmoidGrad, "SigmoidGrad")
OF(IsSize, "Size")
OF(IsSlice, "Slice")
OF(IsSnapshot, "Snapshot")
OF(IsSoftmax, "Softmax")
OF(IsSoftplusGrad, "SoftplusGrad")
OF(IsSoftsignGrad, "SoftsignGrad")
OF(IsSplit, "Split")
OF(IsSplitV, "SplitV")
OF(IsSqrt, "Sqrt")
OF(IsSqrtGrad, "SqrtGrad")
OF(IsSquare, "Square")
OF(IsSquaredDifference, "SquaredDifference")
OF(IsSqueeze, "Squeeze")
OF(IsStackCloseOp, "StackClose")
OF(IsStackOp, "Stack", "StackV2")
OF(IsStackPopOp, "StackPop")
OF(IsStackPushOp, "StackPush")
OF(IsStatefulPartitionedCall, "StatefulPartitionedCall")
OF(IsStopGradient, "StopGradient")
OF(IsStridedSlice, "StridedSlice")
OF(IsStridedSliceGrad, "StridedSliceGrad")
OF(IsStringToHashBucketFast, "StringToHashBucketFast")
OF(IsSub, "Sub")
OF(IsSum, "Sum")
OF(IsSwitch, "Switch", "RefSwitch", "_SwitchN")
OF(IsSymbolicGradient, "SymbolicGradient")
OF(IsTanh, "Tanh")
OF(IsTanhGrad, "TanhGrad")
OF(IsTensorArray, "TensorArray", "TensorArrayV2", "TensorArrayV3",
   "TensorArrayGrad", "TensorArrayGradV2", "TensorArrayGradV3",
   "TensorArrayGradWithShape", "TensorArrayWrite", "TensorArrayWriteV2",
   "TensorArrayWriteV3", "TensorArrayRead", "TensorArrayReadV2",
   "TensorArrayReadV3", "TensorArrayConcat", "TensorArrayConcatV2",
   "TensorArrayConcatV3", "TensorArrayGather", "TensorArrayGatherV2",
   "TensorArrayGatherV3", "TensorArrayScatter", "TensorArrayScatterV2",
   "TensorArrayScatterV3", "TensorArraySize", "TensorArraySizeV2",
   "TensorArraySizeV3", "TensorArraySplit", "TensorArraySplitV2",
   "TensorArraySplitV3", "TensorArrayClose", "TensorArrayCloseV2",
   "TensorArrayCloseV3")
OF(IsTile, "Tile")
OF(IsTranspose, "Transpose")
OF(IsTruncateDiv, "TruncateDiv")
OF(IsTruncateMod, "TruncateMod")
OF(IsUnique, "Unique", "UniqueV2")
OF(IsUnpack, "Unpack")
OF(IsValueAndOrderAndShapePreserving, "CheckNumerics", "DebugGradientIdentity",
   "DeepCopy", "Enter", "Exit", "PreventGradient", "Print", "Snapshot",
   "StopGradient", "Identity", "RefIdentity")
OF(IsVariable, "Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp")
OF(IsWhile, "While", "StatelessWhile")
OF(IsXdivy, "Xdivy")
OF(IsXlaLaunch, "XlaLaunch")
OF(IsZerosLike, "ZerosLike")
OF(IsZeta, "Zeta")
#undef OF

}  // namespace grappler
}  // namespace tensorwright
