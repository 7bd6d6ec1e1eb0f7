// SPDX-License-Identifier: Apache-2.0
// Tensors as Eigen maps: flat<T>(), matrix<T>(), tensor<T, N>() and the like.
//
// A map borrows the tensor's buffer: it is good while the Tensor, or another
// that shares the buffer, lives.  Making one costs a few loads and checks, no
// allocation and no copy.  Sizes are those of the tensor, row-major; the data
// is aligned as kAllocatorAlignment says, except in the Unaligned maps.  A map
// of another dtype, rank or number of elements than the tensor's, or an aligned
// map of unaligned memory, is the kernel's bug: it throws WrongUse, which fails
// the step and not the process.
//
// The maps are for host memory: only GPU code may use a map of a tensor in a
// GPU's memory.
//
// Apart from tensor.h, because Eigen's tensors are 170,000 lines with what they
// include.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_TYPES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_TYPES_H_

#include "core/framework/numeric_types.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/platform/logging.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorwright {

// The types of maps: row-major, of T with NDIMS dimensions and indices of
// IndexType.  "Const" maps cannot be written through; "Unaligned" ones do not
// promise where the data starts, and cost more per vector load.  A Flat is the
// whole tensor as one dimension, a Vec is one of rank 1, a Scalar has no
// dimension.
template <typename T, int NDIMS, typename IndexType>
struct TTypes {
  template <typename U, int N>
  using Map = Eigen::TensorMap<Eigen::Tensor<U, N, Eigen::RowMajor, IndexType>,
                               Eigen::Aligned>;
  template <typename U, int N>
  using UnalignedMap =
      Eigen::TensorMap<Eigen::Tensor<U, N, Eigen::RowMajor, IndexType>>;
  template <typename U>
  using ScalarMap = Eigen::TensorMap<
      Eigen::TensorFixedSize<U, Eigen::Sizes<>, Eigen::RowMajor, IndexType>,
      Eigen::Aligned>;
  template <typename U>
  using UnalignedScalarMap = Eigen::TensorMap<
      Eigen::TensorFixedSize<U, Eigen::Sizes<>, Eigen::RowMajor, IndexType>>;

  using Tensor = Map<T, NDIMS>;
  using ConstTensor = Map<const T, NDIMS>;
  using UnalignedTensor = UnalignedMap<T, NDIMS>;
  using UnalignedConstTensor = UnalignedMap<const T, NDIMS>;
  // Has 32-bit indices whatever IndexType is; see To32Bit.
  using Tensor32Bit =
      Eigen::TensorMap<Eigen::Tensor<T, NDIMS, Eigen::RowMajor, int>,
                       Eigen::Aligned>;

  using Scalar = ScalarMap<T>;
  using ConstScalar = ScalarMap<const T>;
  using UnalignedScalar = UnalignedScalarMap<T>;
  using UnalignedConstScalar = UnalignedScalarMap<const T>;

  using Flat = Map<T, 1>;
  using ConstFlat = Map<const T, 1>;
  using Vec = Map<T, 1>;
  using ConstVec = Map<const T, 1>;
  using Matrix = Map<T, 2>;
  using ConstMatrix = Map<const T, 2>;
  using UnalignedFlat = UnalignedMap<T, 1>;
  using UnalignedConstFlat = UnalignedMap<const T, 1>;
  using UnalignedVec = UnalignedMap<T, 1>;
  using UnalignedConstVec = UnalignedMap<const T, 1>;
  using UnalignedMatrix = UnalignedMap<T, 2>;
  using UnalignedConstMatrix = UnalignedMap<const T, 2>;
};

// The default index type of the maps: a signed 64-bit integer.
using Index = Eigen::DenseIndex;

template <int NDIMS, typename IndexType>
Eigen::DSizes<IndexType, NDIMS> TensorShape::AsEigenDSizes() const {
  if (NDIMS != dims()) [[unlikely]]
    ThrowNotOfRank(NDIMS);
  return AsEigenDSizesWithPadding<NDIMS, IndexType>();
}

