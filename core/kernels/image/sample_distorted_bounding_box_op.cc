// SPDX-License-Identifier: Apache-2.0
// SampleDistortedBoundingBox: random crops that keep enough of an object.
//
// The order in which numbers are drawn, and the places where they are rounded,
// are TensorFlow's: the same seeds give the same boxes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/random/simple_philox.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

// Pixels [left, right) x [top, bottom).
struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;

  float Area() const {
    return static_cast<float>((right - left) * (bottom - top));
  }
  Box Intersect(const Box& other) const {
    const Box both{std::max(left, other.left), std::max(top, other.top),
                   std::min(right, other.right),
                   std::min(bottom, other.bottom)};
    return both.left > both.right || both.top > both.bottom ? Box() : both;
  }
};

int RoundToInt(float x) { return static_cast<int>(std::lrintf(x)); }

struct Wanted {
  float min_area, max_area;  // As parts of the image's area.
  float min_aspect, max_aspect;
  float min_covered;
};

// Draws a box of that quotient of width and height somewhere in the image;
// false if none has a wanted area.
bool DrawBox(int image_height, int image_width, const Wanted& wanted,
             float aspect, random::SimplePhilox* numbers, Box* box) {
  if (wanted.max_area <= 0 || aspect <= 0 || image_width <= 0 ||
      image_height <= 0 || wanted.min_area > wanted.max_area) {
    return false;
  }
  const float min_area = wanted.min_area * static_cast<float>(image_width) *
                         static_cast<float>(image_height);
  const float max_area = wanted.max_area * static_cast<float>(image_width) *
                         static_cast<float>(image_height);
  const auto width_of = [&](int height) {
    return RoundToInt(static_cast<float>(height) * aspect);
  };
  int height = RoundToInt(std::sqrt(min_area / aspect));
  int max_height = RoundToInt(std::sqrt(max_area / aspect));
  if (width_of(max_height) > image_width) {
    // The greatest height whose rounded width fits.
    constexpr double kJustBelow = 0.0000001f;
    max_height = static_cast<int>((image_width + 0.5 - kJustBelow) / aspect);
    if (width_of(max_height) > image_width) --max_height;
  }
  max_height = std::min(max_height, image_height);
  height = std::min(height, max_height);
  if (height < max_height) {
    height += static_cast<int>(
        numbers->Uniform(static_cast<uint32_t>(max_height - height + 1)));
  }
  int width = width_of(height);
  // Rounding may have left the range by a row.
  const auto area = [&] { return static_cast<float>(width * height); };
  if (area() < min_area) width = width_of(++height);
  if (area() > max_area) width = width_of(--height);
  if (area() < min_area || area() > max_area || width > image_width ||
      height > image_height || width <= 0 || height <= 0) {
    return false;
  }
  const auto place = [&](int size, int all) {
    return size < all ? static_cast<int>(
                            numbers->Uniform(static_cast<uint32_t>(all - size)))
                      : 0;
  };
  box->top = place(height, image_height);
  box->left = place(width, image_width);
  box->bottom = box->top + height;
  box->right = box->left + width;
  return true;
}

bool Covers(const Box& crop, float min_covered,
            const std::vector<Box>& objects) {
  constexpr float kLeast = 1;  // A pixel.
  if (crop.Area() < kLeast) return false;
  for (const Box& object : objects) {
    const float area = object.Area();
    if (area < kLeast) continue;
    if (crop.Intersect(object).Area() / area >= min_covered) return true;
  }
  return false;
}

Status ReadObjects(const std::string& op, const Tensor& boxes, int height,
                   int width, std::vector<Box>* objects) {
  const float* corners = boxes.base<float>();
  for (int64_t i = 0; i < boxes.NumElements(); ++i) {
    if (!(corners[i] >= 0 && corners[i] <= 1)) {
      return errors::InvalidArgument(
          op, ": bounding_boxes must be in [0, 1], got ", corners[i]);
    }
  }
  const float h = static_cast<float>(height), w = static_cast<float>(width);
  for (int64_t i = 0; i < boxes.NumElements(); i += 4) {
    const float* b = corners + i;
    objects->push_back({static_cast<int>(b[1] * w), static_cast<int>(b[0] * h),
                        static_cast<int>(b[3] * w),
                        static_cast<int>(b[2] * h)});
  }
  return OkStatus();
}

}  // namespace

