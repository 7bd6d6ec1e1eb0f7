// SPDX-License-Identifier: Apache-2.0
// Reads and writes tensors as TensorProtos.  The protos to read are untrusted.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/framework/allocation_description.pb.h"
#include "core/framework/allocator_reuse.h"
#include "core/framework/numeric_types.h"
#include "core/framework/resource_handle.h"
#include "core/framework/resource_handle.pb.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_description.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/variant.h"
#include "core/framework/variant_op_registry.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// A few bytes may ask for one value many times over, but not for more than this
// many bytes.
constexpr int64_t kMaxBytesFromRepeatedValue = int64_t{1} << 31;

// Tells how the elements of T lie in the field of a TensorProto: `field` is the
// list, with `kParts` entries an element.
template <typename T>
struct Field;

#define TENSORWRIGHT_FIELD(T, NAME)                                            \
  template <>                                                                  \
  struct Field<T> {                                                            \
    static constexpr int kParts = 1;                                           \
    static const auto& Get(const TensorProto& p) { return p.NAME##_val(); }    \
    static auto* Mutable(TensorProto* p) { return p->mutable_##NAME##_val(); } \
    template <typename V>                                                      \
    static T Read(const V& values, int i) {                                    \
      return static_cast<T>(values.Get(i));                                    \
    }                                                                          \
    template <typename V>                                                      \
    static void Append(V* values, const T& x) {                                \
      values->Add(x);                                                          \
    }                                                                          \
  }

// A macro, because the accessors' names are made of the field's name.
TENSORWRIGHT_FIELD(float, float);
TENSORWRIGHT_FIELD(double, double);
TENSORWRIGHT_FIELD(int32_t, int);
TENSORWRIGHT_FIELD(uint8_t, int);
TENSORWRIGHT_FIELD(int8_t, int);
TENSORWRIGHT_FIELD(uint16_t, int);
TENSORWRIGHT_FIELD(int16_t, int);
TENSORWRIGHT_FIELD(int64_t, int64);
TENSORWRIGHT_FIELD(uint32_t, uint32);
TENSORWRIGHT_FIELD(uint64_t, uint64);
TENSORWRIGHT_FIELD(bool, bool);

#undef TENSORWRIGHT_FIELD

// The 16 bits of a half or bfloat16.
template <typename T>
struct BitsField {
  static constexpr int kParts = 1;
  static const auto& Get(const TensorProto& p) { return p.half_val(); }
  static auto* Mutable(TensorProto* p) { return p->mutable_half_val(); }
  template <typename V>
  static T Read(const V& values, int i) {
    return Eigen::numext::bit_cast<T>(static_cast<uint16_t>(values.Get(i)));
  }
  template <typename V>
  static void Append(V* values, const T& x) {
    values->Add(Eigen::numext::bit_cast<uint16_t>(x));
  }
};
template <>
struct Field<half> : BitsField<half> {};
template <>
struct Field<bfloat16> : BitsField<bfloat16> {};

template <typename T>
struct QuantizedField {
  static constexpr int kParts = 1;
  static const auto& Get(const TensorProto& p) { return p.int_val(); }
  static auto* Mutable(TensorProto* p) { return p->mutable_int_val(); }
  template <typename V>
  static T Read(const V& values, int i) {
    return T{static_cast<decltype(T::value)>(values.Get(i))};
  }
  template <typename V>
  static void Append(V* values, const T& x) {
    values->Add(x.value);
  }
};
template <>
struct Field<qint8> : QuantizedField<qint8> {};
template <>
struct Field<quint8> : QuantizedField<quint8> {};
template <>
struct Field<qint16> : QuantizedField<qint16> {};
template <>
struct Field<quint16> : QuantizedField<quint16> {};
template <>
struct Field<qint32> : QuantizedField<qint32> {};

template <>
struct Field<complex64> {
  static constexpr int kParts = 2;
  static const auto& Get(const TensorProto& p) { return p.scomplex_val(); }
  static auto* Mutable(TensorProto* p) { return p->mutable_scomplex_val(); }
  template <typename V>
  static complex64 Read(const V& values, int i) {
    return {values.Get(2 * i), values.Get(2 * i + 1)};
  }
  template <typename V>
  static void Append(V* values, const complex64& x) {
    values->Add(x.real());
    values->Add(x.imag());
  }
};
template <>
struct Field<complex128> {
  static constexpr int kParts = 2;
  static const auto& Get(const TensorProto& p) { return p.dcomplex_val(); }
  static auto* Mutable(TensorProto* p) { return p->mutable_dcomplex_val(); }
  template <typename V>
  static complex128 Read(const V& values, int i) {
    return {values.Get(2 * i), values.Get(2 * i + 1)};
  }
  template <typename V>
  static void Append(V* values, const complex128& x) {
    values->Add(x.real());
    values->Add(x.imag());
  }
};
template <>
struct Field<std::string> {
  static constexpr int kParts = 1;
  static const auto& Get(const TensorProto& p) { return p.string_val(); }
  static auto* Mutable(TensorProto* p) { return p->mutable_string_val(); }
  template <typename V>
  static std::string Read(const V& values, int i) {
    return values.Get(i);
  }
  template <typename V>
  static void Append(V* values, const std::string& x) {
    *values->Add() = x;
  }
};
template <>
struct Field<ResourceHandle> {
  static constexpr int kParts = 1;
  static const auto& Get(const TensorProto& p) {
    return p.resource_handle_val();
  }
  static auto* Mutable(TensorProto* p) {
    return p->mutable_resource_handle_val();
  }
  template <typename V>
  static ResourceHandle Read(const V& values, int i) {
    ResourceHandle handle;
    // A malformed shape in a handle leaves an empty handle, which no look-up
    // accepts.
    handle.FromProto(values.Get(i)).IgnoreError();
    return handle;
  }
  template <typename V>
  static void Append(V* values, const ResourceHandle& x) {
    x.AsProto(values->Add());
  }
};

// Calls fn.operator()<T>() for the C++ type of a dtype that has a field;
// Unimplemented for others.
template <typename Fn>
Status WithFieldType(DataType dtype, Fn fn) {
  switch (dtype) {
#define TENSORWRIGHT_CASE(ENUM) \
  case ENUM:                    \
    return fn.template operator()<EnumToDataType<ENUM>::Type>()
    TENSORWRIGHT_CASE(DT_FLOAT);
    TENSORWRIGHT_CASE(DT_DOUBLE);
    TENSORWRIGHT_CASE(DT_INT32);
    TENSORWRIGHT_CASE(DT_UINT8);
    TENSORWRIGHT_CASE(DT_INT16);
    TENSORWRIGHT_CASE(DT_INT8);
    TENSORWRIGHT_CASE(DT_STRING);
    TENSORWRIGHT_CASE(DT_COMPLEX64);
    TENSORWRIGHT_CASE(DT_INT64);
    TENSORWRIGHT_CASE(DT_BOOL);
    TENSORWRIGHT_CASE(DT_QINT8);
    TENSORWRIGHT_CASE(DT_QUINT8);
    TENSORWRIGHT_CASE(DT_QINT32);
    TENSORWRIGHT_CASE(DT_BFLOAT16);
    TENSORWRIGHT_CASE(DT_QINT16);
    TENSORWRIGHT_CASE(DT_QUINT16);
    TENSORWRIGHT_CASE(DT_UINT16);
    TENSORWRIGHT_CASE(DT_COMPLEX128);
    TENSORWRIGHT_CASE(DT_HALF);
    TENSORWRIGHT_CASE(DT_RESOURCE);
    TENSORWRIGHT_CASE(DT_UINT32);
    TENSORWRIGHT_CASE(DT_UINT64);
#undef TENSORWRIGHT_CASE
    default:
      return errors::Unimplemented("A tensor of ", DataTypeString(dtype),
                                   " has no proto");
  }
}

// Strings in tensor_content: all lengths as varints, then all characters.
Status DecodeStrings(absl::string_view content, absl::Span<std::string> out) {
  const auto malformed = [] {
    return errors::InvalidArgument(
        "TensorProto: tensor_content is not a list of strings");
  };
  std::vector<uint64_t> lengths(out.size());
  uint64_t total = 0;
  for (uint64_t& length : lengths) {
    if (!core::GetVarint64(&content, &length) || length > content.size()) {
      return malformed();
    }
    total += length;
    if (total > content.size()) return malformed();
  }
  if (total != content.size()) return malformed();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].assign(content.data(), lengths[i]);
    content.remove_prefix(lengths[i]);
  }
  return OkStatus();
}

