// What the catalog refuses, with the whole message of each rule, and what it
// accepts beside that. Names Z1 to Z16 are those of the list of errors in the
// facts about the document.

#include "runtime/chips/Chips.h"
#include "runtime/chips/bm1684x.h"
#include "tests/unit/runtime/zhouyi/VectorCall.h"

#include <algorithm>

using namespace weft;
using namespace weft::zhouyi;
using namespace weft::zhouyi::testing;

namespace {
struct Row {
  VectorCall call;
  const char *message;
};
} // namespace

static void check(const std::vector<Row> &rows) {
  for (const Row &row : rows)
    EXPECT_EQ(row.call.problem(), row.message) << row.call.call.operation->name;
}

/// x and y of these types.
static VectorCall pair(std::string_view name, catalog::DataType x,
                       unsigned xLanes, catalog::DataType y, unsigned yLanes) {
  return VectorCall(name).shape("x", x, xLanes).shape("y", y, yLanes);
}
/// A register of each.
static VectorCall registers(std::string_view name, catalog::DataType type) {
  return pair(name, type, native(type), type, native(type));
}
static VectorCall withVector(std::string_view name, catalog::DataType type) {
  return VectorCall(name).shape("x", type, native(type));
}

#define ALIKE                                                                  \
  "; x and y must have one lane count and elements of one width and kind"
#define SIGNS "; x and y must have one sign"
#define SCALAR                                                                 \
  "; a scalar must fit the elements of the vector beside it or, if these are " \
  "integers, those of the other sign; an integer takes no float"
#define REGISTER " (32 lanes of 8 bits, 16 of 16 bits, 8 of 32 bits)"
#define MASK(names)                                                            \
  "; a mask has the lanes of " names                                           \
  "; a list or string may have fewer, the rest is inactive then"
#define SPELL "; write groups of a count and letters T or F, as in 3T5F"
#define INACTIVE                                                               \
  "; r must have the lanes and the type of the result (an integer may have "   \
  "the other sign), or be a scalar that fits it"
#define ACC "; acc must have the type of the result"
#define BOUNDS                                                                 \
  "; min_val and max_val must be vectors of the type of x, or scalars that "   \
  "fit it (a float is no bound of integers, NaN is none of floats)"

TEST(ZhouyiRules, Z1OperandsThatDiffer) {
  check({
      {pair("vadd", kI8, 32, kI16, 16), "x is int8x32, y is int16x16" ALIKE},
      {pair("vadd", kI16, 16, kF16, 16), "x is int16x16, y is fp16x16" ALIKE},
      {pair("vsub", kI8, 32, kI8, 31), "x is int8x32, y is int8x31" ALIKE},
      {pair("vmul", kF32, 8, kI32, 8), "x is fp32x8, y is int32x8" ALIKE},
      {pair("vdot", kI8, 32, kI16, 16), "x is int8x32, y is int16x16" ALIKE},
      {pair("vqdot", kI8, 32, kF16, 16), "x is int8x32, y is fp16x16" ALIKE},
      {pair("vaddh", kI32, 8, kI32, 16), "x is int32x8, y is int32x16" ALIKE},
      {VectorCall("fma")
           .shape("acc", kF32, 8)
           .shape("x", kF32, 7)
           .number("y", 1),
       "x is fp32x7, acc is fp32x8; vectors of fma have the lanes of acc, and "
       "a "
       "scalar must fit fp32"},
  });
}

TEST(ZhouyiRules, Z2SignsThatDiffer) {
  const char *byOutSign = "x is int8x32, y is uint8x32" SIGNS
                          " unless out_sign says which the result has";
  for (std::string_view name : {"vadd", "vsub", "vmull", "vmulh"}) {
    check({{pair(name, kI8, 32, kU8, 32), byOutSign},
           {pair(name, kI8, 32, kU8, 32).outSign('s'), ""},
           {pair(name, kU8, 32, kI8, 32).outSign('u'), ""},
           {pair(name, kI8, 32, kI8, 32).outSign('u'), ""}});
  }
  for (std::string_view name : {"vaddh", "vsubh", "vdiv", "vmod"})
    check(
        {{pair(name, kI8, 32, kU8, 32), "x is int8x32, y is uint8x32" SIGNS}});
  // Dots mix signs.
  for (std::string_view name : {"vdot", "vqdot"})
    check({{pair(name, kI8, 32, kU8, 32), ""},
           {pair(name, kU8, 32, kI8, 32), ""}});
  // A number that fits the other sign only has that sign.
  check({{withVector("vadd", kI8).number("y", 200),
          "x is int8x32, y is 200 (uint8)" SIGNS
          " unless out_sign says which the result has"},
         {withVector("vadd", kI8).number("y", 200).outSign('s'), ""},
         {withVector("vdot", kU8).number("y", -3), ""}});
}

