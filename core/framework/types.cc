// SPDX-License-Identifier: Apache-2.0
// The table of dtypes behind core/framework/types.h.
#include "core/framework/types.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/framework/numeric_types.h"
#include "core/framework/resource_handle.h"
#include "core/framework/variant.h"

namespace tensorwright {
namespace {

enum Kind {
  kOther,
  kFloating,
  kComplex,
  kSigned,
  kUnsigned,
  kQuantized,
  kObject
};

struct DtypeInfo {
  DataType dtype;
  const char* name;
  // Another name that DataTypeFromString reads; null if there is none.
  const char* alias;
  int size;
  Kind kind;
};

// Indexed by the dtype's number.
constexpr DtypeInfo kDtypes[] = {
    {DT_INVALID, "INVALID", nullptr, 0, kOther},
    {DT_FLOAT, "float", "float32", sizeof(float), kFloating},
    {DT_DOUBLE, "double", "float64", sizeof(double), kFloating},
    {DT_INT32, "int32", nullptr, 4, kSigned},
    {DT_UINT8, "uint8", nullptr, 1, kUnsigned},
    {DT_INT16, "int16", nullptr, 2, kSigned},
    {DT_INT8, "int8", nullptr, 1, kSigned},
    {DT_STRING, "string", nullptr, sizeof(std::string), kObject},
    {DT_COMPLEX64, "complex64", nullptr, sizeof(complex64), kComplex},
    {DT_INT64, "int64", nullptr, 8, kSigned},
    {DT_BOOL, "bool", nullptr, sizeof(bool), kOther},
    {DT_QINT8, "qint8", nullptr, sizeof(qint8), kQuantized},
    {DT_QUINT8, "quint8", nullptr, sizeof(quint8), kQuantized},
    {DT_QINT32, "qint32", nullptr, sizeof(qint32), kQuantized},
    {DT_BFLOAT16, "bfloat16", nullptr, sizeof(bfloat16), kFloating},
    {DT_QINT16, "qint16", nullptr, sizeof(qint16), kQuantized},
    {DT_QUINT16, "quint16", nullptr, sizeof(quint16), kQuantized},
    {DT_UINT16, "uint16", nullptr, 2, kUnsigned},
    {DT_COMPLEX128, "complex128", nullptr, sizeof(complex128), kComplex},
    {DT_HALF, "half", "float16", sizeof(half), kFloating},
    {DT_RESOURCE, "resource", nullptr, sizeof(ResourceHandle), kObject},
    {DT_VARIANT, "variant", nullptr, sizeof(Variant), kObject},
    {DT_UINT32, "uint32", nullptr, 4, kUnsigned},
    {DT_UINT64, "uint64", nullptr, 8, kUnsigned},
};

constexpr bool TableIsInOrder() {
  for (int i = 0; i < static_cast<int>(std::size(kDtypes)); ++i) {
    if (kDtypes[i].dtype != i) return false;
  }
  return true;
}
static_assert(TableIsInOrder());

// Null for a number that is no dtype; references have their base's entry.
const DtypeInfo* Find(DataType dtype) {
  const int base = BaseType(dtype);
  if (base < 0 || base >= static_cast<int>(std::size(kDtypes))) return nullptr;
  return &kDtypes[base];
}

// Properties are those of values: a reference has none of them.
Kind KindOf(DataType dtype) {
  const DtypeInfo* info = IsRefType(dtype) ? nullptr : Find(dtype);
  return info == nullptr ? kOther : info->kind;
}

// The dtypes that pass a test, in the order of their numbers.
template <typename Test>
DataTypeVector TypesWhere(const Test& test) {
  DataTypeVector types;
  for (const DtypeInfo& info : kDtypes) {
    if (info.dtype != DT_INVALID && test(info)) types.push_back(info.dtype);
  }
  return types;
}

}  // namespace

std::string DeviceTypeString(const DeviceType& device_type) {
  return device_type.type_string();
}

std::string DataTypeString(DataType dtype) {
  const DtypeInfo* info = Find(dtype);
  if (info == nullptr) {
    return absl::StrCat("unknown dtype ", static_cast<int>(dtype));
  }
  return absl::StrCat(info->name, IsRefType(dtype) ? "_ref" : "");
}

std::string DataTypeSliceString(DataTypeSlice dtypes) {
  return absl::StrCat("[",
                      absl::StrJoin(dtypes, ", ",
                                    [](std::string* out, DataType dtype) {
                                      out->append(DataTypeString(dtype));
                                    }),
                      "]");
}

bool DataTypeFromString(absl::string_view s, DataType* dtype) {
  const bool is_ref = absl::ConsumeSuffix(&s, "_ref");
  for (const DtypeInfo& info : kDtypes) {
    if (info.dtype == DT_INVALID) continue;
    if (s == info.name || (info.alias != nullptr && s == info.alias)) {
      *dtype = is_ref ? MakeRefType(info.dtype) : info.dtype;
      return true;
    }
  }
  return false;
}

int DataTypeSize(DataType dtype) {
  const DtypeInfo* info = Find(dtype);
  return info == nullptr ? 0 : info->size;
}

bool DataTypeCanUseMemcpy(DataType dtype) {
  const DtypeInfo* info = IsRefType(dtype) ? nullptr : Find(dtype);
  return info != nullptr && info->size > 0 && info->kind != kObject;
}

bool DataTypeIsFloating(DataType dtype) { return KindOf(dtype) == kFloating; }
bool DataTypeIsComplex(DataType dtype) { return KindOf(dtype) == kComplex; }
bool DataTypeIsQuantized(DataType dtype) { return KindOf(dtype) == kQuantized; }
bool DataTypeIsInteger(DataType dtype) {
  return KindOf(dtype) == kSigned || KindOf(dtype) == kUnsigned;
}
bool DataTypeIsSigned(DataType dtype) { return KindOf(dtype) == kSigned; }
bool DataTypeIsUnsigned(DataType dtype) { return KindOf(dtype) == kUnsigned; }

bool DataTypeAlwaysOnHost(DataType dtype) {
  const DataType base = BaseType(dtype);
  return base == DT_STRING || base == DT_RESOURCE;
}

MemoryType MTypeFromDType(DataType dtype) {
  // int32 mostly holds shapes and indices, which the host reads.
  return dtype == DT_INT32 || DataTypeAlwaysOnHost(dtype) ? HOST_MEMORY
                                                          : DEVICE_MEMORY;
}

DataTypeVector AllTypes() {
  return TypesWhere([](const DtypeInfo&) { return true; });
}

DataTypeVector RealNumberTypes() {
  return TypesWhere([](const DtypeInfo& info) {
    return info.kind == kFloating || info.kind == kSigned ||
           info.kind == kUnsigned;
  });
}

DataTypeVector NumberTypes() {
  return TypesWhere([](const DtypeInfo& info) {
    return info.kind != kOther && info.kind != kObject;
  });
}

DataTypeVector QuantizedTypes() {
  return TypesWhere(
      [](const DtypeInfo& info) { return info.kind == kQuantized; });
}

DataTypeVector RealAndQuantizedTypes() {
  DataTypeVector types = RealNumberTypes();
  for (DataType dtype : QuantizedTypes()) types.push_back(dtype);
  return types;
}

}  // namespace tensorwright
