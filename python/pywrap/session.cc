// SPDX-License-Identifier: Apache-2.0
// SessionCore: the Python type, its life, its devices and containers.
#include <string>
#include <utility>
#include <vector>

#include "core/framework/device_attributes.pb.h"
#include "core/protobuf/config.pb.h"
#include "python/pywrap/session_state.h"
#include "python/pywrap/status.h"
#include "python/pywrap/type_builder.h"

namespace tensorwright::pywrap {
namespace {

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

bool ReadContainers(PyObject* list, std::vector<std::string>* containers) {
  Ref items(PySequence_Fast(list, "containers must be a list of str"));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    absl::string_view text;
    if (!AsText(PySequence_Fast_GET_ITEM(items.get(), i), &text)) return false;
    containers->emplace_back(text);
  }
  return true;
}

PyObject* Reset(PyObject* object, PyObject* list) {
  std::vector<std::string> containers;
  if (!ReadContainers(list, &containers)) return nullptr;
  const Status status = AsSession(object)->state->session->Reset(containers);
  if (!status.ok()) return RaiseStatus(status, nullptr);
  Py_RETURN_NONE;
}

bool ReadConfig(PyObject* bytes, ConfigProto* config) {
  if (config->ParseFromArray(PyBytes_AS_STRING(bytes),
                             static_cast<int>(PyBytes_GET_SIZE(bytes)))) {
    return true;
  }
  PyErr_SetString(PyExc_TypeError, "config must be a tf.ConfigProto");
  return false;
}

// (target, config, containers)
PyObject* ResetTarget(PyObject*, PyObject* args) {
  const char* target = nullptr;
  PyObject *config_bytes, *list;
  ConfigProto config;
  std::vector<std::string> containers;
  if (!PyArg_ParseTuple(args, "sSO", &target, &config_bytes, &list) ||
      !ReadConfig(config_bytes, &config) ||
      !ReadContainers(list, &containers)) {
    return nullptr;
  }
  GilRelease released;
  const Status status = ResetSessions(target, config, containers);
  released.Take();
  if (!status.ok()) return RaiseStatus(status, nullptr);
  Py_RETURN_NONE;
}

PyObject* Close(PyObject* object, PyObject*) {
  SessionState* state = AsSession(object)->state;
  if (state->closed) Py_RETURN_NONE;
  state->closed = true;
  GilRelease released;
  const Status status = state->session->Close();
  released.Take();
  if (!status.ok()) return RaiseStatus(status, nullptr);
  Py_RETURN_NONE;
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* graph = nullptr;
  PyObject* config_bytes = nullptr;
  const char* target = "";
  ConfigProto config;
  if (!PyArg_ParseTuple(args, "O!S|s", graph_core_type, &graph, &config_bytes,
                        &target) ||
      !ReadConfig(config_bytes, &config)) {
    return nullptr;
  }
  GilRelease released;
  auto session = NewSession(target, config, AsGraph(graph)->state->live);
  released.Take();
  if (!session.ok()) return RaiseStatus(session.status(), nullptr);
  auto* self = AsSession(type->tp_alloc(type, 0));
  if (self == nullptr) return nullptr;
  static int64_t last_id = 0;  // The GIL guards it.
  self->state = new SessionState;
  self->state->id = ++last_id;
  self->state->session = *std::move(session);
  self->graph = AsGraph(Py_NewRef(graph));
  return reinterpret_cast<PyObject*>(self);
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(AsSession(object)->graph);
  if (AsSession(object)->state != nullptr) {
    for (const auto& [key, entry] : AsSession(object)->state->entries) {
      // Callables may share the entry's objects, so only those that it alone
      // holds are reported.
      if (entry.use_count() > 1) continue;
      for (const Ref& ref : entry->keep) Py_VISIT(ref.get());
    }
  }
  return 0;
}

int Clear(PyObject* object) {
  SessionObject* self = AsSession(object);
  if (self->state != nullptr) {
    // Destroying entries may run code of the user's.
    decltype(SessionState::entries) dropped;
    dropped.swap(self->state->entries);
  }
  Py_CLEAR(self->graph);
  return 0;
}

void Dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  Clear(object);
  SessionState* state = AsSession(object)->state;
  if (state != nullptr) {
    // Its threads may need the GIL to give fed arrays back.
    GilRelease released;
    state->session.reset();
    released.Take();
    delete state;
  }
  FreeObject(object);
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
    {"plan_stages", PlanStages, METH_VARARGS,
     "(feeds, fetches, targets) -> [(pass, GraphDef bytes)]"},
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
    {"reset_sessions", ResetTarget, METH_VARARGS,
     "(target, config, containers): drops what sessions of a target share."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool BindSession(PyObject* module) {
  return AddType(module, &spec) != nullptr && BindRuns(module) &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorwright::pywrap
