// SPDX-License-Identifier: Apache-2.0
// Functions by which ops handle the values in variants; the author of a type
// registers them.
//
//   REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Pair, "me::Pair");
//   REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
//                                            DEVICE_CPU, Pair, PairZerosLike);
//   REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP,
//                                             DEVICE_CPU, Pair, AddPairs);
//
// Decoding makes a value of the data that a TensorProto holds, ZerosLike calls
// the first, AddN the second of these functions.  A function is registered for
// the exact type, and once.
//
// Threads: any.  Functions are called without a lock held, and may be called by
// many threads at once.  Pointers that the registry gives are good for ever.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_OP_REGISTRY_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_OP_REGISTRY_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/framework/library_stamp.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/type_index.h"
#include "core/framework/types.h"
#include "core/framework/variant.h"
#include "core/framework/variant_tensor_data.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

enum VariantUnaryOp {
  INVALID_VARIANT_UNARY_OP = 0,
  ZEROS_LIKE_VARIANT_UNARY_OP = 1,
  CONJ_VARIANT_UNARY_OP = 2,
};
enum VariantBinaryOp {
  INVALID_VARIANT_BINARY_OP = 0,
  ADD_VARIANT_BINARY_OP = 1,
};
enum VariantDeviceCopyDirection {
  INVALID_DEVICE_COPY_DIRECTION = 0,
  HOST_TO_DEVICE = 1,
  DEVICE_TO_HOST = 2,
  DEVICE_TO_DEVICE = 3,
};

const char* VariantUnaryOpToString(VariantUnaryOp op);
const char* VariantBinaryOpToString(VariantBinaryOp op);

class UnaryVariantOpRegistry final {
 public:
  // *value holds a VariantTensorDataProto; the function replaces it by the
  // value that this describes.
  using VariantDecodeFn = std::function<bool(Variant* value)>;
  using VariantShapeFn = std::function<Status(const Variant&, TensorShape*)>;
  using VariantUnaryOpFn =
      std::function<Status(OpKernelContext*, const Variant&, Variant*)>;
  using VariantBinaryOpFn = std::function<Status(
      OpKernelContext*, const Variant&, const Variant&, Variant*)>;
  // Copies one tensor; *to is complete once the step's device says so.
  using AsyncTensorDeviceCopyFn =
      std::function<Status(const Tensor& from, Tensor* to)>;
  // Copies a value, by calling the function for each of its tensors.
  using AsyncVariantDeviceCopyFn = std::function<Status(
      const Variant& from, Variant* to, AsyncTensorDeviceCopyFn copy)>;

  static UnaryVariantOpRegistry* Global();

  // Within a library that is being loaded, registrations wait until all of it
  // has proved good.  A second function for the same use is then refused.
  void RegisterDecodeFn(const std::string& type_name, VariantDecodeFn fn,
                        SourceLocation at = SourceLocation::Current());
  void RegisterShapeFn(const TypeIndex& type, VariantShapeFn fn,
                       SourceLocation at = SourceLocation::Current());
  void RegisterUnaryOpFn(VariantUnaryOp op, const std::string& device,
                         const TypeIndex& type, VariantUnaryOpFn fn,
                         SourceLocation at = SourceLocation::Current());
  void RegisterBinaryOpFn(VariantBinaryOp op, const std::string& device,
                          const TypeIndex& type, VariantBinaryOpFn fn,
                          SourceLocation at = SourceLocation::Current());
  void RegisterDeviceCopyFn(VariantDeviceCopyDirection direction,
                            const TypeIndex& type, AsyncVariantDeviceCopyFn fn,
                            SourceLocation at = SourceLocation::Current());

  // Null if there is none.
  VariantDecodeFn* GetDecodeFn(absl::string_view type_name);
  VariantShapeFn* GetShapeFn(const TypeIndex& type);
  VariantUnaryOpFn* GetUnaryOpFn(VariantUnaryOp op, absl::string_view device,
                                 const TypeIndex& type);
  VariantBinaryOpFn* GetBinaryOpFn(VariantBinaryOp op, absl::string_view device,
                                   const TypeIndex& type);
  AsyncVariantDeviceCopyFn* GetDeviceCopyFn(
      VariantDeviceCopyDirection direction, const TypeIndex& type);

