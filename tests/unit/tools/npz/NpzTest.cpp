#include "tools/npz/Npz.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using npz::Reader;
using npz::writeNpz;
using numeric::ElementType;
using numeric::HostTensor;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Npz : public testing::Test {
protected:
  std::string file(const char *name) const { return folder.file(name); }
  std::string slurp(const std::string &path) const {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  test::TemporaryFolder folder{"npz"};
};

HostTensor ramp(ElementType type, std::vector<int64_t> shape) {
  HostTensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.setFromDouble(i, double(i % 2));
  return tensor;
}

TEST_F(Npz, WritesWhatItReads) {
  HostTensor a = ramp(ElementType::F32, {2, 3}), b = ramp(ElementType::I64, {}),
             c = ramp(ElementType::Bool, {5}), d = ramp(ElementType::F16, {0});
  ASSERT_TRUE(
      writeNpz(file("x.npz"), {{"a", &a}, {"b/0", &b}, {"c", &c}, {"d", &d}})
          .isOk());
  rt::Result<Reader> reader = Reader::open(file("x.npz"));
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  EXPECT_THAT(reader->names(), ElementsAre("a", "b/0", "c", "d"));
  EXPECT_EQ(*reader->read("a"), a);
  EXPECT_EQ(*reader->read("b/0"), b);
  EXPECT_EQ(*reader->read("c"), c);
  EXPECT_EQ(*reader->read("d"), d);
  EXPECT_EQ(reader->header("e"), nullptr);
  EXPECT_EQ(reader->read("e").status().code(), rt::Code::NotFound);
}

TEST_F(Npz, EqualArraysGiveEqualBytes) {
  HostTensor a = ramp(ElementType::F32, {2, 3});
  ASSERT_TRUE(writeNpz(file("1.npz"), {{"a", &a}}).isOk());
  ASSERT_TRUE(writeNpz(file("2.npz"), {{"a", &a}}).isOk());
  EXPECT_EQ(slurp(file("1.npz")), slurp(file("2.npz")));
}

TEST_F(Npz, Bf16TravelsAsFloat) {
  HostTensor a = ramp(ElementType::BF16, {3});
  ASSERT_TRUE(writeNpz(file("x.npz"), {{"a", &a}}).isOk());
  rt::Result<Reader> reader = Reader::open(file("x.npz"));
  ASSERT_TRUE(reader.isOk());
  EXPECT_EQ(*reader->read("a"), ramp(ElementType::F32, {3}));
}

TEST_F(Npz, ReadsNumPysDeflatedFiles) {
  rt::Result<Reader> reader =
      Reader::open(WEFT_TEST_DATA "/vendor-bmodels/tiny_input.npz");
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  EXPECT_THAT(reader->names(), ElementsAre("x"));
  EXPECT_EQ(reader->read("x")->shape(), (std::vector<int64_t>{1, 3, 16, 16}));
}

TEST_F(Npz, CutAndChangedFilesAreRefused) {
  HostTensor a = ramp(ElementType::F32, {16, 16});
  ASSERT_TRUE(writeNpz(file("x.npz"), {{"a", &a}}).isOk());
  const std::string good = slurp(file("x.npz"));
  for (size_t size = 0; size < good.size(); size += 37) {
    std::ofstream(file("cut.npz"), std::ios::binary) << good.substr(0, size);
    EXPECT_FALSE(Reader::open(file("cut.npz")).isOk()) << size;
  }
  std::string changed = good;
  changed[300] = char(changed[300] ^ 1); // inside the elements
  std::ofstream(file("changed.npz"), std::ios::binary) << changed;
  rt::Result<Reader> reader = Reader::open(file("changed.npz"));
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  rt::Result<HostTensor> array = reader->read("a");
  ASSERT_FALSE(array.isOk());
  EXPECT_THAT(array.status().message(), HasSubstr("CRC"));
}

TEST_F(Npz, DamageNeverCrashes) {
  HostTensor a = ramp(ElementType::F32, {4, 4});
  ASSERT_TRUE(writeNpz(file("x.npz"), {{"a", &a}, {"b", &a}}).isOk());
  const std::string good = slurp(file("x.npz"));
  for (size_t at = 0; at < good.size(); ++at)
    for (int value : {0x00, 0xff}) {
      std::string bad = good;
      bad[at] = char(value);
      std::ofstream(file("bad.npz"), std::ios::binary) << bad;
      rt::Result<Reader> reader = Reader::open(file("bad.npz"));
      if (!reader)
        continue;
      for (const std::string &name : reader->names()) {
        rt::Result<HostTensor> array = reader->read(name);
        EXPECT_LE(array.isOk() ? array->sizeBytes() : 0, 64u) << at;
      }
    }
}

TEST_F(Npz, MissingFileSaysSo) {
  rt::Result<Reader> reader = Reader::open(file("none.npz"));
  ASSERT_FALSE(reader.isOk());
  EXPECT_EQ(reader.status().code(), rt::Code::NotFound);
}

TEST_F(Npz, NamesAreKeptApartOrRefused) {
  HostTensor a = ramp(ElementType::F32, {4}), b = ramp(ElementType::I64, {2});
  std::string wide = "caf\xc3\xa9 \xe2\x80\xae \xf0\x9f\x98\x80",
              odd = "a\n\x1b/../b.npy";
  ASSERT_TRUE(writeNpz(file("x.npz"), {{wide, &a}, {odd, &b}}).isOk());
  rt::Result<Reader> reader = Reader::open(file("x.npz"));
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  EXPECT_EQ(*reader->read(wide), a);
  EXPECT_EQ(*reader->read(odd), b);
  using namespace std::string_literals;
  auto message = [&](const std::string &first, const std::string &second) {
    rt::Status status = writeNpz(file("y.npz"), {{first, &a}, {second, &b}});
    EXPECT_FALSE(std::filesystem::exists(file("y.npz")));
    return status.message();
  };
  EXPECT_THAT(message("a", "a\0b"s),
              HasSubstr("unsupported: the name 'a\\x00b' has a zero byte; an "
                        "npz archive cannot hold it"));
  EXPECT_THAT(message("a", "a"), HasSubstr("'a' stands for two arrays"));
  // numpy.load(..)["a.npy"] gives the first one that there is.
  EXPECT_THAT(message("a", "a.npy"), HasSubstr("'a.npy' is that of another"));
  EXPECT_THAT(message("a.npy", "a"), HasSubstr("'a' is that of another"));
  EXPECT_TRUE(writeNpz(file("z.npz"), {{"a.npy", &a}, {".npy", &b}}).isOk());
  EXPECT_THAT(message("a", std::string(65532, 'x')), HasSubstr("too long"));
  for (const char *broken : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80",
                             "\xf4\x90\x80\x80", "\xe2\x28\xa1"})
    EXPECT_THAT(message("a", broken), HasSubstr("is no UTF-8"));
}

TEST_F(Npz, WritesMoreArraysThanOldArchivesCount) {
  HostTensor a = ramp(ElementType::U8, {1});
  std::vector<npz::NamedTensor> arrays;
  for (int i = 0; i < 66000; ++i)
    arrays.push_back({std::to_string(i), &a});
  ASSERT_TRUE(writeNpz(file("x.npz"), arrays).isOk());
  rt::Result<Reader> reader = Reader::open(file("x.npz"));
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  EXPECT_EQ(reader->names().size(), arrays.size());
  EXPECT_EQ(*reader->read("65999"), a);
}

TEST_F(Npz, FailureLeavesNothing) {
  HostTensor a = ramp(ElementType::F32, {4});
  EXPECT_FALSE(writeNpz(file("no/such/folder.npz"), {{"a", &a}}).isOk());
  EXPECT_FALSE(writeNpz("/dev/full", {{"a", &a}}).isOk());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

} // namespace
