#include "tools/npz/NpyHeader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

using namespace weft;
using npz::makeNpyHeader;
using npz::NpyHeader;
using npz::parseNpyHeader;
using numeric::ElementType;
using testing::HasSubstr;

namespace {

/// A version 1.0 file start around a dictionary.
std::string withPreamble(const std::string &dict) {
  std::string header("\x93NUMPY\x01\x00", 8);
  header += char(dict.size() & 0xff);
  header += char(dict.size() >> 8);
  return header + dict;
}

TEST(NpyHeader, RoundTripsEveryTypeAndRank) {
  const std::vector<std::vector<int64_t>> shapes = {
      {}, {7}, {0}, {2, 3}, {1, 3, 48, 192}};
  for (ElementType type :
       {ElementType::F32, ElementType::F16, ElementType::F64, ElementType::I8,
        ElementType::U8, ElementType::I16, ElementType::U16, ElementType::I32,
        ElementType::U32, ElementType::I64, ElementType::U64,
        ElementType::Bool})
    for (const std::vector<int64_t> &shape : shapes) {
      std::optional<std::string> text = makeNpyHeader(type, shape);
      ASSERT_TRUE(text);
      EXPECT_EQ(text->size() % 64, 0u);
      rt::Result<NpyHeader> header = parseNpyHeader(*text);
      ASSERT_TRUE(header.isOk()) << header.status().message();
      EXPECT_EQ(header->type, type);
      EXPECT_EQ(header->shape, shape);
      EXPECT_EQ(header->headerBytes, text->size());
      EXPECT_FALSE(header->fortranOrder);
    }
}

TEST(NpyHeader, NumPyHasNoBf16) {
  EXPECT_FALSE(makeNpyHeader(ElementType::BF16, {1}));
}

TEST(NpyHeader, ReadsOtherKeyOrderAndFortranOrder) {
  rt::Result<NpyHeader> header = parseNpyHeader(withPreamble(
      "{\"shape\": (2,3), 'fortran_order': True, 'descr': '<i8'}\n"));
  ASSERT_TRUE(header.isOk()) << header.status().message();
  EXPECT_TRUE(header->fortranOrder);
  EXPECT_EQ(header->elements, 6);
}

TEST(NpyHeader, EveryCutIsRefused) {
  std::string text = *makeNpyHeader(ElementType::F32, {1, 2});
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parseNpyHeader(text.substr(0, size)).isOk()) << size;
}

struct Fault {
  const char *dict;
  const char *message;
};

TEST(NpyHeader, FaultsAreNamed) {
  const Fault faults[] = {
      {"", "no dictionary"},
      {"{'descr': '=f4', 'fortran_order': False, 'shape': (1,), }",
       "unsupported: element type '=f4'"},
      {"{'descr': '>V2', 'fortran_order': False, 'shape': (1,), }",
       "unsupported: element type '>V2'"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
       "unsupported: element type '|O'"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
       "unsupported: record arrays"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
       "fortran_order is neither"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
       "something else than up to 32 numbers"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1), }",
       "shape is no tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999,), }",
       "a dimension is above 2^40"},
      {"{'descr': '<f4', 'fortran_order': False, "
       "'shape': (1099511627776, 1099511627776), }",
       "too many elements"},
      {"{'descr': '<f4', 'fortran_order': False, }", "it must hold descr"},
      {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }",
       "a key occurs twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
       "it must hold descr"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'a': 1}",
       "unknown key"},
  };
  for (const Fault &fault : faults) {
    rt::Result<NpyHeader> header = parseNpyHeader(withPreamble(fault.dict));
    ASSERT_FALSE(header.isOk()) << fault.dict;
    EXPECT_THAT(header.status().message(), HasSubstr(fault.message));
  }
}

TEST(NpyHeader, KnowsTheByteOrder) {
  const std::tuple<const char *, ElementType, bool> rows[] = {
      {">f4", ElementType::F32, true},   {"<f4", ElementType::F32, false},
      {">i8", ElementType::I64, true},   {">f2", ElementType::F16, true},
      {">c16", ElementType::C128, true}, {">u1", ElementType::U8, false}};
  for (const auto &[descr, type, isBig] : rows) {
    rt::Result<NpyHeader> header = parseNpyHeader(
        withPreamble("{'descr': '" + std::string(descr) +
                     "', 'fortran_order': False, 'shape': (3,), }"));
    ASSERT_TRUE(header.isOk()) << header.status().message();
    EXPECT_EQ(header->type, type) << descr;
    EXPECT_EQ(header->isBigEndian, isBig) << descr;
  }
}

TEST(NpyHeader, TypesThatNumPyLacksComeAsBits) {
  const std::pair<const char *, ElementType> rows[] = {
      {"<V1", ElementType::U8},
      {"|V1", ElementType::U8},
      {"<f1", ElementType::U8},
      {"<V2", ElementType::U16}};
  for (const auto &[descr, type] : rows) {
    rt::Result<NpyHeader> header = parseNpyHeader(
        withPreamble("{'descr': '" + std::string(descr) +
                     "', 'fortran_order': False, 'shape': (3,), }"));
    ASSERT_TRUE(header.isOk()) << header.status().message();
    EXPECT_EQ(header->type, type) << descr;
  }
}

TEST(NpyHeader, UnknownVersionIsUnsupported) {
  std::string text = *makeNpyHeader(ElementType::F32, {1});
  text[6] = 9;
  rt::Result<NpyHeader> header = parseNpyHeader(text);
  ASSERT_FALSE(header.isOk());
  EXPECT_EQ(header.status().code(), rt::Code::Unsupported);
}

} // namespace
