// SPDX-License-Identifier: Apache-2.0
// model.h over a session of a MetaGraphDef that is linked into the library.
#include "tools/shrink/model.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/common_runtime/session.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"
#include "core/protobuf/meta_graph.pb.h"

// The bytes of a MetaGraphDef with one signature, "model".
extern "C" const char tw_linked_model[];
extern "C" const char tw_linked_model_end[];

namespace tensorwright {
namespace {

constexpr char kSignature[] = "model";

struct Spec {
  std::string name;    // As callers know it.
  std::string tensor;  // In the graph, "x:0".
  std::vector<int64_t> dims;
  tw_spec c;
};

void Tell(const Status& status, char* error, size_t size) {
  if (error == nullptr || size == 0) return;
  const std::string text = status.ToString();
  const size_t length = std::min(text.size(), size - 1);
  std::memcpy(error, text.data(), length);
  error[length] = '\0';
}

std::vector<std::unique_ptr<Spec>> Specs(
    const google::protobuf::Map<std::string, TensorInfo>& infos) {
  std::vector<std::unique_ptr<Spec>> specs;
  for (const auto& [name, info] : infos) {
    auto spec = std::make_unique<Spec>();
    spec->name = name;
    spec->tensor = info.name();
    for (const auto& dim : info.tensor_shape().dim()) {
      spec->dims.push_back(dim.size());
    }
    const bool known = !info.tensor_shape().unknown_rank();
    spec->c = {spec->name.c_str(), info.dtype(),
               known ? static_cast<int>(spec->dims.size()) : -1,
               spec->dims.data()};
    specs.push_back(std::move(spec));
  }
  std::sort(specs.begin(), specs.end(),
            [](const auto& a, const auto& b) { return a->name < b->name; });
  return specs;
}

// The tensor with a copy of what the caller has.
StatusOr<Tensor> Copy(const Spec& spec, const tw_tensor& from) {
  if (from.dtype != spec.c.dtype) {
    return errors::InvalidArgument(
        "input '", spec.name, "' has the dtype ",
        DataTypeString(static_cast<DataType>(spec.c.dtype)), ", not ",
        from.dtype);
  }
  if (from.rank < 0 || (from.rank > 0 && from.dims == nullptr)) {
    return errors::InvalidArgument("input '", spec.name,
                                   "' has no shape: its rank is ", from.rank);
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(TensorShapeUtils::MakeShape(
      from.rank == 0 ? nullptr : from.dims, from.rank, &shape));
  // Throws if there is no memory for it.
  Tensor tensor(static_cast<DataType>(from.dtype), shape);
  if (shape.num_elements() == 0) return tensor;
  if (from.data == nullptr) {
    return errors::InvalidArgument("input '", spec.name,
                                   "' has elements and no data");
  }
  if (from.dtype == DT_STRING) {
    const auto* strings = static_cast<const tw_string*>(from.data);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      tensor.base<std::string>()[i].assign(strings[i].data, strings[i].size);
    }
  } else {
    std::memcpy(const_cast<char*>(tensor.tensor_data().data()), from.data,
                tensor.tensor_data().size());
  }
  return tensor;
}

}  // namespace
}  // namespace tensorwright

struct tw_model {
  std::unique_ptr<tensorwright::Session> session;
  std::shared_ptr<const tensorwright::Callable> callable;
  std::vector<std::unique_ptr<tensorwright::Spec>> inputs, outputs;
};

struct tw_result {
  struct Output {
    tensorwright::Tensor tensor;
    std::vector<int64_t> dims;
    std::vector<tw_string> strings;
    tw_tensor c;
  };
  std::vector<Output> outputs;
};

