// SPDX-License-Identifier: Apache-2.0
// AddN and ZerosLike for lists: sums and zeros of their elements, for gradients
// of a list that is read in several places, or not at all.

#include <cstdint>
#include <utility>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/variant_op_registry.h"
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

// An element that was not set counts as zero.
Status AddLists(OpKernelContext* ctx, const TensorList& first,
                const TensorList& next, TensorList* sum) {
  if (next.dtype() != first.dtype() || next.size() != first.size()) {
    return errors::InvalidArgument(
        "AddN: lists must have equal dtypes and lengths, got ",
        first.DebugString(), " and ", next.DebugString());
  }
  *sum = first;
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
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU,
                                          TensorList, AddLists);

// An element that was not set is zero already, if it can be read at all.
Status ZerosLikeList(OpKernelContext* ctx, const TensorList& list,
                     TensorList* zeros) {
  *zeros = list;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor* const element = list.Find(i);
    if (element == nullptr) continue;
    Tensor zero;
    TF_RETURN_IF_ERROR(
        ZeroElement(ctx, element->dtype(), element->shape(), &zero));
    zeros->Set(i, zero);
  }
  return OkStatus();
}
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
                                         DEVICE_CPU, TensorList, ZerosLikeList);

}  // namespace
}  // namespace tensorwright
