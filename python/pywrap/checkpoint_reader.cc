// SPDX-License-Identifier: Apache-2.0
// CheckpointReader: lists and reads a checkpoint, for
// tf.train.NewCheckpointReader.
#include "core/util/checkpoint_reader.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "python/pywrap/bind.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/tensor_numpy.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;
using checkpoint::CheckpointReader;

std::unique_ptr<CheckpointReader> Open(const std::string& pattern) {
  std::unique_ptr<CheckpointReader> reader;
  Status status;
  {
    py::gil_scoped_release release;
    status = CheckpointReader::Open(Env::Default(), pattern, &reader);
  }
  RaiseIfError(status);
  return reader;
}

py::dict Shapes(const CheckpointReader& reader) {
  py::dict shapes;
  for (const auto& [name, variable] : reader.variables()) {
    py::list sizes;
    for (int d = 0; d < variable.shape.dims(); ++d) {
      sizes.append(variable.shape.dim_size(d));
    }
    shapes[py::str(name)] = sizes;
  }
  return shapes;
}

// The numbers of types.proto; Python turns them into DTypes.
py::dict Dtypes(const CheckpointReader& reader) {
  py::dict dtypes;
  for (const auto& [name, variable] : reader.variables()) {
    dtypes[py::str(name)] = static_cast<int>(variable.dtype);
  }
  return dtypes;
}

py::object GetTensor(CheckpointReader& reader, const std::string& name) {
  Tensor tensor;
  Status status;
  {
    py::gil_scoped_release release;
    status = reader.GetTensor(name, &tensor);
  }
  RaiseIfError(status);
  PyObject* array = TensorToNumpy(std::move(tensor));
  if (array == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(array);
}

}  // namespace

void BindCheckpointReader(py::module_& module) {
  py::class_<CheckpointReader>(module, "CheckpointReader")
      .def(py::init(&Open), py::arg("file_pattern"))
      .def("shapes", &Shapes)
      .def("dtypes", &Dtypes)
      .def("has_tensor", &CheckpointReader::HasTensor, py::arg("tensor_name"))
      .def("get_tensor", &GetTensor, py::arg("tensor_name"))
      .def("debug_string", [](const CheckpointReader& reader) {
        return py::bytes(reader.DebugString());
      });
}

}  // namespace tensorwright::pywrap
