// SPDX-License-Identifier: Apache-2.0
// Elements in files.
#include "core/kernels/dataset/element_files.h"

#include <snappy.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/base/internal/endian.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/variant.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kSnappy[] = "SNAPPY";
constexpr size_t kBlockBytes = 128 << 10;
constexpr size_t kLengthBytes = 4;
// TensorFlow's name for a variant that holds a tensor.
constexpr char kTensorInVariant[] = "tensorflow::Tensor";

// Writes its data to `file`, not owned, in compressed blocks.
class SnappyWriter final : public WritableFile {
 public:
  explicit SnappyWriter(WritableFile* file) : file_(file) {}

  Status Append(absl::string_view data) override {
    while (!data.empty()) {
      const size_t n = std::min(data.size(), kBlockBytes - block_.size());
      block_.append(data.data(), n);
      data.remove_prefix(n);
      if (block_.size() == kBlockBytes) TF_RETURN_IF_ERROR(WriteBlock());
    }
    return OkStatus();
  }
  Status Flush() override { return WriteBlock(); }
  Status Sync() override { return WriteBlock(); }
  Status Close() override { return WriteBlock(); }

 private:
  Status WriteBlock() {
    if (block_.empty()) return OkStatus();
    std::string out(kLengthBytes, '\0');
    std::string compressed;
    snappy::Compress(block_.data(), block_.size(), &compressed);
    absl::big_endian::Store32(out.data(),
                              static_cast<uint32_t>(compressed.size()));
    block_.clear();
    out += compressed;
    return file_->Append(out);
  }

  WritableFile* const file_;
  std::string block_;
};

// Reads the data in such blocks, from the beginning on.
class SnappyReader final : public RandomAccessFile {
 public:
  SnappyReader(std::string name, const RandomAccessFile* file,
               uint64_t file_size)
      : name_(std::move(name)), file_(file), file_size_(file_size) {}

  Status Name(absl::string_view* result) const override {
    *result = name_;
    return OkStatus();
  }

  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    if (offset < begin_) at_ = begin_ = 0, block_.clear();
    size_t got = 0;
    Status status;
    while (got < n && status.ok()) {
      const uint64_t want = offset + got;
      if (want < begin_ + block_.size()) {
        const size_t from = want - begin_;
        const size_t part = std::min(n - got, block_.size() - from);
        std::memcpy(scratch + got, block_.data() + from, part);
        got += part;
      } else {
        status = NextBlock();
      }
    }
    *result = absl::string_view(scratch, got);
    return status;
  }

 private:
  Status NextBlock() const {
    begin_ += block_.size();
    block_.clear();
    if (at_ >= file_size_) return errors::OutOfRange("end of file");
    char head[kLengthBytes];
    absl::string_view bytes;
    if (file_size_ - at_ < kLengthBytes) return Lost("is cut off");
    TF_RETURN_IF_ERROR(file_->Read(at_, kLengthBytes, &bytes, head));
    const uint32_t length = absl::big_endian::Load32(bytes.data());
    if (length > file_size_ - at_ - kLengthBytes) return Lost("is cut off");
    std::string compressed(length, '\0');
    TF_RETURN_IF_ERROR(
        file_->Read(at_ + kLengthBytes, length, &bytes, compressed.data()));
    // Three bytes of Snappy stand for at most 64.
    constexpr size_t kMostGrowth = 22;
    size_t inflated = 0;
    if (!snappy::GetUncompressedLength(bytes.data(), bytes.size(), &inflated) ||
        inflated > kMostGrowth * (bytes.size() + 1)) {
      return Lost("is no block of Snappy");
    }
    block_.resize(inflated);
    if (!snappy::RawUncompress(bytes.data(), bytes.size(), block_.data())) {
      block_.clear();
      return Lost("is no block of Snappy");
    }
    at_ += kLengthBytes + length;
    return OkStatus();
  }

  Status Lost(const char* what) const {
    return errors::DataLoss(name_, ": the block at byte ", at_, " ", what);
  }

  const std::string name_;
  const RandomAccessFile* const file_;
  const uint64_t file_size_;
  // A RandomAccessFile reads as a constant; this one remembers its position.
  mutable uint64_t at_ = 0;  // The offset of the next block in the file.
  // The offset of block_ in the data of all blocks.
  mutable uint64_t begin_ = 0;
  mutable std::string block_;
};

// Makes a proto of `tensor`.  Writes variants if they hold tensors, as those of
// sparse tensors do.
Status ToProto(const Tensor& tensor, TensorProto* proto) {
  if (tensor.dtype() == DT_RESOURCE) {
    return errors::InvalidArgument("a resource cannot be written to a file");
  }
  if (tensor.dtype() != DT_VARIANT) {
    tensor.AsProtoTensorContent(proto);
    return OkStatus();
  }
  proto->set_dtype(DT_VARIANT);
  tensor.shape().AsProto(proto->mutable_tensor_shape());
  std::string sizes, values;
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const Variant& variant = tensor.base<Variant>()[i];
    const Tensor* held = variant.get<Tensor>();
    if (held == nullptr) {
      return errors::InvalidArgument(
          "a variant that holds ",
          variant.is_empty() ? "nothing" : variant.TypeName(),
          " cannot be written to a file");
    }
    VariantTensorDataProto value;
    value.set_type_name(kTensorInVariant);
    TF_RETURN_IF_ERROR(ToProto(*held, value.add_tensors()));
    const std::string bytes = value.SerializeAsString();
    core::PutVarint32(&sizes, static_cast<uint32_t>(bytes.size()));
    values += bytes;
  }
  // As in TensorFlow: the sizes of all, then all values.
  proto->set_tensor_content(sizes + values);
  return OkStatus();
}

