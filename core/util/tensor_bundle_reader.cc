// SPDX-License-Identifier: Apache-2.0
// Reads bundles: their index, and the plans for reading tensors.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_slice.pb.h"
#include "core/framework/versions.pb.h"
#include "core/lib/core/errors.h"
#include "core/util/overflow.h"
#include "core/util/saved_tensor_slice_util.h"
#include "core/util/tensor_bundle.h"

namespace tensorwright {
namespace {

Status InFile(const std::string& path, const Status& s) {
  if (s.ok()) return s;
  return errors::WithMessage(s, absl::StrCat(path, ": ", s.error_message()));
}

Status CheckVersion(const BundleHeaderProto& header) {
  const VersionDef& version = header.version();
  if (version.producer() < kTensorBundleMinProducer ||
      version.min_consumer() > kTensorBundleVersion) {
    return errors::InvalidArgument(
        "it is of version ", version.producer(), " for readers from version ",
        version.min_consumer(), " on; this reader has version ",
        kTensorBundleVersion);
  }
  for (const int32_t bad : version.bad_consumers()) {
    if (bad == kTensorBundleVersion) {
      return errors::InvalidArgument("readers of version ", bad,
                                     " are said to read it wrong");
    }
  }
  return OkStatus();
}

bool Overlap(const std::vector<TensorRead::Piece>& pieces,
             const TensorSlice& slice) {
  return std::any_of(
      pieces.begin(), pieces.end(),
      [&](const TensorRead::Piece& p) { return p.slice.Overlaps(slice); });
}

// The number of elements that both slices have; each extent is given, or is the
// shape's.
int64_t CommonElements(const TensorShape& shape, const TensorSlice& a,
                       const TensorSlice& b) {
  TensorSlice common;
  TensorShape of_common;
  if (!a.Intersect(b, &common) ||
      !common.SliceTensorShape(shape, &of_common).ok()) {
    return 0;
  }
  return of_common.num_elements();
}

}  // namespace

int64_t TensorRead::bytes() const {
  int64_t sum = 0;
  for (const Piece& piece : pieces) sum += piece.entry.size();
  return sum;
}

Status BundleReader::Open(Env* env, const std::string& prefix,
                          std::unique_ptr<BundleReader>* reader) {
  std::unique_ptr<BundleReader> made(new BundleReader(env, prefix));
  TF_RETURN_IF_ERROR(InFile(MetaFilename(prefix), made->OpenIndex()));
  *reader = std::move(made);
  return OkStatus();
}

Status BundleReader::OpenIndex() {
  const std::string path = MetaFilename(prefix_);
  uint64_t size;
  TF_RETURN_IF_ERROR(env_->GetFileSize(path, &size));
  TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(path, &index_file_));
  TF_RETURN_IF_ERROR(table::Table::Open(index_file_.get(), size, &table_));
  mutex_lock l(mu_);
  entries_ = std::make_unique<table::Table::Iterator>(table_.get());
  TF_RETURN_IF_ERROR(entries_->SeekToFirst());
  if (!entries_->Valid() || !entries_->key().empty() ||
      !header_.ParseFromArray(entries_->value().data(),
                              static_cast<int>(entries_->value().size())) ||
      header_.num_shards() < 0) {
    return errors::DataLoss("it has no header of a checkpoint");
  }
  swap_bytes_ = header_.endianness() == BundleHeaderProto::BIG;
  return CheckVersion(header_);
}

Status BundleReader::Broken(const std::string& name,
                            const BundleEntryProto& entry,
                            absl::string_view what) const {
  return errors::DataLoss(DataFilename(prefix_, entry.shard_id(), num_shards()),
                          ": tensor '", name, "', ", entry.size(),
                          " bytes at offset ", entry.offset(), ": ", what);
}

Status BundleReader::ParseEntry(absl::string_view key, absl::string_view value,
                                BundleEntryProto* entry) const {
  TensorShape shape;
  if (!entry->ParseFromArray(value.data(), static_cast<int>(value.size())) ||
      !CanBeSaved(entry->dtype()) ||
      !TensorShape::BuildTensorShape(entry->shape(), &shape).ok() ||
      entry->offset() < 0 || entry->size() < 0 || entry->shard_id() < 0 ||
      entry->shard_id() >= num_shards()) {
    return errors::DataLoss(MetaFilename(prefix_), ": the entry of tensor '",
                            key, "' is broken");
  }
  return OkStatus();
}

bool BundleReader::Contains(const std::string& name) {
  mutex_lock l(mu_);
  return !name.empty() && entries_->Seek(name).ok() && entries_->Valid() &&
         entries_->key() == name;
}

Status BundleReader::LookupEntry(const std::string& name,
                                 BundleEntryProto* entry) {
  mutex_lock l(mu_);
  const auto is_found = [&] {
    return entries_->Valid() && entries_->key() == name;
  };
  // Callers that ask for all tensors ask in order: the next one, or the same
  // once more, is found without a search.
  if (entries_->Valid() && entries_->key() < name) {
    TF_RETURN_IF_ERROR(InFile(MetaFilename(prefix_), entries_->Next()));
  }
  if (!is_found()) {
    TF_RETURN_IF_ERROR(InFile(MetaFilename(prefix_), entries_->Seek(name)));
  }
  if (name.empty() || !is_found()) {
    return errors::NotFound("Key ", name, " not found in checkpoint ", prefix_);
  }
  return ParseEntry(name, entries_->value(), entry);
}

Status BundleReader::LookupDtypeAndShape(const std::string& name,
                                         DataType* dtype, TensorShape* shape) {
  BundleEntryProto entry;
  TF_RETURN_IF_ERROR(LookupEntry(name, &entry));
  *dtype = entry.dtype();
  return TensorShape::BuildTensorShape(entry.shape(), shape);
}

