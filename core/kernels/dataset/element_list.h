// SPDX-License-Identifier: Apache-2.0
// ElementList: elements that exist already, as a dataset.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_ELEMENT_LIST_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_ELEMENT_LIST_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {

class ElementList final : public DatasetBase {
 public:
  ElementList(std::vector<Element> elements, DataTypeVector dtypes,
              std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        elements_(std::move(elements)) {}

  std::string Name() const override { return "Window"; }
  int64_t Cardinality() const override { return elements_.size(); }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<ElementList> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      if (next_ == dataset().elements_.size()) return false;
      *out = dataset().elements_[next_++];
      return true;
    }

   private:
    size_t next_ = 0;
  };

  const std::vector<Element> elements_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_ELEMENT_LIST_H_