// The values of a tensor of variants, in either place that may hold them.
bool VariantsOf(const TensorProto& proto, int64_t n,
                std::vector<VariantTensorDataProto>* values) {
  if (proto.tensor_content().empty()) {
    values->assign(proto.variant_val().begin(), proto.variant_val().end());
    return static_cast<int64_t>(values->size()) == n;
  }
  absl::string_view rest = proto.tensor_content();
  if (n > static_cast<int64_t>(rest.size())) return false;
  std::vector<uint32_t> sizes(n);
  for (uint32_t& size : sizes) {
    if (!core::GetVarint32(&rest, &size)) return false;
  }
  for (const uint32_t size : sizes) {
    if (size > rest.size() || !values->emplace_back().ParseFromArray(
                                  rest.data(), static_cast<int>(size))) {
      return false;
    }
    rest.remove_prefix(size);
  }
  return rest.empty();
}

bool FromProto(const TensorProto& proto, Tensor* tensor) {
  if (proto.dtype() != DT_VARIANT) {
    return Tensor::ParseProto(proto, tensor).ok();
  }
  TensorShape shape;
  std::vector<VariantTensorDataProto> values;
  if (!TensorShape::BuildTensorShape(proto.tensor_shape(), &shape).ok() ||
      !VariantsOf(proto, shape.num_elements(), &values)) {
    return false;
  }
  Tensor made(DT_VARIANT, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    const VariantTensorDataProto& value = values[i];
    Tensor held;
    // Goes no deeper than the variants of sparse tensors that ToProto gets.
    if (value.type_name() != kTensorInVariant || value.tensors_size() != 1 ||
        value.tensors(0).dtype() == DT_VARIANT ||
        !FromProto(value.tensors(0), &held)) {
      return false;
    }
    made.base<Variant>()[i] = std::move(held);
  }
  *tensor = std::move(made);
  return true;
}

}  // namespace

Status CheckElementCompression(const std::string& op,
                               const std::string& compression) {
  for (const char* known : {"", "GZIP", "ZLIB", kSnappy}) {
    if (compression == known) return OkStatus();
  }
  return errors::InvalidArgument(
      op, ": compression must be one of \"\", GZIP, ZLIB and SNAPPY, got ",
      compression);
}

StatusOr<std::unique_ptr<ElementWriter>> ElementWriter::Open(
    Env* env, const std::string& name, const std::string& compression) {
  std::unique_ptr<ElementWriter> made(new ElementWriter);
  TF_RETURN_IF_ERROR(env->NewWritableFile(name, &made->file_));
  WritableFile* to = made->file_.get();
  std::string of_records = compression;
  if (compression == kSnappy) {
    made->blocks_ = std::make_unique<SnappyWriter>(to);
    to = made->blocks_.get();
    of_records.clear();
  }
  made->records_ = std::make_unique<io::RecordWriter>(
      to, io::RecordWriterOptions::CreateRecordWriterOptions(of_records));
  return made;
}

ElementWriter::~ElementWriter() { Close().IgnoreError(); }

Status ElementWriter::Add(const Element& element) {
  for (const Tensor& tensor : element) {
    TensorProto proto;
    TF_RETURN_IF_ERROR(ToProto(tensor, &proto));
    TF_RETURN_IF_ERROR(records_->WriteRecord(proto.SerializeAsString()));
  }
  return OkStatus();
}

Status ElementWriter::Close() {
  if (records_ == nullptr) return OkStatus();
  Status status = records_->Close();
  records_ = nullptr;
  if (blocks_ != nullptr) status.Update(blocks_->Close());
  status.Update(file_->Close());
  return status;
}

StatusOr<std::unique_ptr<ElementReader>> ElementReader::Open(
    Env* env, const std::string& name, const std::string& compression,
    DataTypeVector dtypes) {
  std::unique_ptr<ElementReader> made(
      new ElementReader(name, std::move(dtypes)));
  TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &made->file_));
  RandomAccessFile* from = made->file_.get();
  std::string of_records = compression;
  if (compression == kSnappy) {
    uint64_t size = 0;
    TF_RETURN_IF_ERROR(env->GetFileSize(name, &size));
    made->blocks_ = std::make_unique<SnappyReader>(name, from, size);
    from = made->blocks_.get();
    of_records.clear();
  }
  made->records_ = std::make_unique<io::SequentialRecordReader>(
      from, io::RecordReaderOptions::CreateRecordReaderOptions(of_records));
  return made;
}

StatusOr<bool> ElementReader::Next(Element* element) {
  element->clear();
  for (const DataType dtype : dtypes_) {
    absl::string_view bytes;
    const Status status = records_->ReadRecordView(&bytes);
    if (errors::IsOutOfRange(status) && element->empty()) return false;
    if (!status.ok()) {
      return errors::DataLoss(name_, ": ", status.message());
    }
    TensorProto proto;
    Tensor tensor;
    if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
        !FromProto(proto, &tensor) || tensor.dtype() != dtype) {
      return errors::DataLoss(name_,
                              " holds what is no element of this dataset");
    }
    element->push_back(std::move(tensor));
  }
  return true;
}

}  // namespace tensorwright
