// SPDX-License-Identifier: Apache-2.0
// Gives up and takes the GIL for threads that may outlive the interpreter.
//
// A daemon thread may be in a run when Python ends.  Asking an ending
// interpreter for the GIL ends the thread by unwinding its stack, which would
// destroy objects that the run's other threads still use.  Asking later reads
// freed memory.  So such a thread sleeps until the process is gone.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_GIL_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_GIL_H_

#include <Python.h>
// Python.h comes first.
#include <cxxabi.h>
#include <unistd.h>

#include <utility>

namespace tensorwright::pywrap {

namespace gil_internal {

inline bool IsEnding() {
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
}

[[noreturn]] inline void SleepForEver() {
  for (;;) pause();
}

}  // namespace gil_internal

// Gives the GIL up until it is destroyed, or for a time between Release and
// Take.  For one thread.
class GilRelease {
 public:
  GilRelease()
      // A thread that has the GIL of an ending interpreter is the one that ends
      // it.
      : ends_python_(_Py_IsFinalizing() != 0), thread_(PyEval_SaveThread()) {}
  ~GilRelease() { Take(); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

  // Does nothing if this has the GIL.
  void Take() {
    if (thread_ == nullptr) return;
    if (!ends_python_ && gil_internal::IsEnding()) gil_internal::SleepForEver();
    try {
      PyEval_RestoreThread(std::exchange(thread_, nullptr));
    } catch (const abi::__forced_unwind&) {
      gil_internal::SleepForEver();
    }
  }
  void Release() { thread_ = PyEval_SaveThread(); }

 private:
  const bool ends_python_;
  PyThreadState* thread_;
};

// Takes the GIL for a thread that may not have it, or that Python does not
// know.
class GilHold {
 public:
  GilHold() {
    if (gil_internal::IsEnding()) return;
    try {
      state_ = PyGILState_Ensure();
      held_ = true;
    } catch (const abi::__forced_unwind&) {
      gil_internal::SleepForEver();
    }
  }
  ~GilHold() {
    if (held_) PyGILState_Release(state_);
  }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

  // False: Python is ending, and nothing of Python may be used.
  bool held() const { return held_; }

  // Calls f(), which runs Python.  Python may end in the middle of it.
  template <typename F>
  static auto Call(const F& f) {
    try {
      return f();
    } catch (const abi::__forced_unwind&) {
      gil_internal::SleepForEver();
    }
  }

 private:
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
  bool held_ = false;
};

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_GIL_H_
