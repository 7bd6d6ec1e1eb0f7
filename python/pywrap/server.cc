// SPDX-License-Identifier: Apache-2.0
// Servers of clusters.  A separate library, which server_lib.py loads, makes
// them.
#include "core/common_runtime/server.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "core/protobuf/tensorflow_server.pb.h"
#include "python/pywrap/bind.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

void ThrowUnlessOk(const Status& status) {
  if (status.ok()) return;
  RaiseStatus(status, nullptr);
  throw py::error_already_set();
}

class Server {
 public:
  explicit Server(const std::string& server_def) {
    ServerDef def;
    if (!def.ParseFromString(server_def)) {
      throw py::type_error("server_def must be a tf.train.ServerDef");
    }
    Status status;
    {
      py::gil_scoped_release release;
      auto made = NewServer(def);
      status = made.status();
      if (made.ok()) server_ = *std::move(made);
    }
    ThrowUnlessOk(status);
  }
  ~Server() {
    py::gil_scoped_release release;
    server_.reset();
  }

  void Start() {
    Status status;
    {
      py::gil_scoped_release release;
      status = server_->Start();
    }
    ThrowUnlessOk(status);
  }
  void Stop() {
    Status status;
    {
      py::gil_scoped_release release;
      status = server_->Stop();
    }
    ThrowUnlessOk(status);
  }
  bool Wait(double seconds) {
    py::gil_scoped_release release;
    return server_->WaitUntilStopped(absl::Seconds(seconds));
  }
  std::string target() const { return server_->target(); }

 private:
  std::unique_ptr<ServerInterface> server_;
};

}  // namespace

void BindServer(py::module_& module) {
  py::class_<Server>(module, "ServerCore")
      .def(py::init<const std::string&>(), py::arg("server_def"))
      .def("start", &Server::Start)
      .def("stop", &Server::Stop)
      .def("wait", &Server::Wait, py::arg("seconds"),
           "Waits until it is stopped, at most so long; has it been?")
      .def_property_readonly("target", &Server::target);
}

}  // namespace tensorwright::pywrap
