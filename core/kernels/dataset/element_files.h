// SPDX-License-Identifier: Apache-2.0
// Elements in files: TFRecords of TensorProtos, a record a tensor, as
// TensorFlow writes saved datasets.
//
// Compression is "", "GZIP", "ZLIB" or "SNAPPY": blocks of up to 128 KiB, each
// behind its length in four bytes, the highest first.
//
// Threads: none of the classes is thread-safe.  Failures: errors of the file
// system; DataLoss, with the file's name, for bytes that are not of such a
// file.  Takes memory in proportion to the file, whatever lengths in it claim.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_ELEMENT_FILES_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_ELEMENT_FILES_H_

#include <memory>
#include <string>
#include <utility>

#include "core/kernels/dataset/dataset_base.h"
#include "core/lib/io/record_reader.h"
#include "core/lib/io/record_writer.h"
#include "core/platform/env.h"

namespace tensorwright {

// InvalidArgument unless it is one of those above.
Status CheckElementCompression(const std::string& op,
                               const std::string& compression);

// Writes a file, which is complete only after Close.
class ElementWriter {
 public:
  // Opens the file by `env`, as the reader does.
  static StatusOr<std::unique_ptr<ElementWriter>> Open(
      Env* env, const std::string& name, const std::string& compression);
  ~ElementWriter();

  // InvalidArgument for a tensor that has no form in files, such as a resource.
  Status Add(const Element& element);
  Status Close();

 private:
  ElementWriter() = default;

  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<WritableFile> blocks_;  // Compressed by Snappy, or null.
  std::unique_ptr<io::RecordWriter> records_;
};

// Reads a file.
class ElementReader {
 public:
  // `dtypes` are the types of an element.
  static StatusOr<std::unique_ptr<ElementReader>> Open(
      Env* env, const std::string& name, const std::string& compression,
      DataTypeVector dtypes);

  // Gets the next element: true, or false at the end.
  StatusOr<bool> Next(Element* element);

 private:
  ElementReader(std::string name, DataTypeVector dtypes)
      : name_(std::move(name)), dtypes_(std::move(dtypes)) {}

  const std::string name_;
  const DataTypeVector dtypes_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<RandomAccessFile> blocks_;
  std::unique_ptr<io::SequentialRecordReader> records_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_ELEMENT_FILES_H_
