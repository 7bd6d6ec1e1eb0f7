// SPDX-License-Identifier: Apache-2.0
// Makes the images of a Summary.
#ifndef TENSORWRIGHT_CORE_UTIL_SUMMARY_IMAGES_H_
#define TENSORWRIGHT_CORE_UTIL_SUMMARY_IMAGES_H_

#include <cstdint>
#include <string>

#include "core/lib/core/status.h"

namespace tensorwright {

class OpKernelContext;
class Summary;
class Tensor;

// Adds the first `max_images` of `tensor` [batch, height, width, channels], of
// uint8, float, half or double, as PNG, with tags "tag/image/0", ..., or
// "tag/image" if `max_images` is 1.  Numbers are scaled, image by image, to a
// byte's range; pixels that are not finite get `bad_color` [channels or more],
// uint8.  InvalidArgument for another rank, for channels other than 1, 3 or 4,
// and for images without pixels or too large for a Summary.
Status AddImageSummaries(OpKernelContext* ctx, const Tensor& tensor,
                         const std::string& tag, int64_t max_images,
                         const Tensor& bad_color, Summary* summary);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SUMMARY_IMAGES_H_
