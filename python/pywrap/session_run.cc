// SPDX-License-Identifier: Apache-2.0
// Runs of a SessionCore.  A run that was seen before, with the same fetch and
// feed-key objects, goes from Python's arguments to the executor in one call.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/protobuf/config.pb.h"
#include "python/pywrap/session_state.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

enum class Layout : uintptr_t { kSingle = 1, kList = 2, kTuple = 3 };

// More entries than this mean that the program's keys never come back.
constexpr size_t kMaxEntries = 1000;
constexpr char kEntryName[] = "tensorwright.RunEntry";

// Types of objects that always stand for the same tensor: Variable, str.
absl::flat_hash_set<PyTypeObject*>* leaf_types = nullptr;

bool IsLeaf(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return type == classes.tensor || type == classes.operation ||
         type == &PyUnicode_Type || leaf_types->contains(type);
}

// The values of feeds.  This holds them, since converting one may run code of
// the user's that changes the dict they came in.
using Values = absl::InlinedVector<Ref, 4>;

// Also sets the values of the feeds, in the order of their keys, unless
// `values` is null.  False if the arguments have a form that only Python
// handles.
bool MakeKey(PyObject* fetches, PyObject* feeds, Key* key, Values* values) {
  const auto mark = [key](Layout layout) {
    key->push_back(reinterpret_cast<PyObject*>(layout));
  };
  if (PyList_CheckExact(fetches) || PyTuple_CheckExact(fetches)) {
    mark(PyList_CheckExact(fetches) ? Layout::kList : Layout::kTuple);
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(fetches);
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* leaf = PySequence_Fast_GET_ITEM(fetches, i);
      if (!IsLeaf(leaf)) return false;
      key->push_back(leaf);
    }
  } else {
    if (!IsLeaf(fetches)) return false;
    mark(Layout::kSingle);
    key->push_back(fetches);
  }
  key->push_back(nullptr);
  if (feeds == Py_None) return true;
  if (!PyDict_CheckExact(feeds)) return false;
  PyObject* feed = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t pos = 0;
  while (PyDict_Next(feeds, &pos, &feed, &value)) {
    if (!IsLeaf(feed)) return false;
    key->push_back(feed);
    if (values != nullptr) values->push_back(Ref::Borrow(value));
  }
  return true;
}

bool IsReady(const SessionObject* self, const Entry& entry) {
  return entry.callable != nullptr &&
         self->state->session->IsCurrent(*entry.callable);
}

// Makes an entry that is ready to run, to replace one that is not; runs in
// progress keep theirs.  `deadline` is the run's.  Null with a Python error
// set.  Holds `entry`, since another thread that makes it ready meanwhile
// replaces it.
std::shared_ptr<Entry> MakeReady(SessionObject* self,
                                 std::shared_ptr<const Entry> entry,
                                 absl::Time deadline) {
  auto ready = std::make_shared<Entry>(*entry);
  const bool made = WithoutGil(self, deadline, [&](const RunHooks& hooks) {
    auto callable = self->state->session->MakeCallable(entry->signature, hooks);
    if (callable.ok()) ready->callable = *std::move(callable);
    return callable.status();
  });
  return made ? ready : nullptr;
}

// False with a Python error set.
bool Run(SessionObject* self, const Entry& entry, const Feeds& feeds,
         const RunOptions* options, RunMetadata* metadata,
         std::vector<Tensor>* fetched) {
  return WithoutGil(self, [&](const RunHooks& hooks) {
    return self->state->session->RunCallable(*entry.callable, options,
                                             absl::MakeConstSpan(feeds),
                                             fetched, metadata, hooks);
  });
}

PyObject* Leaf(const absl::InlinedVector<Ref, 4>& arrays, int index) {
  return Py_NewRef(index < 0 ? Py_None : arrays[index].get());
}