template <typename T>
class SampleDistortedBoundingBoxOp final : public OpKernel {
 public:
  explicit SampleDistortedBoundingBoxOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), op_(ctx->def().op()) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
    if (ctx->num_inputs() == 2) {
      OP_REQUIRES_OK(ctx,
                     ctx->GetAttr("min_object_covered", &wanted_.min_covered));
      OP_REQUIRES_OK(ctx, CheckCovered(wanted_.min_covered));
    }
    OP_REQUIRES_OK(ctx, ReadRange(ctx, "aspect_ratio_range",
                                  std::numeric_limits<float>::infinity(),
                                  &wanted_.min_aspect, &wanted_.max_aspect));
    OP_REQUIRES_OK(ctx, ReadRange(ctx, "area_range", 1, &wanted_.min_area,
                                  &wanted_.max_area));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_attempts", &max_attempts_));
    OP_REQUIRES(ctx, max_attempts_ > 0,
                errors::InvalidArgument(op_, ": max_attempts must be > 0, got ",
                                        max_attempts_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_image_if_no_bounding_boxes",
                                     &use_image_if_no_boxes_));
  }

  void Compute(OpKernelContext* ctx) override {
    int sides[2];
    OP_REQUIRES_OK(ctx, ReadSides(ctx->input(0), sides));
    Wanted wanted = wanted_;
    if (ctx->num_inputs() == 3) {
      wanted.min_covered = *ctx->input(2).base<float>();
      OP_REQUIRES_OK(ctx, CheckCovered(wanted.min_covered));
    }
    std::vector<Box> objects;
    OP_REQUIRES_OK(
        ctx, ReadObjects(op_, ctx->input(1), sides[0], sides[1], &objects));
    const Box image{0, 0, sides[1], sides[0]};
    if (objects.empty()) {
      OP_REQUIRES(
          ctx, use_image_if_no_boxes_,
          errors::InvalidArgument(op_,
                                  ": bounding_boxes must not be empty where "
                                  "use_image_if_no_bounding_boxes is false"));
      objects.push_back(image);
    }
    Write(ctx, Sample(wanted, objects, image), sides);
  }

 private:
  Status CheckCovered(float min_covered) const {
    if (min_covered >= 0) return OkStatus();
    return errors::InvalidArgument(
        op_, ": min_object_covered must be >= 0, got ", min_covered);
  }

  Status ReadRange(OpKernelConstruction* ctx, const char* attr, float most,
                   float* low, float* high) const {
    std::vector<float> range;
    TF_RETURN_IF_ERROR(ctx->GetAttr(attr, &range));
    if (range.size() != 2) {
      return errors::InvalidArgument(
          op_, ": ", attr, " must have 2 elements, got ", range.size());
    }
    *low = range[0];
    *high = range[1];
    if (*low > 0 && *high > 0 && *low <= most && *high <= most) {
      return OkStatus();
    }
    return errors::InvalidArgument(op_, ": ", attr, " must be in (0, ", most,
                                   "], got [", *low, ", ", *high, "]");
  }

  Status ReadSides(const Tensor& image_size, int* sides) const {
    for (int i = 0; i < 2; ++i) {
      const int64_t side = static_cast<int64_t>(image_size.base<T>()[i]);
      // Areas are counted in ints.
      if (side <= 0 || side > std::numeric_limits<int>::max()) {
        return errors::InvalidArgument(
            op_, ": image_size must be positive and below 2^31, got ", side);
      }
      sides[i] = static_cast<int>(side);
    }
    if (int64_t{sides[0]} * sides[1] > std::numeric_limits<int>::max()) {
      return errors::InvalidArgument(
          op_, ": image_size must be of less than 2^31 pixels, got [", sides[0],
          ", ", sides[1], "]");
    }
    return OkStatus();
  }

  Box Sample(const Wanted& wanted, const std::vector<Box>& objects,
             const Box& image) {
    random::PhiloxRandom stream =
        generator_.ReserveSamples32(int64_t{4} * max_attempts_);
    random::SimplePhilox numbers(&stream);
    for (int32_t i = 0; i < max_attempts_; ++i) {
      const float aspect =
          numbers.RandFloat() * (wanted.max_aspect - wanted.min_aspect) +
          wanted.min_aspect;
      Box box;
      if (DrawBox(image.bottom, image.right, wanted, aspect, &numbers, &box) &&
          Covers(box, wanted.min_covered, objects)) {
        return box;
      }
    }
    return image;
  }

  void Write(OpKernelContext* ctx, const Box& box, const int* sides) const {
    Tensor *begin = nullptr, *size = nullptr, *corners = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({3}), &begin));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({3}), &size));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(2, TensorShape({1, 1, 4}), &corners));
    const int begins[] = {box.top, box.left, 0};
    const int sizes[] = {box.bottom - box.top, box.right - box.left, -1};
    for (int i = 0; i < 3; ++i) {
      begin->base<T>()[i] = static_cast<T>(begins[i]);
      size->base<T>()[i] = static_cast<T>(sizes[i]);
    }
    const float h = static_cast<float>(sides[0]);
    const float w = static_cast<float>(sides[1]);
    float* to = corners->base<float>();
    to[0] = static_cast<float>(box.top) / h;
    to[1] = static_cast<float>(box.left) / w;
    to[2] = static_cast<float>(box.bottom) / h;
    to[3] = static_cast<float>(box.right) / w;
  }

  const std::string op_;
  GuardedPhiloxRandom generator_;
  Wanted wanted_{};
  int32_t max_attempts_ = 0;
  bool use_image_if_no_boxes_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("SampleDistortedBoundingBox").Device(DEVICE_CPU),
                          "T", SampleDistortedBoundingBoxOp, uint8, int8, int16,
                          int32, int64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("SampleDistortedBoundingBoxV2").Device(DEVICE_CPU), "T",
    SampleDistortedBoundingBoxOp, uint8, int8, int16, int32, int64_t);

}  // namespace tensorwright
