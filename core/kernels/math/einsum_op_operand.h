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
// Returns each label once, in the order of their first places.
EinsumLabels Distinct(const EinsumLabels& labels);

// The size of each label.  Letters have their numbers in the equation; the
// dimensions of "..." have the numbers after those, counted from the last
// dimension on.
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
  std::vector<int64_t> strides;  // One for each label, in elements.

  // Returns an operand whose dimensions are in the order of the tensor's
  // memory.
  static Operand Dense(Tensor tensor, EinsumLabels labels, const Sizes& sizes);

  // Returns input `i` as an operand.  A label that repeats goes along the
  // diagonal; a dimension that is broadcast to another input's is left out.
  static Operand Input(const Tensor& tensor, int i, const Sizes& sizes);

  // Returns a view of the elements in this order of labels; they repeat along a
  // label that the operand lacks.
  StridedView View(const EinsumLabels& order, const Sizes& sizes) const;

  // Says whether the memory holds the elements in this order of all labels.
  bool IsIn(const EinsumLabels& order, const Sizes& sizes) const;

  // Changes the operand to one whose memory holds the elements in this order,
  // which has all its labels and may have others.  Copies the elements if it
  // must.
  Status Arrange(OpKernelContext* ctx, const EinsumLabels& order,
                 const Sizes& sizes);

  // Makes output 0 from this operand, which has all labels of the output.  A
  // label that repeats in the output puts the elements on a diagonal and zeros
  // beside it.
  Status Write(OpKernelContext* ctx, const Sizes& sizes);
};

}  // namespace einsum
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_EINSUM_OP_OPERAND_H_