std::string EncodeStrings(absl::Span<const std::string> strings) {
  std::string out;
  for (const std::string& s : strings) core::PutVarint64(&out, s.size());
  for (const std::string& s : strings) out += s;
  return out;
}

// Counts the variants in variants that this thread is reading or writing.
// Deeper than kMaxNesting they are refused: the stack has an end, and the
// parser of protos cannot take that many levels either.
class Nesting {
 public:
  static constexpr int kMaxNesting = 100;

  Nesting() { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  static bool is_too_deep() { return depth_ > kMaxNesting; }

 private:
  static thread_local constinit int depth_;
};

thread_local constinit int Nesting::depth_ = 0;

// Decodes one value of a variant with the function registered for its type.
Status DecodeVariant(VariantTensorDataProto proto, Variant* out) {
  const std::string type_name = proto.type_name();
  *out = std::move(proto);
  if (DecodeUnaryVariant(out)) return OkStatus();
  const bool is_known =
      UnaryVariantOpRegistry::Global()->GetDecodeFn(type_name) != nullptr;
  return errors::InvalidArgument(
      "TensorProto: a variant of type '", type_name,
      is_known ? "' cannot be decoded from its data"
               : "' cannot be decoded: no "
                 "REGISTER_UNARY_VARIANT_DECODE_FUNCTION of that name");
}

Status ParseVariants(Allocator* a, const TensorProto& proto,
                     const TensorShape& shape, Tensor* out) {
  const Nesting nesting;
  if (Nesting::is_too_deep()) {
    return errors::InvalidArgument("TensorProto: more than ",
                                   Nesting::kMaxNesting,
                                   " variants are in each other");
  }
  const int64_t n = shape.num_elements();
  const std::string& content = proto.tensor_content();
  // Each value takes at least the byte of its length.
  if (content.empty() ? n != proto.variant_val_size()
                      : static_cast<uint64_t>(n) > content.size()) {
    return errors::InvalidArgument("TensorProto: shape ", shape.DebugString(),
                                   " needs ", n, " variants");
  }
  TF_RETURN_IF_ERROR(Tensor::Allocate(a, DT_VARIANT, shape, out));
  Variant* const values = out->base<Variant>();
  if (content.empty()) {
    for (int i = 0; i < proto.variant_val_size(); ++i) {
      TF_RETURN_IF_ERROR(DecodeVariant(proto.variant_val(i), &values[i]));
    }
    return OkStatus();
  }
  std::vector<std::string> all(n);
  TF_RETURN_IF_ERROR(DecodeStrings(content, absl::MakeSpan(all)));
  for (int64_t i = 0; i < n; ++i) {
    VariantTensorDataProto value;
    if (!value.ParseFromString(all[i])) {
      return errors::InvalidArgument(
          "TensorProto: tensor_content is not a list of variants");
    }
    TF_RETURN_IF_ERROR(DecodeVariant(std::move(value), &values[i]));
  }
  return OkStatus();
}

Status ParseContent(Allocator* a, const TensorProto& proto,
                    const TensorShape& shape, Tensor* out) {
  const std::string& content = proto.tensor_content();
  const DataType dtype = proto.dtype();
  if (dtype == DT_STRING) {
    // Each string takes at least the byte of its length.
    if (static_cast<uint64_t>(shape.num_elements()) > content.size()) {
      return errors::InvalidArgument("TensorProto: tensor_content of ",
                                     content.size(), " bytes cannot hold ",
                                     shape.num_elements(), " strings");
    }
    TF_RETURN_IF_ERROR(Tensor::Allocate(a, dtype, shape, out));
    return DecodeStrings(content, Flat<std::string>(*out));
  }
  if (!DataTypeCanUseMemcpy(dtype)) {
    return errors::Unimplemented("TensorProto: tensor_content of ",
                                 DataTypeString(dtype));
  }
  // No overflow: num_elements < 2^63 is compared by division.
  const uint64_t size = DataTypeSize(dtype);
  if (content.size() % size != 0 ||
      content.size() / size != static_cast<uint64_t>(shape.num_elements())) {
    return errors::InvalidArgument(
        "TensorProto: tensor_content has ", content.size(),
        " bytes, but shape ", shape.DebugString(), " of ",
        DataTypeString(dtype), " needs ", shape.num_elements(), " * ", size);
  }
  TF_RETURN_IF_ERROR(Tensor::Allocate(a, dtype, shape, out));
  if (dtype == DT_BOOL) {
    // Any other byte in a bool is undefined behaviour.
    bool* dst = out->base<bool>();
    for (size_t i = 0; i < content.size(); ++i) dst[i] = content[i] != 0;
  } else {
    memcpy(out->data(), content.data(), content.size());
  }
  return OkStatus();
}

template <typename T>
Status ParseField(Allocator* a, const TensorProto& proto,
                  const TensorShape& shape, Tensor* out) {
  const auto& values = Field<T>::Get(proto);
  const int64_t n = shape.num_elements();
  const int64_t given = values.size() / Field<T>::kParts;
  if (n > given &&
      n > kMaxBytesFromRepeatedValue / static_cast<int64_t>(sizeof(T))) {
    return errors::InvalidArgument(
        "TensorProto: refusing to make a tensor of shape ", shape.DebugString(),
        " out of ", given, " values");
  }
  TF_RETURN_IF_ERROR(Tensor::Allocate(a, proto.dtype(), shape, out));
  T* dst = out->base<T>();
  const int64_t copied = std::min(n, given);
  for (int64_t i = 0; i < copied; ++i) {
    dst[i] = Field<T>::Read(values, static_cast<int>(i));
  }
  std::fill(dst + copied, dst + n, copied > 0 ? dst[copied - 1] : T());
  return OkStatus();
}

}  // namespace

