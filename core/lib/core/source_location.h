// SPDX-License-Identifier: Apache-2.0
// Where something was registered: shown by `tw where` and in errors.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_SOURCE_LOCATION_H_
#define TENSORWRIGHT_CORE_LIB_CORE_SOURCE_LOCATION_H_

namespace tensorwright {

// `file` is as __FILE__ gives it and lives as long as the library that holds
// it.
struct SourceLocation {
  constexpr SourceLocation() = default;
  constexpr SourceLocation(const char* file, int line)
      : file(file), line(line) {}

  const char* file = "";
  int line = 0;

  // Where this is called or, as the default of a parameter, where the function
  // with that parameter is.
  static constexpr SourceLocation Current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return SourceLocation(file, line);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_SOURCE_LOCATION_H_
