// SPDX-License-Identifier: Apache-2.0
// GroupByWindowDataset: windows of elements that have the same key.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/captured_function.h"
#include "core/kernels/dataset/element_list.h"

namespace tensorwright {
namespace {

constexpr char kName[] = "GroupByWindowDataset";

struct Functions {
  std::unique_ptr<CapturedFunction> key;
  std::unique_ptr<CapturedFunction> reduce;
  std::unique_ptr<CapturedFunction> window_size;
};

class GroupByWindowDataset final : public UnaryDataset {
 public:
  GroupByWindowDataset(DatasetPtr input, Functions functions,
                       DataTypeVector dtypes,
                       std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        functions_(std::move(functions)) {}

  std::string Name() const override { return "GroupByWindow"; }
  bool MayWait() const override { return true; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->key, functions_.key->Instantiate(ctx));
    TF_ASSIGN_OR_RETURN(made->reduce, functions_.reduce->Instantiate(ctx));
    TF_ASSIGN_OR_RETURN(made->window_size,
                        functions_.window_size->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Group {
    std::vector<Element> elements;
    int64_t size = 0;
  };

  struct Iterator final : public DatasetIterator<GroupByWindowDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      for (;;) {
        if (current != nullptr) {
          TF_ASSIGN_OR_RETURN(const bool more, current->GetNext(ctx, out));
          if (more) return true;
          current = nullptr;
        }
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled(kName, ": was cancelled");
        }
        if (input != nullptr) {
          TF_RETURN_IF_ERROR(TakeOne(ctx));
        } else if (!groups.empty()) {
          // The remaining groups, in the order of their keys.
          const auto first = groups.begin();
          Group group = std::move(first->second);
          const int64_t key_value = first->first;
          groups.erase(first);
          TF_RETURN_IF_ERROR(Begin(ctx, key_value, std::move(group)));
        } else {
          return false;
        }
      }
    }

    Status TakeOne(IteratorContext* ctx) {
      Element element;
      TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &element));
      if (!more) {
        input = nullptr;
        return OkStatus();
      }
      const int64_t index = next++;
      int64_t key_value = 0;
      const Status status = Integer(ctx, *key, element, "key_func", &key_value);
      if (!status.ok()) return AtElement(status, kName, index);
      const auto [it, is_new] = groups.emplace(key_value, Group());
      if (is_new) {
        TF_RETURN_IF_ERROR(Integer(ctx, *window_size, {Tensor(key_value)},
                                   "window_size_func", &it->second.size));
        if (it->second.size <= 0) {
          const int64_t size = it->second.size;
          groups.erase(it);
          return errors::InvalidArgument(
              kName, ": Window size must be greater than zero, but got ", size,
              ".");
        }
      }
      it->second.elements.push_back(std::move(element));
      if (static_cast<int64_t>(it->second.elements.size()) < it->second.size) {
        return OkStatus();
      }
      Group group = std::move(it->second);
      groups.erase(it);
      return Begin(ctx, key_value, std::move(group));
    }

    static Status Integer(IteratorContext* ctx,
                          const InstantiatedFunction& function, Element args,
                          const char* what, int64_t* value) {
      Element rets;
      TF_RETURN_IF_ERROR(function.Run(ctx, std::move(args), &rets));
      if (rets.size() != 1 || rets[0].dtype() != DT_INT64 ||
          rets[0].NumElements() != 1) {
        return errors::InvalidArgument(kName, ": `", what,
                                       "` must return a scalar int64.");
      }
      *value = *rets[0].base<int64_t>();
      return OkStatus();
    }

    // Goes on with the dataset that reduce_func makes of a window.
    Status Begin(IteratorContext* ctx, int64_t key_value, Group group) {
      DatasetPtr window(new ElementList(std::move(group.elements),
                                        dataset().input().output_dtypes(),
                                        dataset().input().output_shapes()));
      Element args = {Tensor(key_value), DatasetToTensor(std::move(window))};
      TF_ASSIGN_OR_RETURN(const DatasetPtr made,
                          reduce->RunDataset(ctx, std::move(args)));
      TF_RETURN_IF_ERROR(
          CheckDtypes(dataset().output_dtypes(), made->output_dtypes()));
      TF_ASSIGN_OR_RETURN(current, MakeInnerIterator(ctx, *made));
      return OkStatus();
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> key;
    std::optional<InstantiatedFunction> reduce;
    std::optional<InstantiatedFunction> window_size;
    std::unique_ptr<IteratorBase> current;
    std::map<int64_t, Group> groups;
    int64_t next = 0;
  };

  const Functions functions_;
};

class GroupByWindowDatasetOp final : public DatasetOpKernel {
 public:
  explicit GroupByWindowDatasetOp(OpKernelConstruction* ctx)
      : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key_func", &key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reduce_func", &reduce_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("window_size_func", &window_size_));
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    Functions functions;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, key_, "key_func_other_arguments", &functions.key));
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, reduce_, "reduce_func_other_arguments", &functions.reduce));
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, window_size_, "window_size_func_other_arguments",
        &functions.window_size));
    return DatasetPtr(new GroupByWindowDataset(
        std::move(input), std::move(functions), dtypes_, shapes_));
  }

 private:
  NameAttrList key_;
  NameAttrList reduce_;
  NameAttrList window_size_;
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("GroupByWindowDataset").Device(DEVICE_CPU),
                        GroupByWindowDatasetOp);

}  // namespace
}  // namespace tensorwright
