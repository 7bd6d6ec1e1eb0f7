// SPDX-License-Identifier: Apache-2.0
// VariantTensorData: the written form of a variant's value, tensors and some
// bytes.
//
// For types of custom ops, whose Encode fills one and whose Decode reads it
// back (variant.h).  A value: it owns its bytes and shares its tensors'
// buffers; const access is thread-safe.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_TENSOR_DATA_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_TENSOR_DATA_H_

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/tensor.h"

namespace tensorwright {

class VariantTensorDataProto;

class VariantTensorData {
 public:
  VariantTensorData() = default;
  // Empty if one of the proto's tensors is broken: see FromProto.
  VariantTensorData(const VariantTensorDataProto& proto);  // NOLINT

  // The name of the value's type, which its TypeName() gives; "" until it is
  // set.
  const std::string& type_name() const { return type_name_; }
  void set_type_name(std::string name) { type_name_ = std::move(name); }

  // The part that is not a tensor: a string, a number, or the bytes of a plain
  // struct, as this machine has them.  Replaces what was set before.
  template <typename T>
  void set_metadata(const T& value) {
    if constexpr (std::is_convertible<const T&, std::string>::value) {
      metadata_ = value;
    } else {
      static_assert(std::is_trivially_copyable<T>::value);
      metadata_.assign(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  // False, and *value untouched, if it is of another size.  A string takes any
  // metadata.
  template <typename T>
  bool get_metadata(T* value) const {
    if constexpr (std::is_base_of<std::string, T>::value) {
      *value = metadata_;
      return true;
    } else {
      static_assert(std::is_trivially_copyable<T>::value);
      if (metadata_.size() != sizeof *value) return false;
      std::memcpy(value, metadata_.data(), sizeof *value);
      return true;
    }
  }
  std::string& metadata_string() { return metadata_; }
  const std::string& metadata_string() const { return metadata_; }

  // Positions are not checked.
  int tensors_size() const { return static_cast<int>(tensors_.size()); }
  const Tensor& tensors(int i) const { return tensors_[i]; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Each appends a tensor (made of `args`) and returns it, still owned by this
  // and good until the next one is added.
  Tensor* add_tensors() {
    tensors_.emplace_back();
    return &tensors_.back();
  }
  template <typename... Args>
  Tensor* add_tensor(Args&&... args) {
    tensors_.emplace_back(std::forward<Args>(args)...);
    return &tensors_.back();
  }

  // Copies all elements into the proto, instead of what it held.
  void ToProto(VariantTensorDataProto* proto) const;
  // False, and empty afterwards, if a tensor is broken.  Reads untrusted data.
  bool FromProto(const VariantTensorDataProto& proto);
  bool FromConstProto(const VariantTensorDataProto& proto) {
    return FromProto(proto);
  }
  // The same as bytes; writing never fails, reading is false for bytes that are
  // no proto.
  std::string SerializeAsString() const;
  bool SerializeToString(std::string* out) const;
  bool ParseFromString(const std::string& s);
  // Sizes only, no values.
  std::string DebugString() const;

 private:
  std::string type_name_;
  std::string metadata_;
  std::vector<Tensor> tensors_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_VARIANT_TENSOR_DATA_H_
