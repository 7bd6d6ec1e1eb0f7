// SPDX-License-Identifier: Apache-2.0
#include "core/distributed_runtime/mpi/arithmetic.h"

#include <algorithm>

#include "core/framework/numeric_types.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace mpi {
namespace {

template <typename T, Merge merge>
void Combine(void* in, void* inout, int* count, MPI_Datatype*) {
  const T* from = static_cast<const T*>(in);
  T* to = static_cast<T*>(inout);
  for (int i = 0; i < *count; ++i) {
    const float a = static_cast<float>(from[i]);
    const float b = static_cast<float>(to[i]);
    if constexpr (merge == Merge::kAdd) to[i] = static_cast<T>(a + b);
    if constexpr (merge == Merge::kMul) to[i] = static_cast<T>(a * b);
    if constexpr (merge == Merge::kMin) to[i] = a < b ? from[i] : to[i];
    if constexpr (merge == Merge::kMax) to[i] = a > b ? from[i] : to[i];
  }
}

template <typename T>
Status Make(MPI_Datatype* type, std::vector<MPI_Op>* ops) {
  if (MPI_Type_contiguous(sizeof(T), MPI_BYTE, type) != MPI_SUCCESS ||
      MPI_Type_commit(type) != MPI_SUCCESS) {
    return errors::Internal("MPI_Type_contiguous failed");
  }
  MPI_User_function* const functions[] = {
      Combine<T, Merge::kAdd>, Combine<T, Merge::kMul>, Combine<T, Merge::kMin>,
      Combine<T, Merge::kMax>};
  for (MPI_User_function* function : functions) {
    MPI_Op op;
    if (MPI_Op_create(function, /*commute=*/1, &op) != MPI_SUCCESS) {
      return errors::Internal("MPI_Op_create failed");
    }
    ops->push_back(op);
  }
  return OkStatus();
}

template <typename T>
void DivideElements(int64_t divisor, Tensor* tensor) {
  const T by = static_cast<T>(static_cast<float>(divisor));
  auto flat = tensor->flat<T>();
  for (int64_t i = 0; i < flat.size(); ++i) flat(i) = flat(i) / by;
}

}  // namespace

Status Arithmetic::Initialize() {
  TF_RETURN_IF_ERROR(Make<Eigen::half>(&half_, &half_ops_));
  return Make<bfloat16>(&bfloat16_, &bfloat16_ops_);
}

void Arithmetic::Free() {
  for (auto* ops : {&half_ops_, &bfloat16_ops_}) {
    for (MPI_Op& op : *ops) MPI_Op_free(&op);
    ops->clear();
  }
  MPI_Type_free(&half_);
  MPI_Type_free(&bfloat16_);
}

MPI_Datatype Arithmetic::Type(DataType dtype) const {
  switch (dtype) {
    case DT_DOUBLE:
      return MPI_DOUBLE;
    case DT_INT32:
      return MPI_INT32_T;
    case DT_INT64:
      return MPI_INT64_T;
    case DT_HALF:
      return half_;
    case DT_BFLOAT16:
      return bfloat16_;
    default:
      return MPI_FLOAT;
  }
}

MPI_Op Arithmetic::Op(DataType dtype, Merge merge) const {
  const int which = static_cast<int>(merge);
  if (dtype == DT_HALF) return half_ops_[which];
  if (dtype == DT_BFLOAT16) return bfloat16_ops_[which];
  switch (merge) {
    case Merge::kMul:
      return MPI_PROD;
    case Merge::kMin:
      return MPI_MIN;
    case Merge::kMax:
      return MPI_MAX;
    default:
      return MPI_SUM;
  }
}

void Divide(int64_t divisor, Tensor* tensor) {
  switch (tensor->dtype()) {
    case DT_DOUBLE:
      return DivideElements<double>(divisor, tensor);
    case DT_INT32:
      return DivideElements<int32_t>(divisor, tensor);
    case DT_INT64:
      return DivideElements<int64_t>(divisor, tensor);
    case DT_HALF:
      return DivideElements<Eigen::half>(divisor, tensor);
    case DT_BFLOAT16:
      return DivideElements<bfloat16>(divisor, tensor);
    default:
      return DivideElements<float>(divisor, tensor);
  }
}

}  // namespace mpi
}  // namespace tensorwright
