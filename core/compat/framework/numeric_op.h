// SPDX-License-Identifier: Apache-2.0
// Bases for kernels with one or two arguments of the output's type.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NUMERIC_OP_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NUMERIC_OP_H_

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// T -> T.
template <typename T>
class UnaryOp : public OpKernel {
 public:
  explicit UnaryOp(OpKernelConstruction* context) : OpKernel(context) {
    const DataType dt = DataTypeToEnum<T>::v();
    OP_REQUIRES_OK(context, context->MatchSignature({dt}, {dt}));
  }
};

// T, T -> T.
template <typename T>
class BinaryOp : public OpKernel {
 public:
  explicit BinaryOp(OpKernelConstruction* context) : OpKernel(context) {
    const DataType dt = DataTypeToEnum<T>::v();
    OP_REQUIRES_OK(context, context->MatchSignature({dt, dt}, {dt}));
  }
};

// The output has the input's shape, and its buffer if that is free.  CHILD has
//   void Operate(OpKernelContext* context, const Tensor& input, Tensor* output)
template <typename T, class CHILD>
class UnaryElementWiseOp : public UnaryOp<T> {
 public:
  using UnaryOp<T>::UnaryOp;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(
                                {0}, 0, input.shape(), &output));
    static_cast<CHILD*>(this)->Operate(context, input, output);
  }
};

// Both inputs and the output have one shape, of rank at most 8.  CHILD has
//   template <int NDIMS>
//   void Operate(OpKernelContext* context, const Tensor& a, const Tensor& b,
//                Tensor* output)
template <typename T, class CHILD>
class BinaryElementWiseOp : public BinaryOp<T> {
 public:
  using BinaryOp<T>::BinaryOp;

  void Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    if (!context->ValidateInputsAreSameShape(this)) return;
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(
                                {0, 1}, 0, a.shape(), &output));
    OP_REQUIRES(context, OperateOnRank<0>(context, a, b, output),
                errors::InvalidArgument(this->type_string(),
                                        ": at most 8 dimensions, got shape ",
                                        a.shape().DebugString()));
  }

 private:
  template <int NDIMS>
  bool OperateOnRank(OpKernelContext* context, const Tensor& a, const Tensor& b,
                     Tensor* output) {
    if (a.dims() == NDIMS) {
      static_cast<CHILD*>(this)->template Operate<NDIMS>(context, a, b, output);
      return true;
    }
    if constexpr (NDIMS < 8) {
      return OperateOnRank<NDIMS + 1>(context, a, b, output);
    }
    return false;
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NUMERIC_OP_H_