template <int NDIMS, typename IndexType>
Eigen::DSizes<IndexType, NDIMS> TensorShape::AsEigenDSizesWithPadding() const {
  if (NDIMS < dims()) [[unlikely]]
    ThrowNotOfRank(NDIMS);
  Eigen::DSizes<IndexType, NDIMS> sizes;
  for (int d = 0; d < NDIMS; ++d) {
    sizes[d] = d < dims() ? static_cast<IndexType>(dims_[d]) : 1;
  }
  return sizes;
}

namespace tensor_views {

// Throws WrongUse: so many elements "are seen as shape `sizes` of `rank`
// dimensions".
[[noreturn]] void ThrowWrongSizes(absl::Span<const int64_t> sizes, size_t rank,
                                  int64_t num_elements);

// Checks that `sizes` has NDIMS entries with `num_elements` as their product,
// and returns them as Eigen's array; throws WrongUse otherwise.  The product
// may wrap: sizes are the kernel's own, not a stranger's.
template <size_t NDIMS>
Eigen::array<Eigen::DenseIndex, NDIMS> CheckedSizes(
    absl::Span<const int64_t> sizes, int64_t num_elements) {
  if (NDIMS != sizes.size()) [[unlikely]]
    ThrowWrongSizes(sizes, NDIMS, num_elements);
  Eigen::array<Eigen::DenseIndex, NDIMS> out;
  int64_t product = 1;
  for (size_t d = 0; d < NDIMS; ++d) {
    out[d] = sizes[d];
    product *= sizes[d];
  }
  if (product != num_elements) [[unlikely]]
    ThrowWrongSizes(sizes, NDIMS, num_elements);
  return out;
}

// Joins the leading (InnerDims) or trailing (OuterDims) dimensions so that `n`
// >= 1 are left.  If there are fewer, ones are added at the end where
// dimensions would have been joined: [a] -> [1, a] inner, [a, 1] outer.
absl::InlinedVector<int64_t, 4> InnerDims(absl::Span<const int64_t> sizes,
                                          int64_t n);
absl::InlinedVector<int64_t, 4> OuterDims(absl::Span<const int64_t> sizes,
                                          int64_t n);

}  // namespace tensor_views

