// SPDX-License-Identifier: Apache-2.0
// The part that the datasets that read files share.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_FILE_DATASET_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_FILE_DATASET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {

// The records of one open file.
class FileRecords {
 public:
  virtual ~FileRecords() = default;
  // Gets the next one: true, or false at the end of the file.
  virtual StatusOr<bool> Next(std::string* record) = 0;
};

// Opens file `name` by `env`.
using OpenFileFn = std::function<StatusOr<std::unique_ptr<FileRecords>>(
    Env* env, const std::string& name)>;

// A dataset of scalar strings, from one file after another.
DatasetPtr NewFileDataset(const char* name, std::vector<std::string> files,
                          OpenFileFn open);

// The input "filenames", one or a list.
Status FileNames(OpKernelContext* ctx, std::vector<std::string>* names);

// Reads input "buffer_size": 0 stands for a size of our choice; InvalidArgument
// if it is negative.  The size is bounded, since so much memory is taken.
Status BufferSize(OpKernelContext* ctx, int64_t* size);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_FILE_DATASET_H_
