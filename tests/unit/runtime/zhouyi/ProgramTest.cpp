#include "runtime/zhouyi/Disassemble.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tests/unit/runtime/zhouyi/SmallProgram.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::zhouyi;
using catalog::DataType;
using numeric::ElementType;
using testing::HasSubstr;

namespace {

std::vector<uint8_t> bytesOf(const Program &program) {
  rt::Result<std::vector<uint8_t>> bytes = serialize(program, "test");
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return bytes ? *std::move(bytes) : std::vector<uint8_t>();
}

rt::Result<ProgramFile> parse(const std::vector<uint8_t> &bytes) {
  return parseProgramFile({bytes.data(), bytes.size()});
}

std::string textOf(const Program &program) {
  std::string text;
  EXPECT_TRUE(list(program, [&](const std::string &line) {
                text += line;
                return rt::Status::ok();
              }).isOk());
  return text;
}

TEST(ProgramFile, ComesBackAsItWas) {
  Program program = makeDotProgram();
  ASSERT_EQ(verify(program).message(), "");
  std::vector<uint8_t> bytes = bytesOf(program);
  rt::Result<ProgramFile> file = parse(bytes);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->producer, "test");
  EXPECT_EQ(file->version, kFormatVersion);
  EXPECT_EQ(file->fileBytes, bytes.size());
  EXPECT_EQ(file->program.name, "small");
  EXPECT_EQ(file->program.buffers[1].value->scale, 2.0f);
  EXPECT_EQ(textOf(file->program), textOf(program));
  // Every field: the same bytes once more.
  EXPECT_EQ(bytesOf(file->program), bytes);
}

TEST(ProgramFile, IsTheSameBytesEveryTime) {
  EXPECT_EQ(bytesOf(makeDotProgram()), bytesOf(makeDotProgram()));
}

TEST(ProgramFile, IsKnownByItsIdentifier) {
  std::vector<uint8_t> bytes = bytesOf(makeDotProgram());
  EXPECT_TRUE(isProgramFile(rt::ByteSpan{bytes.data(), bytes.size()}));
  EXPECT_FALSE(isProgramFile(rt::ByteSpan{bytes.data(), 7}));
  std::string path = testing::TempDir() + "/small.anything";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
  EXPECT_TRUE(isProgramFile(path));
  rt::Result<ProgramFile> file = loadProgramFile(path);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  std::filesystem::remove(path);
  EXPECT_FALSE(isProgramFile(path));
  EXPECT_EQ(loadProgramFile(path).status().code(), rt::Code::NotFound);
}

TEST(ProgramFile, IsReadFromAnyAddress) {
  std::vector<uint8_t> bytes = bytesOf(makeDotProgram());
  for (size_t shift : {1, 4, 33}) {
    std::vector<uint8_t> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_TRUE(parseProgramFile({moved.data() + shift, bytes.size()}).isOk());
  }
}

TEST(ProgramFile, IsRefusedWhenCutAnywhere) {
  std::vector<uint8_t> bytes = bytesOf(makeDotProgram());
  // The last bytes may be padding of the schema's: cut in words.
  for (size_t size = 0; size + 8 < bytes.size(); ++size)
    EXPECT_FALSE(
        parse({bytes.begin(), bytes.begin() + std::ptrdiff_t(size)}).isOk())
        << size << " of " << bytes.size() << " bytes";
}

TEST(ProgramFile, OfANewerFormatSaysSo) {
  std::vector<uint8_t> bytes = bytesOf(makeDotProgram());
  // The version is the only 32-bit 1 in the root table: found by changing it.
  bool found = false;
  for (size_t at = 8; at + 4 <= 64 && !found; at += 4) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + at, 4);
    if (word != 1)
      continue;
    std::vector<uint8_t> newer = bytes;
    word = 2;
    std::memcpy(newer.data() + at, &word, 4);
    rt::Result<ProgramFile> file = parse(newer);
    ASSERT_FALSE(file.isOk());
    found = file.status().message() ==
            "unsupported: the program has format version 2, this Weft reads 1 "
            "to 1; convert the model again or take a newer Weft";
  }
  EXPECT_TRUE(found);
}

TEST(ProgramFile, OfVersion1IsReadForEver) {
  rt::Result<ProgramFile> file =
      loadProgramFile(WEFT_TEST_DATA "/zhouyi/dot_v1.zyp");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->version, 1u);
  EXPECT_EQ(textOf(file->program), textOf(makeDotProgram()));
}

