// SPDX-License-Identifier: Apache-2.0
// Notes where in Python an operation was made: captured cheaply, formatted on
// demand.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_TRACEBACK_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_TRACEBACK_H_

#include "python/pywrap/py_ref.h"
// py_ref.h comes first.
#include <string>
#include <vector>

#include "core/common_runtime/crash_report.h"

namespace tensorwright::pywrap {

// The frames of the calling thread, innermost first, as (code, instruction)
// pairs: no line is computed and no string made until somebody asks.
class Traceback {
 public:
  // Never fails; at most kMaxFrames frames.
  static Traceback* Capture();
  ~Traceback();

  // [(file, line, function), ...], outermost first.  New reference.
  PyObject* Format() const;
  // "FILE:LINE" of the innermost frame outside this package; None if there is
  // none.  New reference.
  PyObject* UserLocation() const;
  // Looks up what WriteUserLocation needs; it is called before that.
  static void PrepareToWrite();
  // Writes the same text, or nothing, in a handler of a signal, which may hold
  // no GIL.
  void WriteUserLocation(crash::Writer* out) const;

 private:
  static constexpr int kMaxFrames = 64;
  struct Frame {
    PyCodeObject* code;
    int instruction;
  };
  int size_ = 0;
  Frame* frames_ = nullptr;
};

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_TRACEBACK_H_
