// SPDX-License-Identifier: Apache-2.0
// Tensors' memory: making it, sharing it, checking it.
#include "core/framework/tensor.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/allocation_description.pb.h"
#include "core/framework/allocator_reuse.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor_description.pb.h"
#include "core/framework/tensor_types.h"
#include "core/framework/variant.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Calls fn.operator()<T>() for the C++ type of a dtype whose elements are
// objects; nothing for plain bytes.
template <typename Fn>
void WithObjectType(DataType dtype, Fn fn) {
  switch (dtype) {
    case DT_STRING:
      return fn.template operator()<std::string>();
    case DT_RESOURCE:
      return fn.template operator()<ResourceHandle>();
    case DT_VARIANT:
      return fn.template operator()<Variant>();
    default:
      return;
  }
}

// Destroys variants and gives their memory back.  A variant may hold tensors of
// variants, as a list in a list does, and so on without an end: buffers that go
// while kMaxNesting others are going on the same thread wait for the outermost
// one, so that the stack does not grow with the depth.
class VariantDestroyer {
 public:
  static void Destroy(Allocator* allocator, void* data, int64_t n) {
    if (depth_ == kMaxNesting) {
      waiting_->push_back({allocator, data, n});
      return;
    }
    if (depth_ > 0) return DestroyNow({allocator, data, n});
    std::vector<Buffer> waiting;
    waiting_ = &waiting;
    DestroyNow({allocator, data, n});
    while (!waiting.empty()) {
      const Buffer next = waiting.back();
      waiting.pop_back();
      DestroyNow(next);
    }
    waiting_ = nullptr;
  }

 private:
  static constexpr int kMaxNesting = 100;

  struct Buffer {
    Allocator* allocator;
    void* data;
    int64_t num_elements;
  };

  static void DestroyNow(const Buffer& buffer) {
    ++depth_;
    std::destroy_n(static_cast<Variant*>(buffer.data), buffer.num_elements);
    --depth_;
    buffer.allocator->DeallocateRaw(buffer.data);
  }

  static thread_local constinit int depth_;
  static thread_local constinit std::vector<Buffer>* waiting_;
};

thread_local constinit int VariantDestroyer::depth_ = 0;
thread_local constinit std::vector<VariantDestroyer::Buffer>*
    VariantDestroyer::waiting_ = nullptr;

// Elements from an allocator, constructed and destroyed here if they are
// objects.
class AllocatedBuffer final : public TensorBuffer {
 public:
  AllocatedBuffer(Allocator* a, void* data, DataType dtype, int64_t n)
      : TensorBuffer(data), allocator_(a), dtype_(dtype), num_elements_(n) {
    WithObjectType(dtype_, [&]<typename T>() {
      std::uninitialized_value_construct_n(base<T>(), num_elements_);
    });
  }
  size_t size() const override {
    return static_cast<size_t>(num_elements_) * DataTypeSize(dtype_);
  }
  TensorBuffer* root_buffer() override { return this; }
  void FillAllocationDescription(AllocationDescription* proto) const override {
    TensorBuffer::FillAllocationDescription(proto);
    proto->set_allocator_name(allocator_->Name());
    if (allocator_->TracksAllocationSizes()) {
      proto->set_allocated_bytes(
          static_cast<int64_t>(allocator_->AllocatedSize(data())));
    }
  }

 private:
  ~AllocatedBuffer() override {
    if (dtype_ == DT_VARIANT) {
      VariantDestroyer::Destroy(allocator_, data(), num_elements_);
      return;
    }
    WithObjectType(dtype_, [&]<typename T>() {
      std::destroy_n(base<T>(), num_elements_);
    });
    allocator_->DeallocateRaw(data());
  }

  Allocator* const allocator_;
  const DataType dtype_;
  const int64_t num_elements_;
};

// A part of another buffer, which it keeps alive.
class SubBuffer final : public TensorBuffer {
 public:
  SubBuffer(TensorBuffer* buf, size_t offset, size_t size)
      : TensorBuffer(buf->base<char>() + offset),
        root_(buf->root_buffer()),
        size_(size) {
    root_->Ref();
  }
  size_t size() const override { return size_; }
  TensorBuffer* root_buffer() override { return root_; }
  bool OwnsMemory() const override { return root_->OwnsMemory(); }

 private:
  ~SubBuffer() override { root_->Unref(); }

  TensorBuffer* const root_;
  const size_t size_;
};

// InvalidArgument if there can be no such tensor.
Status BytesOf(DataType dtype, const TensorShape& shape, size_t* bytes) {
  TF_RETURN_IF_ERROR(shape.CheckValid());
  const int size = IsRefType(dtype) ? 0 : DataTypeSize(dtype);
  if (size == 0) {
    return errors::InvalidArgument("A tensor cannot have dtype ",
                                   DataTypeString(dtype));
  }
  int64_t total;
  if (__builtin_mul_overflow(shape.num_elements(), int64_t{size}, &total)) {
    return errors::InvalidArgument("A tensor of shape ", shape.DebugString(),
                                   " and type ", DataTypeString(dtype),
                                   " would have more than 2**63 - 1 bytes");
  }
  *bytes = static_cast<size_t>(total);
  return OkStatus();
}

