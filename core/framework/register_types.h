// SPDX-License-Identifier: Apache-2.0
// TF_CALL_*: m(type) for each type of a set, for users' sources; ours use
// REGISTER_KERNEL_FOR_TYPES.
//
// `m` is a macro that takes a C++ type and expands to whole declarations:
// nothing is put between the calls, not even a semicolon.  Types come fully
// qualified, so the macros work in any namespace.  The names of the sets are
// TensorFlow's; that a type is in one does not say that this library has
// kernels for it.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_REGISTER_TYPES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_REGISTER_TYPES_H_

#include "core/framework/numeric_types.h"
#include "core/framework/resource_handle.h"
#include "core/framework/types.h"
#include "core/framework/variant.h"

// One type each. int32 and the like are the fixed-size types of
// core/platform/types.h.
#define TF_CALL_float(m) m(float)
#define TF_CALL_double(m) m(double)
#define TF_CALL_int32(m) m(::tensorwright::int32)
#define TF_CALL_uint32(m) m(::tensorwright::uint32)
#define TF_CALL_uint8(m) m(::tensorwright::uint8)
#define TF_CALL_int16(m) m(::tensorwright::int16)
#define TF_CALL_int8(m) m(::tensorwright::int8)
#define TF_CALL_string(m) m(::tensorwright::string)
#define TF_CALL_tstring(m) m(::tensorwright::tstring)
#define TF_CALL_resource(m) m(::tensorwright::ResourceHandle)
#define TF_CALL_variant(m) m(::tensorwright::Variant)
#define TF_CALL_complex64(m) m(::tensorwright::complex64)
#define TF_CALL_complex128(m) m(::tensorwright::complex128)
#define TF_CALL_int64(m) m(::tensorwright::int64)
#define TF_CALL_uint64(m) m(::tensorwright::uint64)
#define TF_CALL_bool(m) m(bool)
#define TF_CALL_qint8(m) m(::tensorwright::qint8)
#define TF_CALL_quint8(m) m(::tensorwright::quint8)
#define TF_CALL_qint16(m) m(::tensorwright::qint16)
#define TF_CALL_quint16(m) m(::tensorwright::quint16)
#define TF_CALL_qint32(m) m(::tensorwright::qint32)
#define TF_CALL_bfloat16(m) m(::tensorwright::bfloat16)
#define TF_CALL_half(m) m(Eigen::half)
#define TF_CALL_uint16(m) m(::tensorwright::uint16)

// Integers, floats, and both ("real numbers").  The NO_... sets leave one type
// out: on GPUs kernels for int32 are often registered apart, in host memory.
#define TF_CALL_INTEGRAL_TYPES_NO_INT32(m)                               \
  TF_CALL_uint64(m) TF_CALL_int64(m) TF_CALL_uint32(m) TF_CALL_uint16(m) \
      TF_CALL_int16(m) TF_CALL_uint8(m) TF_CALL_int8(m)
#define TF_CALL_INTEGRAL_TYPES(m) \
  TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_int32(m)
#define TF_CALL_FLOAT_TYPES(m) \
  TF_CALL_half(m) TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_REAL_NUMBER_TYPES(m) \
  TF_CALL_INTEGRAL_TYPES(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_BFLOAT16(m) \
  TF_CALL_INTEGRAL_TYPES(m)                      \
  TF_CALL_half(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_HALF(m) \
  TF_CALL_INTEGRAL_TYPES(m)                  \
  TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m) \
  TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_UNSIGNED_TYPES(m) \
  TF_CALL_uint64(m) TF_CALL_uint32(m) TF_CALL_uint16(m) TF_CALL_uint8(m)

// The types of indices and shapes.
#define TF_CALL_INDEX_TYPES(m) TF_CALL_int32(m) TF_CALL_int64(m)

// Numbers: real and complex ones, none quantized.  POD: plain bytes, bool
// included.  ALL: these and the types whose elements are objects; again none
// quantized.
#define TF_CALL_COMPLEX_TYPES(m) TF_CALL_complex64(m) TF_CALL_complex128(m)
#define TF_CALL_NUMBER_TYPES(m) \
  TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_COMPLEX_TYPES(m)
#define TF_CALL_NUMBER_TYPES_NO_INT32(m) \
  TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m) TF_CALL_COMPLEX_TYPES(m)
#define TF_CALL_POD_TYPES(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_bool(m)
#define TF_CALL_POD_STRING_TYPES(m) TF_CALL_POD_TYPES(m) TF_CALL_tstring(m)
#define TF_CALL_ALL_TYPES(m) \
  TF_CALL_POD_STRING_TYPES(m) TF_CALL_resource(m) TF_CALL_variant(m)
#define TF_CALL_QUANTIZED_TYPES(m) \
  TF_CALL_qint8(m) TF_CALL_quint8(m) TF_CALL_qint32(m)
#define TF_CALL_SAVE_RESTORE_TYPES(m)      \
  TF_CALL_REAL_NUMBER_TYPES_NO_BFLOAT16(m) \
  TF_CALL_COMPLEX_TYPES(m)                 \
  TF_CALL_bool(m) TF_CALL_tstring(m) TF_CALL_QUANTIZED_TYPES(m)
// The types that most GPU kernels are registered for.
#define TF_CALL_GPU_NUMBER_TYPES(m) \
  TF_CALL_half(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_GPU_NUMBER_TYPES_NO_HALF(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_GPU_ALL_TYPES(m) \
  TF_CALL_GPU_NUMBER_TYPES(m) TF_CALL_COMPLEX_TYPES(m) TF_CALL_bool(m)

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_REGISTER_TYPES_H_
