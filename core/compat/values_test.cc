// SPDX-License-Identifier: Apache-2.0
// Results of custom ops' helpers are kept in files, tables and vocabularies, so
// they must equal TensorFlow's to the bit.  The values here are published ones
// if there are any; the others were printed by a program linked to TensorFlow
// 2.21, or follow from its documentation.
#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/framework/bfloat16.h"
#include "core/compat/lib/core/bits.h"
#include "core/compat/lib/core/coding.h"
#include "core/compat/lib/gtl/edit_distance.h"
#include "core/compat/lib/hash/hash.h"
#include "core/compat/lib/io/path.h"
#include "core/compat/lib/math/math_util.h"
#include "core/compat/lib/random/distribution_sampler.h"
#include "core/compat/lib/random/exact_uniform_int.h"
#include "core/compat/lib/random/weighted_picker.h"
#include "core/compat/lib/strings/base64.h"
#include "core/compat/lib/strings/numbers.h"
#include "core/compat/lib/strings/str_util.h"
#include "core/compat/lib/strings/strcat.h"
#include "core/compat/platform/fingerprint.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/random/random.h"
#include "core/lib/random/simple_philox.h"
#include "core/lib/strings/ordered_code.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// ---- Hashes -----------------------------------------------------------------

// SMHasher's verification value of a hash function: the first four bytes of the
// hash of the hashes of {}, {0}, {0, 1}, ... with seeds 256, 255, ...
template <typename T, typename Hash>
uint32_t Verification(Hash hash) {
  std::string key, hashes;
  for (int i = 0; i < 256; ++i) {
    const T value = hash(key.data(), key.size(), 256 - i);
    hashes.append(reinterpret_cast<const char*>(&value), sizeof value);
    key.push_back(static_cast<char>(i));
  }
  return static_cast<uint32_t>(hash(hashes.data(), hashes.size(), 0));
}

TEST(HashValues, AreMurmurHash2s) {
  EXPECT_EQ(Verification<uint32_t>([](const char* data, size_t n, int seed) {
              return Hash32(data, n, static_cast<uint32_t>(seed));
            }),
            0x27864C1Eu);
  EXPECT_EQ(Verification<uint64_t>([](const char* data, size_t n, int seed) {
              return Hash64(data, n, static_cast<uint64_t>(seed));
            }),
            0x1F0D3804u);
}

TEST(HashValues, OfTextsAndTables) {
  const std::string text = "hello world";
  EXPECT_EQ(Hash32(text.data(), text.size(), 0x12345678), 0xc9b2ae79u);
  EXPECT_EQ(Hash64(text), 0x8cfeded7167033efu);
  EXPECT_EQ(Hash64("", 0), 0x81769421199f9e3bu);
  EXPECT_EQ(hash<std::string>()(text), Hash64(text));
  EXPECT_EQ(hash<StringPiece>()(text), Hash64(text));
  EXPECT_EQ(hash<char*>()(reinterpret_cast<char*>(0x123450)), 0x127d21u);
  EXPECT_EQ((hash<std::pair<int, int>>()({1, 2})), 0x9e3779b97f4a7c03u);
  EXPECT_EQ(Hash64Combine(123, 456), 0x9e3779b97f4c65b4u);
  EXPECT_EQ(Hash64CombineUnordered(123, 456), 0x243u);
}

TEST(FingerprintValues, AreFarmHashs) {
  // From BigQuery's documentation of FARM_FINGERPRINT.
  EXPECT_EQ(static_cast<int64_t>(Fingerprint64("1footrue")),
            -1541654101129638711);
  EXPECT_EQ(static_cast<int64_t>(Fingerprint64("2applefalse")),
            2794438866806483259);
  EXPECT_EQ(static_cast<int64_t>(Fingerprint64("3true")), -4880158226897771312);
  EXPECT_EQ(Fingerprint32("hello world"), 0x19a7581au);
  const Fprint128 both = Fingerprint128("hello world");
  EXPECT_EQ(both.low64, 0x28690d39700514edu);
  EXPECT_EQ(both.high64, 0x61196fad02431508u);
  EXPECT_EQ(Fprint128Hasher()(both), both.low64);
}

