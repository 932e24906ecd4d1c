//===- EncodeTest.cpp - ppl programs to command buffers ------------------===//

#include "codegen/encode/Encode.h"
#include "runtime/isa/Decode.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::codegen;
using isa::Engine;
using isa::Field;
using testing::HasSubstr;

namespace {
/// Parses the body of a net and encodes it; keeps the diagnostics.
class Encoding : public testing::Test {
protected:
  Encoding() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<ppl::PplDialect, mlir::arith::ArithDialect,
                        mlir::scf::SCFDialect>();
  }

  mlir::FailureOr<EncodedProgram> encode(const std::string &body) {
    std::string text = "!t = !ppl.tensor<1x64x8x8xf32, local, aligned>\n"
                       "!g = !ppl.tensor<1x64x8x8xf32, global, continuous>\n"
                       "ppl.net @main on \"bm1684x\" weights [4294967296, 0] "
                       "context [4294967296, "
                       "1048576] inputs [] outputs [] {\n" +
                       body + "}\n";
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            message += diagnostic.str();
                                            return mlir::success();
                                          });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return encodeProgram(*module->getOps<ppl::NetOp>().begin());
  }

  static std::vector<isa::Decoded> decode(Engine engine,
                                          const std::vector<uint8_t> &bytes) {
    isa::DecodedStream stream =
        isa::decodeStream(engine, bytes.data(), bytes.size());
    EXPECT_EQ(stream.error, isa::DecodeError::None);
    return stream.commands;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string message;
};

const char *kPlaces = R"(
  %a = ppl.local at 0 : !t
  %b = ppl.local at 16384 : !t
  %g = ppl.global at 4294967296 : !g
  %h = ppl.global at 4294983680 : !g
)";
} // namespace

