// SPDX-License-Identifier: Apache-2.0
// Tensors as text, for messages and the Print op.
#include <charconv>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/framework/numeric_types.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor.h"
#include "core/framework/variant.h"

namespace tensorwright {
namespace {

// The shortest digits that read back as the same number.
template <typename T>
std::string FloatText(T x) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  return std::string(buffer, end);
}

std::string ElementText(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DT_FLOAT:
      return FloatText(t.base<float>()[i]);
    case DT_DOUBLE:
      return FloatText(t.base<double>()[i]);
    case DT_HALF:
      return FloatText(static_cast<float>(t.base<half>()[i]));
    case DT_BFLOAT16:
      return FloatText(static_cast<float>(t.base<bfloat16>()[i]));
    case DT_INT8:
    case DT_QINT8:
      return absl::StrCat(static_cast<int>(t.base<int8_t>()[i]));
    case DT_UINT8:
    case DT_QUINT8:
      return absl::StrCat(static_cast<int>(t.base<uint8_t>()[i]));
    case DT_INT16:
    case DT_QINT16:
      return absl::StrCat(t.base<int16_t>()[i]);
    case DT_UINT16:
    case DT_QUINT16:
      return absl::StrCat(t.base<uint16_t>()[i]);
    case DT_INT32:
    case DT_QINT32:
      return absl::StrCat(t.base<int32_t>()[i]);
    case DT_UINT32:
      return absl::StrCat(t.base<uint32_t>()[i]);
    case DT_INT64:
      return absl::StrCat(t.base<int64_t>()[i]);
    case DT_UINT64:
      return absl::StrCat(t.base<uint64_t>()[i]);
    case DT_BOOL:
      return t.base<bool>()[i] ? "1" : "0";
    case DT_COMPLEX64: {
      const complex64 x = t.base<complex64>()[i];
      return absl::StrCat("(", FloatText(x.real()), ",", FloatText(x.imag()),
                          ")");
    }
    case DT_COMPLEX128: {
      const complex128 x = t.base<complex128>()[i];
      return absl::StrCat("(", FloatText(x.real()), ",", FloatText(x.imag()),
                          ")");
    }
    case DT_STRING:
      return absl::Utf8SafeCEscape(t.base<std::string>()[i]);
    case DT_RESOURCE:
      return t.base<ResourceHandle>()[i].DebugString();
    case DT_VARIANT:
      return t.base<Variant>()[i].DebugString();
    default:
      return "?";
  }
}

// Rows in brackets: "[1 2][3 4]", elements beyond `limit` left out.
void AppendRows(const Tensor& t, int dim, int64_t limit, int64_t* next,
                std::string* out) {
  const int64_t size = t.dim_size(dim);
  for (int64_t i = 0; i < size && *next < limit; ++i) {
    if (dim == t.dims() - 1) {
      if (i > 0) out->push_back(' ');
      out->append(ElementText(t, (*next)++));
    } else {
      out->push_back('[');
      AppendRows(t, dim + 1, limit, next, out);
      out->push_back(']');
    }
  }
}

// NumPy's way: all dimensions in brackets, with the first and last `edge`
// entries of each, one line a row.
void AppendNested(const Tensor& t, int dim, int64_t offset, int64_t stride,
                  int64_t edge, std::string* out) {
  if (dim == t.dims()) {
    out->append(t.dtype() == DT_STRING
                    ? absl::StrCat("\"", ElementText(t, offset), "\"")
                    : ElementText(t, offset));
    return;
  }
  const int64_t size = t.dim_size(dim);
  const int64_t inner = size == 0 ? 0 : stride / size;
  out->push_back('[');
  const bool is_elided = size > 2 * edge;
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0 || (is_elided && edge == 0)) {
      if (dim == t.dims() - 1) {
        out->push_back(' ');
      } else {
        out->append(t.dims() - 1 - dim, '\n');
        out->append(dim + 1, ' ');
      }
    }
    if (is_elided && i == edge) {
      out->append("...");
      i = size - edge - 1;
      continue;
    }
    AppendNested(t, dim + 1, offset + i * inner, inner, edge, out);
  }
  out->push_back(']');
}

}  // namespace

std::string Tensor::SummarizeValue(int64_t max_entries, bool print_v2) const {
  if (!IsInitialized()) {
    return absl::StrCat("uninitialized Tensor of ", NumElements(),
                        " elements of type ", DataTypeString(dtype_));
  }
  std::string out;
  const int64_t n = NumElements();
  const int64_t limit = max_entries < 0 ? n : std::min(n, max_entries);
  if (print_v2 && (dims() > 0 || limit > 0)) {
    // `limit` is 0 for a tensor without elements: its rows are left out, as in
    // TensorFlow.
    AppendNested(*this, 0, 0, n, limit, &out);
    return out;
  }
  if (dims() == 0) {
    if (limit > 0) out = ElementText(*this, 0);
  } else {
    int64_t next = 0;
    AppendRows(*this, 0, limit, &next, &out);
  }
  if (n > limit) out.append("...");
  return out;
}

std::string Tensor::DebugString(int num_values) const {
  return absl::StrCat("Tensor<type: ", DataTypeString(dtype_),
                      " shape: ", shape_.DebugString(),
                      " values: ", SummarizeValue(num_values), ">");
}

std::string Tensor::DeviceSafeDebugString() const {
  return absl::StrCat("Tensor<type: ", DataTypeString(dtype_),
                      " shape: ", shape_.DebugString(), ">");
}

}  // namespace tensorwright
