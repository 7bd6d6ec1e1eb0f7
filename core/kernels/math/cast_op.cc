// SPDX-License-Identifier: Apache-2.0
// The kernel of Cast between any two of the types of numbers, quantized ones
// and bool.

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/math/cast_op_bits.h"
#include "core/lib/core/errors.h"
#include "core/util/elementwise.h"
#include "core/util/scalar_kernel.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Truncates real numbers to integers (the result is arbitrary if out of range),
// drops the imaginary part of complex numbers that become real, and compares
// with 0 for bool.
template <typename To, typename From>
inline To CastOne(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (functor::kIsComplex<From>) {
    if constexpr (functor::kIsComplex<To>) {
      return To(x);
    } else {
      return CastOne<To>(x.real());
    }
  } else if constexpr (functor::kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else {
    return static_cast<To>(x);
  }
}

struct PlainCastLoop {
  template <typename From, typename To>
  TW_WIDE_LOOP static void Run(const From* in, To* out, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = CastOne<To>(in[i]);
  }
};

// half and bfloat16 pass through a block of floats; others convert directly.
template <typename From, typename To>
void CastLoop(const void* x, void* y, int64_t n) {
  const From* in = static_cast<const From*>(x);
  To* out = static_cast<To*>(y);
  constexpr bool kWiden = kIsNarrowFloat<From>;
  constexpr bool kNarrow = kIsNarrowFloat<To>;
  if constexpr (kWiden && std::is_same_v<To, float>) {
    WidenFloats(in, out, n);
  } else if constexpr (kNarrow && std::is_same_v<From, float>) {
    NarrowFloats(in, out, n);
  } else if constexpr (kWiden || kNarrow) {
    float block[kWidenBlock];
    for (int64_t i = 0; i < n; i += kWidenBlock) {
      const int64_t m = std::min(kWidenBlock, n - i);
      if constexpr (kWiden) {
        WidenFloats(in + i, block, m);
      } else {
        RunWide<PlainCastLoop>(in + i, block, m);
      }
      if constexpr (kNarrow) {
        NarrowFloats(block, out + i, m);
      } else {
        RunWide<PlainCastLoop>(block, out + i, m);
      }
    }
  } else {
    RunWide<PlainCastLoop>(in, out, n);
  }
}

template <typename From>
UnaryLoopFn CastLoopFrom(DataType to) {
  switch (to) {
    case DT_BOOL:
      return &CastLoop<From, bool>;
    case DT_INT8:
      return &CastLoop<From, int8>;
    case DT_INT16:
      return &CastLoop<From, int16>;
    case DT_INT32:
      return &CastLoop<From, int32>;
    case DT_INT64:
      return &CastLoop<From, int64_t>;
    case DT_UINT8:
      return &CastLoop<From, uint8>;
    case DT_UINT16:
      return &CastLoop<From, uint16>;
    case DT_UINT32:
      return &CastLoop<From, uint32>;
    case DT_UINT64:
      return &CastLoop<From, uint64>;
    case DT_HALF:
      return &CastLoop<From, Eigen::half>;
    case DT_BFLOAT16:
      return &CastLoop<From, Eigen::bfloat16>;
    case DT_FLOAT:
      return &CastLoop<From, float>;
    case DT_DOUBLE:
      return &CastLoop<From, double>;
    case DT_COMPLEX64:
      return &CastLoop<From, complex64>;
    case DT_COMPLEX128:
      return &CastLoop<From, complex128>;
    default:
      return nullptr;
  }
}

}  // namespace

