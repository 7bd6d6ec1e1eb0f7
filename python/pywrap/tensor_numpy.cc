// SPDX-License-Identifier: Apache-2.0
// Tensor -> NumPy, and arrays -> Tensor.  Plain Python values: tensor_plain.cc.
#include "python/pywrap/tensor_numpy.h"

#include <cstring>
#include <memory>
#include <string>

#include "core/framework/resource_handle.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/gil.h"
#include "python/pywrap/handles.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

// For fewer bytes than this a copy costs less than sharing.
constexpr size_t kShareBytes = 2048;
constexpr uintptr_t kAlignment = 64;

// The memory of an array that is being fed.
class ArrayBuffer final : public TensorBuffer {
 public:
  explicit ArrayBuffer(PyObject* array, size_t size)
      : TensorBuffer(numpy::AsArray(array)->data), array_(array), size_(size) {
    Py_INCREF(array_);
  }
  size_t size() const override { return size_; }
  TensorBuffer* root_buffer() override { return this; }
  bool OwnsMemory() const override { return false; }

 private:
  // Any thread may drop the last reference.
  ~ArrayBuffer() override {
    const GilHold gil;
    if (gil.held()) Py_DECREF(array_);
  }

  PyObject* array_;
  size_t size_;
};

bool ShapeOf(const numpy::Array* array, TensorShape* shape) {
  for (int i = 0; i < array->nd; ++i) {
    const Status status = shape->AddDimWithStatus(array->dimensions[i]);
    if (!status.ok()) {
      RaiseValueError(status);
      return false;
    }
  }
  return true;
}

bool Allocate(DataType dtype, const TensorShape& shape, Tensor* tensor) {
  const Status status = Tensor::BuildTensor(dtype, shape, tensor);
  if (!status.ok()) RaiseStatus(status, nullptr);
  return status.ok();
}

bool AppendString(PyObject* item, std::string* out) {
  if (PyUnicode_Check(item) || PyBytes_Check(item)) {
    absl::string_view text;
    if (!AsText(item, &text)) return false;
    out->assign(text.data(), text.size());
    return true;
  }
  PyErr_Format(
      PyExc_TypeError,
      "Unsupported object type %s: a string tensor holds str or bytes. "
      "Failed to convert object of type %s to Tensor. Contents: %R. "
      "Consider casting elements to a supported type.",
      Py_TYPE(item)->tp_name, Py_TYPE(item)->tp_name, item);
  return false;
}

// `array` is a contiguous array of objects.
bool StringsFromObjects(const numpy::Array* array, Tensor* tensor) {
  TensorShape shape;
  if (!ShapeOf(array, &shape) || !Allocate(DT_STRING, shape, tensor)) {
    return false;
  }
  auto** items = reinterpret_cast<PyObject**>(array->data);
  auto* strings = tensor->base<std::string>();
  const int64_t n = tensor->NumElements();
  for (int64_t i = 0; i < n; ++i) {
    // The array may be the caller's own, and a repr may replace its items.
    const Ref item = Ref::Borrow(items[i] == nullptr ? Py_None : items[i]);
    if (!AppendString(item.get(), &strings[i])) return false;
  }
  return true;
}

// Handles and variants are objects of C++, so no bytes from Python stand for
// one.  False with TypeError set.
bool HasNumpyForm(DataType dtype, PyObject* value) {
  if (dtype != DT_RESOURCE && dtype != DT_VARIANT) return true;
  PyErr_Format(PyExc_TypeError,
               "A value of type %s cannot be converted to a Tensor of %s: only "
               "operations make such tensors",
               Py_TYPE(value)->tp_name, DtypeName(dtype));
  return false;
}

// A new reference to `value` as a contiguous array of `dtype`.
Ref AsContiguous(PyObject* value, DataType dtype) {
  numpy::Descr* descr = NumpyDescr(dtype);
  if (descr == nullptr) return Ref();
  constexpr int kFlags = numpy::kContiguous | numpy::kAligned |
                         numpy::kNotSwapped | numpy::kForceCast |
                         numpy::kEnsureArray;
  return Ref(numpy::api.from_any(value, descr, 0, 0, kFlags, nullptr));
}

bool IsPlainLayout(const numpy::Array* array, DataType dtype) {
  constexpr int kWanted = numpy::kContiguous | numpy::kAligned;
  return (array->flags & kWanted) == kWanted && SameLayout(array, dtype);
}

bool CopyArray(PyObject* object, DataType dtype, bool share, Tensor* tensor) {
  const numpy::Array* array = numpy::AsArray(object);
  if (dtype == DT_STRING) return StringsFromObjects(array, tensor);
  TensorShape shape;
  if (!ShapeOf(array, &shape)) return false;
  const size_t bytes = shape.num_elements() * DataTypeSize(dtype);
  const bool aligned =
      reinterpret_cast<uintptr_t>(array->data) % kAlignment == 0;
  if (share && aligned && bytes >= kShareBytes) {
    auto* buffer = new ArrayBuffer(object, bytes);
    *tensor = Tensor(dtype, shape, buffer);
    buffer->Unref();
    return true;
  }
  if (!Allocate(dtype, shape, tensor)) return false;
  if (bytes > 0) std::memcpy(tensor->data(), array->data, bytes);
  return true;
}

// Types that TensorFromPlain stores ints as, unless they do not fit.
bool TakesEveryInt(DataType dtype) {
  return DataTypeIsInteger(dtype) || dtype == DT_FLOAT || dtype == DT_DOUBLE;
}

// Frees the memory of a long string that Python has now, if nobody else needs
// the tensor.
void Release(const Tensor& tensor, std::string* string) {
  constexpr size_t kLong = size_t{1} << 20;
  if (string->size() >= kLong && tensor.RefCountIsOne()) {
    std::string().swap(*string);
  }
}

