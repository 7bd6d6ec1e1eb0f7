// SPDX-License-Identifier: Apache-2.0
// Partial runs: steps whose feeds and fetches come in pieces.
#include <memory>
#include <utility>
#include <vector>

#include "core/lib/core/errors.h"
#include "python/pywrap/session_state.h"

namespace tensorwright::pywrap {
namespace {

constexpr char kName[] = "tensorwright.PartialRun";

// One partial run: its number in its session, and the descriptions of its
// feeds.  Python's handle owns it.
struct Handle {
  int64_t session = 0;  // SessionState::id
  int64_t number = 0;
  std::vector<FeedSpec> feeds;
  size_t num_fetches = 0;
};

void DeleteHandle(PyObject* capsule) {
  delete static_cast<Handle*>(PyCapsule_GetPointer(capsule, kName));
}

// Reads a list of ints, each from 0 up to `size`.
bool ReadIndices(PyObject* list, size_t size, std::vector<int>* indices) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const Ref item = Ref::Borrow(PyList_GetItem(list, i));
    const long index = PyLong_AsLong(item.get());
    if (index == -1 && PyErr_Occurred()) return false;
    if (index < 0 || static_cast<size_t>(index) >= size) {
      PyErr_Format(PyExc_ValueError,
                   "A partial run has %zu such tensors: there is no #%ld", size,
                   index);
      return false;
    }
    indices->push_back(static_cast<int>(index));
  }
  return true;
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
  auto handle = std::make_unique<Handle>();
  handle->session = self->state->id;
  handle->num_fetches = entry->signature.fetches.size();
  if (!WithoutGil(self, [&](const RunHooks&) -> Status {
        TF_ASSIGN_OR_RETURN(handle->number,
                            self->state->session->PartialRunSetup(
                                entry->signature, &handle->feeds));
        return OkStatus();
      })) {
    return nullptr;
  }
  PyObject* capsule = PyCapsule_New(handle.get(), kName, DeleteHandle);
  if (capsule != nullptr) (void)handle.release();
  return capsule;
}

// (handle, feed indices, values, fetch indices) -> [array per fetch]
PyObject* PartialRun(PyObject* object, PyObject* args) {
  SessionObject* self = AsSession(object);
  PyObject *capsule, *feed_list, *values, *fetch_list;
  if (!PyArg_ParseTuple(args, "OO!O!O!", &capsule, &PyList_Type, &feed_list,
                        &PyList_Type, &values, &PyList_Type, &fetch_list) ||
      !CheckOpen(self)) {
    return nullptr;
  }
  // The arguments keep it alive while code of the user's converts the values.
  const auto* handle =
      static_cast<const Handle*>(PyCapsule_GetPointer(capsule, kName));
  if (handle != nullptr && handle->session != self->state->id) {
    return RaiseStatus(
        errors::InvalidArgument(
            "partial_run: the handle is of another session. Must run 'setup' "
            "before performing partial runs!"),
        self->graph);
  }
  std::vector<int> feeds, fetches;
  if (handle == nullptr ||
      !ReadIndices(feed_list, handle->feeds.size(), &feeds) ||
      !ReadIndices(fetch_list, handle->num_fetches, &fetches)) {
    return nullptr;
  }
  std::vector<Tensor> tensors(feeds.size());
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Ref value =
        Ref::Borrow(PyList_GetItem(values, static_cast<Py_ssize_t>(i)));
    if (!value ||
        !ConvertFeed(handle->feeds[feeds[i]], value.get(), &tensors[i])) {
      return nullptr;
    }
  }
  std::vector<Tensor> fetched;
  if (!WithoutGil(self, [&](const RunHooks& hooks) {
        return self->state->session->RunPiece(handle->number, feeds, tensors,
                                              fetches, &fetched, hooks);
      })) {
    return nullptr;
  }
  tensors.clear();
  return ToList(std::move(fetched));
}

}  // namespace tensorwright::pywrap
