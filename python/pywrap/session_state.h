// SPDX-License-Identifier: Apache-2.0
// State that the files of SessionCore share, and the conversion of Python's
// values to tensors and back.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_SESSION_STATE_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_SESSION_STATE_H_

#include "python/pywrap/handles.h"
// handles.h comes first: it includes Python.h.
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/common_runtime/session.h"
#include "core/framework/tensor.h"
#include "python/pywrap/crash_lines.h"
#include "python/pywrap/gil.h"
#include "python/pywrap/graph_growth.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {

// The objects of a run's arguments, by identity: a layout mark, the fetches, a
// null, the feed keys.  They stay alive as long as their entry.
using Key = absl::InlinedVector<PyObject*, 8>;

// The run that a key stands for.  Immutable once the cache, the runs in
// progress and the callables made from it share it.  An entry that is not
// current any more is replaced, and lives as long as the runs that use it.
struct Entry {
  RunSignature signature;
  std::shared_ptr<const Callable> callable;
  std::vector<int> leaves;  // Per fetched leaf: index into fetches, or -1.
  std::vector<Ref> keep;
};

struct SessionState {
  int64_t id = 0;  // An id that no other session of this process has or had.
  std::unique_ptr<Session> session;
  absl::flat_hash_map<Key, std::shared_ptr<Entry>> entries;
  GraphGrowth growth;
  bool closed = false;
};

struct SessionObject {
  PyObject_HEAD SessionState* state;
  GraphObject* graph;  // Owned.
};

inline SessionObject* AsSession(PyObject* o) {
  return reinterpret_cast<SessionObject*>(o);
}

// False with RuntimeError set.
inline bool CheckOpen(SessionObject* self) {
  if (!self->state->closed) return true;
  PyErr_SetString(PyExc_RuntimeError, "Attempted to use a closed Session.");
  return false;
}

using Feeds = absl::InlinedVector<Tensor, 4>;

// False with a Python error set, which names the tensor.
bool ConvertFeed(const FeedSpec& spec, PyObject* value, Tensor* out);

// Makes one array for each fetch.  False with a Python error set.
bool ToArrays(std::vector<Tensor> fetched, absl::InlinedVector<Ref, 4>* arrays);
PyObject* ToList(std::vector<Tensor> fetched);

// Makes an entry from lists of Tensors, Tensors and Operations; nullptr with a
// Python error set.
std::shared_ptr<Entry> MakeEntry(SessionObject* self, PyObject* feeds,
                                 PyObject* fetches, PyObject* targets);

// Calls run(hooks) without the GIL; `deadline` goes into the hooks.  False with
// a Python error set.
template <typename RunFunction>
bool WithoutGil(SessionObject* self, absl::Time deadline,
                const RunFunction& run) {
  const RunningGraph running(self->graph->state);
  GilRelease released;
  bool interrupted = false;
  RunHooks hooks;
  hooks.deadline = deadline;
  hooks.interrupted = [&released, &interrupted] {
    if (interrupted) return true;  // The exception is set, and must stay.
    released.Take();
    interrupted = PyErr_CheckSignals() != 0;
    released.Release();
    return interrupted;
  };
  const Status status = run(hooks);
  released.Take();
  if (interrupted)
    return false;  // KeyboardInterrupt, or the exception of a handler.
  if (status.ok()) return true;
  // A Ctrl-C may have come while the run called Python.
  if (PyErr_CheckSignals() != 0) return false;
  RaiseStatus(status, self->graph);
  return false;
}

// The same for a run of the graph, without a deadline: first checks whether the
// graph grows from run to run.
template <typename RunFunction>
bool WithoutGil(SessionObject* self, const RunFunction& run) {
  return self->state->growth.BeforeRun(*self->graph->state) &&
         WithoutGil(self, absl::InfiniteFuture(), run);
}

// Methods; session.cc documents their arguments and results.
PyObject* RunCached(PyObject* object, PyObject* const* args, Py_ssize_t n);
PyObject* Prepare(PyObject* object, PyObject* args);
PyObject* Remember(PyObject* object, PyObject* args);
PyObject* RunEntry(PyObject* object, PyObject* args);
PyObject* PartialRunSetup(PyObject* object, PyObject* args);
PyObject* PartialRun(PyObject* object, PyObject* args);
PyObject* PlanStages(PyObject* object, PyObject* args);

// Part of BindSession: adds the functions of runs to the module.
bool BindRuns(PyObject* module);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_SESSION_STATE_H_
