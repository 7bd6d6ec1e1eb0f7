// SPDX-License-Identifier: Apache-2.0
// The questions of op_types.h that need an op's registration or attrs.
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "core/compat/grappler/op_types.h"
#include "core/compat/grappler/utils.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_registration.h"

namespace tensorwright {
namespace grappler {
namespace {

using Ops = absl::flat_hash_set<absl::string_view>;

// Null if nobody registered the op.
const OpDef* Find(const NodeDef& node, const OpRegistryInterface* registry) {
  const OpRegistrationData* data = nullptr;
  return registry->LookUp(node.op(), &data).ok() ? &data->op_def : nullptr;
}

const OpDef* Find(const NodeDef& node) {
  return Find(node, OpRegistry::Global());
}

// Does the function grow with its argument?
const absl::flat_hash_map<absl::string_view, bool>& Monotonic() {
  static const auto* const ops =
      new absl::flat_hash_map<absl::string_view, bool>{
          {"Acosh", true},    {"Asin", true},  {"Asinh", true},
          {"Atan", true},     {"Atanh", true}, {"Ceil", true},
          {"Elu", true},      {"Erf", true},   {"Exp", true},
          {"Expm1", true},    {"Floor", true}, {"Log", true},
          {"Log1p", true},    {"Relu", true},  {"Relu6", true},
          {"Rint", true},     {"Selu", true},  {"Sigmoid", true},
          {"Sign", true},     {"Sinh", true},  {"Softplus", true},
          {"Softsign", true}, {"Sqrt", true},  {"Tanh", true},
          {"Acos", false},    {"Erfc", false}, {"Neg", false},
          {"Rsqrt", false}};
  return *ops;
}

}  // namespace

bool IsAdd(const NodeDef& node) {
  if (node.op() == "AddV2") return true;
  return node.op() == "Add" && GetDataTypeFromAttr(node, "T") != DT_STRING;
}

bool HasOpDef(const NodeDef& node) { return Find(node) != nullptr; }

bool IsAggregate(const NodeDef& node) {
  if (IsAdd(node)) return true;
  const OpDef* op = Find(node);
  return op != nullptr && op->is_aggregate();
}

bool IsCommutative(const NodeDef& node) {
  if (IsAdd(node)) return true;
  const OpDef* op = Find(node);
  return op != nullptr && op->is_commutative();
}

bool IsStateful(const NodeDef& node, const OpRegistryInterface* op_registry) {
  const OpDef* op = Find(node, op_registry);
  return op == nullptr || op->is_stateful();
}

bool IsStateful(const NodeDef& node) {
  return IsStateful(node, OpRegistry::Global());
}

bool HasRefInput(const NodeDef& node) {
  const OpDef* op = Find(node);
  if (op == nullptr) return false;
  for (const OpDef::ArgDef& arg : op->input_arg()) {
    // Switch and the like take references and do not write.
    if (arg.is_ref()) return !IsControlFlow(node);
  }
  return false;
}

bool IsFreeOfSideEffect(const NodeDef& node,
                        const OpRegistryInterface* op_registry) {
  if (IsPlaceholder(node)) return false;
  const OpDef* op = Find(node, op_registry);
  if (op == nullptr || op->is_stateful()) return false;
  for (const OpDef::ArgDef& arg : op->input_arg()) {
    if (arg.is_ref()) return false;
  }
  return !absl::StrContains(node.op(), "Queue") && !IsSend(node) &&
         !ModifiesInputsInPlace(node);
}

bool IsFreeOfSideEffect(const NodeDef& node) {
  return IsFreeOfSideEffect(node, OpRegistry::Global());
}

bool ModifiesInputsInPlace(const NodeDef& node) {
  const absl::string_view op = node.op();
  if (absl::StartsWith(op, "Inplace") || op == "AddToTensorArray") return true;
  for (const char* attr : {"in_place", "inplace"}) {
    const auto it = node.attr().find(attr);
    if (it != node.attr().end() && it->second.b()) return true;
  }
  return false;
}

bool NeverForwardsInputs(const NodeDef& node) {
  static const Ops* const ops = new Ops{"ArgMax",
                                        "ArgMin",
                                        "AudioSpectrogram",
                                        "AvgPool",
                                        "BatchMatMul",
                                        "BatchMatMulV2",
                                        "BroadcastTo",
                                        "ConcatOffset",
                                        "Conv2D",
                                        "Conv3D",
                                        "Fill",
                                        "Gather",
                                        "GatherNd",
                                        "GatherV2",
                                        "Imag",
                                        "MatMul",
                                        "MaxPool",
                                        "OneHot",
                                        "Pack",
                                        "Range",
                                        "Rank",
                                        "Real",
                                        "Shape",
                                        "ShapeN",
                                        "Size",
                                        "StridedSliceGrad",
                                        "Tile",
                                        "TopK",
                                        "TopKV2",
                                        "UnsortedSegmentSum",
                                        "Where"};
  return ops->contains(node.op());
}

bool IsDataset(const NodeDef& node) {
  const absl::string_view op = node.op();
  return absl::EndsWith(op, "Dataset") || absl::EndsWith(op, "DatasetV2") ||
         op == "IteratorGetNext" || op == "IteratorGetNextSync";
}

bool IsIdentityNSingleInput(const NodeDef& node) {
  const auto it = node.attr().find("T");
  return IsIdentityN(node) && it != node.attr().end() &&
         it->second.list().type_size() == 1;
}

bool IsUnaryElementWise(const NodeDef& node) {
  static const Ops* const ops =
      new Ops{"Abs",   "Ceil",    "ComplexAbs", "Conj",       "Cos",
              "Cosh",  "Digamma", "Inv",        "Invert",     "IsFinite",
              "IsInf", "IsNan",   "Lgamma",     "LogicalNot", "Reciprocal",
              "Round", "Sin",     "Square",     "Tan"};
  return ops->contains(node.op()) || Monotonic().contains(node.op()) ||
         IsValueAndOrderAndShapePreserving(node);
}

bool IsElementWiseMonotonic(const NodeDef& node, bool* is_non_decreasing) {
  const auto it = Monotonic().find(node.op());
  if (it == Monotonic().end()) return false;
  if (is_non_decreasing != nullptr) *is_non_decreasing = it->second;
  return true;
}

bool IsValueAndOrderPreserving(const NodeDef& node) {
  static const Ops* const ops = new Ops{"ExpandDims", "Reshape", "Squeeze"};
  return ops->contains(node.op()) || IsValueAndOrderAndShapePreserving(node);
}

bool IsValuePreserving(const NodeDef& node) {
  static const Ops* const ops =
      new Ops{"InvertPermutation", "RandomShuffle", "Reverse",
              "ReverseV2",         "Roll",          "Transpose"};
  return ops->contains(node.op()) || IsValueAndOrderPreserving(node);
}

}  // namespace grappler
}  // namespace tensorwright
