// SPDX-License-Identifier: Apache-2.0
// ShapeCheck.
#include "core/common_runtime/shape_check.h"

#include <utility>

#include "core/framework/op_registration.h"
#include "core/framework/shape_contract.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

// Larger inputs hold data, not sizes or axes.
constexpr int64_t kMaxValueElements = 64;
// A node that sees ever new shapes must not fill the memory.
constexpr size_t kMaxAccepted = 1024;

// Is this the first time that it is asked of `op`?
bool IsFirstOf(const std::string& op) {
  static absl::Mutex mu;
  static auto* asked = new absl::flat_hash_set<std::string>;
  absl::MutexLock lock(&mu);
  return asked->insert(op).second;
}

void AppendBytes(const void* data, size_t n, std::string* out) {
  out->append(static_cast<const char*>(data), n);
}

}  // namespace

ShapeCheck::ShapeCheck(const Node& node, std::vector<Input> inputs)
    : node_(node), inputs_(std::move(inputs)) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DataType type = BaseType(node.input_type(i));
    if (inputs_[i].constant == nullptr && inputs_[i].on_host &&
        (type == DT_INT32 || type == DT_INT64)) {
      value_inputs_.push_back(i);
    }
  }
}

bool ShapeCheck::IsNeeded(const Node& node) {
  if (node.num_inputs() == 0 || node.IsControlFlow() || node.IsIdentity() ||
      node.IsTransfer() || node.IsLoopCond()) {
    return false;
  }
  return static_cast<bool>(node.op_registration().shape_inference_fn);
}

std::string ShapeCheck::ValueKey(absl::Span<const TensorValue> inputs) const {
  std::string key;
  for (int i : value_inputs_) {
    const Tensor& t = *inputs[i].tensor;
    if (t.NumElements() > kMaxValueElements) continue;
    AppendBytes(t.data(), t.TotalBytes(), &key);
  }
  return key;
}

Status ShapeCheck::CheckSlow(absl::Span<const TensorValue> inputs,
                             LastShapes* last, Promised* promised) {
  absl::InlinedVector<TensorShape, 4> shapes;
  absl::InlinedVector<const Tensor*, 4> values;
  bool same_as_last = last->valid;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor* t = inputs[i].tensor;
    if (!t->IsInitialized()) return OkStatus();
    same_as_last = same_as_last && t->shape().IsSameSize(last->shapes[i]);
    shapes.push_back(t->shape());
    const Input& known = inputs_[i];
    values.push_back(known.on_host ? t : known.constant);
  }
  const bool value_dependent = value_dependent_.load(std::memory_order_relaxed);
  std::string value_key;
  if (value_dependent) {
    value_key = ValueKey(inputs);
    if (same_as_last && value_key == last->values) return OkStatus();
  }
  std::string key;
  for (const TensorShape& shape : shapes) {
    const int64_t rank = shape.dims();
    AppendBytes(&rank, sizeof(rank), &key);
    AppendBytes(shape.dim_sizes().data(), rank * sizeof(int64_t), &key);
  }
  key += value_key;
  const auto remember = [&] {
    last->valid = true;
    last->shapes.assign(shapes.begin(), shapes.end());
    last->values = std::move(value_key);
  };
  {
    absl::MutexLock lock(&mu_);
    if (accepted_.contains(key)) {
      remember();
      return OkStatus();
    }
  }
  std::vector<PartialTensorShape> outputs;
  bool used_values = false;
  TF_RETURN_IF_ERROR(RunShapeFn(node_.op_registration(), AttrSlice(node_.def()),
                                shapes, values, &outputs, &used_values));
  *promised =
      std::make_unique<std::vector<PartialTensorShape>>(std::move(outputs));
  if (used_values && !value_dependent && !value_inputs_.empty()) {
    // The key lacks the values; at the next call it will have them.
    value_dependent_.store(true, std::memory_order_relaxed);
    return OkStatus();
  }
  absl::MutexLock lock(&mu_);
  if (accepted_.size() >= kMaxAccepted) accepted_.clear();
  accepted_.insert(std::move(key));
  remember();
  return OkStatus();
}

void ShapeCheck::WarnOfOutputs(const Node& node,
                               const std::vector<PartialTensorShape>& promised,
                               absl::Span<const OutputSlot> outputs) {
  for (size_t i = 0; i < outputs.size() && i < promised.size(); ++i) {
    const OutputSlot& output = outputs[i];
    if (output.tensor == nullptr || output.mutex_if_ref != nullptr ||
        promised[i].IsCompatibleWith(output.tensor->shape())) {
      continue;
    }
    if (!IsFirstOf(node.type_string())) return;
    LOG(WARNING) << node.type_string() << " (node " << node.name()
                 << "): the kernel set output " << i << " to shape "
                 << output.tensor->shape().DebugString()
                 << ", but the shape function promised "
                 << promised[i].DebugString() << "; try tw check-op "
                 << node.type_string();
  }
}

}  // namespace tensorwright
