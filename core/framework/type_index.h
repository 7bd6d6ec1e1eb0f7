// SPDX-License-Identifier: Apache-2.0
// TypeIndex: a C++ type as a value that can be compared and has a hash_code().
// For sources written for TensorFlow; ours use std::type_index, which converts
// both ways.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TYPE_INDEX_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TYPE_INDEX_H_

#include <cstdint>
#include <typeindex>

namespace tensorwright {

// A std::type_index with TensorFlow's way to make one; void by default.
class TypeIndex : public std::type_index {
 public:
  using std::type_index::type_index;
  TypeIndex(std::type_index index) : std::type_index(index) {}  // NOLINT
  TypeIndex() : std::type_index(typeid(void)) {}

  template <typename T>
  static TypeIndex Make() {
    return TypeIndex(std::type_index(typeid(T)));
  }
};

// The same, as TensorFlow 1.x spells it.
template <typename T>
TypeIndex MakeTypeIndex() {
  return TypeIndex::Make<T>();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TYPE_INDEX_H_
