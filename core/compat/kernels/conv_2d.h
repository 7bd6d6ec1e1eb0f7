// SPDX-License-Identifier: Apache-2.0
// Functors that convolutions are made of.  The library's own convolutions are
// oneDNN's (core/kernels/nn/conv_ops.h); these are for kernels that do parts of
// one themselves.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_CONV_2D_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_CONV_2D_H_

#include <algorithm>
#include <cstdint>

#include "core/framework/common_shape_fns.h"
#include "core/framework/tensor_types.h"
#include "core/util/tensor_format.h"

namespace tensorwright {
namespace functor {

// out = in0 * in1 over the given pair of dimensions.
template <typename Device, typename T>
struct MatMulConvFunctor {
  void operator()(
      const Device& d, typename TTypes<T, 2>::Tensor out,
      typename TTypes<T, 2>::ConstTensor in0,
      typename TTypes<T, 2>::ConstTensor in1,
      const Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1>& dim_pair) {
    out.device(d) = in0.contract(in1, dim_pair);
  }
};

// Zeros (or `padding_value`) around the spatial dimensions.
template <typename Device, typename T, typename IndexType, int NDIMS>
struct PadInput {
  void operator()(const Device& d,
                  typename TTypes<T, NDIMS, IndexType>::ConstTensor in,
                  const std::array<int, NDIMS - 2>& padding_left,
                  const std::array<int, NDIMS - 2>& padding_right,
                  typename TTypes<T, NDIMS, IndexType>::Tensor out,
                  TensorFormat format, const T& padding_value = T(0)) {
    Eigen::array<Eigen::IndexPair<IndexType>, NDIMS> padding;
    padding.fill({0, 0});
    for (int i = 0; i < NDIMS - 2; ++i) {
      const int at = GetTensorSpatialDimIndex(NDIMS, format, i);
      padding[static_cast<size_t>(at)] = {
          padding_left[static_cast<size_t>(i)],
          padding_right[static_cast<size_t>(i)]};
    }
    out.device(d) = in.pad(padding, padding_value);
  }
};

// A filter [spatial..., in, out] as [out, in, spatial...].
template <typename Device, typename T, typename IndexType, int NDIMS>
struct TransformFilter {
  void operator()(const Device& d, FilterTensorFormat,
                  typename TTypes<T, NDIMS, IndexType>::ConstTensor in,
                  typename TTypes<T, NDIMS, IndexType>::Tensor out) {
    Eigen::DSizes<IndexType, NDIMS> order;
    order[0] = NDIMS - 1;
    order[1] = NDIMS - 2;
    for (int i = 0; i < NDIMS - 2; ++i) order[i + 2] = i;
    out.device(d) = in.shuffle(order);
  }
};

template <typename Device, typename T, int NDIMS>
struct NHWCToNCHW {
  void operator()(const Device& d, typename TTypes<T, NDIMS>::ConstTensor in,
                  typename TTypes<T, NDIMS>::Tensor out) {
    Eigen::DSizes<Eigen::DenseIndex, NDIMS> order;
    order[0] = 0;
    order[1] = NDIMS - 1;
    for (int i = 2; i < NDIMS; ++i) order[i] = i - 1;
    out.device(d) = in.shuffle(order);
  }
};
template <typename Device, typename T, int NDIMS>
struct NCHWToNHWC {
  void operator()(const Device& d, typename TTypes<T, NDIMS>::ConstTensor in,
                  typename TTypes<T, NDIMS>::Tensor out) {
    Eigen::DSizes<Eigen::DenseIndex, NDIMS> order;
    order[0] = 0;
    order[NDIMS - 1] = 1;
    for (int i = 1; i < NDIMS - 1; ++i) order[i] = i + 1;
    out.device(d) = in.shuffle(order);
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_CONV_2D_H_
