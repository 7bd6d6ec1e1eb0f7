// SPDX-License-Identifier: Apache-2.0
// Tensor: a shape, a dtype and a shared buffer of elements.
//
// Copying one copies a shape and adds a reference to the buffer; the elements
// are copied by DeepCopy alone.  The buffer goes back to its allocator with the
// last reference.  A tensor without elements has no buffer and needs no memory.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/allocator.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class AllocationDescription;
class TensorDescription;
class TensorProto;

// The Eigen views of a tensor; defined in core/framework/tensor_types.h, so
// that code which needs none of them does not pay for Eigen's headers.
template <typename T, int NDIMS = 1, typename IndexType = std::ptrdiff_t>
struct TTypes;

// Memory that tensors share.  Reference-counted and thread-safe as that; the
// last reference frees it, in its thread.  Subclasses decide where the memory
// comes from: an allocator, a part of another buffer, an array of the caller's.
class TensorBuffer : public core::RefCounted {
 public:
  explicit TensorBuffer(void* data) : data_(data) {}

  void* data() const { return data_; }
  template <typename T>
  T* base() const {
    return static_cast<T*>(data_);
  }
  // The number of bytes that may be read, from data() on.
  virtual size_t size() const = 0;
  // The buffer that this one is a part of, or itself; never itself a part.  Not
  // a new reference.
  virtual TensorBuffer* root_buffer() = 0;
  // False for memory that belongs to somebody else, such as a NumPy array that
  // is fed.  Such a buffer is only read: never forwarded to an output, written,
  // or kept after the run.
  virtual bool OwnsMemory() const { return true; }
  virtual void FillAllocationDescription(AllocationDescription* proto) const;

 protected:
  ~TensorBuffer() override = default;

 private:
  void* const data_;
};

// Copying a Tensor shares its buffer; a moved-from one may only be assigned to
// or destroyed.  A writer of elements must own the only reference or know that
// nobody else reads; Tensor objects themselves are not thread-safe, const
// access is.  Buffers start on 64-byte boundaries, except slices and views of
// others' memory: see IsAligned().
//
// Failures: functions with a Status leave `out` as it was.  Reading the
// elements with a wrong dtype or shape throws WrongUse, as does a bad position.
// data() and base() check nothing.
//
// Reading the elements, `t` a float tensor:
//   absl::Span<const float> x = Flat<float>(t);  // What our kernels do.
//   auto m = t.matrix<float>();  m(i, j)         // Needs tensor_types.h.
class Tensor {
 public:
  // A tensor without elements, of DT_FLOAT.
  Tensor() : Tensor(DT_FLOAT) {}
  // A tensor without elements: shape [0].
  explicit Tensor(DataType dtype) : shape_({0}), dtype_(dtype) {}
  // Fresh memory, of the CPU's allocator unless one is given: numbers are not
  // set, strings and the like are empty.  If the shape is not valid, or the
  // dtype is a reference or invalid, IsInitialized() is false afterwards, and
  // also if a given allocator has not enough memory; Allocate tells the reason.
  // The first throws OutOfMemory (core/lib/core/catch_exceptions.h) then, which
  // ends a kernel's run by ResourceExhausted.  The allocator is not owned and
  // outlives the buffer.
  Tensor(DataType dtype, const TensorShape& shape);
  Tensor(Allocator* a, DataType dtype, const TensorShape& shape);
  Tensor(Allocator* a, DataType dtype, const TensorShape& shape,
         const AllocationAttributes& attr);
  // Shares `buf` and takes a reference of its own.  `buf` must be large enough,
  // which is not checked; it may be null if there are no elements.
  Tensor(DataType dtype, const TensorShape& shape, TensorBuffer* buf);
  // Scalars, on the CPU, of the dtype of the C++ type.  Written at once: there
  // must be memory for one element.
  template <typename T,
            typename = std::enable_if_t<IsValidDataType<T>::value &&
                                        !std::is_same<T, std::string>::value>>
  explicit Tensor(T value) : Tensor(DataTypeToEnum<T>::value, TensorShape()) {
    *base<T>() = std::move(value);
  }
  explicit Tensor(std::string value) : Tensor(DT_STRING, TensorShape()) {
    *base<std::string>() = std::move(value);
  }
  explicit Tensor(const char* value) : Tensor(std::string(value)) {}

