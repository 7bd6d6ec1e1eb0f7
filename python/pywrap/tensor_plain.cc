// SPDX-License-Identifier: Apache-2.0
// Numbers, strings and nested lists of them -> Tensor, without NumPy: most
// constants of a graph are that small.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "python/pywrap/tensor_numpy.h"

namespace tensorwright::pywrap {
namespace {

constexpr int kMaxRank = 8;

enum class Kind { kNone, kBool, kInt, kFloat, kString, kOther };

Kind KindOf(PyObject* o) {
  if (PyFloat_CheckExact(o)) return Kind::kFloat;
  if (PyLong_CheckExact(o)) return Kind::kInt;
  if (PyBool_Check(o)) return Kind::kBool;
  if (PyUnicode_CheckExact(o) || PyBytes_CheckExact(o)) return Kind::kString;
  return Kind::kOther;
}

bool IsList(PyObject* o) {
  return PyList_CheckExact(o) || PyTuple_CheckExact(o);
}

// The leaves of a nested list that is rectangular and all of one kind.
struct Leaves {
  std::vector<PyObject*> items;  // Borrowed.
  Kind kind = Kind::kNone;
  int64_t sizes[kMaxRank];
  int rank = 0;
};

bool Collect(PyObject* o, int depth, int* leaf_depth, Leaves* out) {
  if (!IsList(o)) {
    if (*leaf_depth < 0) *leaf_depth = depth;
    if (*leaf_depth != depth) return false;
    const Kind kind = KindOf(o);
    if (out->kind == Kind::kNone) out->kind = kind;
    if (kind == Kind::kOther || kind != out->kind) return false;
    out->items.push_back(o);
    return true;
  }
  if (depth >= kMaxRank || (*leaf_depth >= 0 && depth >= *leaf_depth)) {
    return false;
  }
  const int64_t n = PySequence_Fast_GET_SIZE(o);
  if (depth == out->rank) {
    // The first list at this depth sets its length.
    out->sizes[out->rank++] = n;
  } else if (out->sizes[depth] != n) {
    return false;
  }
  if (n == 0) {
    // [] has rank 1; [[], []] and the like are left to NumPy.
    return depth == 0;
  }
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (int64_t i = 0; i < n; ++i) {
    if (!Collect(items[i], depth + 1, leaf_depth, out)) return false;
  }
  return true;
}

template <typename T>
bool StoreInts(const Leaves& leaves, T* out) {
  for (size_t i = 0; i < leaves.items.size(); ++i) {
    int overflow = 0;
    const int64_t v = PyLong_AsLongLongAndOverflow(leaves.items[i], &overflow);
    if (overflow != 0) return false;
    if constexpr (std::is_floating_point_v<T>) {
      out[i] = static_cast<T>(v);
      // 2^53 + 1 is no float64: the slow path reports it, or rounds.
      if (std::abs(v) > (int64_t{1} << std::numeric_limits<T>::digits)) {
        return false;
      }
    } else {
      if (v < static_cast<int64_t>(std::numeric_limits<T>::min())) return false;
      if constexpr (sizeof(T) < 8) {
        if (v > static_cast<int64_t>(std::numeric_limits<T>::max())) {
          return false;
        }
      }
      out[i] = static_cast<T>(v);
    }
  }
  return true;
}

template <typename T>
void StoreFloats(const Leaves& leaves, T* out) {
  for (size_t i = 0; i < leaves.items.size(); ++i) {
    out[i] = static_cast<T>(PyFloat_AS_DOUBLE(leaves.items[i]));
  }
}

bool StoreIntsAs(const Leaves& leaves, Tensor* t) {
  switch (t->dtype()) {
    case DT_INT32:
      return StoreInts(leaves, t->base<int32_t>());
    case DT_INT64:
      return StoreInts(leaves, t->base<int64_t>());
    case DT_FLOAT:
      return StoreInts(leaves, t->base<float>());
    case DT_DOUBLE:
      return StoreInts(leaves, t->base<double>());
    case DT_UINT8:
      return StoreInts(leaves, t->base<uint8_t>());
    case DT_INT8:
      return StoreInts(leaves, t->base<int8_t>());
    case DT_INT16:
      return StoreInts(leaves, t->base<int16_t>());
    case DT_UINT16:
      return StoreInts(leaves, t->base<uint16_t>());
    case DT_UINT32:
      return StoreInts(leaves, t->base<uint32_t>());
    case DT_UINT64:
      return StoreInts(leaves, t->base<uint64_t>());
    default:
      return false;
  }
}

bool StoreFloatsAs(const Leaves& leaves, Tensor* t) {
  switch (t->dtype()) {
    case DT_FLOAT:
      StoreFloats(leaves, t->base<float>());
      return true;
    case DT_DOUBLE:
      StoreFloats(leaves, t->base<double>());
      return true;
    case DT_HALF:
      StoreFloats(leaves, t->base<Eigen::half>());
      return true;
    default:
      return false;
  }
}

bool StoreStrings(const Leaves& leaves, Tensor* t) {
  auto* out = t->base<std::string>();
  for (size_t i = 0; i < leaves.items.size(); ++i) {
    absl::string_view text;
    if (!AsText(leaves.items[i], &text)) {
      PyErr_Clear();  // Lone surrogates: the slow path reports them.
      return false;
    }
    out[i].assign(text.data(), text.size());
  }
  return true;
}

DataType InferType(const Leaves& leaves) {
  switch (leaves.kind) {
    case Kind::kBool:
      return DT_BOOL;
    case Kind::kString:
      return DT_STRING;
    case Kind::kInt:
      for (PyObject* item : leaves.items) {
        int overflow = 0;
        const int64_t v = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow != 0) return DT_INVALID;
        if (v != static_cast<int32_t>(v)) return DT_INT64;
      }
      return DT_INT32;
    default:
      return DT_FLOAT;  // Floats, and the empty list.
  }
}

bool Store(const Leaves& leaves, Tensor* t) {
  switch (leaves.kind) {
    case Kind::kNone:
      return true;  // Empty.
    case Kind::kBool: {
      if (t->dtype() != DT_BOOL) return false;
      for (size_t i = 0; i < leaves.items.size(); ++i) {
        t->base<bool>()[i] = leaves.items[i] == Py_True;
      }
      return true;
    }
    case Kind::kInt:
      return StoreIntsAs(leaves, t);
    case Kind::kFloat:
      return StoreFloatsAs(leaves, t);
    case Kind::kString:
      return t->dtype() == DT_STRING && StoreStrings(leaves, t);
    default:
      return false;
  }
}

}  // namespace

Plain TensorFromPlain(PyObject* value, DataType dtype, Tensor* tensor) {
  if (!IsList(value) && KindOf(value) == Kind::kOther) return Plain::kOther;
  Leaves leaves;
  int leaf_depth = -1;
  if (!Collect(value, 0, &leaf_depth, &leaves)) return Plain::kOther;
  if (dtype == DT_INVALID) dtype = InferType(leaves);
  if (dtype == DT_INVALID || dtype == DT_RESOURCE || dtype == DT_VARIANT) {
    return Plain::kOther;
  }
  TensorShape shape;
  for (int i = 0; i < leaves.rank; ++i) shape.AddDim(leaves.sizes[i]);
  Tensor result;
  if (!Tensor::BuildTensor(dtype, shape, &result).ok()) return Plain::kOther;
  if (!Store(leaves, &result)) return Plain::kOther;
  *tensor = std::move(result);
  return Plain::kDone;
}

}  // namespace tensorwright::pywrap
