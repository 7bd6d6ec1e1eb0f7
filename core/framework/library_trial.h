// SPDX-License-Identifier: Apache-2.0
// Trying a library's static initializers where they can do no harm.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_TRIAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_TRIAL_H_

#include <string>
#include <vector>

#include "core/lib/core/status.h"

namespace tensorwright {

// Loads `file` in another process, which ends after it, and says how that went.
// InvalidArgument, beginning with `file`, if a static initializer threw an
// exception, crashed or ended the process.  OK if the file was loaded, or if it
// could not be, which the caller finds out by itself; OK also if there is no
// answer, because no process could be started or none ended within ten seconds.
//
// The process loads `before` first, the libraries that this one has loaded by
// LoadOpLibrary, in their order: `file` may need them.
//
// It takes a process because an exception that leaves dlopen leaves the
// loader's lock held, and the next thread that loads anything waits forever;
// glibc offers no way to give it back, nor to load without running
// initializers.  The process is the program of SetTrialProgram, started afresh
// (60 to 80 ms).  In a C++ program, which has set none, it is a copy of this
// process, made in 1 to 2 ms; but copying runs the fork handlers, and OpenBLAS,
// which NumPy brings along, ends its threads in its handler: a product that
// another thread computes meanwhile never ends.  Effects that initializers have
// outside the process happen twice; their output is dropped the first time.
Status TryLibrary(const std::string& file,
                  const std::vector<std::string>& before);

// From now on TryLibrary starts `argv`, found as execvp finds it, followed by
// the path of this shared library and the files to load, the one to try last.
// The program must dlopen the first file and call its TensorwrightTryLibraries
// with the files.  Any thread.
void SetTrialProgram(std::vector<std::string> argv);

}  // namespace tensorwright

// The other side, for the program of SetTrialProgram, which does nothing else.
// Loads files[0..n), writes how loading the last one went to the standard
// output and ends the process.
extern "C" void TensorwrightTryLibraries(const char* const* files, int n);

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_LIBRARY_TRIAL_H_