Status Tensor::ParseProto(const TensorProto& proto, Tensor* out) {
  return ParseProto(TensorAllocatorScope::Current(), proto, out);
}

Status Tensor::ParseProto(Allocator* a, const TensorProto& proto, Tensor* out) {
  if (DataTypeSize(proto.dtype()) == 0 || IsRefType(proto.dtype())) {
    return errors::InvalidArgument("TensorProto: a tensor cannot have dtype ",
                                   DataTypeString(proto.dtype()));
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(
      TensorShape::BuildTensorShape(proto.tensor_shape(), &shape));
  Tensor t;
  if (shape.num_elements() == 0) {
    t = Tensor(proto.dtype(), shape);
  } else if (proto.dtype() == DT_VARIANT) {
    TF_RETURN_IF_ERROR(ParseVariants(a, proto, shape, &t));
  } else if (!proto.tensor_content().empty()) {
    TF_RETURN_IF_ERROR(ParseContent(a, proto, shape, &t));
  } else {
    TF_RETURN_IF_ERROR(WithFieldType(proto.dtype(), [&]<typename T>() {
      return ParseField<T>(a, proto, shape, &t);
    }));
  }
  *out = std::move(t);
  return OkStatus();
}

bool Tensor::FromProto(const TensorProto& proto) {
  return ParseProto(proto, this).ok();
}

bool Tensor::FromProto(Allocator* a, const TensorProto& proto) {
  return ParseProto(a, proto, this).ok();
}

void Tensor::AsProtoField(TensorProto* proto) const {
  proto->Clear();
  proto->set_dtype(dtype_);
  shape_.AsProto(proto->mutable_tensor_shape());
  if (buf_ == nullptr) return;
  if (dtype_ == DT_VARIANT) {
    const Nesting nesting;
    for (const Variant& v : Flat<Variant>(*this)) {
      VariantTensorDataProto* data = proto->add_variant_val();
      // A value that cannot be written leaves its type's name.
      if (Nesting::is_too_deep() || !EncodeVariant(v, data)) {
        data->set_type_name(v.TypeName());
      }
    }
    return;
  }
  WithFieldType(dtype_, [&]<typename T>() {
    auto* values = Field<T>::Mutable(proto);
    values->Reserve(static_cast<int>(NumElements()) * Field<T>::kParts);
    for (const T& x : Flat<T>(*this)) Field<T>::Append(values, x);
    return OkStatus();
  }).IgnoreError();
}

void Tensor::AsProtoTensorContent(TensorProto* proto) const {
  if (dtype_ != DT_STRING && !DataTypeCanUseMemcpy(dtype_)) {
    AsProtoField(proto);
    return;
  }
  proto->Clear();
  proto->set_dtype(dtype_);
  shape_.AsProto(proto->mutable_tensor_shape());
  if (buf_ == nullptr) return;
  if (dtype_ == DT_STRING) {
    proto->set_tensor_content(EncodeStrings(Flat<std::string>(*this)));
  } else {
    const absl::string_view bytes = tensor_data();
    proto->set_tensor_content(bytes.data(), bytes.size());
  }
}

void Tensor::FillDescription(TensorDescription* description) const {
  description->set_dtype(dtype_);
  shape_.AsProto(description->mutable_shape());
  if (buf_ != nullptr) {
    buf_->FillAllocationDescription(
        description->mutable_allocation_description());
  }
}

}  // namespace tensorwright
