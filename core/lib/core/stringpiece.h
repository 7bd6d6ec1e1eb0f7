// SPDX-License-Identifier: Apache-2.0
// StringPiece: a string_view with the extra members that TensorFlow 1.x's had.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_STRINGPIECE_H_
#define TENSORWRIGHT_CORE_LIB_CORE_STRINGPIECE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"

#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace tensorwright {

// Our own code uses absl::string_view; this exists for sources written against
// TensorFlow, and converts to and from string_view, std::string and const char*
// freely.  It owns nothing.
class StringPiece : public absl::string_view {
 public:
  struct Hasher {
    size_t operator()(absl::string_view s) const {
      // The std::hash of the same bytes, in every standard.
      return std::_Hash_impl::hash(s.data(), s.size());
    }
  };

  using absl::string_view::string_view;
  constexpr StringPiece() = default;
  constexpr StringPiece(absl::string_view s)
      : absl::string_view(s) {}                                   // NOLINT
  constexpr StringPiece(const char* s) : absl::string_view(s) {}  // NOLINT
  StringPiece(const std::string& s) : absl::string_view(s) {}     // NOLINT
#if __cplusplus >= 201703L
  constexpr StringPiece(std::string_view s)  // NOLINT
      : absl::string_view(s.data(), s.size()) {}
#endif

  bool starts_with(absl::string_view s) const {
    return substr(0, s.size()) == s;
  }
  bool ends_with(absl::string_view s) const {
    return size() >= s.size() && substr(size() - s.size()) == s;
  }
  bool contains(absl::string_view s) const { return find(s) != npos; }
  bool Consume(absl::string_view prefix) {
    if (substr(0, prefix.size()) != prefix) return false;
    remove_prefix(prefix.size());
    return true;
  }
  void clear() { *this = StringPiece(); }
  void set(const char* s) { *this = StringPiece(s); }
  void set(const void* data, size_t n) {
    *this = StringPiece(static_cast<const char*>(data), n);
  }
  std::string ToString() const { return std::string(data(), size()); }
  explicit operator std::string() const { return ToString(); }
};

using StringPieceHasher = StringPiece::Hasher;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_STRINGPIECE_H_
