// SPDX-License-Identifier: Apache-2.0
// An executor of fused graphs in a separate library, like that of a maker of
// hardware: each output is its input times the number in the parameter.

#include <cmath>
#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/remote_fused_graph/remote_fused_graph_executor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class ScalingExecutor final : public IRemoteFusedGraphExecutor {
 public:
  Status Init(const RemoteFusedGraphExecuteInfo& info) override {
    info_ = &info;
    if (absl::SimpleAtof(info.serialized_executor_parameters(), &factor_)) {
      return OkStatus();
    }
    return errors::InvalidArgument("the parameter must be a number, got ",
                                   info.serialized_executor_parameters());
  }
  Status SetupGraph() override { return OkStatus(); }

  Status FillInputNode(const std::string& name, const Tensor& value) override {
    values_[name] = value;
    return OkStatus();
  }

  Status ExecuteGraph() override { return OkStatus(); }

  Status ReadOutputNode(const std::string& name,
                        const TensorAllocator& allocate) override {
    // It then behaves like a broken executor.
    if (std::isnan(factor_)) return OkStatus();
    for (int i = 0; i < info_->graph_output_node_name_size(); ++i) {
      if (info_->graph_output_node_name(i) != name) continue;
      const Tensor& value = values_[info_->graph_input_node_name(i)];
      StatusOr<Tensor*> output = allocate(value.shape());
      TF_RETURN_IF_ERROR(output.status());
      for (int64_t k = 0; k < value.NumElements(); ++k) {
        (*output)->base<float>()[k] = factor_ * value.base<float>()[k];
      }
    }
    return OkStatus();
  }

  Status TeardownGraph() override { return OkStatus(); }
  Status Finalize() override { return OkStatus(); }

 private:
  const RemoteFusedGraphExecuteInfo* info_ = nullptr;
  float factor_ = 0;
  std::map<std::string, Tensor> values_;
};

const RemoteFusedGraphExecutorRegistrar<ScalingExecutor> scaling("scaling");

}  // namespace
}  // namespace tensorwright
