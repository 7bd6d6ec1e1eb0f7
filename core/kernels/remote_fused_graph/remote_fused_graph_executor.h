// SPDX-License-Identifier: Apache-2.0
// What runs the graph of a RemoteFusedGraphExecute node: another processor, or
// another library.  Whoever has one registers it under a name, and graphs name
// it:
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

// One executor is for one node.  Its kernel calls Init and SetupGraph once, in
// that order; then, for each step, FillInputNode for each input, ExecuteGraph,
// and ReadOutputNode for each output; in the end TeardownGraph and Finalize, if
// the calls before succeeded.  Never two calls at a time, but not always on one
// thread.  An error ends the step, or the making of the node.
class IRemoteFusedGraphExecutor {
 public:
  // Makes the output of that shape, which the node owns.
  using TensorAllocator = std::function<StatusOr<Tensor*>(const TensorShape&)>;

  virtual ~IRemoteFusedGraphExecutor() = default;

  // `info` outlives the executor.
  virtual Status Init(const RemoteFusedGraphExecuteInfo& info) = 0;
  virtual Status SetupGraph() = 0;
  // The name is one of graph_input_node_name.
  virtual Status FillInputNode(const std::string& node_name,
                               const Tensor& tensor) = 0;
  virtual Status ExecuteGraph() = 0;
  // The name is one of graph_output_node_name; `allocate` is called once, and
  // what it returns filled.  Its dtype is the node's.
  virtual Status ReadOutputNode(const std::string& node_name,
                                const TensorAllocator& allocate) = 0;
  virtual Status TeardownGraph() = 0;
  virtual Status Finalize() = 0;
};

using RemoteFusedGraphExecutorFactory =
    std::function<StatusOr<std::unique_ptr<IRemoteFusedGraphExecutor>>()>;

// The registry is of the process, and thread-safe.
//
// AlreadyExists if there is one of that name: the first stays.
Status RegisterRemoteFusedGraphExecutor(
    const std::string& name, RemoteFusedGraphExecutorFactory factory);
// Makes an executor; NotFound, with the names that there are, for another name.
StatusOr<std::unique_ptr<IRemoteFusedGraphExecutor>>
MakeRemoteFusedGraphExecutor(const std::string& name);
// Sorted.
std::vector<std::string> RemoteFusedGraphExecutorNames();

// Registers a class that has a constructor without arguments, when the program
// or the library with this object is loaded; logs it if the name is taken.
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
