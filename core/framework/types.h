// SPDX-License-Identifier: Apache-2.0
// The dtypes of tensors: the C++ type of each, its size, its name, and sets of
// them.
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

// Only declared here: whoever computes with them includes
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

// Quantized integers: the bits of an integer that stands for a real number of a
// known range.
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

// The kind of a device: "CPU", "GPU".  Not the name of one.
class DeviceType {
 public:
  explicit DeviceType(absl::string_view type) : type_(type) {}
  DeviceType(const char* type) : type_(type) {}  // NOLINT: Device(DEVICE_CPU).
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

inline constexpr const char* DEVICE_DEFAULT = "DEFAULT";
inline constexpr const char* DEVICE_CPU = "CPU";
inline constexpr const char* DEVICE_GPU = "GPU";

// DeviceName<Eigen::ThreadPoolDevice>::value is "CPU".
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

// Where a kernel wants an argument: on its device, or where the CPU can read
// it.
enum MemoryType {
  DEVICE_MEMORY = 0,
  HOST_MEMORY = 1,
};

using MemoryTypeVector = absl::InlinedVector<MemoryType, 4>;
using MemoryTypeSlice = absl::Span<const MemoryType>;
using DataTypeVector = absl::InlinedVector<DataType, 4>;
using DataTypeSlice = absl::Span<const DataType>;
using DeviceTypeVector = absl::InlinedVector<DeviceType, 4>;

// ---- Reference dtypes -------------------------------------------------------

inline constexpr int kDataTypeRefOffset = 100;

inline bool IsRefType(DataType dtype) { return dtype > kDataTypeRefOffset; }
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
// A value of type `actual` can be given to an argument of type `expected`:
// equal, or a reference to it.
inline bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == BaseType(actual);
}

// ---- Names ------------------------------------------------------------------

// "float", "int32", "float_ref"; "INVALID" for DT_INVALID, "unknown dtype 77"
// for what is none.
std::string DataTypeString(DataType dtype);
std::string DeviceTypeString(const DeviceType& device_type);
// "[float, int32]".
std::string DataTypeSliceString(DataTypeSlice dtypes);
inline std::string DataTypeVectorString(const DataTypeVector& dtypes) {
  return DataTypeSliceString(dtypes);
}
// Reads "float", "float32", "int32_ref", ...; false if it is none.
bool DataTypeFromString(absl::string_view s, DataType* dtype);

// ---- Properties -------------------------------------------------------------

// Bytes of an element; of std::string, ResourceHandle or Variant the size of
// the C++ object.  0 if unknown.
int DataTypeSize(DataType dtype);

// The elements are plain bytes: neither strings nor handles nor variants.
bool DataTypeCanUseMemcpy(DataType dtype);
bool DataTypeIsFloating(DataType dtype);
bool DataTypeIsComplex(DataType dtype);
bool DataTypeIsQuantized(DataType dtype);
bool DataTypeIsInteger(DataType dtype);
bool DataTypeIsSigned(DataType dtype);
bool DataTypeIsUnsigned(DataType dtype);
inline bool DataTypeIsNumeric(DataType dtype) {
  return DataTypeIsInteger(dtype) || DataTypeIsFloating(dtype) ||
         DataTypeIsComplex(dtype);
}
// Lives in host memory whatever the device: strings and resource handles.
bool DataTypeAlwaysOnHost(DataType dtype);
// Where an argument of this dtype is by default.
MemoryType MTypeFromDType(DataType dtype);

// ---- Sets, in the order in which TensorFlow lists them ----------------------

DataTypeVector AllTypes();
DataTypeVector RealNumberTypes();
DataTypeVector NumberTypes();
DataTypeVector QuantizedTypes();
DataTypeVector RealAndQuantizedTypes();

// ---- C++ type <-> dtype -----------------------------------------------------

// IsValidDataType<T>::value: T is the C++ type of some dtype.
template <typename T>
struct IsValidDataType {
  static constexpr bool value = false;
};

// DataTypeToEnum<float>::value == DT_FLOAT.
template <typename T>
struct DataTypeToEnum {
  static_assert(IsValidDataType<T>::value, "T is not the type of a dtype");
};

// EnumToDataType<DT_FLOAT>::Type is float.
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

// One more name of a string; see tstring.h.
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