TEST(ZhouyiRules, Z3ScalarsThatDoNotFit) {
  check({
      {withVector("vadd", kI8).number("y", 300),
       "y is 300 beside int8x32" SCALAR},
      {withVector("vadd", kI8).number("y", -129),
       "y is -129 beside int8x32" SCALAR},
      {withVector("vmul", kU32).number("y", int64_t(1) << 32),
       "y is 4294967296 beside uint32x8" SCALAR},
      {withVector("vadd", kI8).real("y", 1), "y is 1.0 beside int8x32" SCALAR},
      {withVector("vadd", kF16).real("y", 65520),
       "y is 65520.0 beside fp16x16" SCALAR},
      {withVector("vadd", kF32).real("y", 1e39),
       "y is 1e+39 beside fp32x8" SCALAR},
      {withVector("vadd", kI8).shape("y", kI16, 1),
       "y is a scalar int16 beside int8x32" SCALAR},
      {withVector("vadd", kI16).shape("y", kU32, 1),
       "y is a scalar uint32 beside int16x16" SCALAR},
      {withVector("vadd", kF16).shape("y", kF32, 1),
       "y is a scalar fp32 beside fp16x16" SCALAR},
      {withVector("vadd", kF32).shape("y", kI8, 1),
       "y is a scalar int8 beside fp32x8" SCALAR},
      {withVector("vadd", kI32).shape("y", catalog::DataType::Int64, 1),
       "y is a scalar int64 beside int32x8" SCALAR},
      {withVector("vadd", kI32).shape("y", catalog::DataType::Int4, 1),
       "y is a scalar int4 beside int32x8" SCALAR},
      {VectorCall("fma").shape("acc", kF32, 8).real("x", 1e40).number("y", 1),
       "x is 1e+40, acc is fp32x8; vectors of fma have the lanes of acc, and a "
       "scalar must fit fp32"},
      // What fits.
      {withVector("vadd", kI16).shape("y", kI8, 1), ""},
      {withVector("vadd", kI16).shape("y", kU8, 1), ""},
      {withVector("vmul", kI16).shape("y", kI8, 1), ""},
      {withVector("vadd", kF32).shape("y", kF16, 1), ""},
      {withVector("vadd", kF32).number("y", INT64_MAX), ""},
      {withVector("vadd", kF16).real("y", 65519.9), ""},
      {VectorCall("vadd").number("x", -128).shape("y", kI8, 32), ""},
  });
}

/// A scalar variable is read by value, whatever its width.
TEST(ZhouyiRules, scalarVariablesKeepTheirValue) {
  EXPECT_EQ(numbers(VectorCall("vadd")
                        .vector("x", kI16, {1000, -1000})
                        .vector("y", kI8, {-100})
                        .run()),
            (Expected{900, -1100}));
  EXPECT_EQ(numbers(VectorCall("vmul")
                        .vector("x", kI16, {10, -10})
                        .vector("y", kU8, {200})
                        .run()),
            (Expected{2000, -2000}));
  EXPECT_EQ(numbers(VectorCall("vsub")
                        .vector("x", kF32, {1, 2})
                        .vector("y", kF16, {0.5})
                        .run()),
            (Expected{0.5, 1.5}));
}

