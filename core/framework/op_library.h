// SPDX-License-Identifier: Apache-2.0
// Loads a shared library of ops and kernels, all of it or nothing.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_LIBRARY_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_LIBRARY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The names of a library's ops, sorted.
struct LibraryOps {
  std::vector<std::string> added;
  // Those that were there already, with the same definition.
  std::vector<std::string> known;
};

// Loads `file`, found as dlopen finds it, for good, and adds what it registers.
// A library that is loaded already has no ops.
//
// An op that is there already with the same definition (SameOpDef) stays as it
// is; its kernels in the library are added, except those for the same device
// and types as a registered one.
//
// A failure leaves the registries as they were.  Its text is one sentence that
// begins with the file and says what to do:
//   FailedPrecondition  it was built for another version of this package
//                       (found out before any of its code runs);
//   NotFound            there is no such file, or it lacks a library or symbol;
//   AlreadyExists       it has an op with the name of one that is defined
//                       differently;
//   InvalidArgument     an op's or kernel's registration is wrong, or a static
//                       initializer throws or ends the process: it was tried in
//                       another one first (library_trial.h).
// If the library has an op that came with this package in user_ops/, as an
// example, the library's takes its place.
Status LoadOpLibrary(const std::string& file, LibraryOps* ops);

// The stamp of a library (library_stamp.h); empty if there is none, as in a
// library that registers nothing, or one without section headers.  NotFound if
// the file cannot be read, InvalidArgument if it is no ELF file for this
// machine.  Reads strangers' bytes: every offset in them is checked.
Status ReadLibraryStamp(const std::string& file, std::string* stamp);

// Says whether a package with the stamp `ours` may load a library with `stamp`.
// Interface and strings must be the same, and so must the version, except that
// its last number may be less: 0.1.2 loads a library built for 0.1.0.
bool StampFits(absl::string_view stamp, absl::string_view ours);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_LIBRARY_H_
