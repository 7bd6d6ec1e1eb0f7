// SPDX-License-Identifier: Apache-2.0
// Functors that convolutions are made of.  The library's own convolutions are
// oneDNN's (core/kernels/nn/conv_ops.h); these serve kernels that do parts of
// one themselves.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_CONV_2D_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_CONV_2D_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/framework/common_shape_fns.h"
#include "core/framework/tensor_types.h"
#include "core/util/tensor_format.h"

namespace tensorwright {
namespace functor {

// The product of `in0` and `in1`, summed over one dimension of each; `dim_pair`
// names the two.
template <typename Device, typename T>
struct MatMulConvFunctor {
  using Contracted = Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1>;
  void operator()(const Device& device, typename TTypes<T, 2>::Tensor out,
                  typename TTypes<T, 2>::ConstTensor in0,
                  typename TTypes<T, 2>::ConstTensor in1,
                  const Contracted& dim_pair) {
    out.device(device) = in0.contract(in1, dim_pair);
  }
};

// Pads each spatial dimension with `padding_left` and `padding_right` times
// `padding_value`.
template <typename Device, typename T, typename IndexType, int NDIMS>
struct PadInput {
  static constexpr size_t kSpatialDims = NDIMS - 2;
  using Counts = std::array<int, kSpatialDims>;

  void operator()(const Device& device,
                  typename TTypes<T, NDIMS, IndexType>::ConstTensor in,
                  const Counts& padding_left, const Counts& padding_right,
                  typename TTypes<T, NDIMS, IndexType>::Tensor out,
                  TensorFormat format, const T& padding_value = T(0)) {
    // Batch and channels keep the zeros.  The spatial dimensions are adjacent.
    Eigen::array<Eigen::IndexPair<IndexType>, NDIMS> added = {};
    const auto first =
        static_cast<size_t>(GetTensorSpatialDimIndex(NDIMS, format, 0));
    for (size_t dim = 0; dim < kSpatialDims; ++dim) {
      added[first + dim].first = padding_left[dim];
      added[first + dim].second = padding_right[dim];
    }
    out.device(device) = in.pad(added, padding_value);
  }
};

// An order of dimensions: the result's dimension i is the argument's
// source(i).
template <typename IndexType, int NDIMS, typename Source>
Eigen::DSizes<IndexType, NDIMS> DimensionOrder(Source source) {
  Eigen::DSizes<IndexType, NDIMS> order;
  for (int i = 0; i < NDIMS; ++i) order[i] = source(i);
  return order;
}

// Turns a filter [spatial..., in, out] into [out, in, spatial...].
template <typename Device, typename T, typename IndexType, int NDIMS>
struct TransformFilter {
  void operator()(const Device& device, FilterTensorFormat,
                  typename TTypes<T, NDIMS, IndexType>::ConstTensor in,
                  typename TTypes<T, NDIMS, IndexType>::Tensor out) {
    out.device(device) = in.shuffle(DimensionOrder<IndexType, NDIMS>(
        [](int i) { return i < 2 ? NDIMS - 1 - i : i - 2; }));
  }
};

// Turns [batch, spatial..., channels] into [batch, channels, spatial...].
template <typename Device, typename T, int NDIMS>
struct NHWCToNCHW {
  void operator()(const Device& device,
                  typename TTypes<T, NDIMS>::ConstTensor in,
                  typename TTypes<T, NDIMS>::Tensor out) {
    constexpr int kChannels = NDIMS - 1;
    out.device(device) =
        in.shuffle(DimensionOrder<Eigen::DenseIndex, NDIMS>([](int i) {
          return i == 0 ? 0 : i == 1 ? kChannels : i - 1;
        }));
  }
};

// Turns it back.
template <typename Device, typename T, int NDIMS>
struct NCHWToNHWC {
  void operator()(const Device& device,
                  typename TTypes<T, NDIMS>::ConstTensor in,
                  typename TTypes<T, NDIMS>::Tensor out) {
    constexpr int kChannels = NDIMS - 1;
    out.device(device) =
        in.shuffle(DimensionOrder<Eigen::DenseIndex, NDIMS>([](int i) {
          return i == 0 ? 0 : i == kChannels ? 1 : i + 1;
        }));
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_CONV_2D_H_