Status BundleReader::ForEach(
    const std::function<Status(absl::string_view, const BundleEntryProto&)>&
        visit,
    bool slices) {
  // Has its own iterator, so that `visit` may look things up.
  table::Table::Iterator it(table_.get());
  TF_RETURN_IF_ERROR(InFile(MetaFilename(prefix_), it.SeekToFirst()));
  while (it.Valid()) {
    if (!it.key().empty() && (slices || !checkpoint::IsSliceKey(it.key()))) {
      BundleEntryProto entry;
      TF_RETURN_IF_ERROR(ParseEntry(it.key(), it.value(), &entry));
      TF_RETURN_IF_ERROR(visit(it.key(), entry));
    }
    TF_RETURN_IF_ERROR(InFile(MetaFilename(prefix_), it.Next()));
  }
  return OkStatus();
}

Status BundleReader::Plan(const std::string& name, const TensorSlice* slice,
                          TensorRead* read) {
  BundleEntryProto entry;
  TF_RETURN_IF_ERROR(LookupEntry(name, &entry));
  read->name = name;
  read->dtype = entry.dtype();
  TF_RETURN_IF_ERROR(
      TensorShape::BuildTensorShape(entry.shape(), &read->full_shape));
  read->slice =
      slice != nullptr ? *slice : TensorSlice(read->full_shape.dims());
  const Status fits =
      read->slice.SliceTensorShape(read->full_shape, &read->shape);
  if (!fits.ok()) {
    return errors::WithMessage(
        fits, absl::StrCat("tensor '", name, "' of ", prefix_, ": ",
                           fits.error_message()));
  }
  read->pieces.clear();
  if (!entry.slices().empty()) return PlanSlices(entry, read);
  return AddPiece(name, TensorSlice(read->full_shape.dims()), read);
}

Status BundleReader::PlanSlices(const BundleEntryProto& full,
                                TensorRead* read) {
  int64_t found = 0;
  for (const TensorSliceProto& proto : full.slices()) {
    TensorSlice slice;
    const Status s = TensorSlice::BuildTensorSlice(proto, &slice);
    if (!s.ok() || slice.dims() != read->full_shape.dims()) {
      return Broken(read->name, full, "its slices are broken");
    }
    const int64_t common = CommonElements(read->full_shape, slice, read->slice);
    if (common == 0) continue;
    if (Overlap(read->pieces, slice)) {
      return Broken(read->name, full, "its slices overlap");
    }
    TF_RETURN_IF_ERROR(AddPiece(
        checkpoint::EncodeTensorNameSlice(read->name, slice), slice, read));
    found += common;
  }
  if (found == read->shape.num_elements()) return OkStatus();
  return errors::InvalidArgument(
      "checkpoint ", prefix_, " has only ", found, " of the ",
      read->shape.num_elements(), " elements of slice ",
      read->slice.DebugString(), " of tensor '", read->name, "'");
}

Status BundleReader::AddPiece(const std::string& key, const TensorSlice& slice,
                              TensorRead* read) {
  TensorRead::Piece piece;
  TF_RETURN_IF_ERROR(LookupEntry(key, &piece.entry));
  piece.slice = slice;
  const BundleEntryProto& entry = piece.entry;
  TensorShape stored;
  TF_RETURN_IF_ERROR(TensorShape::BuildTensorShape(entry.shape(), &stored));
  if (!slice.SliceTensorShape(read->full_shape, &piece.shape).ok() ||
      stored != piece.shape || entry.dtype() != read->dtype) {
    return Broken(read->name, entry,
                  "a slice has another dtype or shape than the whole");
  }
  const int64_t n = stored.num_elements();
  // A string needs a byte for its length.
  const bool fits = read->dtype == DT_STRING
                        ? n <= entry.size()
                        : MultiplyWithoutOverflow(
                              n, DataTypeSize(read->dtype)) == entry.size();
  if (!fits) {
    return Broken(read->name, entry,
                  absl::StrCat("these are not the bytes of ", n,
                               " elements of ", DataTypeString(read->dtype)));
  }
  const DataFile* file;
  TF_RETURN_IF_ERROR(Open(read->name, entry, &file));
  read->pieces.push_back(std::move(piece));
  return OkStatus();
}

Status BundleReader::Open(const std::string& name,
                          const BundleEntryProto& entry,
                          const DataFile** file) {
  mutex_lock l(mu_);
  DataFile& data = data_[entry.shard_id()];
  if (data.file == nullptr) {
    const std::string path =
        DataFilename(prefix_, entry.shard_id(), num_shards());
    const Status found = env_->GetFileSize(path, &data.size);
    if (errors::IsNotFound(found)) {
      return errors::NotFound(path,
                              " is missing, a data file that the checkpoint's "
                              "index names");
    }
    TF_RETURN_IF_ERROR(found);
    TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(path, &data.file));
  }
  const uint64_t offset = static_cast<uint64_t>(entry.offset());
  if (offset > data.size ||
      static_cast<uint64_t>(entry.size()) > data.size - offset) {
    return Broken(name, entry,
                  absl::StrCat("the file has only ", data.size, " bytes"));
  }
  // A map's elements stay in place.
  *file = &data;
  return OkStatus();
}

Status BundleReader::Lookup(const std::string& name, Tensor* tensor) {
  TensorRead read;
  TF_RETURN_IF_ERROR(Plan(name, nullptr, &read));
  Tensor made;
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(read.dtype, read.shape, &made));
  TF_RETURN_IF_ERROR(Read(read, &made));
  *tensor = std::move(made);
  return OkStatus();
}

}  // namespace tensorwright
