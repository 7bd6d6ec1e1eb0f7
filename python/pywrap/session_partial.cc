// SPDX-License-Identifier: Apache-2.0
// Partial runs: steps whose feeds and fetches come in pieces.
#include <utility>
#include <vector>

#include "python/pywrap/session_state.h"

namespace tensorwright::pywrap {
namespace {

bool ReadIndices(PyObject* list, std::vector<int>* indices) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    indices->push_back(
        static_cast<int>(PyLong_AsLong(PyList_GET_ITEM(list, i))));
  }
  return PyErr_Occurred() == nullptr;
}

}  // namespace

// (feeds, fetches, targets) -> handle: a step that waits for its pieces.
PyObject* PartialRunSetup(PyObject* object, PyObject* args) {
  SessionObject* self = AsSession(object);
  PyObject *feeds, *fetches, *targets;
  if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &feeds, &PyList_Type,
                        &fetches, &PyList_Type, &targets) ||
      !CheckOpen(self)) {
    return nullptr;
  }
  const auto entry = MakeEntry(self, feeds, fetches, targets);
  if (entry == nullptr) return nullptr;
  int64_t handle = 0;
  std::vector<FeedSpec> specs;
  if (!WithoutGil(self, [&](const RunHooks&) -> Status {
        TF_ASSIGN_OR_RETURN(handle, self->state->session->PartialRunSetup(
                                        entry->signature, &specs));
        return OkStatus();
      })) {
    return nullptr;
  }
  self->state->piece_feeds[handle] = std::move(specs);
  return PyLong_FromLongLong(handle);
}

// (handle, feed indices, values, fetch indices) -> [array per fetch]
PyObject* PartialRun(PyObject* object, PyObject* args) {
  SessionObject* self = AsSession(object);
  long long handle = 0;
  PyObject *feed_list, *values, *fetch_list;
  if (!PyArg_ParseTuple(args, "LO!O!O!", &handle, &PyList_Type, &feed_list,
                        &PyList_Type, &values, &PyList_Type, &fetch_list) ||
      !CheckOpen(self)) {
    return nullptr;
  }
  std::vector<int> feeds, fetches;
  if (!ReadIndices(feed_list, &feeds) || !ReadIndices(fetch_list, &fetches)) {
    return nullptr;
  }
  const std::vector<FeedSpec>& specs = self->state->piece_feeds[handle];
  std::vector<Tensor> tensors(feeds.size());
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!ConvertFeed(specs.at(feeds[i]), PyList_GET_ITEM(values, i),
                     &tensors[i])) {
      return nullptr;
    }
  }
  std::vector<Tensor> fetched;
  if (!WithoutGil(self, [&](const RunHooks& hooks) {
        return self->state->session->RunPiece(handle, feeds, tensors, fetches,
                                              &fetched, hooks);
      })) {
    return nullptr;
  }
  tensors.clear();
  return ToList(std::move(fetched));
}

}  // namespace tensorwright::pywrap
