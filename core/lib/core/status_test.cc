// SPDX-License-Identifier: Apache-2.0
#include "core/lib/core/status.h"

#include <cerrno>

#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// Nothing abseil's StrCat knows.
struct Opaque {};
std::ostream& operator<<(std::ostream& os, Opaque) { return os << "opaque"; }

Status Fails() { return errors::NotFound("no ", 7, " of ", 1.5, Opaque()); }

StatusOr<int> Half(int x) {
  if (x % 2 != 0) return errors::InvalidArgument("odd: ", x);
  return x / 2;
}

StatusOr<int> Quarter(int x) {
  TF_ASSIGN_OR_RETURN(const int half, Half(x));
  TF_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(StatusTest, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status(), Status::OK());
  EXPECT_EQ(OkStatus().ToString(), "OK");
}

TEST(StatusTest, ErrorsConcatenateAnythingPrintable) {
  const Status s = Fails();
  EXPECT_EQ(s.code(), error::NOT_FOUND);
  EXPECT_TRUE(errors::IsNotFound(s));
  EXPECT_EQ(s.error_message(), "no 7 of 1.5opaque");
  EXPECT_EQ(s.ToString(), "Not found: no 7 of 1.5opaque");
}

TEST(StatusTest, ConvertsToAndFromAbsl) {
  const absl::Status a = Fails();
  const Status back = a;
  EXPECT_EQ(back, Fails());
  EXPECT_TRUE(absl::IsNotFound(back));
}

TEST(StatusTest, AssignOrReturnPassesErrorsOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Status(Quarter(6).status()).error_message(), "odd: 3");
}

TEST(StatusTest, UpdateKeepsTheFirstFailure) {
  Status s;
  s.Update(errors::Aborted("first"));
  s.Update(errors::Internal("second"));
  EXPECT_TRUE(errors::IsAborted(s));
}

TEST(StatusTest, NodeIsAttachedOnceAndSurvivesNewText) {
  Status s = errors::AttachNode(Fails(), "a/b");
  s = errors::AttachNode(s, "c");
  errors::AppendToMessage(&s, "while ", 3);
  EXPECT_EQ(errors::FailedNode(s), "a/b");
  EXPECT_EQ(s.error_message(), "no 7 of 1.5opaque\n\twhile 3");
  EXPECT_EQ(errors::FailedNode(OkStatus()), "");
}

TEST(StatusTest, ErrnoHasItsCode) {
  EXPECT_TRUE(errors::IsNotFound(errors::IOError("x", ENOENT)));
  EXPECT_TRUE(errors::IsPermissionDenied(errors::IOError("x", EACCES)));
  EXPECT_EQ(errors::IOError("x", ENOENT).error_message(),
            "x; No such file or directory");
}

}  // namespace
}  // namespace tensorwright
