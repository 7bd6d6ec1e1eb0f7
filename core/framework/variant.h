// SPDX-License-Identifier: Apache-2.0
// Variant: the element of a DT_VARIANT tensor, any copyable C++ value.
//
// A value type: it owns the value it holds, in an allocation of its own; a copy
// copies the value, a move takes it and leaves the source empty.  Const access
// is safe from many threads if it is so for the type held.  Nothing here fails:
// a question that the value cannot answer is answered by false, null or a
// default.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_H_

#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>

#include "absl/strings/string_view.h"

namespace tensorwright {

class VariantTensorDataProto;

class VariantTensorData;

namespace variant_internal {

// The name as it is written in C++; the mangled one if it cannot be read.
std::string Demangled(const char* mangled_name);

// Calls the function that a value offers, or else gives a default.  The
// overloads are tried in order: 0 is an int before it is a long, and a long
// before it is anything (`...`).

template <typename T>
auto TypeNameOf(const T& value, int)
    -> decltype(std::string(value.TypeName())) {
  return std::string(value.TypeName());
}
template <typename T>
std::string TypeNameOf(const T&, long) {  // NOLINT
  return Demangled(typeid(T).name());
}

template <typename T>
auto DebugStringOf(const T& value, int)
    -> decltype(std::string(value.DebugString())) {
  return value.DebugString();
}
template <typename T>
std::string DebugStringOf(const T&, long) {  // NOLINT
  return "?";
}

// Convert between the proto and VariantTensorData, which custom ops use.  They
// are templates because VariantTensorData is only declared here; code that
// instantiates them for such a type has included its definition.
template <typename T>
auto Encode(const T& value, VariantTensorDataProto* proto, int)
    -> decltype(value.Encode(proto), bool()) {
  value.Encode(proto);
  return true;
}
template <typename T, typename Data = VariantTensorData>
auto Encode(const T& value, VariantTensorDataProto* proto, long)  // NOLINT
    -> decltype(value.Encode(static_cast<Data*>(nullptr)), bool()) {
  Data data;
  value.Encode(&data);
  data.ToProto(proto);
  return true;
}
template <typename T>
bool Encode(const T&, VariantTensorDataProto*, ...) {
  return false;
}

template <typename T>
auto Decode(T* value, const VariantTensorDataProto& proto, int)
    -> decltype(bool(value->Decode(proto))) {
  return value->Decode(proto);
}
template <typename T, typename Data = VariantTensorData>
auto Decode(T* value, const VariantTensorDataProto& proto, long)  // NOLINT
    -> decltype(bool(value->Decode(std::declval<const Data&>()))) {
  Data data;
  return data.FromProto(proto) && value->Decode(data);
}
template <typename T>
bool Decode(T*, const VariantTensorDataProto&, ...) {
  return false;
}

}  // namespace variant_internal

// Holds a value of any copyable type, or nothing.  A type may offer
//
//   std::string TypeName() const;  // Its C++ name where there is none.
//   std::string DebugString() const;
//   void Encode(VariantTensorDataProto* data) const;
//   bool Decode(const VariantTensorDataProto& data);
//
// or, as TensorFlow has them,
//
//   void Encode(VariantTensorData* data) const;
//   bool Decode(const VariantTensorData& data);  // Or by value.
//
// The compiler finds out which of them a type offers. Without the last two a
// value has no proto; if a type has both kinds, the proto's is taken.
class Variant {
 public:
  // Empty.
  Variant() = default;
  template <typename T, typename V = std::decay_t<T>,
            typename = std::enable_if_t<!std::is_same<V, Variant>::value &&
                                        std::is_copy_constructible<V>::value>>
  Variant(T&& value)  // NOLINT: any value is one.
      : holder_(std::make_unique<Holder<V>>(std::forward<T>(value))) {}
  Variant(const Variant& other)
      : holder_(other.holder_ ? other.holder_->Clone() : nullptr) {}
  Variant(Variant&&) noexcept = default;
  Variant& operator=(const Variant& other) {
    holder_ = other.holder_ ? other.holder_->Clone() : nullptr;
    return *this;
  }
  Variant& operator=(Variant&&) noexcept = default;

  // Replaces what is held by a T made of `args`.  The reference is good until
  // the Variant is assigned, cleared or destroyed.
  template <typename T, typename... Args>
  T& emplace(Args&&... args) {
    auto holder = std::make_unique<Holder<T>>(T(std::forward<Args>(args)...));
    T& value = holder->value;
    holder_ = std::move(holder);
    return value;
  }

  bool is_empty() const { return holder_ == nullptr; }
  void clear() { holder_.reset(); }
  // typeid of the value; of void if there is none.
  std::type_index TypeId() const {
    return is_empty() ? std::type_index(typeid(void)) : holder_->TypeId();
  }
  // The value, still owned by this, or null if it is empty or holds another
  // type; T is the exact type, not a base.
  template <typename T>
  T* get() {
    return TypeId() == std::type_index(typeid(T))
               ? &static_cast<Holder<T>*>(holder_.get())->value
               : nullptr;
  }
  template <typename T>
  const T* get() const {
    return const_cast<Variant*>(this)->get<T>();
  }

  // "" if empty; else the name that the value gives, or the C++ name of its
  // type.
  std::string TypeName() const { return is_empty() ? "" : holder_->TypeName(); }
  std::string DebugString() const;
  // Writes the value but not its type's name, which the caller adds.  False if
  // it is empty or the type cannot.
  bool Encode(VariantTensorDataProto* data) const {
    return !is_empty() && holder_->Encode(data);
  }
  // Fills the value that is there already, which must be of the type that was
  // encoded.  False if this is empty, the type has no Decode, or it rejects the
  // data.
  bool Decode(const VariantTensorDataProto& data) {
    return !is_empty() && holder_->Decode(data);
  }

 private:
  struct HolderBase {
    virtual ~HolderBase() = default;
    virtual std::unique_ptr<HolderBase> Clone() const = 0;
    virtual std::type_index TypeId() const = 0;
    virtual std::string TypeName() const = 0;
    virtual std::string DebugString() const = 0;
    virtual bool Encode(VariantTensorDataProto* data) const = 0;
    virtual bool Decode(const VariantTensorDataProto& data) = 0;
  };

  template <typename T>
  struct Holder final : HolderBase {
    template <typename U>
    explicit Holder(U&& v) : value(std::forward<U>(v)) {}
    std::unique_ptr<HolderBase> Clone() const override {
      return std::make_unique<Holder>(value);
    }
    std::type_index TypeId() const override { return typeid(T); }
    std::string TypeName() const override {
      return variant_internal::TypeNameOf(value, 0);
    }
    std::string DebugString() const override {
      return variant_internal::DebugStringOf(value, 0);
    }
    bool Encode(VariantTensorDataProto* d) const override {
      return variant_internal::Encode(value, d, 0);
    }
    bool Decode(const VariantTensorDataProto& d) override {
      return variant_internal::Decode(&value, d, 0);
    }
    T value;
  };

  std::unique_ptr<HolderBase> holder_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_H_
