// SPDX-License-Identifier: Apache-2.0
// PaddedBatchDataset: several elements as one, each filled up to a shape.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/lib/element_dispatch.h"

namespace tensorwright {
namespace {

// Copies `from`, whose sizes are no larger, to the first corner of `to`, which
// has `to_shape` after its first dimension.
template <typename T>
void CopyCorner(const T* from, const TensorShape& from_shape, int d, T* to,
                const TensorShape& to_shape) {
  if (d == from_shape.dims()) {
    *to = *from;
    return;
  }
  int64_t from_step = 1, to_step = 1;
  for (int i = d + 1; i < from_shape.dims(); ++i) {
    from_step *= from_shape.dim_size(i);
    to_step *= to_shape.dim_size(i);
  }
  if (d + 1 == from_shape.dims()) {
    std::copy_n(from, from_shape.dim_size(d), to);
    return;
  }
  for (int64_t i = 0; i < from_shape.dim_size(d); ++i) {
    CopyCorner(from + i * from_step, from_shape, d + 1, to + i * to_step,
               to_shape);
  }
}

// Makes the rows of a column, all padded with the one element of `padding`.
Status PadRows(const std::vector<Element>& elements, size_t component,
               const TensorShape& row, const Tensor& padding, Tensor* batch) {
  TensorShape shape = row;
  TF_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, elements.size()));
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(padding.dtype(), shape, batch));
  if (batch->NumElements() == 0) return OkStatus();
  return DispatchElement(padding.dtype(), [&]<typename T>(ElementTag<T>) {
    const T fill = *static_cast<const T*>(padding.data());
    const int64_t size = row.num_elements();
    T* to = static_cast<T*>(batch->data());
    for (size_t i = 0; i < elements.size(); ++i, to += size) {
      const Tensor& from = elements[i][component];
      if (from.NumElements() < size) std::fill_n(to, size, fill);
      if (from.NumElements() == 0) continue;
      CopyCorner(static_cast<const T*>(from.data()), from.shape(), 0, to, row);
    }
  });
}

class PaddedBatchDataset final : public UnaryDataset {
 public:
  PaddedBatchDataset(DatasetPtr input, int64_t batch_size, bool drop_remainder,
                     std::vector<PartialTensorShape> padded, Element padding,
                     std::vector<PartialTensorShape> shapes)
      : UnaryDataset(input, input->output_dtypes(), std::move(shapes)),
        batch_size_(batch_size),
        drop_remainder_(drop_remainder),
        padded_(std::move(padded)),
        padding_(std::move(padding)) {}

  std::string Name() const override { return "PaddedBatch"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return n / batch_size_ + (n % batch_size_ > 0 && !drop_remainder_ ? 1 : 0);
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<PaddedBatchDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      const PaddedBatchDataset& d = dataset();
      std::vector<Element> elements;
      while (static_cast<int64_t>(elements.size()) < d.batch_size_) {
        Element element;
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &element));
        if (!more) {
          input = nullptr;
          break;
        }
        elements.push_back(std::move(element));
      }
      if (elements.empty() ||
          (d.drop_remainder_ &&
           static_cast<int64_t>(elements.size()) < d.batch_size_)) {
        return false;
      }
      out->clear();
      for (size_t c = 0; c < d.padded_.size(); ++c) {
        TensorShape row;
        TF_RETURN_IF_ERROR(d.AtOrigin(RowShape(elements, c, &row)));
        TF_RETURN_IF_ERROR(d.AtOrigin(
            PadRows(elements, c, row, d.padding_[c], &out->emplace_back())));
      }
      return true;
    }

    // The padded shape, with -1 replaced by the largest size among the
    // elements.
    Status RowShape(const std::vector<Element>& elements, size_t c,
                    TensorShape* row) const {
      const PartialTensorShape& padded = dataset().padded_[c];
      std::vector<int64_t> sizes(padded.dims());
      for (int d = 0; d < padded.dims(); ++d) sizes[d] = padded.dim_size(d);
      for (const Element& element : elements) {
        const TensorShape& shape = element[c].shape();
        if (shape.dims() != padded.dims()) {
          return errors::InvalidArgument(
              "All elements in a batch must have the same rank as the padded "
              "shape for component ",
              c, ": expected rank ", padded.dims(),
              " but got element with rank ", shape.dims());
        }
        for (int d = 0; d < padded.dims(); ++d) {
          if (padded.dim_size(d) < 0) {
            sizes[d] = std::max(sizes[d], shape.dim_size(d));
          } else if (shape.dim_size(d) > sizes[d]) {
            return errors::DataLoss(
                "Attempted to pad to a smaller size than the input element: "
                "component ",
                c, " has shape ", shape.DebugString(),
                ", and its padded shape is ", padded.DebugString());
          }
        }
      }
      for (int64_t& size : sizes) size = std::max<int64_t>(size, 0);
      return TensorShapeUtils::MakeShape(sizes, row);
    }

    std::unique_ptr<IteratorBase> input;
  };

  const int64_t batch_size_;
  const bool drop_remainder_;
  const std::vector<PartialTensorShape> padded_;
  const Element padding_;
};

