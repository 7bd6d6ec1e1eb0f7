// SPDX-License-Identifier: Apache-2.0
// Keeps the functions that are registered for types of values in variants, by
// use and type.
#include "core/framework/variant_op_registry.h"

#include <map>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/staged_registrations.h"

namespace tensorwright {
namespace {

std::string NameOf(const TypeIndex& type) {
  return variant_internal::Demangled(type.name());
}

Status NoFunction(const std::string& use, const Variant& value) {
  return errors::Internal("No ", use, " is registered for variants that hold ",
                          value.is_empty() ? "nothing" : value.TypeName());
}

const char* DirectionName(VariantDeviceCopyDirection direction) {
  switch (direction) {
    case HOST_TO_DEVICE:
      return "from host to device";
    case DEVICE_TO_HOST:
      return "from device to host";
    case DEVICE_TO_DEVICE:
      return "from device to device";
    default:
      return "in no direction";
  }
}

// Functions of one kind, which are never removed.
template <typename Key, typename Fn>
class Functions {
 public:
  void Register(const std::string& what, Key key, Fn fn, SourceLocation at) {
    RegisterEntry(what, at, [this, key = std::move(key), fn = std::move(fn)] {
      absl::MutexLock lock(&mu_);
      functions_.emplace(key, fn);
    });
  }

  Fn* Find(const Key& key) {
    absl::ReaderMutexLock lock(&mu_);
    const auto found = functions_.find(key);
    return found == functions_.end() ? nullptr : &found->second;
  }

