// SPDX-License-Identifier: Apache-2.0
// The gradient of a resize with respect to its images, for resizes that are a
// sum of taps along each side.
#ifndef TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_ADJOINT_H_
#define TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_ADJOINT_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/image/resize_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// The output positions to which an input position contributes, in order.
struct TapUsers {
  struct User {
    int64_t at;
    float weight;
  };

  // tap_of(x, k), 0 <= k < taps, is the k-th User of output position x: an
  // input position, negative for none, with its weight.
  template <typename TapOf>
  TapUsers(int64_t in_size, int64_t out_size, int64_t taps, const TapOf& tap_of)
      : begin(in_size + 1) {
    for (int64_t x = 0; x < out_size; ++x) {
      for (int64_t k = 0; k < taps; ++k) {
        const User tap = tap_of(x, k);
        if (tap.at >= 0) ++begin[tap.at + 1];
      }
    }
    for (int64_t i = 0; i < in_size; ++i) begin[i + 1] += begin[i];
    users.resize(begin.back());
    std::vector<int64_t> next(begin.begin(), begin.end() - 1);
    for (int64_t x = 0; x < out_size; ++x) {
      for (int64_t k = 0; k < taps; ++k) {
        const User tap = tap_of(x, k);
        if (tap.at >= 0) users[next[tap.at]++] = {x, tap.weight};
      }
    }
  }

  template <int kTaps>
  TapUsers(const std::vector<ResizeTaps<kTaps>>& taps, int64_t in_size)
      : TapUsers(in_size, static_cast<int64_t>(taps.size()), kTaps,
                 [&](int64_t x, int64_t k) {
                   return User{taps[x].at[k], taps[x].weight[k]};
                 }) {}

  std::vector<int64_t> begin;
  std::vector<User> users;
};

template <typename T>
using GradientSum =
    std::conditional_t<std::is_same_v<T, double>, double, float>;

// grads: [batch, rows.out, columns.out, channels] -> to: [batch, rows.in,
// columns.in, channels]  Each input row is computed separately, so the sums do
// not depend on threads.
template <typename T>
void ResizeAdjoint(OpKernelContext* ctx, const ResizeGeometry& g,
                   const TapUsers& row_users, const TapUsers& column_users,
                   const float* grads, T* to) {
  using A = GradientSum<T>;
  // For narrow dtypes the rows are summed in double: a sum of gradients beyond
  // the range of float32 would be infinite before it meets a weight of 0, and
  // NaN after it.
  using S = std::conditional_t<std::is_same_v<T, float>, float, double>;
  const auto size = [](const std::vector<TapUsers::User>& users) {
    return static_cast<int64_t>(users.size());
  };
  const int64_t cost = g.out_row() * (size(row_users.users) / g.rows.in + 1) +
                       2 * g.channels * size(column_users.users) + g.in_row();
  ParallelFor(ctx, g.batch * g.rows.in, cost, [&](int64_t begin, int64_t end) {
    std::vector<S> sum(g.out_row());
    std::vector<A> row(g.in_row());
    for (int64_t unit = begin; unit < end; ++unit) {
      const float* image = grads + unit / g.rows.in * g.out_image();
      const int64_t r = unit % g.rows.in;
      std::fill(sum.begin(), sum.end(), S(0));
      for (int64_t u = row_users.begin[r]; u < row_users.begin[r + 1]; ++u) {
        const TapUsers::User& user = row_users.users[u];
        RunWide<AddScaledLoop<S>>(image + user.at * g.out_row(), S(user.weight),
                                  sum.data(), g.out_row());
      }
      std::fill(row.begin(), row.end(), A(0));
      for (int64_t x = 0; x < g.columns.in; ++x) {
        A* pixel = row.data() + x * g.channels;
        for (int64_t u = column_users.begin[x]; u < column_users.begin[x + 1];
             ++u) {
          const TapUsers::User& user = column_users.users[u];
          const S* from = sum.data() + user.at * g.channels;
          for (int64_t c = 0; c < g.channels; ++c) {
            pixel[c] += static_cast<A>(from[c] * S(user.weight));
          }
        }
      }
      StoreRow(row.data(), g.in_row(), to + unit * g.in_row());
    }
  });
}

// Checks grads and original_image, for which the shape function ensures equal
// batches and channels, and reads the geometry.
inline Status ReadAdjointGeometry(const ResizeAttrs& attrs,
                                  const TensorShape& grads,
                                  const TensorShape& image, ResizeGeometry* g) {
  g->batch = image.dim_size(0);
  g->channels = image.dim_size(3);
  if (grads.dim_size(1) <= 0 || grads.dim_size(2) <= 0 ||
      image.dim_size(1) <= 0 || image.dim_size(2) <= 0) {
    return errors::InvalidArgument(
        attrs.op, ": grads and original_image must have pixels, got shapes ",
        grads.DebugString(), " and ", image.DebugString());
  }
  g->rows = ResizeSide(attrs, image.dim_size(1), grads.dim_size(1));
  g->columns = ResizeSide(attrs, image.dim_size(2), grads.dim_size(2));
  return OkStatus();
}

// The kernel of the gradient of a resize: grads and original_image -> the
// latter's gradient.  taps_of(side) are the taps of each output position.
template <typename T, auto taps_of>
class ResizeGradOp final : public OpKernel {
 public:
  explicit ResizeGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grads = ctx->input(0);
    const Tensor& image = ctx->input(1);
    ResizeGeometry g;
    OP_REQUIRES_OK(
        ctx, ReadAdjointGeometry(attrs_, grads.shape(), image.shape(), &g));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, image.shape(), &out));
    if (out->NumElements() == 0) return;
    ResizeAdjoint(ctx, g, TapUsers(taps_of(g.rows), g.rows.in),
                  TapUsers(taps_of(g.columns), g.columns.in),
                  grads.base<float>(), out->base<T>());
  }

 private:
  ResizeAttrs attrs_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_IMAGE_RESIZE_ADJOINT_H_