TEST_F(Encoding, LoadComputeStoreWaitForEachOther) {
  auto program = encode(std::string(kPlaces) + R"(
  ppl.dma.load dst = %a, src = %g : !t, !g
  ppl.tiu.fmul dst = %b, src0 = %a, src1 = 2.0 : f64 : !t, !t
  ppl.dma.store dst = %h, src = %b : !g, !t
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  ASSERT_EQ(program->groups.size(), 1u);
  const CommandGroup &group = program->groups[0];
  auto tiu = decode(Engine::Tiu, group.tiu),
       gdma = decode(Engine::Gdma, group.gdma);
  ASSERT_EQ(tiu.size(), 2u);
  ASSERT_EQ(gdma.size(), 3u);
  EXPECT_EQ(tiu.size(), group.tiuCount());
  EXPECT_EQ(gdma.size(), group.gdmaCount());
  EXPECT_EQ(gdma[0].dep(), 0u);
  EXPECT_EQ(tiu[0].dep(), 1u); // read after write
  EXPECT_EQ(gdma[1].dep(), 1u);
  EXPECT_TRUE(tiu[1].isEnd() && gdma[2].isEnd());
  EXPECT_EQ(tiu[1].id(), 2u);
  EXPECT_EQ(gdma[2].id(), 3u);
  EXPECT_EQ(program->dramReadBytes, 64u * 64 * 4);
  EXPECT_EQ(program->dramWriteBytes, 64u * 64 * 4);
}

// A hand-checked word: the fields that the vendor's generator writes for an
// addition of a constant.
TEST_F(Encoding, AddConstantWord) {
  auto program =
      encode(std::string(kPlaces) +
             "  ppl.tiu.fadd dst = %b, src0 = %a, src1 = 2.0 : f64 : !t, "
             "!t\n");
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  auto tiu = decode(Engine::Tiu, program->groups[0].tiu);
  EXPECT_EQ(
      isa::disassemble(tiu[0]),
      "tiu id=1 dep=0 arith.add sAR opd1_const=1 tsk_opd_num=2 "
      "res0_prec=fp32 opd0_prec=fp32 "
      "opd1_prec=fp32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=8 "
      "res0_w=8 res0_addr=0x4000 "
      "opd1_addr=0x40000000");
}

TEST_F(Encoding, TwoBuffersLetTheNextLoadOverlapTheComputation) {
  auto program = encode(R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %x = ppl.local at 0 index(%i) step [16384] modulo [2] : !t
    %y = ppl.local at 65536 : !t
    %g = ppl.global at 4294967296 index(%i) step [16384] : !g
    ppl.dma.load dst = %x, src = %g : !t, !g
    ppl.tiu.fmul dst = %y, src0 = %x, src1 = 2.0 : f64 : !t, !t
  }
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  auto tiu = decode(Engine::Tiu, program->groups[0].tiu);
  auto gdma = decode(Engine::Gdma, program->groups[0].gdma);
  // Load i overwrites what computation i-2 read; it does not wait for
  // computation i-1.
  EXPECT_EQ(gdma[1].dep(), 0u);
  EXPECT_EQ(gdma[2].dep(), 1u);
  EXPECT_EQ(gdma[3].dep(), 2u);
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(tiu[i].dep(), i + 1);
  // 64 channels that follow each other are loaded as a matrix, whose address
  // fields named h32 and l8 are the low and the high part.
  EXPECT_EQ(gdma[2].get(Field::dst_start_addr_h32), 0x08000000u);
  EXPECT_EQ(gdma[3].get(Field::dst_start_addr_h32), 0x08004000u);
  EXPECT_EQ(gdma[3].get(Field::src_start_addr_h32), 3u * 16384);
  EXPECT_EQ(gdma[3].get(Field::src_start_addr_l8), 1u);
}

TEST_F(Encoding, ObservedPieceKnowsItsWriterAndItsEnd) {
  auto program = encode(std::string(kPlaces) + R"(
  ppl.dma.load dst = %a, src = %g : !t, !g
  ppl.tiu.fmul dst = %b, src0 = %a, src1 = 2.0 : f64 : !t, !t
  ppl.observe %b, "v" at [0, 0, 0, 0] of [1, 64, 8, 8] : !t
  ppl.dma.store dst = %h, src = %b : !g, !t
  ppl.dma.load dst = %b, src = %g : !t, !g
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  ASSERT_EQ(program->pieces.size(), 1u);
  const ObservedPiece &piece = program->pieces[0];
  EXPECT_EQ(piece.completeAfter.engine, Engine::Tiu);
  EXPECT_EQ(piece.completeAfter.index, 0u);
  ASSERT_TRUE(piece.overwritten.has_value());
  EXPECT_EQ(piece.overwritten->engine, Engine::Gdma);
  EXPECT_EQ(piece.overwritten->index, 2u);
}

/// The engines fill the two halves in any order: a piece for each last writer.
TEST_F(Encoding, ObservedPieceOfBothEnginesIsThereForEach) {
  const std::string halves = std::string(kPlaces) + R"(
  %both = ppl.local at 0 : !ppl.tensor<2x64x8x8xf32, local, aligned>
  ppl.dma.load dst = %a, src = %g : !t, !g
  %second = ppl.local at 256 : !t
  ppl.tiu.fill dst = %second, scalar = 2.0 : f64 : !t
)";
  const std::string observed = R"(
  ppl.observe %both, "v" at [0, 0, 0, 0] of [2, 64, 8, 8]
    : !ppl.tensor<2x64x8x8xf32, local, aligned>
)";
  auto program = encode(halves + observed);
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  ASSERT_EQ(program->pieces.size(), 2u);
  EXPECT_EQ(program->pieces[0].completeAfter.engine, Engine::Gdma);
  EXPECT_EQ(program->pieces[1].completeAfter.engine, Engine::Tiu);
  // A writer that has waited for the other engine comes behind it.
  program = encode(halves + R"(
  ppl.tiu.fmul dst = %second, src0 = %a, src1 = 2.0 : f64 : !t, !t
)" + observed);
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  ASSERT_EQ(program->pieces.size(), 1u);
  EXPECT_EQ(program->pieces[0].completeAfter.engine, Engine::Tiu);
  EXPECT_EQ(program->pieces[0].completeAfter.index, 1u);
}

