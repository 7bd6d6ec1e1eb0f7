// SPDX-License-Identifier: Apache-2.0
// SessionCore: runs a graph.  A run that was seen before (the same fetch and
// feed-key objects) goes from Python's arguments to the executor in one call.
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/common_runtime/direct_session.h"
#include "core/framework/device_attributes.pb.h"
#include "core/protobuf/config.pb.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/graph_growth.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/status.h"
#include "python/pywrap/tensor_numpy.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {
namespace {

// The objects of a run's arguments, by identity: a layout mark, the fetches, a
// null, the feed keys.  They stay alive as long as their entry.
using Key = absl::InlinedVector<PyObject*, 8>;

// What a key stands for.  Shared by the cache, the runs in progress and the
// callables made from it.
struct Entry {
  RunSignature signature;
  std::shared_ptr<const Plan> plan;
  std::vector<int> leaves;  // Per fetched leaf: index into fetches, or -1.
  std::vector<Ref> keep;
};

enum class Layout : uintptr_t { kSingle = 1, kList = 2, kTuple = 3 };

struct SessionState {
  std::unique_ptr<DirectSession> session;
  absl::flat_hash_map<Key, std::shared_ptr<Entry>> entries;
  GraphGrowth growth;
  // What the feeds of partial runs must look like, by handle.
  absl::flat_hash_map<int64_t, std::vector<FeedSpec>> piece_feeds;
  bool closed = false;
};

struct SessionObject {
  PyObject_HEAD SessionState* state;
  GraphObject* graph;  // Owned.
};

SessionObject* AsSession(PyObject* o) {
  return reinterpret_cast<SessionObject*>(o);
}

// More entries than this are the sign of keys that never come back.
constexpr size_t kMaxEntries = 1000;
constexpr char kEntryName[] = "tensorwright.RunEntry";

// Types of objects that always stand for the same tensor: Variable, str.
absl::flat_hash_set<PyTypeObject*>* leaf_types = nullptr;

bool IsLeaf(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return type == classes.tensor || type == classes.operation ||
         type == &PyUnicode_Type || leaf_types->contains(type);
}

// False where the arguments have a form that only Python handles.
bool MakeKey(PyObject* fetches, PyObject* feeds, Key* key) {
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
  }
  return true;
}

bool CheckOpen(SessionObject* self) {
  if (!self->state->closed) return true;
  PyErr_SetString(PyExc_RuntimeError, "Attempted to use a closed Session.");
  return false;
}

bool EnsurePlan(SessionObject* self, Entry* entry) {
  DirectSession* session = self->state->session.get();
  if (entry->plan != nullptr && session->IsCurrent(*entry->plan)) return true;
  PyThreadState* thread = PyEval_SaveThread();
  auto plan = session->GetPlan(entry->signature);
  PyEval_RestoreThread(thread);
  if (!plan.ok()) {
    RaiseStatus(plan.status(), self->graph);
    return false;
  }
  entry->plan = *std::move(plan);
  return true;
}

bool RaiseFeedShape(const FeedSpec& spec, const Tensor& value) {
  Ref shape(PyTuple_New(value.dims()));
  if (!shape) return false;
  for (int i = 0; i < value.dims(); ++i) {
    PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(value.dim_size(i)));
  }
  Ref wanted(ShapeObject(spec.shape));
  if (!wanted) return false;
  PyErr_Format(PyExc_ValueError,
               "Cannot feed value of shape %R for Tensor '%s', which has shape "
               "'%S'",
               shape.get(), spec.name.c_str(), wanted.get());
  return false;
}

// Says whose value it was that could not be converted.
bool RaiseFeedValue(const FeedSpec& spec, PyObject* value) {
  if (!PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_TypeError)) {
    return false;
  }
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_Format(type,
               "Cannot feed a value of type %s for Tensor '%s', which is %s: "
               "%S",
               Py_TYPE(value)->tp_name, spec.name.c_str(),
               DataTypeString(BaseType(spec.dtype)).c_str(), error);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  return false;
}

