// SPDX-License-Identifier: Apache-2.0
// Trying a library's static initializers where they can do no harm.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_TRIAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_TRIAL_H_

#include <functional>
#include <string>

#include "core/lib/core/status.h"

namespace tensorwright {

// Calls `load`, which loads `file`, in a copy of this process that ends after
// it, and says how that went.  InvalidArgument, beginning with `file`, if a
// static initializer threw an exception, crashed or ended the process.  OK if
// `load` returned, whatever it did; also if there is no answer: no process to
// be had, or none of its own after ten seconds.
//
// Why a copy: an exception that leaves dlopen leaves the loader's lock held,
// and the next thread that loads anything waits forever; glibc offers no way to
// give it back, nor to load without running initializers.
// What it costs: 1 to 2 ms for a process of 100 MB, most of it the load itself;
// some 5 ms more for each GB.  What initializers do outside the process, they
// do twice; what they print is dropped the first time.
Status TryLibrary(const std::string& file, const std::function<void()>& load);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_TRIAL_H_