TEST(ProgramText, NamesEverything) {
  std::string text = textOf(makeDotProgram());
  EXPECT_EQ(
      text,
      "program 'small' for 'zhouyi', memory of 596 bytes\n"
      "weight  0x00000000        350 bytes 'w'\n"
      "input   0x00000180         70 bytes 'x'  # 'x' i8 1x70, scale 2, zero "
      "point 0\n"
      "scratch 0x00000200         20 bytes 'y'  # 'y' i32 1x5\n"
      "output  0x00000240         20 bytes 'z'  # 'z' i32 1x5\n"
      "0           m0:mask8 = tail_mask 1\n"
      "1           loop 5  # 'dot'\n"
      "1.0           v1:int32x8 = constant 0\n"
      "1.1           loop 3\n"
      "1.1.0           m2:mask32 = tail_mask 70 - i1*32\n"
      "1.1.1           v3:int8x32 = load x[0 + i1*32] mask m2\n"
      "1.1.2           v4:int8x32 = load w[0 + i0*70 + i1*32] mask m2\n"
      "1.1.3           v1:int32x8 = vqdpa v1, v3, v4, mask = m2\n"
      "1.2           v5:int32x8 = vrpadd v1\n"
      "1.3           store v5, y[0 + i0*4] mask m0\n"
      "2           host 'unary'  # 'relu'\n");
}