TEST(ZhouyiRules, Z4OnlyScalars) {
  for (std::string_view name :
       {"vadd", "vaddh", "vsub", "vsubh", "vmul", "vmull", "vmulh", "vdiv",
        "vmod", "vdot", "vqdot"})
    check({{VectorCall(name).number("x", 1).number("y", 2),
            "x is 1, y is 2; one of x and y must be a vector"},
           {VectorCall(name).shape("x", kI16, 1).number("y", 2),
            "x is a scalar int16, y is 2; one of x and y must be a vector"}});
  for (std::string_view name : {"vabs", "vrpadd"})
    check({{VectorCall(name).number("x", 1), "x must be a vector"},
           {VectorCall(name).shape("x", kI16, 1),
            "x is a scalar int16; x must be a vector"}});
  check({{VectorCall("vrint").shape("x", kF32, 1),
          "x is a scalar fp32; x must be a vector"},
         {VectorCall("vabs"), "x is missing"},
         {VectorCall("fma")
              .shape("acc", kF32, 1)
              .number("x", 2)
              .shape("y", kF32, 1),
          ""},
         {VectorCall("fma").number("acc", 1).number("x", 2).number("y", 3),
          "acc must be a vector"},
         {VectorCall("fma")
              .shape("acc", kF32, 1)
              .shape("x", kF32, 8)
              .number("y", 3),
          "x is fp32x8, acc is a scalar fp32; vectors of fma have the lanes of "
          "acc, and a scalar must fit fp32"},
         {VectorCall("clip")
              .shape("x", kI8, 1)
              .number("min_val", 1)
              .number("max_val", 2),
          ""}});
}

/// Every type of the catalog with every function: legal exactly where the
/// document's lists say so.
TEST(ZhouyiRules, Z5ElementTypes) {
  struct {
    std::vector<std::string_view> names;
    std::vector<catalog::DataType> types;
    std::string text;
  } rows[] = {
      {{"vadd", "vsub"},
       {kI8, kU8, kI16, kU16, kI32, kU32, kF16, kF32},
       "fp32, fp16, int32, uint32, int16, uint16, int8 or uint8"},
      {{"vaddh", "vsubh", "vmod", "vmull", "vmulh"},
       {kI8, kU8, kI16, kU16, kI32, kU32},
       "int32, uint32, int16, uint16, int8 or uint8"},
      {{"vmul"},
       {kI16, kU16, kI32, kU32, kF16, kF32},
       "fp32, fp16, int32, uint32, int16 or uint16; vmull and vmulh multiply 8 "
       "bits"},
      {{"vdiv"},
       {kI8, kU8, kI16, kU16, kI32, kU32, kF32},
       "fp32, int32, uint32, int16, uint16, int8 or uint8"},
      {{"vdot"}, {kI8, kU8, kI16, kU16}, "int16, uint16, int8 or uint8"},
      {{"vqdot"}, {kI8, kU8, kF16}, "fp16, int8 or uint8"},
  };
  for (auto &row : rows)
    for (std::string_view name : row.names)
      for (int64_t code = 1; catalog::dataTypeOf(code); ++code) {
        catalog::DataType type = *catalog::dataTypeOf(code);
        unsigned lanes = 256 / bitsOf(type);
        bool isLegal = std::count(row.types.begin(), row.types.end(), type);
        std::string text = "x is " + std::string(spelling(type)) + "x" +
                           std::to_string(lanes) + ", must be of " + row.text;
        EXPECT_EQ(pair(name, type, lanes, type, lanes).problem(),
                  isLegal ? "" : text)
            << name;
      }
}

TEST(ZhouyiRules, Z5ElementTypesOfOneOperand) {
  struct {
    std::string_view name;
    std::vector<catalog::DataType> types;
  } rows[] = {{"vabs", {kI8, kU8, kI16, kU16, kI32, kU32, kF16, kF32}},
              {"vrpadd", {kI8, kU8, kI16, kU16, kI32, kU32, kF16, kF32}},
              {"clip", {kI8, kU8, kI16, kU16, kI32, kU32, kF16, kF32}},
              {"vrint", {kF16, kF32}}};
  for (auto &row : rows)
    for (int64_t code = 1; catalog::dataTypeOf(code); ++code) {
      catalog::DataType type = *catalog::dataTypeOf(code);
      VectorCall call(row.name);
      call.shape("x", type, 256 / bitsOf(type));
      if (row.name == "clip")
        call.number("min_val", 0).number("max_val", 1);
      bool isLegal = std::count(row.types.begin(), row.types.end(), type);
      EXPECT_EQ(call.problem().empty(), isLegal)
          << row.name << " " << spelling(type) << call.problem();
    }
  check({{VectorCall("vrint").shape("x", kI32, 8),
          "x is int32x8, must be of fp32 or fp16"},
         {VectorCall("fma").shape("acc", kF16, 8).number("x", 1).number("y", 1),
          "acc is fp16x8, must be of fp32"},
         {VectorCall("fma")
              .shape("acc", kF32, 8)
              .shape("x", kF16, 8)
              .number("y", 1),
          "x is fp16x8, must be of fp32"},
         {VectorCall("vfmae")
              .shape("acc", kF32, 8)
              .shape("x", kF32, 8)
              .number("y", 1),
          "x is fp32x8, must be of fp16"}});
}

