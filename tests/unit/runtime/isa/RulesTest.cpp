//===- RulesTest.cpp - what the hardware demands of a command ------------===//

#include "runtime/isa/Rules.h"
#include "runtime/chips/Chips.h"
#include "runtime/isa/Assemble.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include <gtest/gtest.h>
#include <random>

using namespace weft;
using namespace weft::isa;

namespace {

// One legal command of each kind; the cases below change one field each.
const std::string kAdd =
    "tiu arith.add sAR opd1_const=1 tsk_opd_num=2 res0_prec=fp32 "
    "opd0_prec=fp32 opd1_prec=fp32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 "
    "res0_h=8 res0_w=8 res0_addr=0x4000 opd1_addr=fp32(2)";
const std::string kAdds =
    "tiu arith.adds sAR tsk_opd_num=3 opd2_const=1 opd0_sign=1 opd1_sign=1 "
    "res0_n=1 res0_c=3 res0_h=4 res0_w=5 res0_addr=0x4000 opd1_addr=0x8000 "
    "opd2_addr=-3";
const std::string kShift =
    "tiu arith.ashift sAR tsk_opd_num=2 opd1_const=1 opd0_sign=1 opd1_sign=1 "
    "opd0_prec=int16 res0_prec=int16 res0_n=1 res0_c=3 res0_h=4 res0_w=5 "
    "res0_addr=0x4000 opd1_addr=-3";
const std::string kCast =
    "tiu arith.cast sAR tsk_opd_num=1 opd0_prec=fp32 res0_prec=int8 res0_n=1 "
    "res0_c=3 res0_h=4 res0_w=5 res0_addr=0x4000 opd2_sign=1";
const std::string kMac =
    "tiu arith.mac sAR tsk_opd_num=3 opd2_const=1 opd2_addr=0x201 "
    "opd1_const=1 res0_prec=int16 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=3 "
    "res0_h=4 res0_w=5 res0_addr=0x4000 opd1_addr=7";
const std::string kSelect =
    "tiu arith.selectGreat sAR tsk_opd_num=3 opd1_const=1 opd2_const=1 "
    "res0_prec=int8 opd0_prec=fp16 opd1_prec=fp16 res0_n=1 res0_c=3 res0_h=4 "
    "res0_w=5 res0_addr=0x4000 opd2_addr=1";
const std::string kConv =
    "tiu conv.normal sCONV opd0_sign=1 opd1_sign=1 res0_prec=int32 "
    "opd2_const=1 opd0_up_pad=1 opd0_dn_pad=1 opd0_lf_pad=1 opd0_rt_pad=1 "
    "res_op_x_str=2 res_op_y_str=2 opd3_const=1 res0_n=1 res0_c=8 res0_h=24 "
    "res0_w=96 opd0_c=3 opd0_h=48 opd0_w=192 opd1_h=3 opd1_w=3 "
    "res0_addr=0x1c000 opd1_addr=0x14400";
const std::string kConvRq =
    "tiu conv.wrq sCONV opd0_sign=1 opd1_sign=1 opd2_const=1 res_op_x_str=1 "
    "res_op_y_str=1 opd3_const=1 res0_n=1 res0_c=8 res0_h=48 res0_w=192 "
    "opd0_c=3 opd0_h=48 opd0_w=192 opd1_h=1 opd1_w=1 res0_addr=0x1c000 "
    "opd1_addr=0x14400 opd3_addr=7";
const std::string kPool =
    "tiu pord.maxpooling sPorD opd3_const=1 res0_prec=fp16 opd0_prec=fp16 "
    "res_op_x_str=2 res_op_y_str=2 res0_n=1 res0_c=8 res0_h=4 res0_w=4 "
    "opd0_h=8 opd0_w=8 opd1_h=2 opd1_w=2 res0_addr=0x4000 opd3_addr=0xfbff";
const std::string kDepthwise =
    "tiu pord.depthwise sPorD opd3_const=1 opd2_const=1 res0_prec=int32 "
    "res_op_x_str=1 res_op_y_str=1 res0_n=1 res0_c=8 res0_h=7 res0_w=7 "
    "opd0_h=8 opd0_w=8 opd1_h=2 opd1_w=2 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kAverage =
    "tiu pord.avgpooling sPorD opd3_const=1 opd1_const=1 res_op_x_str=1 "
    "res_op_y_str=1 res0_n=1 res0_c=8 res0_h=7 res0_w=7 opd0_h=8 opd0_w=8 "
    "opd1_h=2 opd1_w=2 res0_addr=0x4000 opd1_addr=64 opd2_addr=8";
const std::string kRoi =
    "tiu pord.roimaxpooling sPorD opd2_const=1 res0_n=1 res0_c=8 res0_h=1 "
    "res0_w=7 opd0_h=8 opd0_w=8 opd1_h=2 opd1_w=2 res0_addr=0x4000 "
    "opd3_addr=0x8000";
const std::string kMm = "tiu mm.normal sMM opd2_const=1 res0_prec=fp32 "
                        "opd0_prec=fp32 opd0_n=4 opd0_c=2 opd0_w=8 opd1_w=8 "
                        "res0_c=3 res0_w=16 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kMmRq =
    "tiu mm.wrq sMM opd2_const=1 opd0_n=4 opd0_c=2 opd0_w=8 opd1_w=8 res0_c=3 "
    "res0_w=16 res0_addr=0x4000 opd1_addr=0x8000 opd3_addr=0x500";
const std::string kMm2 =
    "tiu mm2.nn sMM2 res0_prec=fp32 opd0_prec=fp16 res0_c=4 res0_w=16 "
    "opd1_c=8 opd1_w=16 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kRq1 =
    "tiu quant.rq1 sRQDQ opd0_prec=int32 opd0_sign=1 opd2_sign=1 opd1_const=1 "
    "res0_n=1 res0_c=3 res0_h=4 res0_w=5 res0_addr=0x4000 opd1_addr=77 "
    "opd2_addr=0xfff8";
const std::string kTaylor =
    "tiu sfu.taylor sSFU res0_prec=fp32 opd0_prec=fp32 res0_n=1 res0_c=3 "
    "res0_h=4 res0_w=5 opd1_n=8 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kNormalize =
    "tiu sfu.normalize sSFU res0_prec=fp32 opd0_prec=fp32 opd2_n_str=3 "
    "res0_n=1 res0_c=3 res0_h=4 res0_w=5 res0_addr=0x4000";
const std::string kLin =
    "tiu lin.mac sLIN res0_prec=fp16 res0_n=1 res0_c=3 res0_h=4 res0_w=5 "
    "res0_addr=0x4000 opd1_addr=0x8000 opd2_addr=0x8002";
const std::string kCmp =
    "tiu cmp.sel_gt sCMP opd1_const=1 opd2_const=1 opd0_prec=fp16 "
    "opd2_prec=fp16 res0_n=1 res0_c=3 res0_h=4 res0_w=5 res0_addr=0x4000 "
    "opd3_addr=0x8000";
const std::string kVc = "tiu vc.mul sVC res0_prec=fp32 opd0_prec=fp32 "
                        "opd1_prec=fp32 res0_c=2 res0_w=8 opd0_c=2 opd0_w=8 "
                        "opd1_w=8 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kTranspose =
    "tiu tsbc.cw_ts sTRANS_BC res0_prec=fp16 res0_n=1 res0_c=6 res0_h=1 "
    "res0_w=5 opd0_c=5 opd0_w=6 res0_addr=0x4000";
const std::string kLaneBroadcast =
    "tiu tsbc.l_bc sTRANS_BC res0_prec=fp16 res0_n=1 res0_c=60 res0_h=1 "
    "res0_w=5 res0_addr=0x104000";
const std::string kStatic =
    "tiu tsbc.s_distribute sTRANS_BC res0_prec=int32 res0_n=1 res0_c=9 "
    "res0_h=1 res0_w=1 opd0_c=9 opd0_w=1 res0_addr=0x12e40 "
    "opd0_addr=0x90005c0";
const std::string kGather =
    "tiu sg.pl_gather_d1coor sSG res0_prec=fp16 opd0_prec=fp16 "
    "opd1_prec=int16 res0_n=1 res0_c=3 res0_h=1 res0_w=5 opd0_h=1 opd0_w=9 "
    "opd1_c=5 opd1_w=1 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kLookup =
    "tiu sg.pe_s_gather_d1coor sSG opd0_str=per_lane res0_n=1 res0_c=3 "
    "res0_h=1 res0_w=20 opd0_h=1 opd0_w=256 res0_addr=0x4000 opd1_addr=0x8000";
const std::string kLoad =
    "gdma dma.tensor DMA_tensor stride_enable=1 nchw_copy=1 "
    "src_data_format=fp32 src_nstride=60 src_cstride=20 src_hstride=5 "
    "src_wstride=1 dst_nstride=20 dst_cstride=20 dst_hstride=5 dst_wstride=1 "
    "src_nsize=1 src_csize=3 src_hsize=4 src_wsize=5 src_start_addr_h8=1 "
    "dst_start_addr_l32=0x8004000";
const std::string kFill =
    "gdma dma.tensor DMA_tensor fill_constant_en=1 src_data_format=fp32 "
    "dst_nsize=1 dst_csize=3 dst_hsize=4 dst_wsize=5 "
    "dst_start_addr_l32=0x8004000 constant_value=fp32(1)";
const std::string kDmaBroadcast =
    "gdma dma.tensor.broadcast DMA_tensor src_nsize=1 src_csize=1 src_hsize=1 "
    "src_wsize=32 dst_nsize=1 dst_csize=64 dst_hsize=1 dst_wsize=32 "
    "src_start_addr_h8=1 dst_start_addr_l32=0x8004000";
const std::string kDmaMatrix =
    "gdma dma.matrix DMA_matrix stride_enable=1 src_data_format=fp32 "
    "src_hstride=32 src_hsize=4 src_wsize=32 dst_nsize=4 dst_csize=2 "
    "dst_wsize=16 dst_nstride=16 dst_cstride=16 src_start_addr_l8=1 "
    "dst_start_addr_h32=0x8004000";
const std::string kGeneral =
    "gdma dma.general DMA_general src_data_format=int8 move_length=100 "
    "src_start_addr_h8=1 dst_start_addr_l32=0x8004000";
const std::string kMaskedSelect =
    "gdma dma.masked_select DMA_masked_select src_nsize=1 src_csize=3 "
    "src_hsize=4 src_wsize=5 src_start_addr_l32=0x8004000 "
    "dst_start_addr_h8=1 mask_start_addr_l32=0x8008000";
const std::string kNonZero =
    "gdma dma.nonzero DMA_nonzero src_nsize=1 src_csize=3 src_hsize=4 "
    "src_wsize=5 src_start_addr_l32=0x8004000 dst_start_addr_h8=1";
const std::string kDmaTranspose =
    "gdma dma.cw_transpose DMA_cw_transpose src_nsize=1 src_csize=3 "
    "src_hsize=4 src_wsize=5 dst_nsize=1 dst_csize=5 dst_hsize=4 dst_wsize=3 "
    "src_start_addr_h8=1 dst_start_addr_l32=0x8004000";
const std::string kRows =
    "gdma gdma.gather DMA_gather src_data_format=fp32 src_csize=3 "
    "src_hsize=10 src_wsize=5 dst_csize=3 dst_hsize=7 dst_wsize=5 "
    "index_csize=3 index_hsize=7 src_start_addr_h8=1 "
    "dst_start_addr_l32=0x8004000 index_start_addr_l32=0x8008000";

/// `line` with the fields of `edit` changed or added. Words without '=' are the
/// mnemonic and the form to take instead.
std::string with(std::string line, const std::string &edit) {
  size_t names = line.find(' ') + 1; // where the next mnemonic or form goes
  for (size_t at = 0; at < edit.size();) {
    size_t end = std::min(edit.find(' ', at), edit.size());
    std::string word = edit.substr(at, end - at);
    at = end + 1;
    size_t equals = word.find('=');
    if (equals == std::string::npos) {
      line.replace(names, line.find(' ', names) - names, word);
      names += word.size() + 1;
      continue;
    }
    size_t found = line.find(" " + word.substr(0, equals + 1));
    if (found == std::string::npos) {
      line += " " + word;
      continue;
    }
    size_t next = std::min(line.find(' ', found + 1), line.size());
    line.replace(found + 1, next - found - 1, word);
  }
  return line;
}

std::string check(const std::string &line) {
  AssembledLine assembled = assemble(line);
  if (!assembled || !assembled.command)
    return "does not assemble: " +
           (assembled.error ? assembled.error->message : line);
  return checkCommand(assembled.command->decoded(), chips::bm1684x).message();
}

struct Case {
  const std::string &line;
  const char *edit;
  /// The whole message; "" for a command that keeps every rule.
  const char *says;
};

} // namespace