PyObject* Pack(Layout layout, const std::vector<int>& leaves,
               const absl::InlinedVector<Ref, 4>& arrays) {
  if (layout == Layout::kSingle) return Leaf(arrays, leaves[0]);
  const auto n = static_cast<Py_ssize_t>(leaves.size());
  Ref result(layout == Layout::kList ? PyList_New(n) : PyTuple_New(n));
  if (!result) return nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (layout == Layout::kList) {
      PyList_SET_ITEM(result.get(), i, Leaf(arrays, leaves[i]));
    } else {
      PyTuple_SET_ITEM(result.get(), i, Leaf(arrays, leaves[i]));
    }
  }
  return result.release();
}

void DeleteEntry(PyObject* capsule) {
  delete static_cast<std::shared_ptr<Entry>*>(
      PyCapsule_GetPointer(capsule, kEntryName));
}

PyObject* RegisterLeafType(PyObject*, PyObject* type) {
  if (!PyType_Check(type)) {
    PyErr_Format(PyExc_TypeError, "%R is not a type", type);
    return nullptr;
  }
  auto* leaf = reinterpret_cast<PyTypeObject*>(type);
  if (leaf_types->insert(leaf).second) Py_INCREF(type);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"register_leaf_type", RegisterLeafType, METH_O,
     "Instances of the type always stand for the same tensor in a run."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

// (fetches, feed_dict) -> result, or NotImplemented for the first run of its
// kind and for arguments that only Python takes apart.
PyObject* RunCached(PyObject* object, PyObject* const* args, Py_ssize_t n) {
  SessionObject* self = AsSession(object);
  Key key;
  Values values;
  if (n != 2 || !MakeKey(args[0], args[1], &key, &values)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  const auto it = self->state->entries.find(key);
  if (it == self->state->entries.end()) Py_RETURN_NOTIMPLEMENTED;
  std::shared_ptr<Entry> entry = it->second;
  if (!CheckOpen(self)) return nullptr;
  if (!IsReady(self, *entry)) {
    entry = MakeReady(self, entry, absl::InfiniteFuture());
    if (entry == nullptr) return nullptr;
    // Another thread may have dropped the key meanwhile.
    const auto known = self->state->entries.find(key);
    if (known != self->state->entries.end()) known->second = entry;
  }
  // The key has an object for each feed of the entry.
  Feeds feeds(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!ConvertFeed(entry->callable->feeds()[i], values[i].get(), &feeds[i])) {
      return nullptr;
    }
  }
  std::vector<Tensor> fetched;
  if (!Run(self, *entry, feeds, nullptr, nullptr, &fetched)) return nullptr;
  feeds.clear();  // A fetched tensor may be the last one to hold its buffer.
  absl::InlinedVector<Ref, 4> arrays;
  if (!ToArrays(std::move(fetched), &arrays)) return nullptr;
  const auto layout = static_cast<Layout>(reinterpret_cast<uintptr_t>(key[0]));
  return Pack(layout, entry->leaves, arrays);
}

// (feeds, fetches, targets) -> entry
PyObject* Prepare(PyObject* object, PyObject* args) {
  PyObject *feeds, *fetches, *targets;
  if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &feeds, &PyList_Type,
                        &fetches, &PyList_Type, &targets)) {
    return nullptr;
  }
  auto entry = MakeEntry(AsSession(object), feeds, fetches, targets);
  if (entry == nullptr) return nullptr;
  return PyCapsule_New(new std::shared_ptr<Entry>(std::move(entry)), kEntryName,
                       DeleteEntry);
}

