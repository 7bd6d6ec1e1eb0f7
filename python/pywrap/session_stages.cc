// SPDX-License-Identifier: Apache-2.0
// The graphs of a run between the graph passes, for `tw trace`.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/direct_session.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/graph/passes/graph_passes.h"
#include "python/pywrap/session_state.h"

namespace tensorwright::pywrap {
namespace {

// The nodes of all partitions; the values of constants, which may be large, are
// left out.
std::string NodesOf(const Plan& plan) {
  GraphDef all;
  for (const auto& partition : plan.partitions()) {
    GraphDef part;
    partition->graph().ToGraphDef(&part);
    for (NodeDef& node : *part.mutable_node()) {
      if (node.op() == "Const") node.mutable_attr()->erase("value");
      *all.add_node() = std::move(node);
    }
  }
  return all.SerializeAsString();
}

}  // namespace

// (feeds, fetches, targets) -> [(pass, GraphDef bytes)]: the graph before the
// passes, whose pass is "", and after each of them.  Nothing is run.  Empty for
// a session of another process.
PyObject* PlanStages(PyObject* object, PyObject* args) {
  SessionObject* self = AsSession(object);
  PyObject *feeds, *fetches, *targets;
  if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &feeds, &PyList_Type,
                        &fetches, &PyList_Type, &targets) ||
      !CheckOpen(self)) {
    return nullptr;
  }
  Ref list(PyList_New(0));
  auto* session = dynamic_cast<DirectSession*>(self->state->session.get());
  if (!list || session == nullptr) return list.release();
  const auto entry = MakeEntry(self, feeds, fetches, targets);
  if (entry == nullptr) return nullptr;
  std::vector<std::string> names = GraphPassNames();
  names.insert(names.begin(), "");
  std::vector<std::string> graphs;
  if (!WithoutGil(self, [&](const RunHooks& hooks) -> Status {
        TF_ASSIGN_OR_RETURN(const auto callable,
                            session->MakeCallable(entry->signature, hooks));
        const auto& plan = static_cast<const Plan&>(*callable);
        for (size_t passes = 0; passes < names.size(); ++passes) {
          TF_ASSIGN_OR_RETURN(const auto stage,
                              session->PlanAfter(plan, passes));
          graphs.push_back(NodesOf(*stage));
        }
        return OkStatus();
      })) {
    return nullptr;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    Ref item(Py_BuildValue("(sy#)", names[i].c_str(), graphs[i].data(),
                           static_cast<Py_ssize_t>(graphs[i].size())));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

}  // namespace tensorwright::pywrap
