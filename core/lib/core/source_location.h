// SPDX-License-Identifier: Apache-2.0
// The place of a registration in the source; `tw where` and errors show it.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_SOURCE_LOCATION_H_
#define TENSORWRIGHT_CORE_LIB_CORE_SOURCE_LOCATION_H_

namespace tensorwright {

// `file` comes from __FILE__ and lives as long as the library that holds it.
struct SourceLocation {
  constexpr SourceLocation() = default;
  constexpr SourceLocation(const char* file, int line)
      : file(file), line(line) {}

  const char* file = "";
  int line = 0;

  // The place of the call or, as the default of a parameter, the place where
  // the function with that parameter is called.
  static constexpr SourceLocation Current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return SourceLocation(file, line);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_SOURCE_LOCATION_H_
