// SPDX-License-Identifier: Apache-2.0
// Kernels of UnsortedSegmentSum, UnsortedSegmentProd, UnsortedSegmentMax and
// UnsortedSegmentMin.

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/math/segment_reduction_ops.h"
#include "core/kernels/math/segment_reduction_ops_unsorted_shapes.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Sets out to the reduction of nothing, then combines out[ids[i], :] with
// data[i, :].  Does segments [begin, end) only, so that threads share out
// segments.
using UnsortedLoopFn = void (*)(const void* data,
                                const std::vector<int64_t>& ids, int64_t row,
                                int64_t begin, int64_t end, void* out);

// The result for a segment without elements.
enum class Nothing {
  kInitial,  // The reducer's initial value.
  kLowest,   // The lowest finite number, where MaxReducer has minus infinity.
  kHighest,  // The highest finite number, where MinReducer has infinity.
};

template <template <typename> class R, Nothing kNothing, typename T>
void UnsortedLoop(const void* data, const std::vector<int64_t>& ids,
                  int64_t row, int64_t begin, int64_t end, void* out) {
  using C = ComputeType<T>;
  const T* in = static_cast<const T*>(data);
  T* to = static_cast<T*>(out) + begin * row;
  const int64_t size = (end - begin) * row;
  std::vector<C> wide;
  C* acc = nullptr;
  if constexpr (std::is_same_v<C, T>) {
    acc = to;
  } else {
    wide.resize(size);
    acc = wide.data();
  }
  C initial = R<C>::Initial();
  if constexpr (kNothing == Nothing::kLowest) {
    initial = static_cast<C>(std::numeric_limits<T>::lowest());
  } else if constexpr (kNothing == Nothing::kHighest) {
    initial = static_cast<C>(std::numeric_limits<T>::max());
  }
  std::fill_n(acc, size, initial);
  std::vector<C> widened(std::is_same_v<C, T> ? 0 : row);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < begin || ids[i] >= end) continue;
    C* segment = acc + (ids[i] - begin) * row;
    const T* from = in + i * row;
    const C* from_wide = nullptr;
    if constexpr (std::is_same_v<C, T>) {
      from_wide = from;
    } else {
      WidenFloats(from, widened.data(), row);
      from_wide = widened.data();
    }
    if (row < 8) {
      for (int64_t j = 0; j < row; ++j) {
        segment[j] = R<C>::Combine(segment[j], from_wide[j]);
      }
    } else {
      CombineRows<R<C>>([from_wide](int64_t) { return from_wide; }, 0, 1,
                        segment, row);
    }
  }
  if constexpr (!std::is_same_v<C, T>) NarrowFloats(acc, to, size);
}

}  // namespace

class UnsortedSegmentOpBase : public OpKernel {
 public:
  UnsortedSegmentOpBase(OpKernelConstruction* ctx, UnsortedLoopFn loop)
      : OpKernel(ctx), loop_(loop) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& segment_ids = ctx->input(1);
    const Tensor& num_segments = ctx->input(2);
    int64_t segments = 0, row = 1;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, UnsortedSegmentShape(type_string(), data.shape(),
                                             segment_ids.shape(), num_segments,
                                             &segments, &row, &shape));
    const std::vector<int64_t> ids = ReadIds(segment_ids);
    for (int64_t id : ids) {
      OP_REQUIRES(
          ctx, id < segments,
          errors::InvalidArgument(type_string(), ": segment id ", id,
                                  " is out of range [0, ", segments, ")"));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const auto run = [&](int64_t begin, int64_t end) {
      loop_(data.data(), ids, row, begin, end, output->data());
    };
    // Each thread reads all ids, so that must cost little beside the adding.
    if (row < 8) {
      run(0, segments);
    } else {
      ParallelFor(ctx, segments, data.NumElements() / segments + row,
                  std::ref(run));
    }
  }

 private:
  const UnsortedLoopFn loop_;
};

template <template <typename> class R, Nothing kNothing = Nothing::kInitial>
struct UnsortedSegmentReduction {
  template <typename T>
  class Op final : public UnsortedSegmentOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : UnsortedSegmentOpBase(ctx, &UnsortedLoop<R, kNothing, T>) {}
  };
};

REGISTER_KERNEL_FOR_TYPES(
    Name("UnsortedSegmentSum").Device(DEVICE_CPU).HostMemory("num_segments"),
    "T", UnsortedSegmentReduction<SumReducer>::Op, int8, int16, int32, int64_t,
    uint8, uint16, uint32, uint64, Eigen::half, Eigen::bfloat16, float, double,
    complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("UnsortedSegmentProd").Device(DEVICE_CPU).HostMemory("num_segments"),
    "T", UnsortedSegmentReduction<ProdReducer>::Op, int8, int16, int32, int64_t,
    uint8, uint16, uint32, uint64, Eigen::half, Eigen::bfloat16, float, double,
    complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("UnsortedSegmentMax").Device(DEVICE_CPU).HostMemory("num_segments"),
    "T", UnsortedSegmentReduction<MaxReducer, Nothing::kLowest>::Op, int8,
    int16, int32, int64_t, uint8, uint16, uint32, uint64, Eigen::half,
    Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("UnsortedSegmentMin").Device(DEVICE_CPU).HostMemory("num_segments"),
    "T", UnsortedSegmentReduction<MinReducer, Nothing::kHighest>::Op, int8,
    int16, int32, int64_t, uint8, uint16, uint32, uint64, Eigen::half,
    Eigen::bfloat16, float, double);

}  // namespace tensorwright
