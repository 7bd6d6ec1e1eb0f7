// SPDX-License-Identifier: Apache-2.0
// The dtypes of tensors: the C++ type of each, its size, its name, and sets of
// them.
//
// Everything here is a value or a pure function: any thread may call it at any
// time, nothing is owned, nothing fails.  A number that is no dtype, which a
// stranger's proto may hold, gets an answer ("unknown dtype 77", size 0, no
// property) and is never refused.
//
// A dtype plus kDataTypeRefOffset is a reference: a tensor that its producer
// goes on owning and that a consumer may write, such as a variable's.
// Questions about elements (DataTypeIsFloating, DataTypeCanUseMemcpy) are about
// values and answer "no" for a reference: take BaseType first.  Size, name and
// DataTypeAlwaysOnHost answer for both.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TYPES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TYPES_H_

#include <complex>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/types_enums.h"
#include "core/platform/types.h"

// Only declared here: code that computes with them includes
// core/framework/numeric_types.h.
namespace Eigen {
struct half;
struct bfloat16;
struct ThreadPoolDevice;
struct GpuDevice;
}  // namespace Eigen

namespace tensorwright {

using half = Eigen::half;
using bfloat16 = Eigen::bfloat16;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// Quantized integers: the bits of an integer that stands for a real number.
// The range that the integers cover is no part of the type: ops pass it beside
// the tensor, as a minimum and a maximum.  Comparisons are in numeric_types.h.
struct qint8 {
  int8_t value = 0;
};
struct quint8 {
  uint8_t value = 0;
};
struct qint16 {
  int16_t value = 0;
};
struct quint16 {
  uint16_t value = 0;
};
struct qint32 {
  int32_t value = 0;
};

class ResourceHandle;
class Variant;

// ---- Devices and memory -----------------------------------------------------

// The kind of a device: "CPU", "GPU".  Not the name of one.  Any text is
// accepted; two types are equal if their texts are, case included, and they are
// ordered by text, which says nothing about priority (DeviceFactory::Priority
// does).
class DeviceType {
 public:
  explicit DeviceType(absl::string_view type) : type_(type) {}
  DeviceType(const char* type) : type_(type) {}  // NOLINT: Device(DEVICE_CPU).
  // Both live as long as this object.
  const char* type() const { return type_.c_str(); }
  const std::string& type_string() const { return type_; }

  friend bool operator<(const DeviceType& a, const DeviceType& b) {
    return a.type_ < b.type_;
  }
  friend bool operator==(const DeviceType& a, const DeviceType& b) {
    return a.type_ == b.type_;
  }
  friend bool operator!=(const DeviceType& a, const DeviceType& b) {
    return !(a == b);
  }
  friend std::ostream& operator<<(std::ostream& os, const DeviceType& d) {
    return os << d.type_;
  }

