// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/math/einsum_op_operand.h"

#include <algorithm>
#include <utility>

#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace einsum {
namespace {

// Returns the strides of row-major dimensions of these sizes.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
    strides[d] = stride;
  }
  return strides;
}

}  // namespace

bool Holds(const EinsumLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

EinsumLabels Joined(std::initializer_list<EinsumLabels> parts) {
  EinsumLabels all;
  for (const EinsumLabels& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

EinsumLabels Distinct(const EinsumLabels& labels) {
  EinsumLabels distinct;
  for (const int label : labels) {
    if (!Holds(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}

EinsumLabels Sizes::Expand(const EinsumEquation& equation,
                           const EinsumLabels& labels, int64_t ellipsis) {
  EinsumLabels expanded;
  for (const int label : labels) {
    if (label != EinsumEquation::kEllipsis) {
      expanded.push_back(label);
      continue;
    }
    for (int64_t d = ellipsis; d-- > 0;) {
      expanded.push_back(equation.num_letters + static_cast<int>(d));
    }
  }
  return expanded;
}

Status Sizes::Match(OpKernelContext* ctx, const EinsumEquation& equation) {
  int64_t most = 0;
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    int64_t ellipsis = 0;
    TF_RETURN_IF_ERROR(
        EinsumEllipsisRank(equation, i, ctx->input(i).dims(), &ellipsis));
    inputs_.push_back(Expand(equation, equation.inputs[i], ellipsis));
    most = std::max(most, ellipsis);
  }
  output_ = Expand(equation, equation.output, most);
  sizes_.assign(equation.num_letters + most, kUnset);
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    const Tensor& input = ctx->input(i);
    for (int d = 0; d < input.dims(); ++d) {
      const int label = inputs_[i][d];
      const int64_t own = input.dim_size(d);
      int64_t& size = sizes_[label];
      const bool broadcasts = label >= equation.num_letters;
      if (size == kUnset || (broadcasts && size == 1)) {
        size = own;
      } else if (size != own && !(broadcasts && own == 1)) {
        return errors::InvalidArgument(
            "Einsum: dimension ", d, " of input ", i, ", of shape ",
            input.shape().DebugString(), ", must have the size ", size,
            " for equation '", equation.text, "', got ", own);
      }
    }
  }
  return OkStatus();
}

Operand Operand::Dense(Tensor tensor, EinsumLabels labels, const Sizes& sizes) {
  std::vector<int64_t> dims;
  for (const int label : labels) dims.push_back(sizes[label]);
  return {std::move(tensor), std::move(labels), DenseStrides(dims)};
}

Operand Operand::Input(const Tensor& tensor, int i, const Sizes& sizes) {
  Operand operand{tensor, {}, {}};
  const EinsumLabels& labels = sizes.input(i);
  std::vector<int64_t> dims;
  for (int d = 0; d < tensor.dims(); ++d) dims.push_back(tensor.dim_size(d));
  const std::vector<int64_t> strides = DenseStrides(dims);
  for (size_t d = 0; d < labels.size(); ++d) {
    if (dims[d] != sizes[labels[d]]) continue;
    const auto at =
        std::find(operand.labels.begin(), operand.labels.end(), labels[d]);
    if (at == operand.labels.end()) {
      operand.labels.push_back(labels[d]);
      operand.strides.push_back(strides[d]);
    } else {
      operand.strides[at - operand.labels.begin()] += strides[d];
    }
  }
  return operand;
}

StridedView Operand::View(const EinsumLabels& order, const Sizes& sizes) const {
  StridedView view;
  for (const int label : order) {
    const auto at = std::find(labels.begin(), labels.end(), label);
    view.Append(sizes[label],
                at == labels.end() ? 0 : strides[at - labels.begin()]);
  }
  view.Simplify();
  return view;
}

bool Operand::IsIn(const EinsumLabels& order, const Sizes& sizes) const {
  const StridedView view = View(order, sizes);
  return view.sizes.size() == 1 && view.strides[0] == 1 &&
         view.sizes[0] == tensor.NumElements();
}

Status Operand::Arrange(OpKernelContext* ctx, const EinsumLabels& order,
                        const Sizes& sizes) {
  if (IsIn(order, sizes)) {
    *this = Dense(tensor, order, sizes);
    return OkStatus();
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(sizes.ShapeOf(order, &shape));
  Tensor copy;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(tensor.dtype(), shape, &copy));
  if (copy.NumElements() > 0) {
    const StridedView view = View(order, sizes);
    TF_RETURN_IF_ERROR(
        DispatchElement(tensor.dtype(), [&]<typename T>(ElementTag<T>) {
          CopyFromView(ctx, tensor.base<T>(), view, copy.base<T>());
        }));
  }
  *this = Dense(std::move(copy), order, sizes);
  return OkStatus();
}

Status Operand::Write(OpKernelContext* ctx, const Sizes& sizes) {
  const EinsumLabels& wanted = sizes.output();
  const EinsumLabels distinct = Distinct(wanted);
  TF_RETURN_IF_ERROR(Arrange(ctx, distinct, sizes));
  TensorShape shape;
  TF_RETURN_IF_ERROR(sizes.ShapeOf(wanted, &shape));
  if (distinct.size() == wanted.size()) {
    Tensor output;
    if (!output.CopyFrom(tensor, shape)) {
      return errors::Internal("Einsum: no reshape to ", shape.DebugString());
    }
    ctx->set_output(0, output);
    return OkStatus();
  }
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return OkStatus();
  std::vector<int64_t> dims;
  for (const int label : wanted) dims.push_back(sizes[label]);
  const std::vector<int64_t> into = DenseStrides(dims);
  StridedView view;
  for (const int label : distinct) {
    int64_t stride = 0;
    for (size_t d = 0; d < wanted.size(); ++d) {
      if (wanted[d] == label) stride += into[d];
    }
    view.Append(sizes[label], stride);
  }
  view.Simplify();
  return DispatchElement(tensor.dtype(), [&]<typename T>(ElementTag<T>) {
    // Zero has all bits 0 in every type of numbers.
    std::fill_n(output->base<T>(), output->NumElements(), T{});
    CopyToView(tensor.base<T>(), view, 0, tensor.NumElements(),
               output->base<T>());
  });
}

}  // namespace einsum
}  // namespace tensorwright