  Tensor(const Tensor& other)
      : shape_(other.shape_), dtype_(other.dtype_), buf_(other.buf_) {
    if (buf_ != nullptr) buf_->Ref();
  }
  Tensor(Tensor&& other) noexcept
      : shape_(std::move(other.shape_)),
        dtype_(other.dtype_),
        buf_(std::exchange(other.buf_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    Tensor copy(other);
    swap(copy);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this == &other) return *this;
    TensorBuffer* const old = buf_;
    shape_ = std::move(other.shape_);
    dtype_ = other.dtype_;
    buf_ = std::exchange(other.buf_, nullptr);
    if (old != nullptr) old->Unref();
    return *this;
  }
  ~Tensor() {
    if (buf_ != nullptr) buf_->Unref();
  }
  void swap(Tensor& other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(dtype_, other.dtype_);
    std::swap(buf_, other.buf_);
  }

  // A tensor on memory that is not, or not only, its own.  `buf`'s reference
  // passes to the tensor, and is given back on failure.  InvalidArgument if the
  // buffer is too small or the shape not valid.
  static StatusOr<Tensor> FromBuffer(DataType dtype, const TensorShape& shape,
                                     TensorBuffer* buf);
  // Makes `out`, or says why it cannot: InvalidArgument for the shape or dtype,
  // ResourceExhausted, with shape and allocator, for the memory.  BuildTensor
  // allocates with the CPU's.
  static Status BuildTensor(DataType dtype, const TensorShape& shape,
                            Tensor* out);
  static Status Allocate(Allocator* a, DataType dtype, const TensorShape& shape,
                         Tensor* out);

  // Drops the buffer but keeps dtype and shape, for slots that will get another
  // value: the cheapest way to free memory.  IsInitialized() is false
  // afterwards, unless there are no elements.
  void ReleaseBuffer() {
    if (TensorBuffer* old = std::exchange(buf_, nullptr); old != nullptr) {
      old->Unref();
    }
  }

  // ---- Properties -----------------------------------------------------------

  // Never a reference dtype of a tensor that has elements. shape() lives as
  // long as the tensor keeps it.
  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  int dims() const { return shape_.dims(); }
  int64_t dim_size(int d) const { return shape_.dim_size(d); }
  int64_t NumElements() const { return shape_.num_elements(); }
  bool IsSameSize(const Tensor& b) const { return shape_.IsSameSize(b.shape_); }
  // There is memory, or none is needed.  False for a variable that has no value
  // yet, and after a failed allocation.
  bool IsInitialized() const {
    return buf_ != nullptr || (shape_.IsValid() && NumElements() == 0);
  }
  // The bytes of the elements, with the characters of strings (which takes time
  // linear in their number).  AllocatedBytes counts the whole buffer, which may
  // be larger, as its allocator counts.  Both are 0 without a buffer.
  size_t TotalBytes() const;
  size_t AllocatedBytes() const;
  // The elements start on a boundary that the Eigen views rely on
  // (kAllocatorAlignment bytes).  True without a buffer.
  bool IsAligned() const {
    return reinterpret_cast<uintptr_t>(data()) %
               Allocator::kAllocatorAlignment ==
           0;
  }

  // ---- Sharing --------------------------------------------------------------

  // Parts of one buffer share it, even if they do not overlap.  False without a
  // buffer.
  bool SharesBufferWith(const Tensor& b) const {
    return buf_ != nullptr && b.buf_ != nullptr &&
           buf_->root_buffer() == b.buf_->root_buffer();
  }
  // Nobody else refers to the buffer or to one that it is a part of, and the
  // memory is ours: an output may reuse it.  False without a buffer.
  bool RefCountIsOne() const {
    return buf_ != nullptr && buf_->RefCountIsOne() &&
           buf_->root_buffer()->RefCountIsOne() && buf_->OwnsMemory();
  }
  bool OwnsMemory() const { return buf_ == nullptr || buf_->OwnsMemory(); }
  size_t BufferHash() const { return std::hash<TensorBuffer*>()(buf_); }

