// SPDX-License-Identifier: Apache-2.0
// Making, comparing, printing and parsing AttrValue protos.
//
// Free functions without state: any thread, on protos that nobody changes.
// They keep no reference to their arguments.  A proto may come from a stranger:
// broken values are printed, compared and refused, and never end the process.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_ATTR_VALUE_UTIL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_ATTR_VALUE_UTIL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class AttrValue;
class NameAttrList;

// Text such as `2`, `"SAME"`, `DT_FLOAT`, `[2,3]`, `[1, 2, 3]`; strings beyond
// 80 characters and lists beyond 5 elements are shortened.  For messages:
// different values may give the same text.
std::string SummarizeAttrValue(const AttrValue& attr_value);

// InvalidArgument unless the value is of type `type`, written as in an OpDef:
// "int", "list(string)", "type", ... An empty list, or no value at all, is of
// every list type.  A placeholder of a function's body is of none.  A "type"
// must be a dtype and no reference; the text goes on from "attr 'x' ".
Status AttrValueHasType(const AttrValue& attr_value, absl::string_view type);

// Parses the text after "=" in an attr spec, for an attr of type `type`: `3`,
// `'SAME'`, `DT_FLOAT` or `float`, `{dim {size: 2}}`, `[1, 2]`...  False if the
// text is no value of that type, is empty, or is nested deeper than 100 levels;
// *out may be changed then.
bool ParseAttrValue(absl::string_view type, absl::string_view text,
                    AttrValue* out);

// Equal as values: a tensor by its contents, however it is encoded (NaN equals
// itself, 0 differs from -0), a function by its name and attrs.
bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b);
// Equal for AreAttrValuesEqual implies equal hashes.  The same in every process
// of one build.
uint64_t AttrValueHash(const AttrValue& value);

// Each sets *out, whatever it was, to a value of the type that the argument
// implies: an int for int32 and int64, a float (with its precision) for double,
// a tensor for a Tensor.  A copy is made.  A Tensor must be in host memory;
// more than one element is written as bytes.
void SetAttrValue(const std::string& value, AttrValue* out);
void SetAttrValue(const char* value, AttrValue* out);
void SetAttrValue(absl::string_view value, AttrValue* out);
void SetAttrValue(int64_t value, AttrValue* out);
void SetAttrValue(int32_t value, AttrValue* out);
void SetAttrValue(float value, AttrValue* out);
void SetAttrValue(double value, AttrValue* out);
void SetAttrValue(bool value, AttrValue* out);
void SetAttrValue(DataType value, AttrValue* out);
void SetAttrValue(const TensorShape& value, AttrValue* out);
void SetAttrValue(const TensorShapeProto& value, AttrValue* out);
void SetAttrValue(const PartialTensorShape& value, AttrValue* out);
void SetAttrValue(const Tensor& value, AttrValue* out);
void SetAttrValue(const TensorProto& value, AttrValue* out);
void SetAttrValue(const NameAttrList& value, AttrValue* out);
void SetAttrValue(const AttrValue& value, AttrValue* out);

// Lists; an empty one has no type of its own.
void SetAttrValue(absl::Span<const std::string> value, AttrValue* out);
void SetAttrValue(absl::Span<const char* const> value, AttrValue* out);
void SetAttrValue(absl::Span<const absl::string_view> value, AttrValue* out);
void SetAttrValue(absl::Span<const int64_t> value, AttrValue* out);
void SetAttrValue(absl::Span<const int32_t> value, AttrValue* out);
void SetAttrValue(absl::Span<const float> value, AttrValue* out);
void SetAttrValue(absl::Span<const double> value, AttrValue* out);
void SetAttrValue(absl::Span<const bool> value, AttrValue* out);
void SetAttrValue(const std::vector<bool>& value, AttrValue* out);
void SetAttrValue(absl::Span<const DataType> value, AttrValue* out);
void SetAttrValue(absl::Span<const TensorShape> value, AttrValue* out);
void SetAttrValue(absl::Span<const PartialTensorShape> value, AttrValue* out);
void SetAttrValue(absl::Span<const TensorShapeProto> value, AttrValue* out);
void SetAttrValue(absl::Span<const Tensor> value, AttrValue* out);
void SetAttrValue(absl::Span<const TensorProto> value, AttrValue* out);
void SetAttrValue(absl::Span<const NameAttrList> value, AttrValue* out);

// {1, 2} and std::vector do not convert to a Span during overload resolution
// against so many; these name the element type.
template <typename T>
void SetAttrValue(const std::vector<T>& value, AttrValue* out) {
  SetAttrValue(absl::Span<const T>(value), out);
}
template <typename T>
void SetAttrValue(std::initializer_list<T> value, AttrValue* out) {
  SetAttrValue(absl::Span<const T>(value.begin(), value.size()), out);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_ATTR_VALUE_UTIL_H_
