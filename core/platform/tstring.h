// SPDX-License-Identifier: Apache-2.0
// tstring: the element of a DT_STRING tensor by TensorFlow 2's name.
#ifndef TENSORWRIGHT_CORE_PLATFORM_TSTRING_H_
#define TENSORWRIGHT_CORE_PLATFORM_TSTRING_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace tensorwright {

// A std::string with the few additional functions of TensorFlow 2's class, and
// no additional members: an array of the one can be read as an array of the
// other, so flat<string>() and flat<tstring>() both work.  Views are copies.
class tstring : public std::string {
 public:
  using std::string::string;
  tstring() = default;
  tstring(const std::string& s) : std::string(s) {}        // NOLINT
  tstring(std::string&& s) : std::string(std::move(s)) {}  // NOLINT
  explicit tstring(absl::string_view s) : std::string(s.data(), s.size()) {}

  using std::string::operator=;
  tstring& operator=(const std::string& s) {
    assign(s);
    return *this;
  }
  tstring& operator=(std::string&& s) {
    std::string::operator=(std::move(s));
    return *this;
  }
  tstring& operator=(absl::string_view s) {
    assign(s.data(), s.size());
    return *this;
  }

  char* mdata() { return &(*this)[0]; }
  void resize_uninitialized(size_t n) { resize(n); }
  using std::string::append;
  tstring& append(absl::string_view s) {
    append(s.data(), s.size());
    return *this;
  }
  tstring& assign_as_view(absl::string_view s) { return *this = s; }
  tstring& assign_as_view(const std::string& s) { return *this = s; }
  tstring& assign_as_view(const char* s, size_t n) {
    return *this = absl::string_view(s, n);
  }
};

static_assert(sizeof(tstring) == sizeof(std::string));

}  // namespace tensorwright

template <>
struct std::hash<tensorwright::tstring> : std::hash<std::string> {};

#endif  // TENSORWRIGHT_CORE_PLATFORM_TSTRING_H_