TEST(ZhouyiRules, Z6AndZ7LaneCounts) {
  struct {
    std::string_view name;
    catalog::VectorWidth width;
  } rows[] = {{"vadd", catalog::VectorWidth::Flexible},
              {"vaddh", catalog::VectorWidth::Multiple},
              {"vsub", catalog::VectorWidth::Flexible},
              {"vsubh", catalog::VectorWidth::Multiple},
              {"vmul", catalog::VectorWidth::Flexible},
              {"vmull", catalog::VectorWidth::Register},
              {"vmulh", catalog::VectorWidth::Register},
              {"vdiv", catalog::VectorWidth::Flexible},
              {"vmod", catalog::VectorWidth::Flexible},
              {"vdot", catalog::VectorWidth::Register}};
  for (auto &row : rows) {
    EXPECT_EQ(catalog::find(row.name, catalog::Language::Zhouyi)->width,
              row.width);
    auto problem = [&](unsigned lanes) {
      return pair(row.name, kI16, lanes, kI16, lanes).problem();
    };
    auto lanes = [](unsigned count) {
      return "x is int16x" + std::to_string(count) + "; a vector must ";
    };
    EXPECT_EQ(problem(16), "") << row.name;
    switch (row.width) {
    case catalog::VectorWidth::Register:
      for (unsigned count : {2u, 8u, 15u, 17u, 32u})
        EXPECT_EQ(problem(count), lanes(count) + "fill one register" REGISTER);
      break;
    case catalog::VectorWidth::Multiple:
      for (unsigned count : {32u, 48u, 4096u})
        EXPECT_EQ(problem(count), "");
      for (unsigned count : {2u, 8u, 17u, 40u, 8192u})
        EXPECT_EQ(problem(count),
                  lanes(count) + "fill whole registers" REGISTER);
      break;
    case catalog::VectorWidth::Flexible:
      for (unsigned count : {2u, 7u, 32u, 100u, 4096u})
        EXPECT_EQ(problem(count), "");
      for (unsigned count : {4097u, 4294967295u})
        EXPECT_EQ(problem(count), lanes(count) + "have 2 to 4096 lanes");
      break;
    }
    EXPECT_NE(problem(0), "");
  }
  check({{VectorCall("vrpadd").shape("x", kF32, 16),
          "x is fp32x16; a vector must fill one register" REGISTER},
         {VectorCall("vfmae")
              .shape("acc", kF32, 16)
              .shape("x", kF16, 32)
              .number("y", 1),
          "x is fp16x32; a vector must fill one register" REGISTER},
         {VectorCall("vqdpa")
              .shape("acc", kI32, 4)
              .shape("x", kI8, 16)
              .number("y", 1),
          "x is int8x16; a vector must fill one register" REGISTER}});
}

TEST(ZhouyiRules, Z8SaturatedFloats) {
  for (std::string_view name : {"vadd", "vsub"})
    check({{registers(name, kF16).saturate(),
            "saturate is set for fp16x16; saturate is for integers; leave it "
            "out"},
           {registers(name, kF16).number("saturate", 0), ""},
           {registers(name, kU16).saturate(), ""},
           {registers(name, kU16).number("saturate", 2),
            "saturate is 2, must be 0 to 1"}});
  check({{withVector("vabs", kF32).saturate(),
          "saturate is set for fp32x8; saturate is for integers; leave it "
          "out"}});
}

TEST(ZhouyiRules, Z9OutSign) {
  for (std::string_view name : {"vadd", "vsub", "vmul", "vmull", "vmulh"})
    check({{registers(name, kI16).number("out_sign", 2),
            "out_sign is 2, must be u or s"},
           {registers(name, kI16).number("out_sign", -1),
            "out_sign is -1, must be u or s"},
           {registers(name, kI16).real("out_sign", 0),
            "out_sign must be u or s"}});
}