TEST(FingerprintValues, OfPairs) {
  EXPECT_EQ(FingerprintCat64(0x1234567890abcdef, 0xfedcba0987654321),
            0xd725fe14ab23097fu);
}

TEST(CrcValues, AreThoseOfRfc3720) {
  std::string up, down;
  for (int i = 0; i < 32; ++i) {
    up.push_back(static_cast<char>(i));
    down.push_back(static_cast<char>(31 - i));
  }
  EXPECT_EQ(crc32c::Value(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c::Value(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c::Value(up), 0x46dd794eu);
  EXPECT_EQ(crc32c::Value(down), 0x113fdb5cu);
  EXPECT_EQ(crc32c::Mask(0xc1d04330), 0x28e46e78u);
  EXPECT_EQ(crc32c::Extend(0x1234, "abc", 3), 0x21f3dc5cu);
}

// ---- Random numbers ---------------------------------------------------------

// philox_random_test.cc has Random123's vectors of the generator itself.
TEST(RandomValues, OfOneNumberAtATime) {
  random::PhiloxRandom philox(301, 17);
  random::SimplePhilox rnd(&philox);
  EXPECT_EQ(rnd.Skewed(31), 571115319u);
  EXPECT_EQ(rnd.Skewed(10), 0u);
  EXPECT_TRUE(rnd.OneIn(3));
  EXPECT_EQ(rnd.Uniform64(1000000007), 257334839u);
  EXPECT_EQ(rnd.Uniform(100), 83u);
  EXPECT_EQ(rnd.RandDouble(), 0.87144267056082625);
  EXPECT_EQ(rnd.RandFloat(), 0.308384776f);
  EXPECT_EQ(rnd.Rand64(), 0xc4b1d489bb6896deu);
  EXPECT_EQ(rnd.Rand32(), 0xdf2c7611u);
  // No number is in [0, 0), but one is drawn.
  EXPECT_EQ(rnd.Rand32(), 0x2633981du);
  EXPECT_EQ(rnd.Uniform(0), 0u);
  const std::vector<uint32_t> thirds = {0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 2, 2};
  for (uint32_t third : thirds) EXPECT_EQ(rnd.Uniform(3), third);
  // Half of all numbers are rejected.
  for (uint32_t x : {1739554291, 1267773674, 1255485533, 1519993476}) {
    EXPECT_EQ(rnd.Uniform(0x80000001), x);
  }
}

TEST(RandomValues, OfAnyGeneratorTheSmallestAreRejected) {
  std::vector<uint32_t> given = {0, 1, 2, 3, 4, 5, 6, 7};
  size_t next = 0;
  const auto draw = [&] { return given[next++]; };
  // 2^32 mod 7 is 4.
  EXPECT_EQ(random::ExactUniformInt<uint32_t>(7, draw), 4u);
  EXPECT_EQ(next, 5u);
  EXPECT_EQ(random::ExactUniformInt<uint32_t>(7, draw), 5u);
  EXPECT_EQ(random::ExactUniformInt<uint32_t>(4, draw), 2u);
  EXPECT_EQ(random::ExactUniformInt<uint32_t>(0, draw), 0u);
  EXPECT_EQ(next, 8u);
}

TEST(RandomValues, OfTheSeedThatIsAlwaysTheSame) {
  // From the C++ standard: the 10000th number of mt19937_64.
  uint64_t last = 0;
  for (int i = 0; i < 10000; ++i) last = random::New64DefaultSeed();
  EXPECT_EQ(last, 9981545732273789042u);
}

TEST(RandomValues, OfWeights) {
  random::PhiloxRandom philox(5, 6);
  random::SimplePhilox rnd(&philox);
  const random::DistributionSampler sampler(
      {0.1f, 2.5f, 0.f, 3.f, 7.7f, 1.f, 0.3f});
  const std::vector<int> samples = {3, 3, 6, 4, 5, 1, 1, 4, 4, 4, 5, 4,
                                    3, 6, 5, 5, 4, 3, 4, 4, 4, 1, 4, 4};
  for (int sample : samples) EXPECT_EQ(sampler.Sample(&rnd), sample);
  random::WeightedPicker picker(9);
  for (int i = 0; i < 9; ++i) picker.set_weight(i, i * 7 % 5);
  const std::vector<int> picks = {2, 7, 7, 6, 2, 2, 4, 4, 6, 7, 1, 1,
                                  1, 2, 6, 1, 7, 2, 7, 4, 2, 6, 4, 2};
  for (int pick : picks) EXPECT_EQ(picker.Pick(&rnd), pick);
}

// ---- Codes ------------------------------------------------------------------

std::string Hex(const std::string& bytes) {
  std::string text;
  for (unsigned char c : bytes) {
    strings::StrAppend(&text, strings::Hex(c, strings::kZeroPad2));
  }
  return text;
}

TEST(CodeValues, OfVarints) {
  // From Protocol Buffers' documentation: 150 and 300.
  std::string bytes;
  for (uint64_t v : {uint64_t{150}, uint64_t{300}, uint64_t{0}, ~uint64_t{0}}) {
    core::PutVarint64(&bytes, v);
  }
  EXPECT_EQ(Hex(bytes), "9601ac0200ffffffffffffffffff01");
  uint32_t value;
  const char* end =
      core::GetVarint32Ptr(bytes.data(), bytes.data() + 2, &value);
  EXPECT_EQ(end, bytes.data() + 2);
  EXPECT_EQ(value, 150u);
  EXPECT_EQ(core::VarintLength(300), 2);
  bytes.clear();
  core::PutFixed16(&bytes, 0x0102);
  core::PutFixed32(&bytes, 0x01020304);
  EXPECT_EQ(Hex(bytes), "020104030201");
}

TEST(CodeValues, OfOrderedNumbers) {
  std::string bytes;
  for (int64_t v : {0, 1, -1, 63, 64, -64, -65, 8191, 8192}) {
    strings::OrderedCode::WriteSignedNumIncreasing(&bytes, v);
  }
  EXPECT_EQ(Hex(bytes), "80817fbfc040403fbfdfffe02000");
}

TEST(CodeValues, Base64IsRfc4648s) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xff\xfe", "__4="}};
  for (const auto& [data, code] : kCases) {
    std::string encoded, decoded;
    EXPECT_TRUE(Base64Encode(data, true, &encoded).ok());
    EXPECT_EQ(encoded, code);
    EXPECT_TRUE(Base64Decode(code, &decoded).ok());
    EXPECT_EQ(decoded, data);
    EXPECT_TRUE(Base64Encode(data, &encoded).ok());
    EXPECT_EQ(encoded, code.substr(0, code.find('=')));
  }
  std::string decoded;
  for (const char* bad : {"Y", "YQ=", "Y Q", "YQ\n", "YQ.", "a+b/", "="}) {
    EXPECT_FALSE(Base64Decode(bad, &decoded).ok()) << bad;
  }
}

// ---- Texts ------------------------------------------------------------------

template <typename T>
std::string Text(size_t (*to_buffer)(T, char*), T value) {
  char buffer[strings::kFastToBufferSize];
  const size_t length = to_buffer(value, buffer);
  EXPECT_EQ(buffer[length], '\0');
  return std::string(buffer, length);
}

TEST(TextValues, OfNumbers) {
  EXPECT_EQ(Text(strings::FloatToBuffer, 0.1f), "0.1");
  EXPECT_EQ(Text(strings::FloatToBuffer, 100000.f), "100000");
  EXPECT_EQ(Text(strings::FloatToBuffer, 1e6f), "1e+06");
  EXPECT_EQ(Text(strings::FloatToBuffer, 1 / 3.f), "0.333333343");
  EXPECT_EQ(Text(strings::FloatToBuffer, 1e-4f), "0.0001");
  EXPECT_EQ(Text(strings::DoubleToBuffer, 1e6), "1000000");
  EXPECT_EQ(Text(strings::DoubleToBuffer, 1 / 3.), "0.33333333333333331");
  EXPECT_EQ(Text(strings::DoubleToBuffer, -1 / 0.), "-inf");
  EXPECT_EQ(Text(strings::FastInt64ToBufferLeft, INT64_MIN),
            "-9223372036854775808");
  EXPECT_EQ(strings::FpToString(0xabcdef), "0000000000abcdef");
  char buffer[strings::kFastToBufferSize];
  EXPECT_EQ(strings::Uint64ToHexString(0xabc, buffer), "0000000000000abc");
  EXPECT_EQ(strings::StrCat(strings::Hex(0xabc, strings::ZERO_PAD_8)),
            "00000abc");
  EXPECT_EQ(strings::StrCat(strings::Hex(-1)), "ffffffff");
}

TEST(TextValues, ForPeople) {
  EXPECT_EQ(strings::HumanReadableNum(1048576), "1.05M");
  EXPECT_EQ(strings::HumanReadableNumBytes(1048575), "1024.0KiB");
  EXPECT_EQ(strings::HumanReadableElapsedTime(86400), "1 days");
  EXPECT_EQ(strings::HumanReadableElapsedTime(2.6e6), "0.989 months");
  EXPECT_EQ(strings::HumanReadableElapsedTime(3.2e7), "1.01 years");
}

TEST(TextValues, OfStrings) {
  const std::vector<std::pair<std::string, std::string>> kNames = {
      {"^2ILoveYou!", "i_love_you_"},
      {"HTMLParser", "h_t_m_l_parser"},
      {"a b  C", "a_b__c"},
      {"x1Y2", "x1_y2"},
      {"__A", "a"},
      {"9a", "a"},
      {"1", ""}};
  for (const auto& [name, expected] : kNames) {
    EXPECT_EQ(str_util::ArgDefCase(name), expected);
  }
  EXPECT_EQ(str_util::StringReplace("aXbXc", "X", "--", false), "a--bXc");
  EXPECT_EQ(str_util::StringReplace("abc", "", "z", true), "zazbzcz");
  EXPECT_EQ(str_util::StringReplace("abc", "", "z", false), "zabc");
  EXPECT_EQ(io::CleanPath("/a/./b/../c"), "/a/c");
  EXPECT_EQ(io::JoinPath("a/", "/b"), "a/b");
}

// ---- Arithmetic -------------------------------------------------------------

TEST(ArithmeticValues, OfIntegers) {
  EXPECT_EQ((MathUtil::CeilOrFloorOfRatio<int, true>(-7, 3)), -2);
  EXPECT_EQ((MathUtil::CeilOrFloorOfRatio<int, false>(-7, 3)), -3);
  EXPECT_EQ(MathUtil::CeilOfRatio(7, 3), 3);
  EXPECT_EQ(MathUtil::FloorOfRatio(7, -3), -3);
  EXPECT_EQ(MathUtil::GCD(12u, 18u), 6u);
  EXPECT_EQ(Log2Ceiling(1025), 11);
  EXPECT_EQ(Log2Floor64(uint64_t{1} << 40), 40);
  EXPECT_EQ(
      gtl::LevenshteinDistance(std::string("kitten"), std::string("sitting"),
                               std::equal_to<char>()),
      3);
}

TEST(ArithmeticValues, BFloat16IsCutOrRounded) {
  const float in[] = {1.00390625f, 1.01171875f, -3.1415926f, 65504.123f};
  bfloat16 out[4];
  FloatToBFloat16(in, out, 4);
  const float cut[] = {1, 1.0078125f, -3.140625f, 65280};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(static_cast<float>(out[i]), cut[i]);
  RoundFloatToBFloat16(in, out, 4);
  const float rounded[] = {1, 1.015625f, -3.140625f, 65536};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(static_cast<float>(out[i]), rounded[i]);
}

}  // namespace
}  // namespace tensorwright
