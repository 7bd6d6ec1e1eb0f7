// SPDX-License-Identifier: Apache-2.0
// Copying, joining and cutting whole tensors.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_UTIL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_UTIL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace tensor {

// The same elements in memory of its own.
Tensor DeepCopy(const Tensor& other);
// `output` must have the dtype and number of elements of `input`.
void DeepCopy(const Tensor& input, Tensor* output);

// Along dimension 0: [a, ...] and [b, ...] -> [a + b, ...].  InvalidArgument if
// dtypes or the other dimensions differ, or nothing is given.
Status Concat(absl::Span<const Tensor> tensors, Tensor* result);
// [a + b, ...] -> [a, ...] and [b, ...]; the sizes must add up.
Status Split(const Tensor& tensor, absl::Span<const int64_t> sizes,
             std::vector<Tensor>* result);

// A tensor of `shape` whose elements all are `value`.
Status Fill(const Tensor& value, const TensorShape& shape, Tensor* out);
// The elements of an int32 or int64 tensor.
Status AsInt64Vector(const Tensor& t, std::vector<int64_t>* out);
// True if the bytes (or strings) of both are equal, with equal dtypes and
// shapes.
bool BitwiseEqual(const Tensor& a, const Tensor& b);

}  // namespace tensor

// A one-dimensional tensor of the values.
template <typename T>
Tensor AsTensor(absl::Span<const T> values) {
  Tensor t(DataTypeToEnum<T>::value,
           TensorShape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.base<T>());
  return t;
}
template <typename T>
Tensor AsScalar(const T& value) {
  Tensor t(DataTypeToEnum<T>::value, TensorShape());
  *t.base<T>() = value;
  return t;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_UTIL_H_