namespace tensorwright {
namespace {

Status Load(int threads, tw_model* model) {
  if (threads < 0) {
    return errors::InvalidArgument("threads is ", threads);
  }
  MetaGraphDef meta;
  const int size = static_cast<int>(tw_linked_model_end - tw_linked_model);
  if (!meta.ParseFromArray(tw_linked_model, size)) {
    return errors::DataLoss("the model in the library is damaged");
  }
  const auto signature = meta.signature_def().find(kSignature);
  if (signature == meta.signature_def().end()) {
    return errors::DataLoss("the model in the library has no signature");
  }
  model->inputs = Specs(signature->second.inputs());
  model->outputs = Specs(signature->second.outputs());
  ConfigProto config;
  config.set_intra_op_parallelism_threads(threads);
  config.set_inter_op_parallelism_threads(threads);
  TF_ASSIGN_OR_RETURN(model->session,
                      NewSession("", config, std::make_shared<LiveGraph>()));
  TF_RETURN_IF_ERROR(model->session->Create(meta.graph_def()));
  RunSignature wanted;
  for (const auto& spec : model->inputs) wanted.feeds.push_back(spec->tensor);
  for (const auto& spec : model->outputs) {
    wanted.fetches.push_back(spec->tensor);
  }
  TF_ASSIGN_OR_RETURN(model->callable,
                      model->session->MakeCallable(wanted, RunHooks()));
  return OkStatus();
}

Status Run(tw_model* model, const tw_tensor* inputs, tw_result* result) {
  std::vector<Tensor> feeds;
  feeds.reserve(model->inputs.size());
  for (size_t i = 0; i < model->inputs.size(); ++i) {
    TF_ASSIGN_OR_RETURN(Tensor feed, Copy(*model->inputs[i], inputs[i]));
    feeds.push_back(std::move(feed));
  }
  std::vector<Tensor> fetched;
  TF_RETURN_IF_ERROR(model->session->RunCallable(
      *model->callable, nullptr, feeds, &fetched, nullptr, RunHooks()));
  result->outputs.resize(fetched.size());
  for (size_t i = 0; i < fetched.size(); ++i) {
    tw_result::Output& output = result->outputs[i];
    output.tensor = std::move(fetched[i]);
    const Tensor& tensor = output.tensor;
    for (int d = 0; d < tensor.dims(); ++d) {
      output.dims.push_back(tensor.dim_size(d));
    }
    const void* data = tensor.tensor_data().data();
    if (tensor.dtype() == DT_STRING) {
      for (const std::string& s : Flat<std::string>(tensor)) {
        output.strings.push_back({s.data(), s.size()});
      }
      data = output.strings.data();
    }
    output.c = {tensor.dtype(), tensor.dims(), output.dims.data(), data};
  }
  return OkStatus();
}

// Calls `make(object)` and returns the object, or null after an error: no
// exception crosses to C.
template <typename T, typename F>
T* Made(F make, char* error, size_t size) {
  Status status;
  try {
    auto made = std::make_unique<T>();
    status = make(made.get());
    if (status.ok()) return made.release();
  } catch (const std::exception& e) {
    status = errors::ResourceExhausted(e.what());
  }
  Tell(status, error, size);
  return nullptr;
}

}  // namespace
}  // namespace tensorwright

tw_model* tw_model_load(int threads, char* error, size_t size) {
  return tensorwright::Made<tw_model>(
      [&](tw_model* model) { return tensorwright::Load(threads, model); },
      error, size);
}

void tw_model_free(tw_model* model) { delete model; }

int tw_model_num_inputs(const tw_model* model) {
  return static_cast<int>(model->inputs.size());
}

int tw_model_num_outputs(const tw_model* model) {
  return static_cast<int>(model->outputs.size());
}

const tw_spec* tw_model_input(const tw_model* model, int i) {
  if (i < 0 || i >= tw_model_num_inputs(model)) return nullptr;
  return &model->inputs[i]->c;
}

const tw_spec* tw_model_output(const tw_model* model, int i) {
  if (i < 0 || i >= tw_model_num_outputs(model)) return nullptr;
  return &model->outputs[i]->c;
}

tw_result* tw_model_run(tw_model* model, const tw_tensor* inputs, char* error,
                        size_t size) {
  return tensorwright::Made<tw_result>(
      [&](tw_result* result) {
        return tensorwright::Run(model, inputs, result);
      },
      error, size);
}

const tw_tensor* tw_result_tensor(const tw_result* result, int i) {
  if (i < 0 || i >= static_cast<int>(result->outputs.size())) return nullptr;
  return &result->outputs[i].c;
}

void tw_result_free(tw_result* result) { delete result; }