 private:
  struct State;
  UnaryVariantOpRegistry();
  ~UnaryVariantOpRegistry() = delete;  // The registry lives for ever.
  State* const state_;
};

// Replaces a VariantTensorDataProto in the variant by the value that it
// describes; other variants stay as they are.  One that describes nothing
// becomes empty.  False if nobody registered the type, or it rejects the data.
bool DecodeUnaryVariant(Variant* variant);
// False if the value has no Encode.
bool EncodeVariant(const Variant& value, VariantTensorDataProto* proto);

// The shape that the value of a scalar variant reports.  InvalidArgument for
// other tensors; Internal if the type has no such function.
Status GetUnaryVariantShape(const Tensor& variant_tensor, TensorShape* shape);

// The same for op functions.  `out` must not be one of the operands.  Internal,
// naming the type, if it has no such function.
Status UnaryOpVariant(OpKernelContext* ctx, VariantUnaryOp op,
                      absl::string_view device, const Variant& v, Variant* out);
Status BinaryOpVariants(OpKernelContext* ctx, VariantBinaryOp op,
                        absl::string_view device, const Variant& a,
                        const Variant& b, Variant* out);
Status VariantDeviceCopy(
    VariantDeviceCopyDirection direction, const Variant& from, Variant* to,
    const UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn& copy);

namespace variant_op_registry_internal {

// Each registers when it is constructed.  TensorFlow's macros at first took the
// name of the type after the type, and later did without: both are accepted.

template <typename T>
struct DecodeRegistration {
  DecodeRegistration(SourceLocation at, const std::string& type_name) {
    UnaryVariantOpRegistry::Global()->RegisterDecodeFn(
        type_name,
        [type_name](Variant* v) {
          const auto* const proto = v->get<VariantTensorDataProto>();
          if (proto == nullptr || proto->type_name() != type_name) return false;
          T value;
          if (!variant_internal::Decode(&value, *proto, 0)) return false;
          *v = std::move(value);
          return true;
        },
        at);
  }
};

template <typename T>
Status NoSuchValue(const Variant& v) {
  return errors::Internal("Variant: expected a ",
                          variant_internal::Demangled(typeid(T).name()),
                          ", got ", v.DebugString());
}

template <typename T, typename Fn>
UnaryVariantOpRegistry::VariantUnaryOpFn UnaryOf(Fn fn) {
  return [fn](OpKernelContext* ctx, const Variant& v, Variant* out) {
    const T* const value = v.get<T>();
    if (value == nullptr) return NoSuchValue<T>(v);
    T result;
    const Status status = fn(ctx, *value, &result);
    if (status.ok()) *out = std::move(result);
    return status;
  };
}

template <typename T, typename Fn>
UnaryVariantOpRegistry::VariantBinaryOpFn BinaryOf(Fn fn) {
  return [fn](OpKernelContext* ctx, const Variant& a, const Variant& b,
              Variant* out) {
    const T* const left = a.get<T>();
    const T* const right = b.get<T>();
    if (left == nullptr) return NoSuchValue<T>(a);
    if (right == nullptr) return NoSuchValue<T>(b);
    T result;
    const Status status = fn(ctx, *left, *right, &result);
    if (status.ok()) *out = std::move(result);
    return status;
  };
}

template <typename T>
struct UnaryOpRegistration {
  template <typename Fn>
  UnaryOpRegistration(SourceLocation at, VariantUnaryOp op, const char* device,
                      Fn fn) {
    UnaryVariantOpRegistry::Global()->RegisterUnaryOpFn(
        op, device, TypeIndex::Make<T>(), UnaryOf<T>(fn), at);
  }
  template <typename Fn>
  UnaryOpRegistration(SourceLocation at, VariantUnaryOp op, const char* device,
                      const std::string&, Fn fn)
      : UnaryOpRegistration(at, op, device, fn) {}
};

template <typename T>
struct BinaryOpRegistration {
  template <typename Fn>
  BinaryOpRegistration(SourceLocation at, VariantBinaryOp op,
                       const char* device, Fn fn) {
    UnaryVariantOpRegistry::Global()->RegisterBinaryOpFn(
        op, device, TypeIndex::Make<T>(), BinaryOf<T>(fn), at);
  }
  template <typename Fn>
  BinaryOpRegistration(SourceLocation at, VariantBinaryOp op,
                       const char* device, const std::string&, Fn fn)
      : BinaryOpRegistration(at, op, device, fn) {}
};

template <typename T>
struct ShapeRegistration {
  template <typename Fn>
  ShapeRegistration(SourceLocation at, Fn fn) {
    UnaryVariantOpRegistry::Global()->RegisterShapeFn(
        TypeIndex::Make<T>(),
        [fn](const Variant& v, TensorShape* shape) {
          const T* const value = v.get<T>();
          if (value == nullptr) return NoSuchValue<T>(v);
          return Status(fn(*value, shape));
        },
        at);
  }
  template <typename Fn>
  ShapeRegistration(SourceLocation at, const std::string&, Fn fn)
      : ShapeRegistration(at, fn) {}
};

template <typename T>
struct DeviceCopyRegistration {
  template <typename Fn>
  DeviceCopyRegistration(SourceLocation at,
                         VariantDeviceCopyDirection direction, Fn fn) {
    UnaryVariantOpRegistry::Global()->RegisterDeviceCopyFn(
        direction, TypeIndex::Make<T>(),
        [fn](const Variant& from, Variant* to,
             UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn copy) {
          const T* const value = from.get<T>();
          if (value == nullptr) return NoSuchValue<T>(from);
          T made;
          const Status status = fn(*value, &made, copy);
          if (status.ok()) *to = std::move(made);
          return status;
        },
        at);
  }
  template <typename Fn>
  DeviceCopyRegistration(SourceLocation at, const std::string&,
                         VariantDeviceCopyDirection direction, Fn fn)
      : DeviceCopyRegistration(at, direction, fn) {}
};

}  // namespace variant_op_registry_internal