TEST(Rules, TheLegalCommandsKeepThem) {
  for (const std::string &line :
       {kAdd,       kAdds,          kShift,        kCast,
        kMac,       kSelect,        kConv,         kConvRq,
        kPool,      kDepthwise,     kAverage,      kMm,
        kMmRq,      kMm2,           kRq1,          kTaylor,
        kNormalize, kLin,           kCmp,          kVc,
        kTranspose, kLaneBroadcast, kStatic,       kGather,
        kLookup,    kLoad,          kFill,         kDmaBroadcast,
        kDmaMatrix, kGeneral,       kMaskedSelect, kDmaTranspose,
        kNonZero,   kRows})
    EXPECT_EQ(check(line), "") << line;
  for (const char *line : {"tiu id=4 sys.end", "gdma id=4 dma.sys",
                           "tiu sys.nop", "gdma dma.sys.nop"})
    EXPECT_EQ(check(line), "") << line;
}

TEST(Rules, EveryRuleRefusesWithValueAndSource) {
#include "tests/unit/runtime/isa/RuleCases.inc"
  std::string everything;
  for (const Case &one : cases) {
    EXPECT_EQ(check(with(one.line, one.edit)), one.says)
        << with(one.line, one.edit);
    everything += one.says;
  }
  for (std::string_view source : ruleSources(chips::bm1684x))
    EXPECT_NE(everything.find("(" + std::string(source) + ")"),
              std::string::npos)
        << "no case breaks the rule of " << source;
}