 private:
  std::string type_;
};

// The types that kernels are registered for.  A kernel for DEVICE_DEFAULT runs
// on every device whose type has no kernel of its own for the node.
inline constexpr const char* DEVICE_DEFAULT = "DEFAULT";
inline constexpr const char* DEVICE_CPU = "CPU";
inline constexpr const char* DEVICE_GPU = "GPU";

// DeviceName<Eigen::ThreadPoolDevice>::value is "CPU": for templates that take
// the Eigen device as their parameter.  Other types do not compile.
template <typename Device>
struct DeviceName {};
template <>
struct DeviceName<Eigen::ThreadPoolDevice> {
  static constexpr const char* value = DEVICE_CPU;
};
template <>
struct DeviceName<Eigen::GpuDevice> {
  static constexpr const char* value = DEVICE_GPU;
};

// The memory in which a kernel wants an argument: its device's, or the CPU's.
// On a CPU device the two are the same memory, and the runtime uses
// DEVICE_MEMORY for all.
enum MemoryType {
  DEVICE_MEMORY = 0,
  HOST_MEMORY = 1,
};

// Lists, one entry per argument of a node; four fit without an allocation.  A
// Slice is a view: the list it was made of must outlive it.
using MemoryTypeVector = absl::InlinedVector<MemoryType, 4>;
using MemoryTypeSlice = absl::Span<const MemoryType>;
using DataTypeVector = absl::InlinedVector<DataType, 4>;
using DataTypeSlice = absl::Span<const DataType>;
using DeviceTypeVector = absl::InlinedVector<DeviceType, 4>;

// ---- Reference dtypes -------------------------------------------------------

// The number of a reference's dtype is that of the value's plus this, as protos
// and NodeDefs write it.
inline constexpr int kDataTypeRefOffset = 100;

inline bool IsRefType(DataType dtype) { return dtype > kDataTypeRefOffset; }
// These two only add and subtract.  Ask IsRefType first: the result for a dtype
// of the wrong kind names no dtype.
inline DataType MakeRefType(DataType dtype) {
  return static_cast<DataType>(dtype + kDataTypeRefOffset);
}
inline DataType RemoveRefType(DataType dtype) {
  return static_cast<DataType>(dtype - kDataTypeRefOffset);
}
// The dtype without a reference: float for both float and float_ref.
inline DataType BaseType(DataType dtype) {
  return IsRefType(dtype) ? RemoveRefType(dtype) : dtype;
}
// A value of type `actual` can be given to an argument of type `expected`: they
// are equal, or `actual` is a reference to it.  Not the other way round: an
// argument that wants a reference takes nothing else.
inline bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == BaseType(actual);
}

// ---- Names ------------------------------------------------------------------

// "float", "int32", "float_ref"; "INVALID" for DT_INVALID, "unknown dtype 77"
// for a number that is no dtype.
std::string DataTypeString(DataType dtype);
std::string DeviceTypeString(const DeviceType& device_type);
// "[float, int32]".
std::string DataTypeSliceString(DataTypeSlice dtypes);
inline std::string DataTypeVectorString(const DataTypeVector& dtypes) {
  return DataTypeSliceString(dtypes);
}
// Reads "float", "float32", "int32_ref", ...: the names that DataTypeString
// gives, and the aliases float32, float64 and float16.  False, with *dtype
// untouched, if the text names no dtype; "INVALID" names none.  Scans all
// names.
bool DataTypeFromString(absl::string_view s, DataType* dtype);

// ---- Properties -------------------------------------------------------------

// Bytes of an element; for std::string, ResourceHandle or Variant the size of
// the C++ object, without what that points to.  A reference has its value's
// size. 0 for DT_INVALID and for a number that is no dtype.
int DataTypeSize(DataType dtype);

// The elements are plain bytes, which memcpy copies and a file may hold:
// neither strings nor handles nor variants.
bool DataTypeCanUseMemcpy(DataType dtype);
// Each dtype is in at most one of these four: floating (half and bfloat16 too),
// complex, quantized, integer. bool, string, resource and variant are in none.
// Integers are signed or unsigned; floats are neither, and quantized ones too.
bool DataTypeIsFloating(DataType dtype);
bool DataTypeIsComplex(DataType dtype);
bool DataTypeIsQuantized(DataType dtype);
bool DataTypeIsInteger(DataType dtype);
bool DataTypeIsSigned(DataType dtype);
bool DataTypeIsUnsigned(DataType dtype);
// Not bool, and not the quantized ones.
inline bool DataTypeIsNumeric(DataType dtype) {
  return DataTypeIsInteger(dtype) || DataTypeIsFloating(dtype) ||
         DataTypeIsComplex(dtype);
}
// Lives in host memory whatever the device: strings and resource handles, and
// references to them.  Not variants.
bool DataTypeAlwaysOnHost(DataType dtype);
// The memory of an argument of this dtype by default, on a device with memory
// of its own: host memory for dtypes that are always there, and for int32,
// which mostly holds shapes and indices that the host reads.  Everything else,
// references to int32 included, is in the device's memory.
MemoryType MTypeFromDType(DataType dtype);