// For kernels that are templates of CPUDevice and GPUDevice.
template <typename Device>
Status UnaryOpVariant(OpKernelContext* ctx, VariantUnaryOp op, const Variant& v,
                      Variant* out) {
  return UnaryOpVariant(ctx, op, DeviceName<Device>::value, v, out);
}
template <typename Device>
Status BinaryOpVariants(OpKernelContext* ctx, VariantBinaryOp op,
                        const Variant& a, const Variant& b, Variant* out) {
  return BinaryOpVariants(ctx, op, DeviceName<Device>::value, a, b, out);
}

}  // namespace tensorwright

#define TENSORWRIGHT_REGISTER_VARIANT(ctr, kind, T, ...) \
  TENSORWRIGHT_REGISTER_VARIANT_UNIQ(ctr, kind, T, __VA_ARGS__)
#define TENSORWRIGHT_REGISTER_VARIANT_UNIQ(ctr, kind, T, ...)                  \
  [[maybe_unused]] static const ::tensorwright::variant_op_registry_internal:: \
      kind<T>                                                                  \
          register_variant_##ctr(                                              \
              ::tensorwright::SourceLocation(__FILE__, __LINE__), __VA_ARGS__)

// T is a type with a default value and Decode(VariantTensorData).
#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(T, type_name) \
  TENSORWRIGHT_REGISTER_VARIANT(__COUNTER__, DecodeRegistration, T, type_name)

// Status fn(const T&, TensorShape*).
#define REGISTER_UNARY_VARIANT_SHAPE_FUNCTION(T, ...) \
  TENSORWRIGHT_REGISTER_VARIANT(__COUNTER__, ShapeRegistration, T, __VA_ARGS__)

// Status fn(OpKernelContext*, const T&, T* out).
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(op, device, T, ...)     \
  TENSORWRIGHT_REGISTER_VARIANT(__COUNTER__, UnaryOpRegistration, T, op, \
                                device, __VA_ARGS__)

// Status fn(OpKernelContext*, const T&, const T&, T* out).
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(op, device, T, ...)     \
  TENSORWRIGHT_REGISTER_VARIANT(__COUNTER__, BinaryOpRegistration, T, op, \
                                device, __VA_ARGS__)

// Status fn(const T& from, T* to, AsyncTensorDeviceCopyFn copy), which calls
// `copy` for each tensor of the value.  T, direction, fn or, as older sources
// have it, T, type_name, direction, fn.
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(T, ...)    \
  TENSORWRIGHT_REGISTER_VARIANT(__COUNTER__, DeviceCopyRegistration, T, \
                                __VA_ARGS__)

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_OP_REGISTRY_H_