// A macro, because every view exists for const and for mutable tensors; C is
// `Const` or empty, QUAL is `const` or empty.
#define TENSORWRIGHT_DEFINE_VIEWS(C, QUAL)                                   \
  template <typename T>                                                      \
  typename TTypes<T>::C##Vec Tensor::vec() QUAL {                            \
    return tensor<T, 1>();                                                   \
  }                                                                          \
  template <typename T>                                                      \
  typename TTypes<T>::C##Matrix Tensor::matrix() QUAL {                      \
    return tensor<T, 2>();                                                   \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::tensor() QUAL {               \
    CheckTypeAndIsAligned(DataTypeToEnum<T>::value);                         \
    return typename TTypes<T, NDIMS>::C##Tensor(                             \
        base<T>(), shape_.AsEigenDSizes<NDIMS>());                           \
  }                                                                          \
  template <typename T>                                                      \
  typename TTypes<T>::C##Scalar Tensor::scalar() QUAL {                      \
    CheckTypeAndOneElement(DataTypeToEnum<T>::value);                        \
    return typename TTypes<T>::C##Scalar(base<T>());                         \
  }                                                                          \
  template <typename T>                                                      \
  typename TTypes<T>::C##Flat Tensor::flat() QUAL {                          \
    CheckTypeAndIsAligned(DataTypeToEnum<T>::value);                         \
    return typename TTypes<T>::C##Flat(base<T>(), NumElements());            \
  }                                                                          \
  template <typename T>                                                      \
  typename TTypes<T>::Unaligned##C##Flat Tensor::unaligned_flat() QUAL {     \
    CheckType(DataTypeToEnum<T>::value);                                     \
    return typename TTypes<T>::Unaligned##C##Flat(base<T>(), NumElements()); \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::flat_inner_dims() QUAL {      \
    return shaped<T, NDIMS>(                                                 \
        tensor_views::InnerDims(shape_.dim_sizes(), NDIMS));                 \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::flat_outer_dims() QUAL {      \
    return shaped<T, NDIMS>(                                                 \
        tensor_views::OuterDims(shape_.dim_sizes(), NDIMS));                 \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::flat_inner_outer_dims(        \
      int64_t begin) QUAL {                                                  \
    const auto outer =                                                       \
        tensor_views::OuterDims(shape_.dim_sizes(), begin + NDIMS);          \
    return shaped<T, NDIMS>(tensor_views::InnerDims(outer, NDIMS));          \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::shaped(                       \
      absl::Span<const int64_t> sizes) QUAL {                                \
    CheckTypeAndIsAligned(DataTypeToEnum<T>::value);                         \
    return typename TTypes<T, NDIMS>::C##Tensor(                             \
        base<T>(), tensor_views::CheckedSizes<NDIMS>(sizes, NumElements())); \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::Unaligned##C##Tensor Tensor::unaligned_shaped(  \
      absl::Span<const int64_t> sizes) QUAL {                                \
    CheckType(DataTypeToEnum<T>::value);                                     \
    return typename TTypes<T, NDIMS>::Unaligned##C##Tensor(                  \
        base<T>(), tensor_views::CheckedSizes<NDIMS>(sizes, NumElements())); \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::bit_casted_tensor() QUAL {    \
    CheckSizeAndIsAligned(sizeof(T), DataTypeSize(dtype_));                  \
    return typename TTypes<T, NDIMS>::C##Tensor(                             \
        base<T>(), shape_.AsEigenDSizes<NDIMS>());                           \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::bit_casted_shaped(            \
      absl::Span<const int64_t> sizes) QUAL {                                \
    CheckTypeAndIsAligned(dtype_);                                           \
    return typename TTypes<T, NDIMS>::C##Tensor(                             \
        base<T>(), tensor_views::CheckedSizes<NDIMS>(                        \
                       sizes, NumElements() * DataTypeSize(dtype_) /         \
                                  static_cast<int64_t>(sizeof(T))));         \
  }                                                                          \
  template <typename T, size_t NDIMS>                                        \
  typename TTypes<T, NDIMS>::C##Tensor Tensor::reinterpret_last_dimension()  \
      QUAL {                                                                 \
    /* The last dimension is consumed: its elements make one T. */           \
    CheckSizeAndIsAligned(sizeof(T),                                         \
                          DataTypeSize(dtype_) * dim_size(dims() - 1));      \
    return typename TTypes<T, NDIMS>::C##Tensor(                             \
        base<T>(),                                                           \
        tensor_views::CheckedSizes<NDIMS>(                                   \
            shape_.dim_sizes().first(NDIMS),                                 \
            NumElements() / std::max<int64_t>(1, dim_size(dims() - 1))));    \
  }

TENSORWRIGHT_DEFINE_VIEWS(, )
TENSORWRIGHT_DEFINE_VIEWS(Const, const)

#undef TENSORWRIGHT_DEFINE_VIEWS

// Turns a view with wider indices into one with 32-bit indices, for GPU
// kernels, which compute them faster.  Every size must fit an int: that is not
// checked.
template <typename TensorType>
typename TTypes<typename TensorType::Scalar,
                TensorType::NumIndices>::Tensor32Bit
To32Bit(TensorType in) {
  using Out = typename TTypes<typename TensorType::Scalar,
                              TensorType::NumIndices>::Tensor32Bit;
  Eigen::DSizes<int, TensorType::NumIndices> sizes;
  for (int d = 0; d < TensorType::NumIndices; ++d) sizes[d] = in.dimension(d);
  return Out(in.data(), sizes);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_TYPES_H_