TEST(ZhouyiRules, Z10Masks) {
  struct {
    const char *mask, *found;
  } rows[] = {
      {"9T", "mask has 9 lanes, the vector has 8"},
      {"4294967296T", "mask has more than 4096 lanes, the vector has 8"},
      {"T", "mask 'T' has fewer than two characters" SPELL},
      {"3X", "mask '3X' has 'X'" SPELL},
      {"3t5F", "mask '3t5F' has 't'" SPELL},
      {"3T5", "mask '3T5' does not end in T or F" SPELL},
      {"0T5F", "mask '0T5F' has a group of count 0" SPELL},
      {"_3T", "mask '_3T' has '_' where no letter is before it" SPELL},
      {"3_T", "mask '3_T' has '_' where no letter is before it" SPELL},
      {"T__F", "mask 'T__F' has '_' where no letter is before it" SPELL},
      {"3T_", "mask '3T_' does not end in T or F" SPELL},
      {"3T 5F", "mask '3T 5F' has ' '" SPELL},
      {"-1T", "mask '-1T' has '-'" SPELL},
      {"T\n", "mask 'T\\x0a' has '\\x0a'" SPELL},
  };
  for (auto &row : rows) {
    std::string message = row.found;
    EXPECT_EQ(registers("vadd", kI32).mask(row.mask).problem(),
              message + MASK("x and y"));
    EXPECT_EQ(withVector("vabs", kI32).mask(row.mask).problem(),
              message + MASK("x"));
  }
  // The mask of vfmae counts the lanes of acc.
  VectorCall call("vfmae");
  call.shape("acc", kF32, 8).shape("x", kF16, 16).number("y", 1);
  check({{VectorCall(call).mask("9T"),
          "mask has 9 lanes, the vector has 8" MASK("acc")},
         {VectorCall(call).mask("8T"), ""},
         {VectorCall(call).maskValue(MaskLanes(16, 1)),
          "mask has 16 lanes, the vector has 8" MASK("acc")},
         {registers("vadd", kI8).maskValue(MaskLanes(16, 1)),
          "mask has 16 lanes, the vector has 32" MASK("x and y")},
         {registers("vadd", kI8).number("mask", 1), "mask must be a mask"},
         {VectorCall("fma")
              .shape("acc", kF32, 1)
              .number("x", 1)
              .number("y", 1)
              .mask("TT"),
          "mask is given with scalars" MASK("acc")}});
}

TEST(ZhouyiRules, Z11InactiveValues) {
  check({
      {registers("vadd", kI8).shape("r", kI16, 32),
       "r is int16x32, the result is int8x32" INACTIVE},
      {registers("vadd", kI8).shape("r", kI8, 31),
       "r is int8x31, the result is int8x32" INACTIVE},
      {registers("vadd", kI8).number("r", 256),
       "r is 256, the result is int8x32" INACTIVE},
      {registers("vadd", kI8).real("r", 1),
       "r is 1.0, the result is int8x32" INACTIVE},
      {registers("vadd", kI8).shape("r", kI16, 1),
       "r is a scalar int16, the result is int8x32" INACTIVE},
      {registers("vadd", kF32).shape("r", kI32, 8),
       "r is int32x8, the result is fp32x8" INACTIVE},
      {registers("vmull", kI8).shape("r", kI8, 32),
       "r is int8x32, the result is int16x16" INACTIVE},
      {registers("vmull", kI8).shape("r", kU16, 16), ""},
      {registers("vadd", kI8).shape("r", kU8, 32), ""},
      {registers("vadd", kI8).shape("r", kU8, 1), ""},
      {registers("vadd", kI8).number("r", 255), ""},
      {registers("vadd", kF32).number("r", 255), ""},
  });
  // The other sign is read bit by bit.
  VectorCall call("vadd");
  call.vector("x", kI8, {1, 1}).vector("y", kI8, {1, 1}).mask("FT");
  EXPECT_EQ(numbers(call.number("r", 255).run()), (Expected{-1, 2}));
  EXPECT_EQ(numbers(call.vector("r", kU8, {200, 0}).run()), (Expected{-56, 2}));
  EXPECT_EQ(numbers(call.vector("r", kU8, {200}).run()), (Expected{-56, 2}));
}

