// SPDX-License-Identifier: Apache-2.0
// Runs a shape function on real shapes, before a kernel does.
#include "core/framework/shape_contract.h"

#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

// Shape functions see this version of the graph: they run after every
// deprecation check.
constexpr int kAnyGraphDefVersion = 1 << 20;

}  // namespace

Status RunShapeFn(const OpRegistrationData& op, const AttrSlice& attrs,
                  absl::Span<const TensorShape> input_shapes,
                  absl::Span<const Tensor* const> host_inputs,
                  std::vector<PartialTensorShape>* out, bool* used_values) {
  shape_inference::InferenceContext c(kAnyGraphDefVersion, attrs, op.op_def,
                                      input_shapes, host_inputs);
  *used_values = false;
  if (op.shape_inference_fn != nullptr) {
    Status s = c.Run(op.shape_inference_fn);
    *used_values = c.requested_any_value();
    TF_RETURN_IF_ERROR(s);
  } else {
    TF_RETURN_IF_ERROR(c.construction_status());
  }
  out->clear();
  for (int i = 0; i < c.num_outputs(); ++i) {
    out->push_back(c.ToPartialTensorShape(c.output(i)));
  }
  return OkStatus();
}

}  // namespace tensorwright