  // Becomes `other` with another shape, sharing its buffer; false, and
  // unchanged, if the numbers of elements differ or the shape is not valid.
  // `other` and `shape` may be this tensor's.
  [[nodiscard]] bool CopyFrom(const Tensor& other, const TensorShape& shape);
  // Elements [start, limit) of the first dimension, sharing the buffer, which
  // lives as long as the slice; rank >= 1 and 0 <= start <= limit <=
  // dim_size(0), WrongUse otherwise.  Not aligned in general.
  Tensor Slice(int64_t start, int64_t limit) const;
  // Element `index` of the first dimension, without that dimension; otherwise
  // as Slice.
  Tensor SubSlice(int64_t index) const;
  // Becomes `other` seen as `dtype` and `shape` of as many bytes, sharing its
  // buffer.  InvalidArgument, and unchanged, if the numbers of bytes differ or
  // if one of two different dtypes is not plain bytes.  The unsafe form checks
  // nothing.
  Status BitcastFrom(const Tensor& other, DataType dtype,
                     const TensorShape& shape);
  void UnsafeCopyFromInternal(const Tensor& other, DataType dtype,
                              const TensorShape& shape);
  // The same shape and elements in fresh CPU memory of its own; uninitialized
  // if there is no memory left.  For host memory only.
  Tensor DeepCopy() const;

  // ---- The elements, without Eigen ------------------------------------------

  // Null without a buffer.  Const does not reach the elements: see the class
  // comment for who may write.
  void* data() const { return buf_ == nullptr ? nullptr : buf_->data(); }
  // The first element, unchecked: T should be the dtype.
  template <typename T>
  T* base() const {
    return static_cast<T*>(data());
  }
  // The value of a tensor of one element, whatever its rank; T must be the
  // dtype.  WrongUse otherwise.
  template <typename T>
  T& scalar_value() {
    CheckTypeAndOneElement(DataTypeToEnum<T>::value);
    return *base<T>();
  }
  template <typename T>
  const T& scalar_value() const {
    CheckTypeAndOneElement(DataTypeToEnum<T>::value);
    return *base<T>();
  }
  // The bytes, good as long as the buffer lives; meaningless for strings,
  // handles and variants, since they are the bytes of C++ objects.  Empty
  // without a buffer.
  absl::string_view tensor_data() const;
  // May be null; not a new reference.
  TensorBuffer* buffer() const { return buf_; }

  // Defined in core/framework/tensor_types.h.  Each shares the buffer and costs
  // no copy.  A wrong dtype or number of dimensions, memory that is not aligned
  // (except for the unaligned views), or sizes of another product throw
  // WrongUse, which ends the kernel: check shapes first.  The const forms give
  // maps that cannot be written.

  template <typename T>
  typename TTypes<T>::Vec vec();
  template <typename T>
  typename TTypes<T>::Matrix matrix();
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::Tensor tensor();
  template <typename T>
  typename TTypes<T>::Scalar scalar();
  template <typename T>
  typename TTypes<T>::Flat flat();
  template <typename T>
  typename TTypes<T>::UnalignedFlat unaligned_flat();
  // The last NDIMS - 1 dimensions stay, those before become one.
  template <typename T, size_t NDIMS = 2>
  typename TTypes<T, NDIMS>::Tensor flat_inner_dims();
  // The first NDIMS - 1 dimensions stay, those behind become one.
  template <typename T, size_t NDIMS = 2>
  typename TTypes<T, NDIMS>::Tensor flat_outer_dims();
  // NDIMS dimensions from `begin` on stay; those before join the first, those
  // behind the last.
  template <typename T, size_t NDIMS = 3>
  typename TTypes<T, NDIMS>::Tensor flat_inner_outer_dims(int64_t begin);
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::Tensor shaped(absl::Span<const int64_t> sizes);
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::UnalignedTensor unaligned_shaped(
      absl::Span<const int64_t> sizes);
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::Tensor bit_casted_tensor();
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::Tensor bit_casted_shaped(
      absl::Span<const int64_t> sizes);
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::Tensor reinterpret_last_dimension();