bool ConvertFeed(const FeedSpec& spec, PyObject* value, Tensor* out) {
  if (IsTensor(value)) {
    PyErr_SetString(PyExc_TypeError,
                    "The value of a feed cannot be a tf.Tensor object. "
                    "Acceptable feed values include Python scalars, strings, "
                    "lists, or numpy ndarrays.");
    return false;
  }
  if (!TensorFromFeed(value, BaseType(spec.dtype), out)) {
    return RaiseFeedValue(spec, value);
  }
  return spec.shape.IsCompatibleWith(out->shape()) ||
         RaiseFeedShape(spec, *out);
}

using Feeds = absl::InlinedVector<Tensor, 4>;

// Calls run(hooks) without the GIL.  False with a Python error set.
template <typename RunFunction>
bool WithoutGil(SessionObject* self, const RunFunction& run) {
  if (!self->state->growth.BeforeRun(*self->graph->state)) return false;
  PyThreadState* thread = PyEval_SaveThread();
  bool interrupted = false;
  RunHooks hooks;
  hooks.interrupted = [&thread, &interrupted] {
    if (interrupted) return true;  // The exception is set, and must stay.
    PyEval_RestoreThread(thread);
    interrupted = PyErr_CheckSignals() != 0;
    thread = PyEval_SaveThread();
    return interrupted;
  };
  const Status status = run(hooks);
  PyEval_RestoreThread(thread);
  if (interrupted)
    return false;  // KeyboardInterrupt, or what a handler raised.
  if (status.ok()) return true;
  // A Ctrl-C that came while the run called Python.
  if (PyErr_CheckSignals() != 0) return false;
  RaiseStatus(status, self->graph);
  return false;
}

// False with a Python error set.
bool Run(SessionObject* self, const Entry& entry, const Feeds& feeds,
         const RunOptions* options, RunMetadata* metadata,
         std::vector<Tensor>* fetched) {
  return WithoutGil(self, [&](const RunHooks& hooks) {
    return self->state->session->Run(*entry.plan, options,
                                     absl::MakeConstSpan(feeds), fetched,
                                     metadata, hooks);
  });
}

// One array a fetch.
bool ToArrays(std::vector<Tensor> fetched,
              absl::InlinedVector<Ref, 4>* arrays) {
  for (Tensor& tensor : fetched) {
    arrays->push_back(Ref(TensorToNumpy(std::move(tensor))));
    if (!arrays->back()) return false;
  }
  return true;
}

PyObject* ToList(std::vector<Tensor> fetched) {
  absl::InlinedVector<Ref, 4> arrays;
  if (!ToArrays(std::move(fetched), &arrays)) return nullptr;
  Ref list(PyList_New(arrays.size()));
  if (!list) return nullptr;
  for (size_t i = 0; i < arrays.size(); ++i) {
    PyList_SET_ITEM(list.get(), i, arrays[i].release());
  }
  return list.release();
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

// (fetches, feed_dict) -> result, or NotImplemented for the first run of its
// kind and for arguments that only Python takes apart.
PyObject* RunCached(PyObject* object, PyObject* const* args, Py_ssize_t n) {
  SessionObject* self = AsSession(object);
  Key key;
  if (n != 2 || !MakeKey(args[0], args[1], &key)) Py_RETURN_NOTIMPLEMENTED;
  const auto it = self->state->entries.find(key);
  if (it == self->state->entries.end()) Py_RETURN_NOTIMPLEMENTED;
  const std::shared_ptr<Entry> entry = it->second;
  if (!CheckOpen(self) || !EnsurePlan(self, entry.get())) return nullptr;
  Feeds feeds(entry->signature.feeds.size());
  if (!feeds.empty()) {
    PyObject* feed = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t pos = 0;
    for (size_t i = 0; PyDict_Next(args[1], &pos, &feed, &value); ++i) {
      if (!ConvertFeed(entry->plan->feeds()[i], value, &feeds[i])) {
        return nullptr;
      }
    }
  }
  std::vector<Tensor> fetched;
  if (!Run(self, *entry, feeds, nullptr, nullptr, &fetched)) return nullptr;
  feeds.clear();  // What was fetched may be the last to hold its buffer.
  absl::InlinedVector<Ref, 4> arrays;
  if (!ToArrays(std::move(fetched), &arrays)) return nullptr;
  const auto layout = static_cast<Layout>(reinterpret_cast<uintptr_t>(key[0]));
  return Pack(layout, entry->leaves, arrays);
}

template <typename T>
bool ReadRefs(SessionObject* self, PyObject* list, std::vector<T>* out) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* item = PyList_GET_ITEM(list, i);
    constexpr bool kNodes = std::is_same_v<T, Node*>;
    if (kNodes ? !IsOperation(item) : !IsTensor(item)) {
      PyErr_Format(PyExc_TypeError, "%R is not a Tensor or Operation", item);
      return false;
    }
    const GraphObject* graph =
        kNodes ? AsOperation(item)->graph : AsTensor(item)->op->graph;
    if (graph != self->graph) {
      PyErr_Format(PyExc_ValueError, "%R is not an element of this graph.",
                   item);
      return false;
    }
    if constexpr (kNodes) {
      out->push_back(AsOperation(item)->node);
    } else {
      out->push_back(RefOf(AsTensor(item)));
    }
  }
  return true;
}

