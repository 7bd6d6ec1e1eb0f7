// SPDX-License-Identifier: Apache-2.0
// Operands of Einsum: tensors whose dimensions have labels.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_EINSUM_OP_OPERAND_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_EINSUM_OP_OPERAND_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/lib/core/status.h"
#include "core/util/einsum_equation.h"

namespace tensorwright {
namespace einsum {

bool Holds(const EinsumLabels& labels, int label);
EinsumLabels Joined(std::initializer_list<EinsumLabels> parts);
// Each label once, in the order of their first places.
EinsumLabels Distinct(const EinsumLabels& labels);

// Letters have the numbers of the equation, the dimensions of "..." those after
// them, counted from the last dimension on.
class Sizes {
 public:
  // Finds the size of every label, and the labels of every input's dimensions.
  Status Match(OpKernelContext* ctx, const EinsumEquation& equation);

  // The labels of input `i`, one for each dimension.
  const EinsumLabels& input(int i) const { return inputs_[i]; }
  const EinsumLabels& output() const { return output_; }
  int64_t operator[](int label) const { return sizes_[label]; }
  int64_t Product(const EinsumLabels& labels) const {
    int64_t product = 1;
    for (const int label : labels) product *= sizes_[label];
    return product;
  }
  Status ShapeOf(const EinsumLabels& labels, TensorShape* shape) const {
    for (const int label : labels) {
      TF_RETURN_IF_ERROR(shape->AddDimWithStatus(sizes_[label]));
    }
    return OkStatus();
  }

 private:
  static EinsumLabels Expand(const EinsumEquation& equation,
                             const EinsumLabels& labels, int64_t ellipsis);

  static constexpr int64_t kUnset = -1;
  std::vector<EinsumLabels> inputs_;
  EinsumLabels output_;
  std::vector<int64_t> sizes_;
};

// A tensor's elements, seen in dimensions with a label each.
struct Operand {
  Tensor tensor;
  EinsumLabels labels;
  std::vector<int64_t> strides;  // Of the elements, one for each label.

  // The tensor in the order of its memory.
  static Operand Dense(Tensor tensor, EinsumLabels labels, const Sizes& sizes);

  // Input `i`: a label that repeats goes along the diagonal, a dimension that
  // is broadcast to another input's is none of this operand's.
  static Operand Input(const Tensor& tensor, int i, const Sizes& sizes);

  // The elements in this order of labels; along one that is none of the
  // operand's they repeat.
  StridedView View(const EinsumLabels& order, const Sizes& sizes) const;

  // Does the memory hold the elements in this order of all labels?
  bool IsIn(const EinsumLabels& order, const Sizes& sizes) const;

  // Becomes one whose memory holds the elements in this order of all labels,
  // and maybe of further ones: a copy, if need be.
  Status Arrange(OpKernelContext* ctx, const EinsumLabels& order,
                 const Sizes& sizes);

  // Makes output 0 of it, which has all labels of the output: a label that
  // repeats there puts the elements on a diagonal, with zeros beside it.
  Status Write(OpKernelContext* ctx, const Sizes& sizes);
};

}  // namespace einsum
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_EINSUM_OP_OPERAND_H_
