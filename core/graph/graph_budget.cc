// SPDX-License-Identifier: Apache-2.0
// GraphBudget.
#include "core/graph/graph_budget.h"

#include <algorithm>
#include <string>

#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The argument that makes the most outputs, for the error's text.
struct Outputs {
  int64_t number = 0;
  int64_t largest = 0;
  const std::string* attr = nullptr;
};

int64_t Sum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

Outputs CountOutputs(const NodeDef& node, const OpDef& op) {
  Outputs out;
  for (const OpDef::ArgDef& arg : op.output_arg()) {
    const std::string& attr =
        arg.number_attr().empty() ? arg.type_list_attr() : arg.number_attr();
    int64_t n = 1;
    if (!attr.empty()) {
      const auto it = node.attr().find(attr);
      if (it == node.attr().end()) continue;
      n = arg.number_attr().empty() ? it->second.list().type_size()
                                    : std::max<int64_t>(0, it->second.i());
    }
    out.number = Sum(out.number, n);
    if (!attr.empty() && n > out.largest) {
      out.largest = n;
      out.attr = &attr;
    }
  }
  return out;
}

// Computed from the shape.  Tensors that are not valid are refused elsewhere.
int64_t BytesOf(const TensorProto& tensor) {
  // A string of up to 15 bytes is stored in its object.
  int64_t bytes = std::max(
      DataTypeSize(tensor.dtype()),
      tensor.dtype() == DT_STRING ? static_cast<int>(sizeof(std::string)) : 1);
  for (const auto& dim : tensor.tensor_shape().dim()) {
    if (dim.size() <= 0) return 0;
    if (__builtin_mul_overflow(bytes, dim.size(), &bytes)) bytes = INT64_MAX;
  }
  return bytes;
}

int64_t BytesOf(const AttrValue& attr) {
  if (attr.has_tensor()) return BytesOf(attr.tensor());
  int64_t bytes = 0;
  for (const TensorProto& tensor : attr.list().tensor()) {
    bytes = Sum(bytes, BytesOf(tensor));
  }
  return bytes;
}

}  // namespace

int64_t TensorAttrBytes(const NodeDef& node) {
  int64_t bytes = 0;
  for (const auto& [name, value] : node.attr()) {
    bytes = Sum(bytes, BytesOf(value));
  }
  return bytes;
}

Status GraphBudget::Add(const NodeDef& node, const OpDef& op) {
  const Outputs outputs = CountOutputs(node, op);
  const int64_t further = Sum(
      further_outputs_, std::max<int64_t>(0, outputs.number - kFreeOutputs));
  if (further > kMaxFurtherOutputs) {
    return errors::AttachNode(
        errors::InvalidArgument(op.name(), ": node ", node.name(),
                                " would have ", outputs.number,
                                " outputs by its attr '",
                                outputs.attr == nullptr ? "?" : *outputs.attr,
                                "'; beyond ", kFreeOutputs,
                                " a node, those of a graph must be at "
                                "most ",
                                kMaxFurtherOutputs, " together, got ", further),
        node.name());
  }
  int64_t bytes = constant_bytes_;
  for (const auto& [name, value] : node.attr()) {
    if (!value.has_tensor() && !value.has_list()) continue;
    bytes = Sum(bytes, BytesOf(value));
    if (bytes <= kMaxConstantBytes) continue;
    return errors::AttachNode(
        errors::InvalidArgument(
            op.name(), ": node ", node.name(), ", attr '", name,
            "': the constants of a graph must have at most ", kMaxConstantBytes,
            " bytes together, and with this one of ", BytesOf(value),
            " they have ", bytes),
        node.name());
  }
  further_outputs_ = further;
  constant_bytes_ = bytes;
  return OkStatus();
}

}  // namespace tensorwright