UnaryLoopFn CastLoopFor(DataType from, DataType to) {
  switch (from) {
    case DT_BOOL:
      return CastLoopFrom<bool>(to);
    case DT_INT8:
      return CastLoopFrom<int8>(to);
    case DT_INT16:
      return CastLoopFrom<int16>(to);
    case DT_INT32:
      return CastLoopFrom<int32>(to);
    case DT_INT64:
      return CastLoopFrom<int64_t>(to);
    case DT_UINT8:
      return CastLoopFrom<uint8>(to);
    case DT_UINT16:
      return CastLoopFrom<uint16>(to);
    case DT_UINT32:
      return CastLoopFrom<uint32>(to);
    case DT_UINT64:
      return CastLoopFrom<uint64>(to);
    case DT_HALF:
      return CastLoopFrom<Eigen::half>(to);
    case DT_BFLOAT16:
      return CastLoopFrom<Eigen::bfloat16>(to);
    case DT_FLOAT:
      return CastLoopFrom<float>(to);
    case DT_DOUBLE:
      return CastLoopFrom<double>(to);
    case DT_COMPLEX64:
      return CastLoopFrom<complex64>(to);
    case DT_COMPLEX128:
      return CastLoopFrom<complex128>(to);
    default:
      return nullptr;
  }
}

namespace {

// A quantized number is cast as the integer it is stored in.
DataType StoredAs(DataType dtype) {
  switch (dtype) {
    case DT_QINT8:
      return DT_INT8;
    case DT_QUINT8:
      return DT_UINT8;
    case DT_QINT16:
      return DT_INT16;
    case DT_QUINT16:
      return DT_UINT16;
    case DT_QINT32:
      return DT_INT32;
    default:
      return dtype;
  }
}

// Copies n unsigned integers from `x` to `out` with their low `bits` cleared.
template <typename Bits>
void ClearLowBits(const void* x, void* out, int64_t n, int bits) {
  const Bits mask = static_cast<Bits>(~((uint64_t{1} << bits) - 1));
  const Bits* in = static_cast<const Bits*>(x);
  Bits* to = static_cast<Bits*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = in[i] & mask;
}

}  // namespace

class CastOp final : public OpKernel, public ScalarKernel {
 public:
  explicit CastOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    DataType from, to;
    bool truncate = false;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("SrcT", &from));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("DstT", &to));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Truncate", &truncate));
    same_ = from == to;
    loop_ = CastLoopFor(StoredAs(from), StoredAs(to));
    OP_REQUIRES(ctx, same_ || loop_ != nullptr,
                errors::Unimplemented("Cast ", DataTypeString(from), " to ",
                                      DataTypeString(to), " is not supported"));
    if (truncate) cleared_bits_ = ClearedBits(from, to);
  }

  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override {
    if (cleared_bits_ > 0) return false;
    if (!same_) calls->emplace_back().unary = loop_;
    outputs->push_back(same_ ? 0 : 1);
    return true;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    if (same_) {
      ctx->set_output(0, x);
      return;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    const int64_t in_size = DataTypeSize(x.dtype());
    const int64_t out_size = DataTypeSize(y->dtype());
    Tensor source = x;
    if (cleared_bits_ > 0) {
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(x.dtype(), x.shape(), &source));
      Truncate(x, &source);
    }
    const auto run = [&](int64_t begin, int64_t end) {
      loop_(source.base<char>() + begin * in_size,
            y->base<char>() + begin * out_size, end - begin);
    };
    ParallelFor(ctx, x.NumElements(), 2, run);
  }

 private:
  void Truncate(const Tensor& x, Tensor* out) const {
    const int64_t n = x.NumElements();
    switch (DataTypeSize(x.dtype())) {
      case 8:
        return ClearLowBits<uint64_t>(x.data(), out->data(), n, cleared_bits_);
      case 4:
        return ClearLowBits<uint32_t>(x.data(), out->data(), n, cleared_bits_);
      default:
        return ClearLowBits<uint16_t>(x.data(), out->data(), n, cleared_bits_);
    }
  }

  bool same_ = false;
  UnaryLoopFn loop_ = nullptr;
  int cleared_bits_ = 0;
};

REGISTER_KERNEL_BUILDER(Name("Cast").Device(DEVICE_CPU), CastOp);
const ElementwiseRegistrar cast_traits("Cast", ElementwiseKind::kCast);

}  // namespace tensorwright
