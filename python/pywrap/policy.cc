// SPDX-License-Identifier: Apache-2.0
// Policies of sessions, for tf.Policy (python/client/policy.py).
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "core/common_runtime/session_policy.h"
#include "core/framework/graph.pb.h"
#include "core/framework/op.h"
#include "core/lib/core/errors.h"
#include "python/pywrap/bind.h"
#include "python/pywrap/status.h"

namespace tensorwright::pywrap {
namespace {

namespace py = pybind11;

std::shared_ptr<const SessionPolicy> PolicyOf(const std::string& bytes) {
  PolicyProto proto;
  if (!proto.ParseFromString(bytes)) throw py::value_error("no PolicyProto");
  std::shared_ptr<const SessionPolicy> policy;
  const Status status = SessionPolicy::FromProto(proto, &policy);
  if (!status.ok()) {
    RaiseValueError(status);
    throw py::error_already_set();
  }
  return policy;
}

void Check(const std::string& policy, const std::string& graph_def) {
  const std::shared_ptr<const SessionPolicy> made = PolicyOf(policy);
  Status status;
  {
    py::gil_scoped_release release;
    GraphDef def;
    status = def.ParseFromString(graph_def)
                 ? made->CheckGraphDef(def, *OpRegistry::Global())
                 : errors::InvalidArgument("The bytes are no GraphDef");
  }
  RaiseIfError(status);
}

}  // namespace

void BindPolicy(py::module_& module) {
  module.def(
      "policy_text",
      [](const std::string& policy) { return PolicyOf(policy)->DebugString(); },
      py::arg("policy"),
      "The lines of a serialized PolicyProto; ValueError if its fields make no "
      "sense.");
  module.def("check_policy", &Check, py::arg("policy"), py::arg("graph_def"),
             "Raises the error of a serialized PolicyProto that does not allow "
             "a serialized GraphDef.");
}

}  // namespace tensorwright::pywrap
