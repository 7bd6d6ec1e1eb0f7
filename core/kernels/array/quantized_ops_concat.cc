// SPDX-License-Identifier: Apache-2.0
// QuantizedConcat: converts codes of several ranges to one range, in one
// tensor.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"

namespace tensorwright {
namespace {

// The ends of the inputs' ranges.
struct Ranges {
  std::vector<float> mins, maxes;
  float min = 0, max = 0;  // The ends of the output's range.

  Status Read(OpKernelContext* ctx) {
    TF_RETURN_IF_ERROR(ReadEnds(ctx, "input_mins", &mins));
    return ReadEnds(ctx, "input_maxes", &maxes);
  }

  // The smallest range with 0 that holds all; symmetric for signed codes, so
  // that 0 is in the middle.
  void Join(bool symmetric) {
    min = std::min(0.0f, *std::min_element(mins.begin(), mins.end()));
    max = *std::max_element(maxes.begin(), maxes.end());
    if (symmetric) {
      max = std::max(std::fabs(min), std::fabs(max));
      min = -max;
    }
  }

 private:
  static Status ReadEnds(OpKernelContext* ctx, const char* name,
                         std::vector<float>* ends) {
    OpInputList list;
    TF_RETURN_IF_ERROR(ctx->input_list(name, &list));
    for (int i = 0; i < list.size(); ++i) {
      if (list[i].NumElements() != 1) {
        return errors::InvalidArgument("QuantizedConcat: ", name, "[", i,
                                       "] must be a scalar, got shape ",
                                       list[i].shape().DebugString());
      }
      ends->push_back(*list[i].base<float>());
    }
    return OkStatus();
  }
};

// The shape of the values joined along `axis`, which is made to count from the
// front.
Status JoinedShape(const OpInputList& values, int64_t* axis,
                   TensorShape* joined) {
  *joined = values[0].shape();
  const int rank = joined->dims();
  if (*axis < -rank || *axis >= rank) {
    return errors::InvalidArgument(
        "QuantizedConcat: concat_dim must be in the range [", -rank, ", ", rank,
        "), got ", *axis);
  }
  if (*axis < 0) *axis += rank;
  const int dim = static_cast<int>(*axis);
  for (int i = 1; i < values.size(); ++i) {
    TensorShape rest = values[i].shape();
    const int64_t before = joined->dim_size(dim);
    const int64_t size = rest.dims() == rank ? rest.dim_size(dim) : 0;
    if (rest.dims() == rank) rest.set_dim(dim, before);
    if (rest != *joined) {
      return errors::InvalidArgument(
          "QuantizedConcat: Dimensions of inputs should match: shape[0] = ",
          values[0].shape().DebugString(), " vs. shape[", i,
          "] = ", values[i].shape().DebugString());
    }
    TF_RETURN_IF_ERROR(joined->SetDimWithStatus(dim, before + size));
  }
  return OkStatus();
}

template <typename T>
struct RecodeLoop {
  TW_WIDE_LOOP static void Run(MinFirstDequantizer<T> from,
                               MinFirstQuantizer<T> to, const T* x, T* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = to(from(x[i]));
  }
};

// y[i] = x[i] in another range.
template <typename T>
class Recoder {
 public:
  Recoder(const MinFirstDequantizer<T>& from, const MinFirstQuantizer<T>& to)
      : from_(from), to_(to) {}

  void operator()(const T* x, T* y, int64_t n) const {
    RunWide<RecodeLoop<T>>(from_, to_, x, y, n);
  }

 private:
  const MinFirstDequantizer<T> from_;
  const MinFirstQuantizer<T> to_;
};

// There are few codes: each is converted once.
template <>
class Recoder<quint8> {
 public:
  Recoder(const MinFirstDequantizer<quint8>& from,
          const MinFirstQuantizer<quint8>& to) {
    for (int c = 0; c < 256; ++c) {
      table_[c] = to(from(quint8{static_cast<uint8_t>(c)}));
    }
  }

  void operator()(const quint8* x, quint8* y, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) y[i] = table_[x[i].value];
  }

 private:
  quint8 table_[256];
};

template <typename T>
class QuantizedConcatOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dim_tensor = ctx->input(0);
    OP_REQUIRES(ctx, dim_tensor.dims() == 0,
                errors::InvalidArgument(
                    "QuantizedConcat: concat_dim must be a scalar, got shape ",
                    dim_tensor.shape().DebugString()));
    OpInputList values;
    OP_REQUIRES_OK(ctx, ctx->input_list("values", &values));
    Ranges ranges;
    OP_REQUIRES_OK(ctx, ranges.Read(ctx));
    ranges.Join(kLowestCode<T> < 0);
    int64_t axis = ScalarIndex(dim_tensor);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, JoinedShape(values, &axis, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, ranges.min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, ranges.max));
    if (out->NumElements() > 0) {
      Join(ctx, values, ranges, static_cast<int>(axis), out);
    }
  }

 private:
  // Goes value by value: each has its own range.
  static void Join(OpKernelContext* ctx, const OpInputList& values,
                   const Ranges& ranges, int axis, Tensor* out) {
    const int64_t rows = SizeOfDims(out->shape(), 0, axis);
    const int64_t row = SizeOfDims(out->shape(), axis, out->dims());
    int64_t offset = 0;
    for (int v = 0; v < values.size(); ++v) {
      const int64_t size = SizeOfDims(values[v].shape(), axis, out->dims());
      const T* x = values[v].base<T>();
      T* y = out->base<T>() + offset;
      const bool same =
          ranges.mins[v] == ranges.min && ranges.maxes[v] == ranges.max;
      const Recoder<T> recode(
          MinFirstDequantizer<T>(ranges.mins[v], ranges.maxes[v]),
          MinFirstQuantizer<T>(ranges.min, ranges.max));
      ParallelFor(ctx, rows * size, 3, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end;) {
          const int64_t r = at / size, column = at % size;
          const int64_t n = std::min(size - column, end - at);
          if (same) {
            CopyRun(x + at, n, y + r * row + column);
          } else {
            recode(x + at, y + r * row + column, n);
          }
          at += n;
        }
      });
      offset += size;
    }
  }
};
REGISTER_KERNEL_FOR_TYPES(
    Name("QuantizedConcat").Device(DEVICE_CPU).HostMemory("concat_dim"), "T",
    QuantizedConcatOp, quint8, qint32);

}  // namespace
}  // namespace tensorwright
