// SPDX-License-Identifier: Apache-2.0
// Converts the values that go into a run and come out of it.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/resource_handle.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/session_state.h"
#include "python/pywrap/tensor_numpy.h"

namespace tensorwright::pywrap {
namespace {

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

// Turns the handle of a tensor that the session keeps into a resource, which
// the session replaces by the tensor.  A tensor of strings is fed the handle
// itself. False, without an error, for any other value.
bool HandleFromFeed(PyObject* value, DataType dtype, Tensor* out) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  Ref text(PyObject_GetAttrString(value, "_session_handle"));
  absl::string_view name;
  if (!text || !AsText(text.get(), &name)) {
    PyErr_Restore(type, error, trace);
    return false;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  if (dtype == DT_STRING) {
    *out = Tensor(tstring(name));
    return true;
  }
  ResourceHandle handle;
  handle.set_container("TensorHandle");
  handle.set_name(std::string(name));
  *out = Tensor(DT_RESOURCE, TensorShape());
  *out->base<ResourceHandle>() = std::move(handle);
  return true;
}

// Adds to the error whose value could not be converted.
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

// Is the item a Tensor, or else an Operation, of this session's graph?  False
// with a Python error set.
bool IsOfGraph(const SessionObject* self, PyObject* item, bool wants_tensor) {
  if (wants_tensor ? !IsTensor(item) : !IsOperation(item)) {
    PyErr_Format(PyExc_TypeError, "%R is not a Tensor or Operation", item);
    return false;
  }
  const GraphObject* graph =
      wants_tensor ? AsTensor(item)->op->graph : AsOperation(item)->graph;
  if (graph == self->graph) return true;
  PyErr_Format(PyExc_ValueError, "%R is not an element of this graph.", item);
  return false;
}

bool ReadTensorNames(SessionObject* self, PyObject* list,
                     std::vector<std::string>* names) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* item = PyList_GET_ITEM(list, i);
    if (!IsOfGraph(self, item, true)) return false;
    const OutputRef ref = RefOf(AsTensor(item));
    names->push_back(absl::StrCat(ref.node->name(), ":", ref.index));
  }
  return true;
}

bool ReadOpNames(SessionObject* self, PyObject* list,
                 std::vector<std::string>* names) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* item = PyList_GET_ITEM(list, i);
    if (!IsOfGraph(self, item, false)) return false;
    names->push_back(AsOperation(item)->node->name());
  }
  return true;
}

}  // namespace

bool ConvertFeed(const FeedSpec& spec, PyObject* value, Tensor* out) {
  if (IsTensor(value)) {
    PyErr_SetString(PyExc_TypeError,
                    "The value of a feed cannot be a tf.Tensor object. "
                    "Acceptable feed values include Python scalars, strings, "
                    "lists, or numpy ndarrays.");
    return false;
  }
  if (!TensorFromFeed(value, BaseType(spec.dtype), out)) {
    if (HandleFromFeed(value, BaseType(spec.dtype), out)) return true;
    return RaiseFeedValue(spec, value);
  }
  return spec.shape.IsCompatibleWith(out->shape()) ||
         RaiseFeedShape(spec, *out);
}

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

std::shared_ptr<Entry> MakeEntry(SessionObject* self, PyObject* feeds,
                                 PyObject* fetches, PyObject* targets) {
  auto entry = std::make_shared<Entry>();
  if (!ReadTensorNames(self, feeds, &entry->signature.feeds) ||
      !ReadTensorNames(self, fetches, &entry->signature.fetches) ||
      !ReadOpNames(self, targets, &entry->signature.targets)) {
    return nullptr;
  }
  return entry;
}

}  // namespace tensorwright::pywrap
