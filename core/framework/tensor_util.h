// SPDX-License-Identifier: Apache-2.0
// Copying, joining and cutting whole tensors, of any dtype, in host memory.
//
// Results have memory of their own, of the CPU's allocator, and belong to the
// caller.  Failures leave them as they were: InvalidArgument, or
// ResourceExhausted without memory.  No state: any thread.
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

// The same elements in memory of its own; uninitialized if there is none left.
Tensor DeepCopy(const Tensor& other);
// Copies into the buffer that `output` has, which must have the dtype and
// number of elements of `input`: anything else ends the process.  Shapes may
// differ.
void DeepCopy(const Tensor& input, Tensor* output);

// Joins along dimension 0: [a, ...] and [b, ...] -> [a + b, ...].
// InvalidArgument if dtypes or the other dimensions differ, or if there are no
// tensors.
Status Concat(absl::Span<const Tensor> tensors, Tensor* result);
// [a + b, ...] -> [a, ...] and [b, ...]; sizes are >= 0 and must add up to the
// first dimension.
Status Split(const Tensor& tensor, absl::Span<const int64_t> sizes,
             std::vector<Tensor>* result);

// A tensor of `shape` whose elements all equal the one that `value` has.
// InvalidArgument unless it has one.
Status Fill(const Tensor& value, const TensorShape& shape, Tensor* out);
// The elements of an int32 or int64 tensor of any shape, row-major.
// InvalidArgument for other dtypes.
Status AsInt64Vector(const Tensor& t, std::vector<int64_t>* out);
// True if the bytes (or strings) of both are equal, with equal dtypes and
// shapes.  So NaN equals itself and 0 differs from -0.  Never true for
// resources and variants.
bool BitwiseEqual(const Tensor& a, const Tensor& b);

}  // namespace tensor

// A one-dimensional tensor of the values, and a scalar; there must be memory
// for them.
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