// (fetches, feed_dict, entry, leaf indices): the next run_cached with these
// objects uses the entry.  Does nothing for arguments that run_cached cannot
// take.
PyObject* Remember(PyObject* object, PyObject* args) {
  PyObject *fetches, *feeds, *capsule, *leaves;
  if (!PyArg_ParseTuple(args, "OOOO!", &fetches, &feeds, &capsule, &PyList_Type,
                        &leaves)) {
    return nullptr;
  }
  auto* prepared = static_cast<std::shared_ptr<Entry>*>(
      PyCapsule_GetPointer(capsule, kEntryName));
  if (prepared == nullptr) return nullptr;
  Key key;
  if (!MakeKey(fetches, feeds, &key, nullptr)) Py_RETURN_NONE;
  auto entry = std::make_shared<Entry>(**prepared);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(leaves); ++i) {
    entry->leaves.push_back(
        static_cast<int>(PyLong_AsLong(PyList_GET_ITEM(leaves, i))));
  }
  if (PyErr_Occurred()) return nullptr;
  for (size_t i = 1; i < key.size(); ++i) {
    if (key[i] != nullptr) entry->keep.push_back(Ref::Borrow(key[i]));
  }
  auto& entries = AsSession(object)->state->entries;
  // A dropped entry may be the last one to hold the user's objects, whose code
  // then runs and may come back here.
  decltype(SessionState::entries) dropped;
  if (entries.size() >= kMaxEntries) dropped.swap(entries);
  std::swap(entries[key], entry);
  Py_RETURN_NONE;
}

// (entry, values, options: bytes or None, want_metadata)
//   -> ([array per fetch], RunMetadata bytes or None)
PyObject* RunEntry(PyObject* object, PyObject* args) {
  SessionObject* self = AsSession(object);
  PyObject *capsule, *values, *options_bytes;
  int want_metadata = 0;
  if (!PyArg_ParseTuple(args, "OO!Op", &capsule, &PyList_Type, &values,
                        &options_bytes, &want_metadata) ||
      !CheckOpen(self)) {
    return nullptr;
  }
  auto* prepared = static_cast<std::shared_ptr<Entry>*>(
      PyCapsule_GetPointer(capsule, kEntryName));
  if (prepared == nullptr) return nullptr;
  RunOptions options;
  absl::string_view text;
  if (options_bytes != Py_None &&
      (!AsText(options_bytes, &text) ||
       !options.ParseFromArray(text.data(), static_cast<int>(text.size())))) {
    PyErr_SetString(PyExc_TypeError, "options must be a RunOptions proto");
    return nullptr;
  }
  if (!IsReady(self, **prepared)) {
    std::shared_ptr<Entry> ready = MakeReady(
        self, *prepared,
        options.timeout_in_ms() > 0
            ? absl::Now() + absl::Milliseconds(options.timeout_in_ms())
            : absl::InfiniteFuture());
    if (ready == nullptr) return nullptr;
    *prepared = std::move(ready);
  }
  const std::shared_ptr<Entry> entry = *prepared;
  const size_t num_feeds = entry->signature.feeds.size();
  if (static_cast<size_t>(PyList_GET_SIZE(values)) != num_feeds) {
    PyErr_Format(PyExc_ValueError, "Expected %zu feed values, got %zd",
                 num_feeds, PyList_GET_SIZE(values));
    return nullptr;
  }
  Feeds feeds(num_feeds);
  for (size_t i = 0; i < num_feeds; ++i) {
    // Converting the value before it may have run code that changed the list.
    const Ref value = Ref::Borrow(PyList_GetItem(values, i));
    if (!value ||
        !ConvertFeed(entry->callable->feeds()[i], value.get(), &feeds[i])) {
      return nullptr;
    }
  }
  RunMetadata metadata;
  std::vector<Tensor> fetched;
  if (!Run(self, *entry, feeds, options_bytes == Py_None ? nullptr : &options,
           want_metadata ? &metadata : nullptr, &fetched)) {
    return nullptr;
  }
  feeds.clear();
  Ref list(ToList(std::move(fetched)));
  if (!list) return nullptr;
  if (!want_metadata) return Py_BuildValue("(OO)", list.get(), Py_None);
  const std::string bytes = metadata.SerializeAsString();
  return Py_BuildValue("(Oy#)", list.get(), bytes.data(),
                       static_cast<Py_ssize_t>(bytes.size()));
}

bool BindRuns(PyObject* module) {
  leaf_types = new absl::flat_hash_set<PyTypeObject*>;
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