// A buffer, or null if no memory is needed.
Status NewBuffer(Allocator* a, DataType dtype, const TensorShape& shape,
                 const AllocationAttributes& attr, TensorBuffer** buf) {
  *buf = nullptr;
  size_t bytes;
  TF_RETURN_IF_ERROR(BytesOf(dtype, shape, &bytes));
  if (bytes == 0) return OkStatus();
  void* data = a->AllocateRaw(Allocator::kAllocatorAlignment, bytes, attr);
  if (data == nullptr) {
    return errors::ResourceExhausted(
        "OOM when allocating tensor with shape", shape.DebugString(),
        " and type ", DataTypeString(dtype), " by allocator ", a->Name());
  }
  *buf = new AllocatedBuffer(a, data, dtype, shape.num_elements());
  return OkStatus();
}

}  // namespace

void TensorBuffer::FillAllocationDescription(
    AllocationDescription* proto) const {
  proto->set_requested_bytes(static_cast<int64_t>(size()));
  proto->set_ptr(reinterpret_cast<uintptr_t>(data()));
  proto->set_has_single_reference(RefCountIsOne());
}

// Whoever names no allocator does not look whether there was memory.
Tensor::Tensor(DataType dtype, const TensorShape& shape)
    : shape_(shape), dtype_(dtype) {
  const Status made = NewBuffer(TensorAllocatorScope::Current(), dtype, shape,
                                AllocationAttributes(), &buf_);
  if (errors::IsResourceExhausted(made))
    throw OutOfMemory(made.error_message());
}

Tensor::Tensor(Allocator* a, DataType dtype, const TensorShape& shape)
    : Tensor(a, dtype, shape, AllocationAttributes()) {}

Tensor::Tensor(Allocator* a, DataType dtype, const TensorShape& shape,
               const AllocationAttributes& attr)
    : shape_(shape), dtype_(dtype) {
  // The caller asks IsInitialized(); callers that want the reason use
  // Allocate().
  NewBuffer(a, dtype, shape, attr, &buf_).IgnoreError();
}

Tensor::Tensor(DataType dtype, const TensorShape& shape, TensorBuffer* buf)
    : shape_(shape), dtype_(dtype), buf_(buf) {
  if (buf_ != nullptr) buf_->Ref();
}

StatusOr<Tensor> Tensor::FromBuffer(DataType dtype, const TensorShape& shape,
                                    TensorBuffer* buf) {
  Tensor t(dtype);
  t.buf_ = buf;
  size_t bytes;
  TF_RETURN_IF_ERROR(BytesOf(dtype, shape, &bytes));
  const size_t has = buf == nullptr ? 0 : buf->size();
  if (has < bytes) {
    return errors::InvalidArgument("A tensor of shape ", shape.DebugString(),
                                   " and type ", DataTypeString(dtype),
                                   " needs ", bytes, " bytes, the buffer has ",
                                   has);
  }
  t.shape_ = shape;
  return t;
}

Status Tensor::BuildTensor(DataType dtype, const TensorShape& shape,
                           Tensor* out) {
  return Allocate(TensorAllocatorScope::Current(), dtype, shape, out);
}

Status Tensor::Allocate(Allocator* a, DataType dtype, const TensorShape& shape,
                        Tensor* out) {
  Tensor t(dtype);
  TF_RETURN_IF_ERROR(
      NewBuffer(a, dtype, shape, AllocationAttributes(), &t.buf_));
  t.shape_ = shape;
  *out = std::move(t);
  return OkStatus();
}

size_t Tensor::TotalBytes() const {
  if (buf_ == nullptr) return 0;
  const size_t n = static_cast<size_t>(NumElements());
  size_t bytes = n * DataTypeSize(dtype_);
  if (dtype_ == DT_STRING) {
    for (const std::string& s : Flat<std::string>(*this)) bytes += s.size();
  }
  return bytes;
}

size_t Tensor::AllocatedBytes() const {
  if (buf_ == nullptr) return 0;
  AllocationDescription description;
  buf_->root_buffer()->FillAllocationDescription(&description);
  return static_cast<size_t>(
      std::max(description.allocated_bytes(), description.requested_bytes()));
}

bool Tensor::CopyFrom(const Tensor& other, const TensorShape& shape) {
  if (!shape.IsValid() || other.NumElements() != shape.num_elements()) {
    return false;
  }
  // `other` and `shape` may be this tensor and its shape.
  TensorBuffer* const old = buf_;
  if (other.buf_ != nullptr) other.buf_->Ref();
  dtype_ = other.dtype_;
  buf_ = other.buf_;
  shape_ = shape;
  if (old != nullptr) old->Unref();
  return true;
}