 private:
  absl::Mutex mu_;
  std::map<Key, Fn> functions_ ABSL_GUARDED_BY(mu_);  // Values stay in place.
};

}  // namespace

const char* VariantUnaryOpToString(VariantUnaryOp op) {
  switch (op) {
    case ZEROS_LIKE_VARIANT_UNARY_OP:
      return "ZEROS_LIKE";
    case CONJ_VARIANT_UNARY_OP:
      return "CONJ";
    default:
      return "INVALID";
  }
}

const char* VariantBinaryOpToString(VariantBinaryOp op) {
  return op == ADD_VARIANT_BINARY_OP ? "ADD" : "INVALID";
}

struct UnaryVariantOpRegistry::State {
  Functions<std::string, VariantDecodeFn> decode;
  Functions<TypeIndex, VariantShapeFn> shape;
  Functions<std::tuple<int, std::string, TypeIndex>, VariantUnaryOpFn> unary;
  Functions<std::tuple<int, std::string, TypeIndex>, VariantBinaryOpFn> binary;
  Functions<std::pair<int, TypeIndex>, AsyncVariantDeviceCopyFn> copy;
};

UnaryVariantOpRegistry::UnaryVariantOpRegistry() : state_(new State) {}

UnaryVariantOpRegistry* UnaryVariantOpRegistry::Global() {
  static UnaryVariantOpRegistry* const registry = new UnaryVariantOpRegistry;
  return registry;
}

void UnaryVariantOpRegistry::RegisterDecodeFn(const std::string& type_name,
                                              VariantDecodeFn fn,
                                              SourceLocation at) {
  state_->decode.Register(absl::StrCat("The decoding of variants ", type_name),
                          type_name, std::move(fn), at);
}

void UnaryVariantOpRegistry::RegisterShapeFn(const TypeIndex& type,
                                             VariantShapeFn fn,
                                             SourceLocation at) {
  state_->shape.Register(
      absl::StrCat("The shape function of variants ", NameOf(type)), type,
      std::move(fn), at);
}

void UnaryVariantOpRegistry::RegisterUnaryOpFn(VariantUnaryOp op,
                                               const std::string& device,
                                               const TypeIndex& type,
                                               VariantUnaryOpFn fn,
                                               SourceLocation at) {
  state_->unary.Register(
      absl::StrCat("The ", VariantUnaryOpToString(op), " on ", device,
                   " of variants ", NameOf(type)),
      {op, device, type}, std::move(fn), at);
}

void UnaryVariantOpRegistry::RegisterBinaryOpFn(VariantBinaryOp op,
                                                const std::string& device,
                                                const TypeIndex& type,
                                                VariantBinaryOpFn fn,
                                                SourceLocation at) {
  state_->binary.Register(
      absl::StrCat("The ", VariantBinaryOpToString(op), " on ", device,
                   " of variants ", NameOf(type)),
      {op, device, type}, std::move(fn), at);
}

void UnaryVariantOpRegistry::RegisterDeviceCopyFn(
    VariantDeviceCopyDirection direction, const TypeIndex& type,
    AsyncVariantDeviceCopyFn fn, SourceLocation at) {
  state_->copy.Register(absl::StrCat("The copy ", DirectionName(direction),
                                     " of variants ", NameOf(type)),
                        {direction, type}, std::move(fn), at);
}

UnaryVariantOpRegistry::VariantDecodeFn* UnaryVariantOpRegistry::GetDecodeFn(
    absl::string_view type_name) {
  return state_->decode.Find(std::string(type_name));
}

UnaryVariantOpRegistry::VariantShapeFn* UnaryVariantOpRegistry::GetShapeFn(
    const TypeIndex& type) {
  return state_->shape.Find(type);
}

UnaryVariantOpRegistry::VariantUnaryOpFn* UnaryVariantOpRegistry::GetUnaryOpFn(
    VariantUnaryOp op, absl::string_view device, const TypeIndex& type) {
  return state_->unary.Find({op, std::string(device), type});
}

UnaryVariantOpRegistry::VariantBinaryOpFn*
UnaryVariantOpRegistry::GetBinaryOpFn(VariantBinaryOp op,
                                      absl::string_view device,
                                      const TypeIndex& type) {
  return state_->binary.Find({op, std::string(device), type});
}

UnaryVariantOpRegistry::AsyncVariantDeviceCopyFn*
UnaryVariantOpRegistry::GetDeviceCopyFn(VariantDeviceCopyDirection direction,
                                        const TypeIndex& type) {
  return state_->copy.Find({direction, type});
}

bool DecodeUnaryVariant(Variant* variant) {
  const auto* const proto = variant->get<VariantTensorDataProto>();
  if (proto == nullptr) return true;
  if (proto->type_name().empty()) {
    if (!proto->metadata().empty() || proto->tensors_size() > 0) return false;
    variant->clear();
    return true;
  }
  UnaryVariantOpRegistry::VariantDecodeFn* const decode =
      UnaryVariantOpRegistry::Global()->GetDecodeFn(proto->type_name());
  return decode != nullptr && (*decode)(variant);
}

bool EncodeVariant(const Variant& value, VariantTensorDataProto* proto) {
  if (!value.Encode(proto)) return false;
  // Encode need not write the type's name; the value gives it.
  if (proto->type_name().empty()) proto->set_type_name(value.TypeName());
  return true;
}

Status GetUnaryVariantShape(const Tensor& variant_tensor, TensorShape* shape) {
  if (variant_tensor.dtype() != DT_VARIANT || variant_tensor.dims() != 0) {
    return errors::InvalidArgument(
        "The shape of a variant's value: the tensor must be a scalar of "
        "variant, got ",
        DataTypeString(variant_tensor.dtype()), " of shape ",
        variant_tensor.shape().DebugString());
  }
  const Variant& value = *variant_tensor.base<Variant>();
  const auto* const fn =
      UnaryVariantOpRegistry::Global()->GetShapeFn(value.TypeId());
  if (fn == nullptr) return NoFunction("shape function", value);
  return (*fn)(value, shape);
}

Status UnaryOpVariant(OpKernelContext* ctx, VariantUnaryOp op,
                      absl::string_view device, const Variant& v,
                      Variant* out) {
  const auto* const fn =
      UnaryVariantOpRegistry::Global()->GetUnaryOpFn(op, device, v.TypeId());
  if (fn == nullptr) {
    return NoFunction(absl::StrCat(VariantUnaryOpToString(op), " on ", device),
                      v);
  }
  return (*fn)(ctx, v, out);
}

Status BinaryOpVariants(OpKernelContext* ctx, VariantBinaryOp op,
                        absl::string_view device, const Variant& a,
                        const Variant& b, Variant* out) {
  if (a.TypeId() != b.TypeId()) {
    return errors::Internal("Variants of different types meet in ",
                            VariantBinaryOpToString(op), ": ", a.TypeName(),
                            " and ", b.TypeName());
  }
  const auto* const fn =
      UnaryVariantOpRegistry::Global()->GetBinaryOpFn(op, device, a.TypeId());
  if (fn == nullptr) {
    return NoFunction(absl::StrCat(VariantBinaryOpToString(op), " on ", device),
                      a);
  }
  return (*fn)(ctx, a, b, out);
}

Status VariantDeviceCopy(
    VariantDeviceCopyDirection direction, const Variant& from, Variant* to,
    const UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn& copy) {
  const auto* const fn = UnaryVariantOpRegistry::Global()->GetDeviceCopyFn(
      direction, from.TypeId());
  if (fn == nullptr) {
    return NoFunction(absl::StrCat("copy ", DirectionName(direction)), from);
  }
  return (*fn)(from, to, copy);
}

}  // namespace tensorwright
