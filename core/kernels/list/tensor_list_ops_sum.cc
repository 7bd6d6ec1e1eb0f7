// SPDX-License-Identifier: Apache-2.0
// AddN of lists: the sums of their elements, as gradients of a list that is
// read in several places need them.

#include <cstdint>
#include <utility>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/list/tensor_list.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

template <typename... T>
BinaryLoopFn AddLoopOf(DataType dtype) {
  BinaryLoopFn loop = nullptr;
  ((DataTypeToEnum<T>::value == dtype
        ? void(loop = &BinaryLoop<functor::Add, T>)
        : void()),
   ...);
  return loop;
}

BinaryLoopFn AddLoop(DataType dtype) {
  return AddLoopOf<float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t,
                   int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                   complex64, complex128>(dtype);
}

class AddListsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const TensorList* first = nullptr;
    OP_REQUIRES_OK(ctx, FindList(ctx, 0, &first));
    TensorList sum = *first;
    for (int k = 1; k < ctx->num_inputs(); ++k) {
      OP_REQUIRES(ctx, ctx->input(k).dims() == 0 && ctx->input(0).dims() == 0,
                  errors::InvalidArgument("AddN: lists must be scalars"));
      const TensorList* next = nullptr;
      OP_REQUIRES_OK(ctx, FindList(ctx, k, &next));
      OP_REQUIRES_OK(ctx, Add(ctx, *next, &sum));
    }
    OP_REQUIRES_OK(ctx, NewList(ctx, 0, std::move(sum)));
  }

 private:
  // What was not set counts as zero.
  static Status Add(OpKernelContext* ctx, const TensorList& next,
                    TensorList* sum) {
    if (next.dtype() != sum->dtype() || next.size() != sum->size()) {
      return errors::InvalidArgument(
          "AddN: lists must have equal dtypes and lengths, got ",
          sum->DebugString(), " and ", next.DebugString());
    }
    const BinaryLoopFn add = AddLoop(sum->dtype());
    for (int64_t i = 0; i < next.size(); ++i) {
      const Tensor* b = next.Find(i);
      if (b == nullptr) continue;
      const Tensor* a = sum->Find(i);
      if (a == nullptr) {
        sum->Set(i, *b);
        continue;
      }
      if (add == nullptr || a->shape() != b->shape()) {
        return errors::InvalidArgument(
            "AddN: elements ", i,
            " of lists cannot be added: ", DataTypeString(sum->dtype()),
            " of shapes ", a->shape().DebugString(), " and ",
            b->shape().DebugString());
      }
      Tensor both;
      TF_RETURN_IF_ERROR(ctx->allocate_temp(a->dtype(), a->shape(), &both));
      if (a->NumElements() > 0) {
        add(a->data(), b->data(), both.data(), a->NumElements(), 1, 1);
      }
      sum->Set(i, both);
    }
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(
    Name("AddN").Device(DEVICE_CPU).TypeConstraint<Variant>("T"), AddListsOp);

}  // namespace
}  // namespace tensorwright
