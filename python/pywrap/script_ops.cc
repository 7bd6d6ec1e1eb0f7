// SPDX-License-Identifier: Apache-2.0
// PyFunc and PyFuncStateless: kernels that call Python.
//
// A node knows its function by a token, which only Python understands:
// call_function(token, arrays), set once by python/ops/script_ops.py, returns
// the list of results, or (error code, message) of a raised exception.
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "python/pywrap/bind.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/gil.h"
#include "python/pywrap/tensor_numpy.h"

namespace tensorwright::pywrap {
namespace {

// Set when the module is imported, never freed: kernels may outlive it.
PyObject* call_function = nullptr;

// Takes and clears the Python error that is set.
std::string TakeError() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Ref text(value == nullptr ? nullptr : PyObject_Str(value));
  absl::string_view message;
  const bool readable = text && AsText(text.get(), &message);
  std::string result(readable ? message : "an error that cannot be printed");
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return result;
}

// The arguments as a tuple of arrays, with scalars as NumPy scalars.  They are
// copies: the function may write to them and keep them.
Ref MakeArguments(OpKernelContext* ctx) {
  Ref arguments(PyTuple_New(ctx->num_inputs()));
  for (int i = 0; arguments && i < ctx->num_inputs(); ++i) {
    PyObject* array = TensorToNumpy(ctx->input(i));
    if (array == nullptr) return Ref();
    PyTuple_SET_ITEM(arguments.get(), i, array);
  }
  return arguments;
}

// Call it with the GIL held.
Status Call(OpKernelContext* ctx, const std::string& token) {
  Ref arguments = MakeArguments(ctx);
  if (!arguments) return errors::InvalidArgument(token, ": ", TakeError());
  Ref name(MakeStr(token));
  Ref result(name ? PyObject_CallFunctionObjArgs(call_function, name.get(),
                                                 arguments.get(), nullptr)
                  : nullptr);
  if (!result && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear();
    PyErr_SetInterrupt();  // Session.run looks for it when the run has ended.
    return errors::Cancelled(token, " was interrupted");
  }
  if (!result) return errors::Unknown(token, ": ", TakeError());
  int code = 0;
  const char* message = nullptr;
  if (PyTuple_Check(result.get())) {
    if (!PyArg_ParseTuple(result.get(), "is", &code, &message)) {
      return errors::Unknown(token, ": ", TakeError());
    }
    return Status(static_cast<error::Code>(code), message);
  }
  const Py_ssize_t n = PyList_GET_SIZE(result.get());
  if (n != ctx->num_outputs()) {
    return errors::InvalidArgument(token, " returns ", n,
                                   " values, but expects to see ",
                                   ctx->num_outputs(), " values.");
  }
  for (int i = 0; i < n; ++i) {
    PyObject* array = PyList_GET_ITEM(result.get(), i);
    const DataType wanted = ctx->expected_output_dtype(i);
    const DataType type = TypeOfArray(numpy::AsArray(array));
    if (type == DT_INVALID) {
      Ref repr(PyObject_Repr(
          reinterpret_cast<PyObject*>(numpy::AsArray(array)->descr)));
      absl::string_view text;
      if (!repr || !AsText(repr.get(), &text)) TakeError();
      return errors::Unimplemented(i, "-th value returned by ", token, " is ",
                                   text, ", which no tensor holds");
    }
    if (type != wanted) {
      return errors::InvalidArgument(i, "-th value returned by ", token, " is ",
                                     DataTypeString(type), ", but expects ",
                                     DataTypeString(wanted));
    }
    Tensor value;
    if (!TensorFromArray(array, wanted, &value)) {
      return errors::Internal(TakeError());
    }
    ctx->set_output(i, std::move(value));
  }
  return OkStatus();
}

class PyFuncOp final : public OpKernel {
 public:
  explicit PyFuncOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("token", &token_));
  }

  void Compute(OpKernelContext* ctx) override {
    Status status;
    {
      const GilHold gil;
      OP_REQUIRES(ctx, gil.held(),
                  errors::Cancelled(token_, ": Python is ending"));
      status =
          call_function == nullptr
              ? errors::InvalidArgument("callback ", token_, " is not found")
              : GilHold::Call([&] { return Call(ctx, token_); });
    }
    OP_REQUIRES_OK(ctx, status);
  }

 private:
  std::string token_;
};
REGISTER_KERNEL_BUILDER(Name("PyFunc").Device(DEVICE_CPU), PyFuncOp);
REGISTER_KERNEL_BUILDER(Name("PyFuncStateless").Device(DEVICE_CPU), PyFuncOp);

}  // namespace

void BindScript(pybind11::module_& module) {
  module.def(
      "set_script_function",
      [](const pybind11::object& function) {
        Py_XSETREF(call_function, Py_NewRef(function.ptr()));
      },
      pybind11::arg("function"),
      "function(token, arrays) -> list of arrays, or (code, message): what "
      "PyFunc calls.");
}

}  // namespace tensorwright::pywrap
