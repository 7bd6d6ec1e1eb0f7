// SPDX-License-Identifier: Apache-2.0
// Registrations of a library that is being loaded, kept apart until all of them
// have proved good.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_STAGED_REGISTRATIONS_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_STAGED_REGISTRATIONS_H_

#include <functional>
#include <string>
#include <typeinfo>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/framework/kernel_def_builder.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// One REGISTER_KERNEL_BUILDER.
struct PendingKernel {
  KernelDefBuilder builder;
  std::string class_name;
  const std::type_info* primitive;
  kernel_factory::KernelFactory factory;
  SourceLocation location;
  // Those of its KernelRegistration.
  int library = 0;
  bool overrides = false;
};

// Another kind of registration, under a name that is taken once.
struct PendingEntry {
  std::string what;  // "The gradient of op MatMul": names it in errors.
  SourceLocation location;
  std::function<void()> add;
};

// While one exists, registrations of its thread go here and not to the
// registries.  A library's static constructors run on the thread that loads it.
struct StagedRegistrations {
  StagedRegistrations();
  ~StagedRegistrations();
  StagedRegistrations(const StagedRegistrations&) = delete;
  StagedRegistrations& operator=(const StagedRegistrations&) = delete;

  // This thread's; nullptr if nothing is being loaded.
  static StagedRegistrations* Current();

  std::vector<OpDefBuilder> ops;
  std::vector<PendingKernel> kernels;
  std::vector<PendingEntry> entries;
};

// Calls `add`, at once or when the library that is being loaded has proved
// good.  Does not call it if `what` is taken already: then a library is not
// loaded, while code linked into a program is reported in the log.
void RegisterEntry(std::string what, SourceLocation location,
                   std::function<void()> add);
// AlreadyExists if two entries, or one of them and one that was added, have the
// same name.
Status CheckPendingEntries(const std::vector<PendingEntry>& entries);
// Removes those whose name is taken.
void DropTakenEntries(std::vector<PendingEntry>* entries);
void CommitEntry(PendingEntry entry);

// Checks a kernel of a library against its op; InvalidArgument if it can never
// run.  `op` is the op of that name once the library is loaded; nullptr if
// there will be no such op.
Status CheckPendingKernel(const PendingKernel& kernel,
                          const OpRegistrationData* op);

// AlreadyExists if two kernels are for the same op, device and types. The first
// compares two kernels of a library, the second one of them with those that are
// registered: if it overrides, with those of libraries only, and never with
// those of library `replaced`, if that is not 0.
Status CheckPendingKernels(const PendingKernel& a, const PendingKernel& b);
Status CheckAgainstRegistered(const PendingKernel& kernel, int replaced = 0);

// Adds to the global registry.
void CommitKernel(PendingKernel kernel);
// The same for all kernels of a library, in the place of those of library
// `replaced`, if that is not 0; then plans hear of it (kernel_registry.h).
void CommitKernels(std::vector<PendingKernel> kernels, int replaced);
// Hides an op's kernels from all later look-ups; callers that found one keep
// it.
void HideKernels(const std::string& op);

// ---- All that a library registers

// A library that is loaded.
struct LoadedLibrary {
  std::string file;
  // Its kernels have it; a version that is loaded later has another one.
  int id = 0;
  // May its kernels replace built-in ones?
  bool overrides = false;
  std::vector<std::string> added;
  std::vector<std::string> known;
};

// How a library's registrations stand to those that are there.
struct Meeting {
  // Ops that it takes over: examples of ours, and those of its earlier version.
  absl::flat_hash_set<std::string> replaced;
  // Ops that are there with the same definition, and stay.
  absl::flat_hash_set<std::string> known;
  // Kernels, by number, of ops in `known` that have such a kernel.
  absl::flat_hash_set<size_t> needless_kernels;
};

// Checks everything that `library` registers, and marks its kernels.
// `earlier` is the version that it takes the place of; nullptr if there is
// none.
Status CheckRegistrations(const LoadedLibrary& library,
                          const LoadedLibrary* earlier,
                          StagedRegistrations* staged, Meeting* meeting);

// Adds it all to the registries.
void CommitRegistrations(StagedRegistrations* staged, const Meeting& meeting,
                         const LoadedLibrary* earlier);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_STAGED_REGISTRATIONS_H_
