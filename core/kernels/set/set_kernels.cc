// SPDX-License-Identifier: Apache-2.0
// The kernels of SetSize and of the operations on two sets.  A set is a run of
// entries with one group in a list that is sorted by group and value; the group
// is the place in all dimensions but the last.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Keys copy numbers and view strings in place.
template <typename T>
using Key =
    std::conditional_t<std::is_same_v<T, tstring>, absl::string_view, T>;

template <typename T>
struct Entry {
  int64_t group;
  Key<T> value;

  bool operator==(const Entry& other) const {
    return group == other.group && value == other.value;
  }
  bool operator<(const Entry& other) const {
    return group != other.group ? group < other.group : value < other.value;
  }
};

template <typename T>
struct Sets {
  std::vector<int64_t> shape;  // Includes the last dimension.
  std::vector<Entry<T>> entries;

  absl::Span<const int64_t> groups() const {
    return absl::MakeConstSpan(shape).subspan(0, shape.size() - 1);
  }
  // Sorts the entries, and leaves each value once.
  void Order() {
    if (!std::is_sorted(entries.begin(), entries.end())) {
      std::sort(entries.begin(), entries.end());
    }
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  }
};

template <typename T>
Status ReadDense(const Tensor& t, Sets<T>* sets) {
  if (t.dims() < 2) {
    return errors::InvalidArgument("Invalid input rank ", t.dims(),
                                   ", a set needs at least 2");
  }
  for (int d = 0; d < t.dims(); ++d) sets->shape.push_back(t.dim_size(d));
  const int64_t n = sets->shape.back();
  const T* values = t.base<T>();
  sets->entries.reserve(t.NumElements());
  for (int64_t i = 0; i < t.NumElements(); ++i) {
    sets->entries.push_back({i / n, values[i]});
  }
  sets->Order();
  return OkStatus();
}

// Reads the sizes of a dense shape; checks them and their product without the
// last.
Status ReadShape(const Tensor& shape, std::vector<int64_t>* sizes) {
  const int64_t* in = shape.base<int64_t>();
  int64_t groups = 1;
  for (int64_t d = 0; d < shape.NumElements(); ++d) {
    if (in[d] < 0) {
      return errors::InvalidArgument("Invalid shape: size ", d, " is ", in[d],
                                     ", which is negative");
    }
    sizes->push_back(in[d]);
    if (d + 1 < shape.NumElements() &&
        __builtin_mul_overflow(groups, in[d], &groups)) {
      return errors::InvalidArgument("Invalid shape: too many elements");
    }
  }
  return OkStatus();
}

// Reads inputs first, first + 1 and first + 2: indices, values, shape.
// `ordered`: rows of indices must ascend.
template <typename T>
Status ReadSparse(const OpKernelContext& ctx, int first, bool ordered,
                  int64_t least_rank, Sets<T>* sets) {
  const Tensor& indices = ctx.input(first);
  const Tensor& values = ctx.input(first + 1);
  const Tensor& shape = ctx.input(first + 2);
  if (indices.dims() != 2 || values.dims() != 1 || shape.dims() != 1 ||
      indices.dim_size(0) != values.dim_size(0) ||
      indices.dim_size(1) != shape.dim_size(0)) {
    return errors::InvalidArgument(
        "A sparse tensor has indices [n, rank], values [n] and a shape [rank], "
        "got shapes ",
        indices.shape().DebugString(), ", ", values.shape().DebugString(),
        " and ", shape.shape().DebugString());
  }
  const int64_t rank = shape.dim_size(0);
  if (rank < least_rank) {
    return errors::InvalidArgument("Invalid input rank ", rank,
                                   ", a set needs at least ", least_rank);
  }
  TF_RETURN_IF_ERROR(ReadShape(shape, &sets->shape));
  const int64_t* index = indices.base<int64_t>();
  const T* value = values.base<T>();
  const int64_t n = values.NumElements();
  sets->entries.reserve(n);
  for (int64_t i = 0; i < n; ++i, index += rank) {
    int64_t group = 0;
    for (int64_t d = 0; d < rank; ++d) {
      if (index[d] < 0 || index[d] >= sets->shape[d]) {
        return errors::InvalidArgument("indices[", i, ",", d, "] = ", index[d],
                                       " is not in [0, ", sets->shape[d],
                                       "): index out of bounds");
      }
      if (d + 1 < rank) group = group * sets->shape[d] + index[d];
    }
    if (ordered && i > 0 &&
        !std::lexicographical_compare(index - rank, index, index,
                                      index + rank)) {
      return errors::InvalidArgument(
          "indices[", i, "] is ",
          std::equal(index - rank, index, index) ? "repeated" : "out of order");
    }
    sets->entries.push_back({group, value[i]});
  }
  sets->Order();
  return OkStatus();
}

enum class Operation { kAMinusB, kBMinusA, kIntersection, kUnion };

Status ReadOperation(OpKernelConstruction* ctx, Operation* operation) {
  std::string name;
  TF_RETURN_IF_ERROR(ctx->GetAttr("set_operation", &name));
  name = absl::AsciiStrToLower(name);
  if (name == "a-b") {
    *operation = Operation::kAMinusB;
  } else if (name == "b-a") {
    *operation = Operation::kBMinusA;
  } else if (name == "intersection") {
    *operation = Operation::kIntersection;
  } else if (name == "union") {
    *operation = Operation::kUnion;
  } else {
    return errors::InvalidArgument(
        "Invalid set_operation \"", name,
        "\"; it must be a-b, b-a, intersection or union");
  }
  return OkStatus();
}