std::shared_ptr<Entry> MakeEntry(SessionObject* self, PyObject* feeds,
                                 PyObject* fetches, PyObject* targets) {
  auto entry = std::make_shared<Entry>();
  if (!ReadRefs(self, feeds, &entry->signature.feeds) ||
      !ReadRefs(self, fetches, &entry->signature.fetches) ||
      !ReadRefs(self, targets, &entry->signature.targets)) {
    return nullptr;
  }
  return entry;
}

void DeleteEntry(PyObject* capsule) {
  delete static_cast<std::shared_ptr<Entry>*>(
      PyCapsule_GetPointer(capsule, kEntryName));
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
// objects uses the entry.  Does nothing for arguments run_cached cannot take.
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
  if (!MakeKey(fetches, feeds, &key)) Py_RETURN_NONE;
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
  if (entries.size() >= kMaxEntries) entries.clear();
  entries[key] = std::move(entry);
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
  const std::shared_ptr<Entry> entry = *prepared;
  if (!EnsurePlan(self, entry.get())) return nullptr;
  const size_t num_feeds = entry->signature.feeds.size();
  if (static_cast<size_t>(PyList_GET_SIZE(values)) != num_feeds) {
    PyErr_Format(PyExc_ValueError, "Expected %zu feed values, got %zd",
                 num_feeds, PyList_GET_SIZE(values));
    return nullptr;
  }
  Feeds feeds(num_feeds);
  for (size_t i = 0; i < num_feeds; ++i) {
    PyObject* value = PyList_GET_ITEM(values, i);
    if (!ConvertFeed(entry->plan->feeds()[i], value, &feeds[i])) return nullptr;
  }
  RunOptions options;
  absl::string_view text;
  if (options_bytes != Py_None &&
      (!AsText(options_bytes, &text) ||
       !options.ParseFromArray(text.data(), static_cast<int>(text.size())))) {
    PyErr_SetString(PyExc_TypeError, "options must be a RunOptions proto");
    return nullptr;
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

bool ReadIndices(PyObject* list, std::vector<int>* indices) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    indices->push_back(
        static_cast<int>(PyLong_AsLong(PyList_GET_ITEM(list, i))));
  }
  return PyErr_Occurred() == nullptr;
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

PyObject* ListDevices(PyObject* object, PyObject*) {
  if (!CheckOpen(AsSession(object))) return nullptr;
  std::vector<DeviceAttributes> devices;
  const Status status =
      AsSession(object)->state->session->ListDevices(&devices);
  if (!status.ok()) return RaiseStatus(status, nullptr);
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const DeviceAttributes& d : devices) {
    const std::string bytes = d.SerializeAsString();
    Ref item(PyBytes_FromStringAndSize(bytes.data(), bytes.size()));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* Reset(PyObject* object, PyObject* list) {
  std::vector<std::string> containers;
  Ref items(PySequence_Fast(list, "containers must be a list of str"));
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    absl::string_view text;
    if (!AsText(PySequence_Fast_GET_ITEM(items.get(), i), &text))
      return nullptr;
    containers.emplace_back(text);
  }
  const Status status = AsSession(object)->state->session->Reset(containers);
  if (!status.ok()) return RaiseStatus(status, nullptr);
  Py_RETURN_NONE;
}

PyObject* Close(PyObject* object, PyObject*) {
  SessionState* state = AsSession(object)->state;
  if (state->closed) Py_RETURN_NONE;
  state->closed = true;
  PyThreadState* thread = PyEval_SaveThread();
  const Status status = state->session->Close();
  PyEval_RestoreThread(thread);
  if (!status.ok()) return RaiseStatus(status, nullptr);
  Py_RETURN_NONE;
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* graph = nullptr;
  const char* config_bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "O!y#", graph_core_type, &graph, &config_bytes,
                        &size)) {
    return nullptr;
  }
  ConfigProto config;
  if (!config.ParseFromArray(config_bytes, static_cast<int>(size))) {
    PyErr_SetString(PyExc_TypeError, "config must be a tf.ConfigProto");
    return nullptr;
  }
  PyThreadState* thread = PyEval_SaveThread();
  auto session = DirectSession::Create(AsGraph(graph)->state->live, config);
  PyEval_RestoreThread(thread);
  if (!session.ok()) return RaiseStatus(session.status(), nullptr);
  auto* self = AsSession(type->tp_alloc(type, 0));
  if (self == nullptr) return nullptr;
  self->state = new SessionState;
  self->state->session = *std::move(session);
  self->graph = AsGraph(Py_NewRef(graph));
  return reinterpret_cast<PyObject*>(self);
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(AsSession(object)->graph);
  if (AsSession(object)->state != nullptr) {
    for (const auto& [key, entry] : AsSession(object)->state->entries) {
      // Callables may share what the entry keeps: report only what is ours.
      if (entry.use_count() > 1) continue;
      for (const Ref& ref : entry->keep) Py_VISIT(ref.get());
    }
  }
  return 0;
}