class PaddedBatchDatasetOp final : public DatasetOpKernel {
 public:
  explicit PaddedBatchDatasetOp(OpKernelConstruction* ctx)
      : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t batch_size = 0;
    bool drop_remainder = false;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "batch_size", &batch_size));
    if (type_string() == "PaddedBatchDatasetV2") {
      TF_RETURN_IF_ERROR(
          ScalarArgument(ctx, "drop_remainder", &drop_remainder));
    }
    if (batch_size <= 0) {
      return errors::InvalidArgument(
          type_string(), ": Batch size must be greater than zero, got ",
          batch_size);
    }
    OpInputList given, padding;
    TF_RETURN_IF_ERROR(ctx->input_list("padded_shapes", &given));
    TF_RETURN_IF_ERROR(ctx->input_list("padding_values", &padding));
    const size_t n = input->output_dtypes().size();
    if (given.size() != static_cast<int>(n) ||
        padding.size() != static_cast<int>(n)) {
      return errors::InvalidArgument(
          type_string(), ": Number of padded shapes (", given.size(),
          ") and of padding values (", padding.size(),
          ") must match the number of components in the input dataset's "
          "elements (",
          n, ")");
    }
    std::vector<PartialTensorShape> padded(n), shapes;
    Element values;
    for (size_t i = 0; i < n; ++i) {
      TF_RETURN_IF_ERROR(PaddedShape(given[i], &padded[i]));
      if (padding[i].dtype() != input->output_dtypes()[i] ||
          padding[i].dims() != 0) {
        return errors::InvalidArgument(
            type_string(), ": Mismatched type between padding value ", i,
            " and input dataset's component ", i, ": it must be a scalar of ",
            DataTypeString(input->output_dtypes()[i]), ", got ",
            DataTypeString(padding[i].dtype()), " of shape ",
            padding[i].shape().DebugString());
      }
      values.push_back(padding[i]);
      shapes.push_back(PartialTensorShape({drop_remainder ? batch_size : -1})
                           .Concatenate(padded[i]));
    }
    return DatasetPtr(new PaddedBatchDataset(
        std::move(input), batch_size, drop_remainder, std::move(padded),
        std::move(values), std::move(shapes)));
  }

 private:
  Status PaddedShape(const Tensor& given, PartialTensorShape* shape) const {
    if (given.dims() != 1) {
      return errors::InvalidArgument(
          type_string(), ": All padded shapes must be vectors, got shape ",
          given.shape().DebugString());
    }
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < given.NumElements(); ++i) {
      const int64_t size = given.base<int64_t>()[i];
      if (size < -1) {
        return errors::InvalidArgument(
            type_string(), ": padded sizes must be >= -1, got ", size);
      }
      sizes.push_back(size);
    }
    return PartialTensorShape::BuildPartialTensorShape(sizes, shape);
  }

  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("PaddedBatchDataset").Device(DEVICE_CPU),
                        PaddedBatchDatasetOp);
REGISTER_KERNEL_BUILDER(Name("PaddedBatchDatasetV2").Device(DEVICE_CPU),
                        PaddedBatchDatasetOp);

}  // namespace
}  // namespace tensorwright