TEST_F(Encoding, OneMillionCommandsCloseAGroup) {
  auto program = encode(R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000010 : index
  %y = ppl.local at 65536 : !t
  scf.for %i = %c0 to %n step %c1 {
    ppl.tiu.fill dst = %y, scalar = 2.0 : f64 : !t
  }
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << message;
  ASSERT_EQ(program->groups.size(), 2u);
  for (const CommandGroup &group : program->groups) {
    EXPECT_LE(group.tiuCount(), 1000000u);
    std::array<uint8_t, 16> end = isa::makeTiuEnd(group.tiuCount());
    EXPECT_TRUE(std::equal(end.begin(), end.end(), group.tiu.end() - 16));
    EXPECT_EQ(group.gdmaCount(), 1u);
  }
}

TEST_F(Encoding, ErrorsNameValueAndRule) {
  struct Case {
    const char *body, *message;
  };
  const Case cases[] = {
      {"%x = ppl.local at 0 : !t\n%y = ppl.local at 256 lane 1 : !t\n"
       "ppl.tiu.fadd dst = %x, src0 = %x, src1 = %y : !t, !t, !t\n",
       "dst starts in lane 0, src1 in lane 1; dst, src0 and src1 must start "
       "in one lane"},
      {"%x = ppl.local at 0 : !ppl.tensor<1x4x1x4xsi8, local, aligned>\n"
       "ppl.tiu.fill dst = %x, scalar = 300 : i64 : "
       "!ppl.tensor<1x4x1x4xsi8, local, aligned>\n",
       "scalar must be in the range of the element type of dst"},
      {"%c = arith.constant 0 : index\n%d = arith.constant 100 : index\n%e = "
       "arith.constant 1 : index\n"
       "scf.for %i = %c to %d step %e {\n%x = ppl.local at 0 index(%i) step "
       "[4096] : !t\n"
       "ppl.tiu.fill dst = %x, scalar = 1.0 : f64 : !t\n}\n",
       "a tensor in local memory ends at byte 262400, the limit is 262144"},
      {"%x = ppl.local at 0 : !t\n"
       "ppl.observe %x, \"v\" at [0, 0, 0, 0] of [1, 64, 8, 8] : !t\n",
       "'v' is observed where nothing was written yet"},
      {"%x = ppl.local at 0 : !ppl.tensor<1x4x1x4xui8, local, aligned>\n"
       "%y = ppl.local at 64 : !ppl.tensor<1x4x1x4xsi32, local, aligned>\n"
       "ppl.tiu.add dst = %x, src0 = %y, src1 = %y, saturation = 1 : i64 : "
       "!ppl.tensor<1x4x1x4xui8, local, aligned>, "
       "!ppl.tensor<1x4x1x4xsi32, local, aligned>, !ppl.tensor<1x4x1x4xsi32, "
       "local, aligned>\n",
       "dst is unsigned exactly if src0 and src1 are"},
  };
  for (const Case &test : cases) {
    message.clear();
    EXPECT_TRUE(mlir::failed(encode(test.body)));
    EXPECT_THAT(message, HasSubstr(test.message));
  }
}

TEST_F(Encoding, IndicesAreSigned64BitArithmetic) {
  auto encodeIndex = [&](const std::string &op) {
    message.clear();
    return mlir::succeeded(
        encode("%low = arith.constant -9223372036854775808 : index\n"
               "%minus = arith.constant -1 : index\n"
               "%zero = arith.constant 0 : index\n"
               "%two = arith.constant 2 : index\n"
               "%i = arith." +
               op +
               " : index\n"
               "%x = ppl.local at 0 index(%i) step [4096] : !t\n"
               "ppl.tiu.fill dst = %x, scalar = 1.0 : f64 : !t\n"));
  };
  for (const char *op :
       {"divsi %minus, %two", "divsi %low, %low", "remsi %two, %minus",
        "minsi %two, %zero", "maxsi %minus, %two", "muli %minus, %minus",
        "subi %two, %two"})
    EXPECT_TRUE(encodeIndex(op)) << op << ": " << message;
  for (const char *op :
       {"divsi %low, %minus", "remsi %low, %minus", "divsi %two, %zero",
        "remsi %two, %zero", "addi %low, %minus", "subi %low, %two",
        "muli %low, %minus", "divui %minus, %two", "remui %minus, %two",
        "minui %minus, %two", "maxui %minus, %two"}) {
    EXPECT_FALSE(encodeIndex(op)) << op;
    EXPECT_THAT(message, HasSubstr("has no constant value of 64 bits")) << op;
  }
}

// What no verifier can see, because a loop moves the tensors, is caught at the
// command.
TEST_F(Encoding, CommandsThatBreakARuleOfTheHardwareAreErrors) {
  auto transpose = [&](const char *step) {
    message.clear();
    return mlir::succeeded(encode(
        std::string("%c0 = arith.constant 0 : index\n"
                    "%c1 = arith.constant 1 : index\n"
                    "%c2 = arith.constant 2 : index\n"
                    "%x = ppl.local at 0 : !ppl.tensor<1x6x5x7xf32, local, "
                    "aligned>\n"
                    "scf.for %i = %c1 to %c2 step %c1 {\n"
                    "%y = ppl.local at 0 index(%i) step [") +
        step +
        "] : !ppl.tensor<1x7x5x6xf32, local, line_aligned>\n"
        "ppl.tiu.transpose_cw dst = %y, src = %x : "
        "!ppl.tensor<1x7x5x6xf32, local, line_aligned>, "
        "!ppl.tensor<1x6x5x7xf32, local, aligned>\n}\n"));
  };
  EXPECT_TRUE(transpose("16384")) << message;
  EXPECT_FALSE(transpose("64"));
  EXPECT_EQ(message,
            "the command for this operation breaks a rule of the hardware: "
            "source and result overlap, they must be apart (PPL transpose_cw, "
            "transpose_wc)");
}