// Whatever decodes can be checked.
TEST(Rules, AnyBitsCanBeChecked) {
  std::mt19937_64 random(4);
  size_t checked = 0, kept = 0;
  for (const Opcode &opcode : allOpcodes())
    for (Form form : {opcode.longForm, opcode.shortForm}) {
      if (form == Form::None)
        continue;
      for (int round = 0; round < 200; ++round) {
        CommandBuilder builder(firstTable(), opcode, form);
        for (const FieldSpec &spec : formSpec(form)) {
          // Small, extreme and random values.
          uint64_t value = random() % 3 == 0   ? random() % 4
                           : random() % 2 == 0 ? ~uint64_t(0)
                                               : random();
          bool selects =
              spec.name == Field::cmd_short || spec.name == Field::tsk_typ ||
              spec.name == Field::tsk_eu_typ || spec.name == Field::cmd_type ||
              spec.name == Field::cmd_special_function;
          if (selects || spec.name == Field::Reserved)
            continue;
          ASSERT_TRUE(
              builder.set(spec.name, value & fieldMax(form, spec.name)));
        }
        kept += checkCommand(builder.decoded(), chips::bm1684x).isOk();
        ++checked;
      }
    }
  EXPECT_GT(checked, 50000u);
  EXPECT_LT(kept, checked);
}
