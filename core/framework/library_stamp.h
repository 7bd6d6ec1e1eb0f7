// SPDX-License-Identifier: Apache-2.0
// The stamp of a library of ops: which version of these headers it was built
// with.  Every file that registers an op or a kernel leaves one in the ELF
// section "tensorwright_stamp", where LoadOpLibrary reads it before any of the
// library's code runs.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_STAMP_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_STAMP_H_

#include <string>  // _GLIBCXX_USE_CXX11_ABI

#include "core/lib/core/version.h"

#define TENSORWRIGHT_TEXT_OF(x) #x
#define TENSORWRIGHT_TEXT_OF_VALUE(x) TENSORWRIGHT_TEXT_OF(x)

// "version=0.1.0;abi=1;cxx11_abi=1;"
#define TENSORWRIGHT_LIBRARY_STAMP \
  "version=" TENSORWRIGHT_VERSION_STRING                         \
  ";abi=" TENSORWRIGHT_TEXT_OF_VALUE(TENSORWRIGHT_ABI_VERSION)   \
  ";cxx11_abi=" TENSORWRIGHT_TEXT_OF_VALUE(_GLIBCXX_USE_CXX11_ABI) ";"

namespace tensorwright {
namespace {

// Each file has one: a dozen bytes, against weak symbols in a section of their
// own. `used` keeps it from the compiler, `retain` from the linker's
// --gc-sections.
__attribute__((used, retain, section("tensorwright_stamp")))
const char library_stamp[] = TENSORWRIGHT_LIBRARY_STAMP;

}  // namespace
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_STAMP_H_