// ---- Sets, in the order in which TensorFlow lists them ----------------------
// The order matters: generated wrappers and docs print it.  Made anew at each
// call; none holds a reference or DT_INVALID.

DataTypeVector AllTypes();
// Integers and floats: the types that "realnumbertype" in an attr spec allows.
DataTypeVector RealNumberTypes();
// The same, the complex and the quantized ones: "numbertype" in an attr spec.
// Unlike DataTypeIsNumeric, which leaves the quantized ones out.
DataTypeVector NumberTypes();
DataTypeVector QuantizedTypes();
DataTypeVector RealAndQuantizedTypes();

// ---- C++ type <-> dtype -----------------------------------------------------

// IsValidDataType<T>::value: T is the C++ type of some dtype.  False, never an
// error, for any other type, so it may stand in an enable_if.
template <typename T>
struct IsValidDataType {
  static constexpr bool value = false;
};

// DataTypeToEnum<float>::value == DT_FLOAT, v() is the same and ref() is the
// reference's.  Does not compile for a type that is no dtype's.
template <typename T>
struct DataTypeToEnum {
  static_assert(IsValidDataType<T>::value, "T is not the type of a dtype");
};

// EnumToDataType<DT_FLOAT>::Type is float.  References and numbers that are no
// dtype have no Type.
template <DataType VALUE>
struct EnumToDataType {};

#define TENSORWRIGHT_MATCH_TYPE_AND_ENUM(TYPE, ENUM)           \
  template <>                                                  \
  struct DataTypeToEnum<TYPE> {                                \
    static constexpr DataType v() { return ENUM; }             \
    static constexpr DataType ref() {                          \
      return static_cast<DataType>(ENUM + kDataTypeRefOffset); \
    }                                                          \
    static constexpr DataType value = ENUM;                    \
  };                                                           \
  template <>                                                  \
  struct IsValidDataType<TYPE> {                               \
    static constexpr bool value = true;                        \
  };                                                           \
  template <>                                                  \
  struct EnumToDataType<ENUM> {                                \
    using Type = TYPE;                                         \
  }

// A macro, because three specialisations a line must agree.
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(float, DT_FLOAT);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(double, DT_DOUBLE);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(int32_t, DT_INT32);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(uint8_t, DT_UINT8);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(uint16_t, DT_UINT16);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(uint32_t, DT_UINT32);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(uint64_t, DT_UINT64);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(int16_t, DT_INT16);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(int8_t, DT_INT8);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(int64_t, DT_INT64);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(std::string, DT_STRING);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(complex64, DT_COMPLEX64);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(complex128, DT_COMPLEX128);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(bool, DT_BOOL);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(qint8, DT_QINT8);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(quint8, DT_QUINT8);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(qint16, DT_QINT16);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(quint16, DT_QUINT16);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(qint32, DT_QINT32);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(Eigen::bfloat16, DT_BFLOAT16);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(Eigen::half, DT_HALF);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(ResourceHandle, DT_RESOURCE);
TENSORWRIGHT_MATCH_TYPE_AND_ENUM(Variant, DT_VARIANT);

#undef TENSORWRIGHT_MATCH_TYPE_AND_ENUM

// Another name of a string; see tstring.h.
template <>
struct IsValidDataType<tstring> {
  static constexpr bool value = true;
};
template <>
struct DataTypeToEnum<tstring> : DataTypeToEnum<std::string> {};

// CUDA code says long long where this machine's int64_t is long; both are 64
// bits.
template <>
struct IsValidDataType<long long> {
  static constexpr bool value = true;
};
template <>
struct DataTypeToEnum<long long> : DataTypeToEnum<int64_t> {};
template <>
struct IsValidDataType<unsigned long long> {
  static constexpr bool value = true;
};
template <>
struct DataTypeToEnum<unsigned long long> : DataTypeToEnum<uint64_t> {};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TYPES_H_