  template <typename T>
  typename TTypes<T>::ConstVec vec() const;
  template <typename T>
  typename TTypes<T>::ConstMatrix matrix() const;
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::ConstTensor tensor() const;
  template <typename T>
  typename TTypes<T>::ConstScalar scalar() const;
  template <typename T>
  typename TTypes<T>::ConstFlat flat() const;
  template <typename T>
  typename TTypes<T>::UnalignedConstFlat unaligned_flat() const;
  template <typename T, size_t NDIMS = 2>
  typename TTypes<T, NDIMS>::ConstTensor flat_inner_dims() const;
  template <typename T, size_t NDIMS = 2>
  typename TTypes<T, NDIMS>::ConstTensor flat_outer_dims() const;
  template <typename T, size_t NDIMS = 3>
  typename TTypes<T, NDIMS>::ConstTensor flat_inner_outer_dims(
      int64_t begin) const;
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::ConstTensor shaped(
      absl::Span<const int64_t> sizes) const;
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::UnalignedConstTensor unaligned_shaped(
      absl::Span<const int64_t> sizes) const;
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::ConstTensor bit_casted_tensor() const;
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::ConstTensor bit_casted_shaped(
      absl::Span<const int64_t> sizes) const;
  template <typename T, size_t NDIMS>
  typename TTypes<T, NDIMS>::ConstTensor reinterpret_last_dimension() const;

  // ---- Protos and text ------------------------------------------------------

  // Fills the *_val field of the dtype, or tensor_content, after clearing the
  // proto.  Variants, and in the second form resources, go to their own fields;
  // a variant whose type cannot encode itself is written as its name alone.
  // Without a buffer only dtype and shape are written.  Host memory only.
  void AsProtoField(TensorProto* proto) const;
  void AsProtoTensorContent(TensorProto* proto) const;
  // Becomes the tensor that `proto` describes; false, and unchanged, if that is
  // no tensor.  A short *_val list is padded with its last element, as
  // TensorFlow writes it (an empty one with zeros), to 2 GiB at most.  Reads
  // untrusted data: it allocates only after the shape was checked, and no proto
  // ends the process.  Variants are not read.
  [[nodiscard]] bool FromProto(const TensorProto& proto);
  [[nodiscard]] bool FromProto(Allocator* a, const TensorProto& proto);
  // The same with the reason: InvalidArgument for a bad dtype, shape or number
  // of bytes, ResourceExhausted, Unimplemented for variants.  `a` defaults to
  // the CPU's allocator and must give host memory.
  static Status ParseProto(Allocator* a, const TensorProto& proto, Tensor* out);
  static Status ParseProto(const TensorProto& proto, Tensor* out);

  // The first `max_entries` elements (all, if negative): "1 2 3...", rows in
  // brackets.  With `print_v2` it prints as NumPy does: the first and last
  // `max_entries` of each dimension.  Host memory only.
  std::string SummarizeValue(int64_t max_entries, bool print_v2 = false) const;
  // "Tensor<type: float shape: [2,3] values: [1 2 3]...>".
  std::string DebugString(int num_values = 3) const;
  // Without the values, which may be in another device's memory.
  std::string DeviceSafeDebugString() const;
  void FillDescription(TensorDescription* description) const;

  // The views check their arguments with these, which throw WrongUse, naming
  // dtype and shape, on a mismatch.
  void CheckType(DataType expected) const;
  void CheckTypeAndIsAligned(DataType expected) const;
  void CheckTypeAndOneElement(DataType expected) const;
  void CheckIsAlignedAndSingleElement() const;
  // `wanted` is the bytes of an element of the view, `have` of the tensor.
  void CheckSizeAndIsAligned(int64_t wanted, int64_t have) const;

 private:
  friend class TensorTestHelper;

  void CheckIsAligned() const;
  void CheckOneElement() const;

  void set_shape(const TensorShape& shape) { shape_ = shape; }

  TensorShape shape_;
  DataType dtype_;
  TensorBuffer* buf_ = nullptr;
};

// All elements in row-major order, whatever the shape, aligned or not.  The
// span is good as long as the buffer lives.  T must be the dtype, otherwise it
// throws WrongUse.  The tensor must be initialized: without memory for its
// elements the span points to nothing.
template <typename T>
absl::Span<T> Flat(Tensor& t) {
  t.CheckType(DataTypeToEnum<T>::value);
  return absl::Span<T>(t.base<T>(), t.NumElements());
}
template <typename T>
absl::Span<T> Flat(Tensor* t) {
  return Flat<T>(*t);
}
template <typename T>
absl::Span<const T> Flat(const Tensor& t) {
  t.CheckType(DataTypeToEnum<T>::value);
  return absl::Span<const T>(t.base<T>(), t.NumElements());
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_H_