TEST(ProgramText, CountsWork) {
  std::string text;
  for (const WorkCount &count : countWork(makeDotProgram()))
    text += count.mnemonic + " " + std::to_string(count.instructions) + " " +
            std::to_string(count.executed) + "\n";
  EXPECT_EQ(text, "constant 1 5\nhost 1 1\nload 2 30\nloop 2 6\nstore 1 5\n"
                  "tail_mask 2 16\nvqdpa 1 15\nvrpadd 1 5\n");
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

/// One fault in the dot program, and the message.
struct Fault {
  const char *name;
  std::function<void(Program &)> make;
  std::string message;
};

std::ostream &operator<<(std::ostream &out, const Fault &fault) {
  return out << fault.name;
}

Instruction &at(Program &program, std::initializer_list<size_t> path) {
  std::vector<Instruction> *block = &program.body;
  Instruction *found = nullptr;
  for (size_t index : path) {
    found = &(*block)[index];
    if (auto *loop = std::get_if<Loop>(&found->what))
      block = &loop->body;
  }
  return *found;
}
template <typename T>
T &what(Program &program, std::initializer_list<size_t> path) {
  return std::get<T>(at(program, path).what);
}

class FaultyProgram : public testing::TestWithParam<Fault> {};

TEST_P(FaultyProgram, IsRefusedByBothDoors) {
  Program program = makeDotProgram();
  GetParam().make(program);
  rt::Status status = verify(program);
  EXPECT_EQ(status.message(), GetParam().message);
  // As bytes, too: whoever wrote the file did not ask verify().
  rt::Result<ProgramFile> file = parse(bytesOf(program));
  ASSERT_FALSE(file.isOk());
  EXPECT_EQ(file.status().message(), GetParam().message);
}

std::vector<Fault> registerFaults() {
  return {
      {"ReadBeforeWritten",
       [](Program &p) { what<Constant>(p, {1, 0}).result = 5; },
       "instruction 1.1.3 (vqdpa) of node 'dot': acc: reads register 1 before "
       "it is written"},
      {"UnknownRegister",
       [](Program &p) { what<Load>(p, {1, 1, 1}).result = 99; },
       "instruction 1.1.1 (load) of node 'dot': names register 99, the program "
       "has 6 registers"},
      {"LoadIntoAMask", [](Program &p) { what<Load>(p, {1, 1, 1}).result = 2; },
       "instruction 1.1.1 (load) of node 'dot': register 2 is a mask, must be "
       "a vector"},
      {"MaskOfOtherLanes",
       [](Program &p) { what<Load>(p, {1, 1, 1}).mask = 0; },
       "instruction 1.1.1 (load) of node 'dot': the mask is register 0 of a "
       "mask of 8 lanes, must be a mask of 32 lanes"},
      {"VectorAsMask", [](Program &p) { what<Load>(p, {1, 1, 2}).mask = 3; },
       "instruction 1.1.2 (load) of node 'dot': the mask is register 3 of "
       "int8x32, must be a mask of 32 lanes"},
  };
}

std::vector<Fault> placeFaults() {
  return {
      {"LeavesItsBuffer",
       [](Program &p) { what<Load>(p, {1, 1, 1}).mask = kNoRegister; },
       "instruction 1.1.1 (load) of node 'dot': touches bytes 0 to 95 of "
       "buffer 'x', which has 70; mask the lanes outside"},
      {"UnknownBuffer",
       [](Program &p) { what<Load>(p, {1, 1, 1}).from.buffer = 4; },
       "instruction 1.1.1 (load) of node 'dot': names buffer 4, the program "
       "has 4 buffers"},
      {"WritesWeights",
       [](Program &p) { what<Store>(p, {1, 3}).to.buffer = 0; },
       "instruction 1.3 (store) of node 'dot': writes to buffer 'w'; weights "
       "and inputs are only read"},
      {"UnalignedStep",
       [](Program &p) { what<Store>(p, {1, 3}).to.terms[0].step = 6; },
       "instruction 1.3 (store) of node 'dot': an offset or a step is no "
       "multiple of the element's 4 bytes"},
      {"StepOfAnUnknownLoop",
       [](Program &p) { what<Store>(p, {1, 3}).to.terms[0].loop = 1; },
       "instruction 1.3 (store) of node 'dot': a step for the loop of depth 1, "
       "which is unknown; there are 1 loops around"},
      {"TwoStepsOfALoop",
       [](Program &p) { what<Store>(p, {1, 3}).to.terms.push_back({0, 4}); },
       "instruction 1.3 (store) of node 'dot': a step for the loop of depth 0, "
       "which is there twice; there are 1 loops around"},
      {"HugeStep",
       [](Program &p) {
         what<Load>(p, {1, 1, 1}).from.terms[0].step = INT64_MIN;
       },
       "instruction 1.1.1 (load) of node 'dot': a step of "
       "-9223372036854775808 leaves every memory"},
      {"StoresIntoOnePlace",
       [](Program &p) { what<Store>(p, {1, 3}).stride = 0; },
       "instruction 1.3 (store) of node 'dot': stores 8 lanes into one "
       "element; the stride of a store is not 0"},
      {"EmptyLoop", [](Program &p) { what<Loop>(p, {1, 1}).count = 0; },
       "instruction 1.1 (loop) of node 'dot': count is 0, must be at least 1"},
      {"EndlessWork",
       [](Program &p) {
         what<Loop>(p, {1}).count = ~0u;
         what<Loop>(p, {1, 1}).count = ~0u;
         what<Load>(p, {1, 1, 2}).from.terms.clear();
         what<Load>(p, {1, 1, 1}).from.terms.clear();
       },
       "instruction 1.1.0 (tail_mask) of node 'dot': the program takes more "
       "than 2^40 steps up to here; split the model"},
  };
}

std::vector<Fault> functionFaults() {
  return {
      {"UnknownFunction",
       [](Program &p) { what<Apply>(p, {1, 2}).operation = "vnop\n"; },
       "instruction 1.2 (vnop\\x0a) of node 'dot': there is no function "
       "'vnop\\x0a'"},
      {"FunctionOfAnotherSet",
       [](Program &p) { what<Apply>(p, {1, 2}).operation = "tiu.fadd"; },
       "instruction 1.2 (tiu.fadd) of node 'dot': there is no function "
       "'tiu.fadd'"},
      {"TooManyOperands",
       [](Program &p) { what<Apply>(p, {1, 2}).operands.resize(9); },
       "instruction 1.2 (vrpadd) of node 'dot': 9 operands, it takes at most "
       "2"},
      {"ResultOfAnotherType",
       [](Program &p) { what<Apply>(p, {1, 2}).result = 3; },
       "instruction 1.2 (vrpadd) of node 'dot': it returns int32x8, register 3 "
       "is int8x32"},
      {"ConstantOfAnotherSize",
       [](Program &p) { what<Constant>(p, {1, 0}).bytes.resize(5); },
       "instruction 1.0 (constant) of node 'dot': 5 bytes for int32x8, which "
       "has 32 or, in one lane, 4"},
      {"UnknownNode", [](Program &p) { at(p, {1}).node = 7; },
       "instruction 1 (loop): names node 7, the program has 2 nodes"},
      {"HostLeavesTheMemory",
       [](Program &p) {
         auto &steps = what<HostStep>(p, {2}).program.steps;
         std::get<host::LoadStep>(steps[0]).from.address = uint64_t(1) << 40;
       },
       "instruction 2 (host) of node 'relu': step 0 of the host program: loads "
       "5 elements at 0x10000000000 as a tensor of 5"},
      {"HostWritesAnInput",
       [](Program &p) {
         auto &steps = what<HostStep>(p, {2}).program.steps;
         std::get<host::StoreStep>(steps[2]).to.address = 0x180;
       },
       "instruction 2 (host) of node 'relu': step 2 of the host program: "
       "stores a tensor of 5 elements into 5 at 0x180"},
  };
}

std::vector<Fault> bufferFaults() {
  return {
      {"NoOutput", [](Program &p) { p.buffers[3].role = BufferRole::Scratch; },
       "the program has no output"},
      {"BuffersOverlap",
       [](Program &p) {
         p.buffers[2].address = p.buffers[2].value->address = 0x140;
       },
       "buffers 'w' and 'y' overlap at 0x140; only scratch buffers may share "
       "bytes"},
      {"UnalignedBuffer",
       [](Program &p) {
         p.buffers[2].address = p.buffers[2].value->address = 0x204;
       },
       "buffer 2 'y': address 0x204 is no multiple of 64"},
      {"HugeBuffer", [](Program &p) { p.buffers[2].bytes = ~uint64_t(0); },
       "buffer 2 'y': 18446744073709551615 bytes at 0x200; buffers have at "
       "least one byte and end at or below 0x100000000"},
      {"TwoBuffersOfAName", [](Program &p) { p.buffers[2].name = "x"; },
       "buffer 2 'x': the name occurs twice"},
      {"InputNamedByNoText",
       [](Program &p) { p.buffers[1].value->name = "x\xff"; },
       "buffer 1 'x': the name 'x\\xff' is no UTF-8"},
      {"OutputNameWithAZero",
       [](Program &p) { p.buffers[3].value->name = std::string("z\0z", 3); },
       "buffer 3 'z': the name 'z\\x00z' has a zero byte"},
      {"WeightWithoutContents",
       [](Program &p) { p.buffers[0].contents.clear(); },
       "buffer 0 'w': it has 0 bytes of contents and a size of 350; weights "
       "have all their bytes, other buffers none"},
      {"InputWithoutShape", [](Program &p) { p.buffers[1].value.reset(); },
       "buffer 1 'x': an input or output without name and shape"},
      {"ValueLargerThanItsBuffer", [](Program &p) { p.buffers[3].bytes = 16; },
       "buffer 3 'z': value 'z' takes 20 bytes, its buffer has 16"},
      {"InfiniteScale",
       [](Program &p) { p.buffers[1].value->scale = HUGE_VALF; },
       "buffer 1 'x': value 'x' has scale inf, must be above 0"},
      {"WideRegister", [](Program &p) { p.registers[3].lanes = 5000; },
       "register 3 has 5000 lanes, must be 1 to 4096"},
      {"AnotherTarget", [](Program &p) { p.target = "bm1684x"; },
       "unsupported: the program is for target 'bm1684x', which this Weft does "
       "not know"},
  };
}

std::string faultName(const testing::TestParamInfo<Fault> &info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Registers, FaultyProgram,
                         testing::ValuesIn(registerFaults()), faultName);
INSTANTIATE_TEST_SUITE_P(Places, FaultyProgram,
                         testing::ValuesIn(placeFaults()), faultName);
INSTANTIATE_TEST_SUITE_P(Functions, FaultyProgram,
                         testing::ValuesIn(functionFaults()), faultName);
INSTANTIATE_TEST_SUITE_P(Buffers, FaultyProgram,
                         testing::ValuesIn(bufferFaults()), faultName);

TEST(ProgramFile, BoundsWhatSmallConstantsBecome) {
  // 4096 lanes of 4 bytes for a constant of one lane in the file, or for a
  // scalar operand.
  for (bool isScalar : {false, true}) {
    ProgramMaker maker;
    maker.tensor(BufferRole::Output, "z", ElementType::I32, {1});
    RegisterId wide = maker.splat(DataType::Int32, kMaxLanes, 7);
    RegisterId scalar = maker.splat(DataType::Int32, 1, 7);
    const unsigned most = (1u << 28) / (4 * kMaxLanes);
    for (unsigned i = 2; i < most; ++i)
      if (isScalar)
        maker.add(
            Apply{"vadd",
                  {Operand::ofRegister(wide), Operand::ofRegister(scalar)},
                  wide});
      else
        maker.add(Constant{wide, {1, 0, 0, 0}});
    EXPECT_EQ(verify(maker.program).message(), "");
    maker.add(Constant{wide, {1, 0, 0, 0}});
    std::string message =
        "instruction 16384 (constant): constants and scalars take more than "
        "268435456 bytes up to here, lane by lane; load them from weights";
    EXPECT_EQ(verify(maker.program).message(), message);
    EXPECT_EQ(parse(bytesOf(maker.program)).status().message(), message);
  }
}

TEST(ProgramFile, NestsLoopsToALimit) {
  ProgramMaker maker;
  maker.tensor(BufferRole::Output, "z", ElementType::I32, {1});
  for (unsigned i = 0; i < kMaxDepth; ++i)
    maker.beginLoop(1);
  maker.tailMask(8, 1);
  EXPECT_TRUE(verify(maker.program).isOk());
  EXPECT_TRUE(parse(bytesOf(maker.program)).isOk());
  maker.beginLoop(1);
  EXPECT_THAT(verify(maker.program).message(),
              HasSubstr("loops are nested more than 16 deep"));
  EXPECT_FALSE(parse(bytesOf(maker.program)).isOk());
}

} // namespace