template <typename T>
std::vector<Entry<T>> Combine(Operation operation, const Sets<T>& a,
                              const Sets<T>& b) {
  std::vector<Entry<T>> out;
  const auto into = std::back_inserter(out);
  const auto& x = a.entries;
  const auto& y = b.entries;
  switch (operation) {
    case Operation::kAMinusB:
      std::set_difference(x.begin(), x.end(), y.begin(), y.end(), into);
      break;
    case Operation::kBMinusA:
      std::set_difference(y.begin(), y.end(), x.begin(), x.end(), into);
      break;
    case Operation::kIntersection:
      std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), into);
      break;
    case Operation::kUnion:
      std::set_union(x.begin(), x.end(), y.begin(), y.end(), into);
      break;
  }
  return out;
}

// Makes the outputs: a sparse tensor with those entries, in groups of that
// shape.
template <typename T>
Status SetOutputs(OpKernelContext* ctx, absl::Span<const int64_t> groups,
                  const std::vector<Entry<T>>& entries) {
  const int64_t n = static_cast<int64_t>(entries.size());
  const int64_t rank = static_cast<int64_t>(groups.size()) + 1;
  Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape({n, rank}), &indices));
  TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape({n}), &values));
  TF_RETURN_IF_ERROR(ctx->allocate_output(2, TensorShape({rank}), &shape));
  int64_t* index = indices->base<int64_t>();
  T* value = values->base<T>();
  int64_t most = 0, place = 0;
  for (int64_t i = 0; i < n; ++i, index += rank) {
    place = i > 0 && entries[i].group == entries[i - 1].group ? place + 1 : 0;
    most = std::max(most, place + 1);
    int64_t group = entries[i].group;
    for (int64_t d = rank - 2; d >= 0; --d) {
      index[d] = group % groups[d];
      group /= groups[d];
    }
    index[rank - 1] = place;
    value[i] = T(entries[i].value);
  }
  int64_t* sizes = shape->base<int64_t>();
  std::copy(groups.begin(), groups.end(), sizes);
  sizes[rank - 1] = most;
  return OkStatus();
}

// Says which of the two inputs are sparse.
enum class Kinds { kDenseDense, kDenseSparse, kSparseSparse };

template <typename T, Kinds kKinds>
class SetOperationOp final : public OpKernel {
 public:
  explicit SetOperationOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOperation(ctx, &operation_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("validate_indices", &validate_));
  }

  void Compute(OpKernelContext* ctx) override {
    Sets<T> a, b;
    if constexpr (kKinds == Kinds::kSparseSparse) {
      OP_REQUIRES_OK(ctx, ReadSparse<T>(*ctx, 0, validate_, 2, &a));
      OP_REQUIRES_OK(ctx, ReadSparse<T>(*ctx, 3, validate_, 2, &b));
    } else {
      OP_REQUIRES_OK(ctx, ReadDense<T>(ctx->input(0), &a));
      if constexpr (kKinds == Kinds::kDenseSparse) {
        OP_REQUIRES_OK(ctx, ReadSparse<T>(*ctx, 1, validate_, 2, &b));
      } else {
        OP_REQUIRES_OK(ctx, ReadDense<T>(ctx->input(1), &b));
      }
    }
    OP_REQUIRES(ctx, a.groups() == b.groups(),
                errors::InvalidArgument(
                    "Mismatched group dims: all dimensions but the last of the "
                    "two inputs must be equal"));
    OP_REQUIRES_OK(
        ctx, SetOutputs<T>(ctx, a.groups(), Combine<T>(operation_, a, b)));
  }

 private:
  Operation operation_ = Operation::kUnion;
  bool validate_ = true;
};

}  // namespace

template <typename T>
class SetSizeOp final : public OpKernel {
 public:
  explicit SetSizeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("validate_indices", &validate_));
  }

  void Compute(OpKernelContext* ctx) override {
    Sets<T> sets;
    OP_REQUIRES_OK(ctx, ReadSparse<T>(*ctx, 0, validate_, 1, &sets));
    TensorShape shape;
    for (const int64_t size : sets.groups()) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(size));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    int32_t* sizes = output->base<int32_t>();
    std::fill_n(sizes, output->NumElements(), 0);
    for (const Entry<T>& entry : sets.entries) ++sizes[entry.group];
  }

 private:
  bool validate_ = true;
};

template <typename T>
using DenseDenseOp = SetOperationOp<T, Kinds::kDenseDense>;
template <typename T>
using DenseSparseOp = SetOperationOp<T, Kinds::kDenseSparse>;
template <typename T>
using SparseSparseOp = SetOperationOp<T, Kinds::kSparseSparse>;

REGISTER_KERNEL_FOR_TYPES(Name("SetSize").Device(DEVICE_CPU), "T", SetSizeOp,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          tstring);
REGISTER_KERNEL_FOR_TYPES(Name("DenseToDenseSetOperation").Device(DEVICE_CPU),
                          "T", DenseDenseOp, int8_t, int16_t, int32_t, int64_t,
                          uint8_t, uint16_t, tstring);
REGISTER_KERNEL_FOR_TYPES(Name("DenseToSparseSetOperation").Device(DEVICE_CPU),
                          "T", DenseSparseOp, int8_t, int16_t, int32_t, int64_t,
                          uint8_t, uint16_t, tstring);
REGISTER_KERNEL_FOR_TYPES(Name("SparseToSparseSetOperation").Device(DEVICE_CPU),
                          "T", SparseSparseOp, int8_t, int16_t, int32_t,
                          int64_t, uint8_t, uint16_t, tstring);

}  // namespace tensorwright
