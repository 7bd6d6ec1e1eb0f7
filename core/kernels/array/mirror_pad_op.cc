// SPDX-License-Identifier: Apache-2.0
// MirrorPad, whose padding is the tensor's mirror image, and MirrorPadGrad.

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/int_elements.h"
#include "core/util/overflow.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// `size` elements in the middle of `before + size + after`, with a mirror image
// of at most size - skip elements on either side; skip is 1 if the edge itself
// is not repeated (REFLECT).
struct MirrorDim {
  int64_t before, size, after, skip;

  int64_t padded() const { return before + size + after; }
  // The position in the middle of element `i` of the whole.
  int64_t Source(int64_t i) const {
    i -= before;
    if (i < 0) return -i - 1 + skip;
    if (i >= size) return 2 * size - 1 - i - skip;
    return i;
  }
};
using MirrorDims = absl::InlinedVector<MirrorDim, 8>;

Status ReadMode(OpKernelConstruction* ctx, int64_t* skip) {
  std::string mode;
  TF_RETURN_IF_ERROR(ctx->GetAttr("mode", &mode));
  *skip = mode == "REFLECT" ? 1 : 0;
  return OkStatus();
}

// Reads the paddings [rank, 2] of a tensor of shape `in`, which is the middle
// or, if `in_is_padded`, the whole; `out` is the other one's shape.
Status ReadPaddings(const TensorShape& in, const Tensor& paddings, int64_t skip,
                    bool in_is_padded, MirrorDims* dims, TensorShape* out) {
  const int rank = in.dims();
  if (paddings.dims() != 2 || paddings.dim_size(0) != rank ||
      paddings.dim_size(1) != 2) {
    return errors::InvalidArgument(
        "paddings must be a matrix of ", rank,
        " rows and 2 columns: ", paddings.shape().DebugString());
  }
  for (int d = 0; d < rank; ++d) {
    const int64_t before = IntAt(paddings, 2 * d);
    const int64_t after = IntAt(paddings, 2 * d + 1);
    int64_t size = in.dim_size(d);
    const int64_t both = AddWithoutOverflow(before, after);
    if (before < 0 || after < 0 || both < 0) {
      return errors::InvalidArgument("Paddings must be non-negative: ", before,
                                     ", ", after);
    }
    if (in_is_padded) size -= both;
    // Elements of an empty dimension cannot be mirrored, nor need they be.
    const int64_t most = std::max<int64_t>(size - skip, 0);
    if (size < 0 || before > most || after > most) {
      return errors::InvalidArgument(
          "paddings must be no greater than the dimension size",
          skip == 1 ? " less 1" : "", ": ", before, ", ", after,
          " greater than ", most);
    }
    dims->push_back({before, size, after, skip});
    TF_RETURN_IF_ERROR(
        out->AddDimWithStatus(in_is_padded ? size : dims->back().padded()));
  }
  return OkStatus();
}

// Writes rows [begin, end) of the output along its last dimension.
template <typename T>
void MirrorRows(const T* in, const MirrorDims& dims, int64_t begin, int64_t end,
                T* out) {
  const MirrorDim& last = dims.back();
  for (int64_t row = begin; row < end; ++row) {
    int64_t rest = row, from = 0, stride = last.size;
    for (int d = static_cast<int>(dims.size()) - 2; d >= 0; --d) {
      from += dims[d].Source(rest % dims[d].padded()) * stride;
      rest /= dims[d].padded();
      stride *= dims[d].size;
    }
    const T* line = in + from;
    T* to = out + row * last.padded();
    for (int64_t i = 0; i < last.before; ++i) to[i] = line[last.Source(i)];
    CopyRun(line, last.size, to + last.before);
    for (int64_t i = last.before + last.size; i < last.padded(); ++i) {
      to[i] = line[last.Source(i)];
    }
  }
}

class MirrorPadOp final : public OpKernel {
 public:
  explicit MirrorPadOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadMode(ctx, &skip_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    MirrorDims dims;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ReadPaddings(in.shape(), ctx->input(1), skip_,
                                     /*in_is_padded=*/false, &dims, &shape));
    if (shape.IsSameSize(in.shape())) {
      ctx->set_output(0, in);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const int64_t row = dims.back().padded();
    OP_REQUIRES_OK(
        ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, out->NumElements() / row, 20 + row * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        MirrorRows(in.base<T>(), dims, begin, end,
                                   out->base<T>());
                      });
        }));
  }

 private:
  int64_t skip_ = 0;
};
REGISTER_KERNEL_BUILDER(
    Name("MirrorPad").Device(DEVICE_CPU).HostMemory("paddings"), MirrorPadOp);

// out[size, inner] = the middle of in[padded, inner] with its mirror images
// added back.
template <typename T>
void FoldMirror(const T* in, const MirrorDim& dim, int64_t inner, T* out) {
  std::copy_n(in + dim.before * inner, dim.size * inner, out);
  const auto add = [&](int64_t i) {
    const T* from = in + i * inner;
    T* to = out + dim.Source(i) * inner;
    for (int64_t k = 0; k < inner; ++k) to[k] = static_cast<T>(to[k] + from[k]);
  };
  for (int64_t i = 0; i < dim.before; ++i) add(i);
  for (int64_t i = dim.before + dim.size; i < dim.padded(); ++i) add(i);
}

// Folds one padded dimension after the other, beginning with the first: the
// rest to fold is smaller each time.
template <typename T>
class MirrorPadGradOp final : public OpKernel {
 public:
  explicit MirrorPadGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadMode(ctx, &skip_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    MirrorDims dims;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ReadPaddings(in.shape(), ctx->input(1), skip_,
                                     /*in_is_padded=*/true, &dims, &shape));
    const int rank = in.dims();
    int last = -1;  // The last padded dimension.
    for (int d = 0; d < rank; ++d) {
      if (dims[d].padded() > dims[d].size) last = d;
    }
    if (last < 0) {
      ctx->set_output(0, in);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    Tensor current = in;
    TensorShape folded = in.shape();
    int64_t outer = 1;
    for (int d = 0; d <= last; ++d) {
      folded.set_dim(d, dims[d].size);
      if (dims[d].padded() > dims[d].size) {
        Tensor next = *out;
        if (d < last) {
          OP_REQUIRES_OK(ctx, ctx->allocate_temp(in.dtype(), folded, &next));
        }
        Fold(ctx, current, dims[d], outer, &next);
        current = next;
      }
      outer *= dims[d].size;
    }
  }

 private:
  static void Fold(OpKernelContext* ctx, const Tensor& in, const MirrorDim& dim,
                   int64_t outer, Tensor* out) {
    const int64_t from = in.NumElements() / outer;
    const int64_t to = out->NumElements() / outer;
    const T* x = in.base<T>();
    T* y = out->base<T>();
    ParallelFor(ctx, outer, from, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        FoldMirror(x + o * from, dim, to / dim.size, y + o * to);
      }
    });
  }

  int64_t skip_ = 0;
};
REGISTER_KERNEL_FOR_TYPES(
    Name("MirrorPadGrad").Device(DEVICE_CPU).HostMemory("paddings"), "T",
    MirrorPadGradOp, float, double, half, bfloat16, int8_t, int16_t, int32_t,
    int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64, complex128);

}  // namespace
}  // namespace tensorwright
