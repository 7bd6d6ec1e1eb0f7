// SPDX-License-Identifier: Apache-2.0
// WindowDataset: several elements at a time, as datasets.

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/element_list.h"

namespace tensorwright {
namespace {

struct Windows {
  int64_t size = 0;
  int64_t shift = 0;
  int64_t stride = 0;
  bool drop_remainder = false;
};

class WindowDataset final : public UnaryDataset {
 public:
  WindowDataset(DatasetPtr input, const Windows& windows)
      : UnaryDataset(
            input, DataTypeVector(input->output_dtypes().size(), DT_VARIANT),
            std::vector<PartialTensorShape>(input->output_dtypes().size(),
                                            PartialTensorShape({}))),
        windows_(windows) {}

  std::string Name() const override { return "Window"; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<WindowDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      const Windows& w = dataset().windows_;
      // The window begins at number `begin`; the buffer holds elements from
      // `first` on.
      const int64_t end = begin + (w.size - 1) * w.stride + 1;
      while (input != nullptr && first + Held() < end) {
        Element element;
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &element));
        if (!more) {
          input = nullptr;
          break;
        }
        // Between windows there may be elements that belong to none.
        if (first + Held() < begin) {
          ++first;
        } else {
          buffer.push_back(std::move(element));
        }
      }
      if (first < begin || buffer.empty()) return false;
      std::vector<Element> window;
      for (int64_t i = 0; i < w.size && i * w.stride < Held(); ++i) {
        window.push_back(buffer[i * w.stride]);
      }
      if (w.drop_remainder && static_cast<int64_t>(window.size()) < w.size) {
        return false;
      }
      begin += w.shift;
      while (first < begin && !buffer.empty()) {
        buffer.pop_front();
        ++first;
      }
      Split(window, out);
      return true;
    }

    // Makes a dataset for each component.
    void Split(const std::vector<Element>& window, Element* out) const {
      out->clear();
      const DatasetBase& from = dataset().input();
      for (size_t c = 0; c < from.output_dtypes().size(); ++c) {
        std::vector<Element> parts;
        for (const Element& element : window) parts.push_back({element[c]});
        out->push_back(DatasetToTensor(DatasetPtr(
            new ElementList(std::move(parts), {from.output_dtypes()[c]},
                            {from.output_shapes()[c]}))));
      }
    }

    int64_t Held() const { return static_cast<int64_t>(buffer.size()); }

    std::unique_ptr<IteratorBase> input;
    std::deque<Element> buffer;
    int64_t first = 0;
    int64_t begin = 0;
  };

  const Windows windows_;
};

class WindowDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    Windows w;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "size", &w.size));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "shift", &w.shift));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "stride", &w.stride));
    TF_RETURN_IF_ERROR(
        ScalarArgument(ctx, "drop_remainder", &w.drop_remainder));
    if (w.size <= 0 || w.shift <= 0 || w.stride <= 0) {
      return errors::InvalidArgument(
          "WindowDataset: Window size, shift and stride must be greater than "
          "zero, got ",
          w.size, ", ", w.shift, " and ", w.stride);
    }
    int64_t last = 0;
    if (__builtin_mul_overflow(w.size, w.stride, &last)) {
      return errors::InvalidArgument(
          "WindowDataset: size times stride is too large: ", w.size, " and ",
          w.stride);
    }
    return DatasetPtr(new WindowDataset(std::move(input), w));
  }
};
REGISTER_KERNEL_BUILDER(Name("WindowDataset").Device(DEVICE_CPU),
                        WindowDatasetOp);

}  // namespace
}  // namespace tensorwright
