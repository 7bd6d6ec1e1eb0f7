// SPDX-License-Identifier: Apache-2.0
// Datasets that read files.

#include "core/ops/dataset_ops.h"

namespace tensorwright {

REGISTER_OP("TextLineDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::FilesShape)
    .Doc(
        "The lines of files, scalar strings without the ends of lines.  "
        "compression_type is '', ZLIB or GZIP; buffer_size, in bytes, 0 for "
        "what seems right.");

REGISTER_OP("TFRecordDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::FilesShape)
    .Doc(
        "The records of TFRecord files, scalar strings.  compression_type and "
        "buffer_size as of TextLineDataset.");

REGISTER_OP("FixedLengthRecordDataset")
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::FilesShape)
    .Doc(
        "The records of record_bytes between header and footer of files, "
        "scalar strings.");

REGISTER_OP("FixedLengthRecordDatasetV2")
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Input("compression_type: string")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::FilesShape)
    .Doc("FixedLengthRecordDataset of files that may be compressed.");

}  // namespace tensorwright