PyObject* StringsToNumpy(Tensor tensor, bool scalars_as_arrays) {
  auto* strings = tensor.base<std::string>();
  if (tensor.dims() == 0 && !scalars_as_arrays) {
    return PyBytes_FromStringAndSize(strings->data(), strings->size());
  }
  const auto dims = tensor.shape().dim_sizes();
  Ref array(numpy::api.new_from_descr(
      numpy::api.array_type, NumpyDescr(DT_STRING), tensor.dims(), dims.data(),
      nullptr, nullptr, 0, nullptr));
  if (!array) return nullptr;
  auto** items =
      reinterpret_cast<PyObject**>(numpy::AsArray(array.get())->data);
  const int64_t n = tensor.NumElements();
  for (int64_t i = 0; i < n; ++i) {
    PyObject* item =
        PyBytes_FromStringAndSize(strings[i].data(), strings[i].size());
    if (item == nullptr) return nullptr;
    Py_XSETREF(items[i], item);
    Release(tensor, &strings[i]);
  }
  return array.release();
}

void DeleteTensor(PyObject* capsule) {
  delete static_cast<Tensor*>(PyCapsule_GetPointer(capsule, nullptr));
}

}  // namespace

bool TensorFromFeed(PyObject* value, DataType dtype, Tensor* tensor) {
  if (numpy::IsArray(value) && DataTypeCanUseMemcpy(dtype) &&
      IsPlainLayout(numpy::AsArray(value), dtype)) {
    return CopyArray(value, dtype, /*share=*/true, tensor);
  }
  if (TensorFromPlain(value, dtype, tensor) == Plain::kDone) return true;
  if (!HasNumpyForm(dtype, value)) return false;
  if (PyLong_CheckExact(value) && TakesEveryInt(dtype)) {
    // The dtype cannot hold the int; NumPy's text would not tell the user what
    // to do.
    Ref text(PyObject_Str(value));
    PyErr_Format(PyExc_TypeError,
                 "Type of feed value %U with type %R is not compatible with "
                 "Tensor type %R. Try explicitly setting the type of the feed "
                 "tensor to a larger type (e.g. int64).",
                 text.get(), Py_TYPE(value), DtypeObject(dtype));
    return false;
  }
  Ref array = AsContiguous(value, dtype);
  return array && CopyArray(array.get(), dtype, /*share=*/true, tensor);
}

bool TensorFromArray(PyObject* object, DataType dtype, Tensor* tensor) {
  if (!HasNumpyForm(dtype, object)) return false;
  if (numpy::IsArray(object) && DataTypeCanUseMemcpy(dtype) &&
      IsPlainLayout(numpy::AsArray(object), dtype)) {
    return CopyArray(object, dtype, /*share=*/false, tensor);
  }
  Ref array = AsContiguous(object, dtype);
  return array && CopyArray(array.get(), dtype, /*share=*/false, tensor);
}

PyObject* TensorToNumpy(Tensor tensor, bool scalars_as_arrays) {
  const DataType dtype = tensor.dtype();
  if (dtype == DT_STRING) {
    return StringsToNumpy(std::move(tensor), scalars_as_arrays);
  }
  if (dtype == DT_RESOURCE && tensor.NumElements() == 1 &&
      tensor.base<ResourceHandle>()->container() == "TensorHandle") {
    // A handle of a tensor that the session keeps: Python has its name.
    const std::string& name = tensor.base<ResourceHandle>()->name();
    return PyUnicode_FromStringAndSize(name.data(),
                                       static_cast<Py_ssize_t>(name.size()));
  }
  if (dtype == DT_RESOURCE || dtype == DT_VARIANT) {
    PyErr_Format(PyExc_TypeError, "A tensor of %R has no NumPy form",
                 DtypeObject(dtype));
    return nullptr;
  }
  numpy::Descr* descr = NumpyDescr(dtype);
  if (descr == nullptr) return nullptr;
  if (tensor.dims() == 0 && !scalars_as_arrays) {
    PyObject* scalar = numpy::api.scalar(tensor.data(), descr, nullptr);
    Py_DECREF(descr);
    return scalar;
  }
  const auto sizes = tensor.shape().dim_sizes();
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  const auto* dims = reinterpret_cast<const Py_ssize_t*>(sizes.data());
  const size_t bytes = tensor.NumElements() * DataTypeSize(dtype);
  if (bytes < kShareBytes || !tensor.RefCountIsOne()) {
    PyObject* array =
        numpy::api.new_from_descr(numpy::api.array_type, descr, tensor.dims(),
                                  dims, nullptr, nullptr, 0, nullptr);
    if (array != nullptr && bytes > 0) {
      std::memcpy(numpy::AsArray(array)->data, tensor.data(), bytes);
    }
    return array;
  }
  void* data = tensor.data();
  const int rank = tensor.dims();
  const TensorShape shape = tensor.shape();  // `dims` points into the tensor.
  auto owner = std::make_unique<Tensor>(std::move(tensor));
  dims = reinterpret_cast<const Py_ssize_t*>(shape.dim_sizes().data());
  Ref array(numpy::api.new_from_descr(numpy::api.array_type, descr, rank, dims,
                                      nullptr, data, numpy::kWriteable,
                                      nullptr));
  if (!array) return nullptr;
  PyObject* capsule = PyCapsule_New(owner.get(), nullptr, DeleteTensor);
  if (capsule == nullptr) return nullptr;
  (void)owner.release();
  if (numpy::api.set_base_object(array.get(), capsule) < 0) return nullptr;
  return array.release();
}

}  // namespace tensorwright::pywrap