TEST(ZhouyiRules, Z12Accumulators) {
  auto dot = [](std::string_view name, catalog::DataType acc, unsigned lanes,
                catalog::DataType x, catalog::DataType y) {
    return registers(name, x).shape("y", y, native(y)).shape("acc", acc, lanes);
  };
  check({
      {dot("vdpa", kI32, 16, kI8, kI8),
       "acc is int32x16, int8x32 and int8x32 give int16x16" ACC},
      {dot("vdpa", kI16, 16, kU8, kU8),
       "acc is int16x16, uint8x32 and uint8x32 give uint16x16" ACC},
      {dot("vdpa", kU16, 16, kU8, kI8),
       "acc is uint16x16, uint8x32 and int8x32 give int16x16" ACC},
      {dot("vqdpa", kI32, 16, kI8, kI8),
       "acc is int32x16, int8x32 and int8x32 give int32x8" ACC},
      {dot("vqdpa", kI32, 8, kF16, kF16),
       "acc is int32x8, fp16x16 and fp16x16 give fp32x8" ACC},
      {dot("vqdpa", kI16, 8, kI8, kI8),
       "acc is int16x8, must be of fp32, int32 or uint32"},
      {dot("vfmae", kF32, 16, kF16, kF16),
       "acc is fp32x16, fp16x16 and fp16x16 give fp32x8" ACC},
      {dot("vfmao", kF32, 1, kF16, kF16),
       "acc is a scalar fp32, fp16x16 and fp16x16 give fp32x8" ACC},
      {registers("vdpa", kI8), "acc is missing"},
      {registers("vdpa", kI8).number("acc", 0), "acc must be a vector"},
  });
  // The tables of the document, all eight rows of vdpa and five of vqdpa.
  struct {
    std::string_view name;
    catalog::DataType acc, x, y;
  } rows[] = {
      {"vdpa", kI16, kI8, kI8},    {"vdpa", kI16, kI8, kU8},
      {"vdpa", kI16, kU8, kI8},    {"vdpa", kU16, kU8, kU8},
      {"vdpa", kI32, kI16, kI16},  {"vdpa", kI32, kI16, kU16},
      {"vdpa", kI32, kU16, kI16},  {"vdpa", kU32, kU16, kU16},
      {"vqdpa", kI32, kI8, kI8},   {"vqdpa", kI32, kI8, kU8},
      {"vqdpa", kI32, kU8, kI8},   {"vqdpa", kU32, kU8, kU8},
      {"vqdpa", kF32, kF16, kF16},
  };
  for (auto &row : rows) {
    VectorCall call = dot(row.name, row.acc, native(row.acc), row.x, row.y);
    EXPECT_EQ(call.problem(), "");
    VectorType result = {row.acc, native(row.acc)};
    EXPECT_EQ(call.resultText(), result.text());
    std::string_view plain = row.name == "vdpa" ? "vdot" : "vqdot";
    EXPECT_EQ(
        registers(plain, row.x).shape("y", row.y, native(row.y)).resultText(),
        result.text());
  }
}

TEST(ZhouyiRules, Z13Matrices) {
  for (auto [name, pointer] :
       {std::pair<std::string_view, std::string_view>("vmml", "ptr"),
        {"vmma", "acc_ptr"}}) {
    std::string slot(pointer);
    auto call = [&, name = name, pointer = pointer] {
      return registers(name, kF16).pointer(pointer, kF32);
    };
    EXPECT_EQ(call().problem(), "");
    EXPECT_EQ(call().call.operation->result, nullptr);
    EXPECT_EQ(registers(name, kF16).problem(), slot + " is missing");
    EXPECT_EQ(registers(name, kF16).pointer(pointer, kI32).problem(),
              slot + " is int32, must be of fp32");
    EXPECT_EQ(registers(name, kF16).shape(pointer, kF32, 16).problem(),
              slot + " must be a pointer");
    EXPECT_EQ(call().shape("y", kF32, 16).problem(),
              "y is fp32x16, must be of fp16");
    EXPECT_EQ(call().number("y", 1).problem(), "y must be a vector");
    EXPECT_EQ(call().shape("y", kF16, 1).problem(),
              "y is a scalar fp16; y must be a vector");
    EXPECT_EQ(call().shape("x", kF16, 32).problem(),
              "x is fp16x32; a vector must fill one register" REGISTER);
  }
}

