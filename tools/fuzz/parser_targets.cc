// SPDX-License-Identifier: Apache-2.0
// Parsers of programs' data: Examples, CSV and JSON, by their kernels.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/kernels/lib/ops_testutil.h"
#include "tools/fuzz/fuzz_targets.h"

namespace tensorwright {
namespace fuzz {
namespace {

Tensor Strings(const std::vector<std::string>& values) {
  Tensor tensor(DT_STRING, TensorShape({static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.base<tstring>()[i] = values[i];
  }
  return tensor;
}

// ParseExample for the features that write_corpus.py writes: fixed sizes, with
// and without defaults, of any number, and sparse ones.
std::unique_ptr<KernelRunner> NewExampleRunner() {
  auto runner = std::make_unique<KernelRunner>(/*num_threads=*/1);
  const std::vector<DataType> sparse = {DT_INT64, DT_STRING, DT_FLOAT};
  const std::vector<DataType> dense = {DT_FLOAT, DT_INT64, DT_STRING, DT_INT64};
  const std::vector<PartialTensorShape> shapes = {
      PartialTensorShape({2}), PartialTensorShape({}), PartialTensorShape({}),
      PartialTensorShape({-1, 2})};
  TF_CHECK_OK(runner->InitOp("ParseExample",
                             {{"Nsparse", static_cast<int64_t>(sparse.size())},
                              {"Ndense", static_cast<int64_t>(dense.size())},
                              {"sparse_types", sparse},
                              {"Tdense", dense},
                              {"dense_shapes", shapes}}));
  runner->AddInput(Strings({"", ""}));
  runner->AddInput(Strings({}));
  for (const char* key : {"many_ints", "many_words", "many_floats"}) {
    runner->AddInput(Tensor(tstring(key)));
  }
  for (const char* key : {"pair", "number", "word", "rows"}) {
    runner->AddInput(Tensor(tstring(key)));
  }
  runner->AddInput(Tensor(DT_FLOAT, TensorShape({0})));  // Required.
  runner->AddInput(Tensor(int64_t{7}));
  runner->AddInput(Tensor(tstring("default")));
  runner->AddInput(Tensor(int64_t{0}));  // Fills up the rows.
  return runner;
}

std::unique_ptr<KernelRunner> NewCsvRunner() {
  auto runner = std::make_unique<KernelRunner>(/*num_threads=*/1);
  const std::vector<DataType> types = {DT_INT32, DT_FLOAT, DT_STRING, DT_INT64,
                                       DT_DOUBLE};
  TF_CHECK_OK(
      runner->InitOp("DecodeCSV", {{"OUT_TYPE", types}, {"na_value", "NA"}}));
  runner->AddInput(Strings({""}));
  for (const DataType type : types) {
    Tensor value(type, TensorShape({1}));
    if (type != DT_STRING) {
      std::memset(value.data(), 0, value.TotalBytes());
    }
    runner->AddInput(std::move(value));
  }
  return runner;
}

std::unique_ptr<KernelRunner> NewJsonRunner() {
  auto runner = std::make_unique<KernelRunner>(/*num_threads=*/1);
  TF_CHECK_OK(runner->InitOp("DecodeJSONExample"));
  runner->AddInput(Strings({""}));
  return runner;
}

}  // namespace

void ParseExample(absl::string_view bytes) {
  static KernelRunner* const runner = NewExampleRunner().release();
  // Parses it twice: the sizes depend on both together.
  runner->SetInput(0, Strings({std::string(bytes), std::string(bytes)}));
  runner->Run().IgnoreError();
}

void ParseCsv(absl::string_view bytes) {
  static KernelRunner* const runner = NewCsvRunner().release();
  runner->SetInput(0, Strings({std::string(bytes)}));
  runner->Run().IgnoreError();
}

void ParseJsonExample(absl::string_view bytes) {
  static KernelRunner* const runner = NewJsonRunner().release();
  runner->SetInput(0, Strings({std::string(bytes)}));
  runner->Run().IgnoreError();
}

}  // namespace fuzz
}  // namespace tensorwright