int Clear(PyObject* object) {
  SessionObject* self = AsSession(object);
  if (self->state != nullptr) self->state->entries.clear();
  Py_CLEAR(self->graph);
  return 0;
}

void Dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  Clear(object);
  SessionState* state = AsSession(object)->state;
  if (state != nullptr) {
    // Its threads may need the GIL to give fed arrays back.
    PyThreadState* thread = PyEval_SaveThread();
    state->session.reset();
    PyEval_RestoreThread(thread);
    delete state;
  }
  FreeObject(object);
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

PyMethodDef methods[] = {
    {"run_cached", AsCFunction(RunCached), METH_FASTCALL,
     "(fetches, feed_dict) -> result or NotImplemented"},
    {"prepare", Prepare, METH_VARARGS, "(feeds, fetches, targets) -> entry"},
    {"remember", Remember, METH_VARARGS,
     "(fetches, feed_dict, entry, leaves): what run_cached looks up."},
    {"run_entry", RunEntry, METH_VARARGS,
     "(entry, values, options, want_metadata) -> (arrays, metadata)"},
    {"partial_run_setup", PartialRunSetup, METH_VARARGS,
     "(feeds, fetches, targets) -> handle"},
    {"partial_run", PartialRun, METH_VARARGS,
     "(handle, feed indices, values, fetch indices) -> arrays"},
    {"list_devices", ListDevices, METH_NOARGS, "[DeviceAttributes bytes]"},
    {"reset", Reset, METH_O, "Drops the resources of containers."},
    {"close", Close, METH_NOARGS, "Cancels runs and frees the devices."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_new, AsSlot(New)},           {Py_tp_dealloc, AsSlot(Dealloc)},
    {Py_tp_traverse, AsSlot(Traverse)}, {Py_tp_clear, AsSlot(Clear)},
    {Py_tp_methods, methods},           {0, nullptr}};
PyType_Spec spec = {"tensorwright.python._pywrap.SessionCore",
                    sizeof(SessionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

PyMethodDef functions[] = {
    {"register_leaf_type", RegisterLeafType, METH_O,
     "Instances of the type always stand for the same tensor in a run."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool BindSession(PyObject* module) {
  leaf_types = new absl::flat_hash_set<PyTypeObject*>;
  return AddType(module, &spec) != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
