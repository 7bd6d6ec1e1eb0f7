// SPDX-License-Identifier: Apache-2.0
// The number types of tensors with their arithmetic: half and bfloat16 from
// Eigen, quantized integers.
//
// Apart from types.h, because Eigen/Core is large and code that only names
// dtypes does not need it.  Values and pure functions; on CPUs half and
// bfloat16 compute in float and round each result.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_NUMERIC_TYPES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_NUMERIC_TYPES_H_

#include "Eigen/Core"
#include "core/framework/types.h"

namespace tensorwright {

// Quantized values compare as their integers, so values of different ranges do
// not compare as the numbers that they stand for; arithmetic is the business of
// the quantized kernels.
#define TENSORWRIGHT_QUANTIZED_COMPARE(T)                         \
  inline bool operator==(T a, T b) { return a.value == b.value; } \
  inline bool operator!=(T a, T b) { return a.value != b.value; } \
  inline bool operator<(T a, T b) { return a.value < b.value; }   \
  inline bool operator>(T a, T b) { return a.value > b.value; }   \
  inline bool operator<=(T a, T b) { return a.value <= b.value; } \
  inline bool operator>=(T a, T b) { return a.value >= b.value; }

TENSORWRIGHT_QUANTIZED_COMPARE(qint8)
TENSORWRIGHT_QUANTIZED_COMPARE(quint8)
TENSORWRIGHT_QUANTIZED_COMPARE(qint16)
TENSORWRIGHT_QUANTIZED_COMPARE(quint16)
TENSORWRIGHT_QUANTIZED_COMPARE(qint32)

#undef TENSORWRIGHT_QUANTIZED_COMPARE

}  // namespace tensorwright

namespace Eigen {

// Eigen needs these limits and costs, those of the integer, to hold quantized
// values in a Tensor.  Expressions that add or multiply them do not compile.
template <typename T>
struct TensorwrightQuantizedTraits : GenericNumTraits<decltype(T::value)> {};
template <>
struct NumTraits<tensorwright::qint8>
    : TensorwrightQuantizedTraits<tensorwright::qint8> {};
template <>
struct NumTraits<tensorwright::quint8>
    : TensorwrightQuantizedTraits<tensorwright::quint8> {};
template <>
struct NumTraits<tensorwright::qint16>
    : TensorwrightQuantizedTraits<tensorwright::qint16> {};
template <>
struct NumTraits<tensorwright::quint16>
    : TensorwrightQuantizedTraits<tensorwright::quint16> {};
template <>
struct NumTraits<tensorwright::qint32>
    : TensorwrightQuantizedTraits<tensorwright::qint32> {};

}  // namespace Eigen

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_NUMERIC_TYPES_H_
