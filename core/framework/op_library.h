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

struct LoadOptions {
  // The library's kernels take the places of those built in for the same op,
  // device and types, whatever their priority, at each look-up from now on.
  // Kernels that were made before, as those of a session's plans, stay.  A
  // kernel of another loaded library keeps its place: that is AlreadyExists.
  bool overrides = false;
};

// Loads `file`, found as dlopen finds it, for good, and adds what it registers.
// A library that is loaded already has no ops.
//
// An op that is there already with the same definition (SameOpDef) stays as it
// is; its kernels in the library are added, except those for the same device
// and types as a registered one, unless `options` say otherwise.
//
// A failure leaves the registries as they were.  Its text is one sentence that
// begins with the file and says what to do:
//   FailedPrecondition  it was built for another version of this package
//                       (found out before any of its code runs);
//   NotFound            there is no such file, or it lacks a library or symbol;
//   AlreadyExists       it has an op with the name of one that is defined
//                       differently, or a kernel that another library's
//                       kernel forbids;
//   InvalidArgument     an op's or kernel's registration is wrong, or a static
//                       initializer throws or ends the process: it was tried in
//                       another one first (library_trial.h).
// If the library has an op that came with this package in user_ops/, as an
// example, the library's takes its place.
Status LoadOpLibrary(const std::string& file, const LoadOptions& options,
                     LibraryOps* ops);
Status LoadOpLibrary(const std::string& file, LibraryOps* ops);

// Loads the changed library `file` once more: `copy` is a copy of it under
// another name, since the loader knows files by name and number.  The earlier
// version's code stays in memory, for kernels and resources that are in use.
//   Kernels     take the places of those of the earlier version; plans that
//               have one of these are compiled anew before their next run
//               (kernel_registry.h).
//   Ops         get the new shape function, for nodes that are added from now
//               on.  A definition that differs, and an op that is gone, are
//               FailedPrecondition with the lines that changed; then nothing is
//               loaded.
//   Gradients   and other registrations by name stay as they are, if they are
//               there already.
// Other errors are those of LoadOpLibrary; NotFound also if `file` has not been
// loaded, under that name.
Status ReloadOpLibrary(const std::string& file, const std::string& copy,
                       LibraryOps* ops);

// The stamp of a library (library_stamp.h); empty if there is none, as in a
// library that registers nothing, or one without section headers.  NotFound if
// the file cannot be read, InvalidArgument if it is no ELF file for this
// machine.  Reads strangers' bytes: every offset in them is checked.
Status ReadLibraryStamp(const std::string& file, std::string* stamp);

// FailedPrecondition, beginning with `file`, unless this package may load a
// library with that stamp; OK if it is empty.
Status CheckLibraryStamp(const std::string& file, const std::string& stamp);

// How a library comes to fit, for the end of an error.
inline constexpr absl::string_view kHowToBuild =
    "compile its source again, with the flags of "
    "tf.sysconfig.get_compile_flags() and get_link_flags(), or by `tw build`";

// Says whether a package with the stamp `ours` may load a library with `stamp`.
// Interface and strings must be the same, and the library may not be newer: it
// may use what only its version has.  0.3.0 loads a library built for 0.2.1 as
// long as both have one number of the interface (TENSORWRIGHT_ABI_VERSION).
bool StampFits(absl::string_view stamp, absl::string_view ours);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_LIBRARY_H_