Tensor Tensor::Slice(int64_t start, int64_t limit) const {
  if (start < 0 || start > limit || limit > dim_size(0)) {
    throw WrongUse(absl::StrCat("elements [", start, ", ", limit,
                                ") are taken of shape ", shape_.DebugString()));
  }
  if (start == 0 && limit == dim_size(0)) return *this;
  Tensor t(dtype_);
  t.shape_ = shape_;
  t.shape_.set_dim(0, limit - start);
  if (const size_t n = static_cast<size_t>(t.NumElements()); n > 0) {
    const size_t element = DataTypeSize(dtype_);
    const size_t row = n / static_cast<size_t>(limit - start) * element;
    t.buf_ = new SubBuffer(buf_, static_cast<size_t>(start) * row, n * element);
  }
  return t;
}

Tensor Tensor::SubSlice(int64_t index) const {
  Tensor t = Slice(index, index + 1);
  t.shape_.RemoveDim(0);
  return t;
}

Status Tensor::BitcastFrom(const Tensor& other, DataType dtype,
                           const TensorShape& shape) {
  size_t bytes;
  TF_RETURN_IF_ERROR(BytesOf(dtype, shape, &bytes));
  const bool plain =
      DataTypeCanUseMemcpy(dtype) && DataTypeCanUseMemcpy(other.dtype_);
  if (!(plain || dtype == other.dtype_) ||
      bytes != static_cast<size_t>(other.NumElements()) *
                   DataTypeSize(other.dtype_)) {
    return errors::InvalidArgument(
        "Cannot bitcast shape ", other.shape_.DebugString(), " of ",
        DataTypeString(other.dtype_), " to shape ", shape.DebugString(), " of ",
        DataTypeString(dtype));
  }
  UnsafeCopyFromInternal(other, dtype, shape);
  return OkStatus();
}

void Tensor::UnsafeCopyFromInternal(const Tensor& other, DataType dtype,
                                    const TensorShape& shape) {
  Tensor t(other);
  t.dtype_ = dtype;
  t.shape_ = shape;
  swap(t);
}

Tensor Tensor::DeepCopy() const {
  Tensor t(dtype_, shape_);
  if (!t.IsInitialized() || NumElements() == 0 || buf_ == nullptr) return t;
  if (DataTypeCanUseMemcpy(dtype_)) {
    memcpy(t.data(), data(), NumElements() * DataTypeSize(dtype_));
  }
  WithObjectType(dtype_, [&]<typename T>() {
    std::copy_n(base<T>(), NumElements(), t.base<T>());
  });
  return t;
}

absl::string_view Tensor::tensor_data() const {
  if (buf_ == nullptr) return absl::string_view();
  return absl::string_view(
      base<char>(), static_cast<size_t>(NumElements()) * DataTypeSize(dtype_));
}

void Tensor::CheckType(DataType expected) const {
  if (dtype_ == expected) [[likely]]
    return;
  throw WrongUse(absl::StrCat("a tensor of type ", DataTypeString(dtype_),
                              " and shape ", shape_.DebugString(),
                              " is read as ", DataTypeString(expected)));
}

void Tensor::CheckTypeAndIsAligned(DataType expected) const {
  CheckType(expected);
  CheckIsAligned();
}

void Tensor::CheckSizeAndIsAligned(int64_t wanted, int64_t have) const {
  if (wanted != have) {
    throw WrongUse(absl::StrCat(have, " bytes of a tensor of type ",
                                DataTypeString(dtype_), " and shape ",
                                shape_.DebugString(),
                                " are seen as one element of ", wanted));
  }
  CheckIsAligned();
}

void Tensor::CheckIsAligned() const {
  if (IsAligned()) [[likely]]
    return;
  throw WrongUse(
      "an Eigen view needs aligned memory; use unaligned_flat() or "
      "unaligned_shaped()");
}

void Tensor::CheckTypeAndOneElement(DataType expected) const {
  CheckType(expected);
  CheckOneElement();
}

void Tensor::CheckIsAlignedAndSingleElement() const {
  CheckIsAligned();
  CheckOneElement();
}

void Tensor::CheckOneElement() const {
  if (NumElements() == 1) [[likely]]
    return;
  throw WrongUse(absl::StrCat("a tensor of shape ", shape_.DebugString(),
                              " is read as a scalar"));
}

namespace tensor_views {

void ThrowWrongSizes(absl::Span<const int64_t> sizes, size_t rank,
                     int64_t num_elements) {
  throw WrongUse(absl::StrCat(num_elements, " elements are seen as shape [",
                              absl::StrJoin(sizes, ","), "] of ", rank,
                              " dimensions"));
}

absl::InlinedVector<int64_t, 4> InnerDims(absl::Span<const int64_t> sizes,
                                          int64_t n) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  absl::InlinedVector<int64_t, 4> out(n, 1);
  for (int64_t d = 0; d < rank; ++d)
    out[std::max<int64_t>(0, d + n - rank)] *= sizes[d];
  return out;
}

absl::InlinedVector<int64_t, 4> OuterDims(absl::Span<const int64_t> sizes,
                                          int64_t n) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  absl::InlinedVector<int64_t, 4> out(n, 1);
  for (int64_t d = 0; d < rank; ++d) out[std::min(d, n - 1)] *= sizes[d];
  return out;
}

}  // namespace tensor_views
}  // namespace tensorwright
