// SPDX-License-Identifier: Apache-2.0
// A report on a crash: the work that a thread did when a signal ended it.
//
// The handler of InstallCrashReport writes the report to the standard error and
// lets the signal go its way: the handler that was there before is called, or
// the process ends as it would have ended, with the same status and the same
// core dump.  Everything here but InstallCrashReport may be called in a signal
// handler: it takes no lock and no memory.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_CRASH_REPORT_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_CRASH_REPORT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace crash {

// Text to a file descriptor, in a buffer of its own.
class Writer {
 public:
  explicit Writer(int fd) : fd_(fd) {}
  ~Writer() { Flush(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& operator<<(absl::string_view text);
  Writer& operator<<(int64_t number);
  Writer& Hex(uint64_t number);
  void Flush();

  // Whoever describes the innermost work names an address in the library whose
  // code it runs: the first one stays.
  void SetCode(const void* code) {
    if (code_ == nullptr) code_ = code;
  }
  const void* code() const { return code_; }

 private:
  const int fd_;
  const void* code_ = nullptr;
  size_t size_ = 0;
  char buffer_[512];
};

// Something that a thread does.  `describe` writes lines about `object`, each
// with four spaces before it; the object may be broken: a fault ends the call,
// and what was written so far stands.
struct Work {
  using Describe = void (*)(const void* object, Writer* out);
  Describe describe;
  const void* object;
  const Work* outer;  // The work that this is a part of, or null.
};

// Its thread does the work for as long as this lives, and so do threads of a
// pool that have a part of a loop of it (ThreadPool::ParallelFor).  It costs a
// few nanoseconds.
class WorkScope {
 public:
  WorkScope(Work::Describe describe, const void* object);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  Work work_;
};

// Writes the path of the file that the program has mapped at `address`, then,
// if `with_offset`, "+0x" and the offset that addr2line takes.  False, with
// nothing written, if no file is mapped there.
bool WriteFileAt(const void* address, bool with_offset, Writer* out);

// The addresses at which the program has mapped the file that has `address`;
// an empty range if no file is mapped there.
struct FileRange {
  uint64_t begin = 0, end = 0;
  bool Has(const void* address) const {
    const auto a = reinterpret_cast<uint64_t>(address);
    return begin <= a && a < end;
  }
};
FileRange FileRangeOf(const void* address);

// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and std::terminate from here
// on, and SIGSYS unless the program does; the first call does it.  The
// environment variable TENSORWRIGHT_CRASH_REPORT=0 switches it off.  Any
// thread.
void InstallCrashReport();

}  // namespace crash
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_CRASH_REPORT_H_