TEST(ZhouyiRules, Z14AndZ16Bounds) {
  auto clip = [](catalog::DataType type) {
    return withVector("clip", type).number("min_val", 0).number("max_val", 9);
  };
  check({
      {clip(kI8), ""},
      {clip(kI8).real("min_val", 0.5), "min_val is 0.5, x is int8x32" BOUNDS},
      {clip(kF16).real("min_val", 0.5), ""},
      {clip(kF16).real("max_val", std::nan("")),
       "max_val is nan, x is fp16x16" BOUNDS},
      {clip(kI8).shape("max_val", kU8, 32),
       "max_val is uint8x32, x is int8x32" BOUNDS},
      {clip(kI8).shape("max_val", kI8, 31),
       "max_val is int8x31, x is int8x32" BOUNDS},
      {clip(kI8).shape("max_val", kI16, 1),
       "max_val is a scalar int16, x is int8x32" BOUNDS},
      {clip(kI8).shape("max_val", kU8, 1),
       "max_val is a scalar uint8, x is int8x32" BOUNDS},
      {clip(kI16).shape("max_val", kU8, 1), ""},
      {clip(kI16).number("min_val", 10),
       "min_val is 10, max_val is 9; min_val must not be above max_val"},
      {clip(kF32).real("min_val", 9.5),
       "min_val is 9.5, max_val is 9; min_val must not be above max_val"},
      {clip(kI16).shape("x", kI16, 1), ""},
  });
}

TEST(ZhouyiRules, Z15TailMasks) {
  auto message = [](int64_t count, int64_t lanes) {
    return tailMask(count, lanes).status().message();
  };
  EXPECT_EQ(message(9, 8), "n of the tail mask is 9, must be 0 to 8");
  EXPECT_EQ(message(-1, 8), "n of the tail mask is -1, must be 0 to 8");
  EXPECT_EQ(message(0, 1), "tail mask has 1 lanes, must have 2 to 4096");
  EXPECT_EQ(message(0, 4097), "tail mask has 4097 lanes, must have 2 to 4096");
  for (int64_t count : {0, 2, 8})
    EXPECT_EQ(message(count, 8), "");
}

TEST(ZhouyiRules, otherChipsAndSlots) {
  VectorCall call = registers("vadd", kI8);
  call.call.chip = &chips::bm1684x;
  EXPECT_EQ(call.problem(), "exists on zhouyi only, not on bm1684x");
  call.call.chip = &chips::zhouyi;
  call.call.arguments.resize(7);
  EXPECT_EQ(call.problem(), "has 7 arguments, takes at most 6");
  EXPECT_EQ(VectorCall("vadd").shape("x", kI8, 8).problem(), "y is missing");
}

/// 22 functions with the parameters of the document, in its order.
TEST(ZhouyiRules, parameters) {
  const char *rows[] = {"vadd x y mask saturate out_sign r",
                        "vaddh x y",
                        "vabs x mask saturate",
                        "vsub x y mask saturate out_sign r",
                        "vsubh x y",
                        "vmul x y mask out_sign r",
                        "vmull x y mask out_sign r",
                        "vmulh x y mask out_sign r",
                        "vdiv x y mask",
                        "vmod x y mask",
                        "vdot x y mask",
                        "vqdot x y mask",
                        "vdpa acc x y mask",
                        "vqdpa acc x y mask",
                        "vrpadd x mask",
                        "vmml ptr x y",
                        "vmma acc_ptr x y",
                        "fma acc x y mask",
                        "vfmae acc x y mask",
                        "vfmao acc x y mask",
                        "vrint x mask",
                        "clip x min_val max_val mask"};
  const auto &operations = catalog::operations(catalog::Language::Zhouyi);
  ASSERT_EQ(operations.size(), std::size(rows));
  for (size_t i = 0; i < operations.size(); ++i) {
    std::string text(operations[i].name);
    for (const catalog::Slot &slot : operations[i].slots)
      text += " " + std::string(slot.name);
    EXPECT_EQ(text, rows[i]);
    EXPECT_NE(evaluatorOf(operations[i]), nullptr);
    EXPECT_EQ(operations[i].slot("mask") != nullptr,
              !operations[i].inactiveLanes.empty());
  }
}
