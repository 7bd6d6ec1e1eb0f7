// SPDX-License-Identifier: Apache-2.0
// The choices of matrix products (core/kernels/lib/matmul_choose.h) by node,
// for `tw where` and `tw plan`.

#include "core/framework/kernel_choices.h"
#include "core/framework/node_def_util.h"
#include "core/kernels/lib/matmul_choose.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// transpose_* name the attrs that say whether an argument's last two dimensions
// are swapped.
StatusOr<KernelChoice> ChooseProduct(const NodeDef& node,
                                     const char* transpose_a,
                                     const char* transpose_b,
                                     absl::Span<const TensorShape> inputs) {
  if (inputs.size() < 2 || inputs[0].dims() < 2 || inputs[1].dims() < 2) {
    return errors::InvalidArgument(node.op(), ": shapes are missing");
  }
  MatMulArgs args;
  DataType dtype;
  TF_RETURN_IF_ERROR(GetNodeAttr(node, "T", &dtype));
  TF_RETURN_IF_ERROR(GetNodeAttr(node, transpose_a, &args.transpose_a));
  TF_RETURN_IF_ERROR(GetNodeAttr(node, transpose_b, &args.transpose_b));
  const TensorShape &a = inputs[0], &b = inputs[1];
  const int rank = a.dims();
  for (int i = 0; i < rank - 2; ++i) args.batch *= a.dim_size(i);
  args.m = a.dim_size(args.transpose_a ? rank - 1 : rank - 2);
  args.k = a.dim_size(args.transpose_a ? rank - 2 : rank - 1);
  args.n = b.dim_size(args.transpose_b ? b.dims() - 2 : b.dims() - 1);
  return ExplainMatMul(dtype, args);
}

StatusOr<KernelChoice> ChooseMatMulNode(const NodeDef& node,
                                        absl::Span<const TensorShape> inputs,
                                        absl::Span<const TensorShape>) {
  return ChooseProduct(node, "transpose_a", "transpose_b", inputs);
}
StatusOr<KernelChoice> ChooseBatchMatMulNode(
    const NodeDef& node, absl::Span<const TensorShape> inputs,
    absl::Span<const TensorShape>) {
  return ChooseProduct(node, "adj_x", "adj_y", inputs);
}

[[maybe_unused]] const KernelChooserRegistrar registered[] = {
    {"MatMul", {&MatMulAlgorithms, &ChooseMatMulNode}},
    {"_FusedMatMul", {&MatMulAlgorithms, &ChooseMatMulNode}},
    {"BatchMatMul", {&MatMulAlgorithms, &ChooseBatchMatMulNode}},
};

}  // namespace
}  // namespace tensorwright
