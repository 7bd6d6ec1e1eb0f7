// SPDX-License-Identifier: Apache-2.0
// Executors run the graph of a RemoteFusedGraphExecute node, on another
// processor or by another library.  Their authors register them under a name,
// and graphs name them:
//
//   class DspExecutor final : public IRemoteFusedGraphExecutor { ... };
//   static const RemoteFusedGraphExecutorRegistrar<DspExecutor> dsp("dsp");
#ifndef TENSORWRIGHT_CORE_KERNELS_REMOTE_FUSED_GRAPH_REMOTE_FUSED_GRAPH_EXECUTOR_H_
#define TENSORWRIGHT_CORE_KERNELS_REMOTE_FUSED_GRAPH_REMOTE_FUSED_GRAPH_EXECUTOR_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/framework/remote_fused_graph_execute_info.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"
#include "core/lib/core/statusor.h"

namespace tensorwright {

// One executor serves one node.  Its kernel calls Init and SetupGraph once, in
// that order; then, for each step, FillInputNode for each input, ExecuteGraph,
// and ReadOutputNode for each output; in the end TeardownGraph if SetupGraph
// succeeded, and Finalize if Init did.  The kernel never makes two calls at a
// time, but makes them on any thread.  An error ends the step, or the making of
// the node.
class IRemoteFusedGraphExecutor {
 public:
  // Allocates an output of that shape; the node owns it.
  using TensorAllocator = std::function<StatusOr<Tensor*>(const TensorShape&)>;

  virtual ~IRemoteFusedGraphExecutor() = default;

  // `info` outlives the executor.
  virtual Status Init(const RemoteFusedGraphExecuteInfo& info) = 0;
  virtual Status SetupGraph() = 0;
  // Sets an input; the name is one of graph_input_node_name.
  virtual Status FillInputNode(const std::string& node_name,
                               const Tensor& tensor) = 0;
  virtual Status ExecuteGraph() = 0;
  // Gets an output; the name is one of graph_output_node_name.  Calls
  // `allocate` once and fills the tensor it returns, which has the output's
  // dtype.
  virtual Status ReadOutputNode(const std::string& node_name,
                                const TensorAllocator& allocate) = 0;
  virtual Status TeardownGraph() = 0;
  virtual Status Finalize() = 0;
};

using RemoteFusedGraphExecutorFactory =
    std::function<StatusOr<std::unique_ptr<IRemoteFusedGraphExecutor>>()>;

// Registers an executor for the whole process; thread-safe.
//
// AlreadyExists if the name is taken; the first executor stays.
Status RegisterRemoteFusedGraphExecutor(
    const std::string& name, RemoteFusedGraphExecutorFactory factory);
// Makes an executor.  NotFound, with the registered names, for another name.
StatusOr<std::unique_ptr<IRemoteFusedGraphExecutor>>
MakeRemoteFusedGraphExecutor(const std::string& name);
// Returns the registered names, sorted.
std::vector<std::string> RemoteFusedGraphExecutorNames();

// Registers a class that has a constructor without arguments, when the program
// or the library with this object is loaded; logs a taken name.
void RegisterRemoteFusedGraphExecutorOrLog(
    const std::string& name, RemoteFusedGraphExecutorFactory factory);

template <typename Executor>
class RemoteFusedGraphExecutorRegistrar {
 public:
  explicit RemoteFusedGraphExecutorRegistrar(const std::string& name) {
    RegisterRemoteFusedGraphExecutorOrLog(name, &Make);
  }

 private:
  static StatusOr<std::unique_ptr<IRemoteFusedGraphExecutor>> Make() {
    return std::unique_ptr<IRemoteFusedGraphExecutor>(
        std::make_unique<Executor>());
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_REMOTE_FUSED_GRAPH_REMOTE_FUSED_GRAPH_EXECUTOR_H_
