//===- TiuMatMul.cpp - rows of the matrix products -----------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/Window.h"

using namespace weft;
using namespace weft::catalog;

static constexpr TypeSet kHalves = TypeSet(DataType::Fp16) | DataType::Bf16;

static std::string str(std::string_view text) { return std::string(text); }

static std::string sizesText(const Dims &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

//===----------------------------------------------------------------------===//
// mm, fmm: rows split over channels
//===----------------------------------------------------------------------===//

static constexpr std::string_view kFolded =
    "a matrix of R rows and Q columns is the aligned tensor [R, Q/w, 1, w]: "
    "left [M, K/w, 1, w] (ltrans: [K, M/w, 1, w]), right [K, N/w, 1, w], dst "
    "[M, N/w, 1, w]";

static std::string foldedProblem(const Call &call) {
  const Tensor *dst = call.tensor("dst"), *left = call.tensor("left"),
               *right = call.tensor("right"), *bias = call.tensor("bias");
  for (std::string_view name : {"dst", "left", "right", "bias"}) {
    const Tensor *tensor = call.tensor(name);
    if (!tensor)
      continue;
    if (tensor->shape[2] != 1)
      return str(name) + " has shape " + sizesText(tensor->shape);
    if (tensor->shape[1] * tensor->shape[3] > 65535)
      return str(name) + " has " +
             std::to_string(tensor->shape[1] * tensor->shape[3]) +
             " columns, the limit is 65535";
  }
  if (dst->shape[1] != right->shape[1] || dst->shape[3] != right->shape[3])
    return "dst has shape " + sizesText(dst->shape) + ", right " +
           sizesText(right->shape);
  if (bias && bias->shape != Dims{1, dst->shape[1], 1, dst->shape[3]})
    return "bias has shape " + sizesText(bias->shape) + ", a row of dst is 1x" +
           std::to_string(dst->shape[1]) + "x1x" +
           std::to_string(dst->shape[3]);
  if (!left)
    return {};
  int64_t rows = left->shape[0], columns = left->shape[1] * left->shape[3];
  if (call.integer("ltrans"))
    std::swap(rows, columns);
  if (rows != dst->shape[0])
    return "left has " + std::to_string(rows) + " rows, dst " +
           std::to_string(dst->shape[0]);
  if (columns != right->shape[0])
    return "left has " + std::to_string(columns) + " columns, right " +
           std::to_string(right->shape[0]) + " rows";
  return {};
}

static std::vector<Rule> foldedRules() {
  return {rule(str(kFolded), foldedProblem),
          layoutIs("dst", {AlignMode::Aligned}),
          layoutIs("left", {AlignMode::Aligned}),
          layoutIs("right", {AlignMode::Aligned}),
          layoutIs("bias", {AlignMode::Aligned}),
          sameLanes({"dst", "right", "bias"}),
          apart("dst", {"left", "right", "bias"}),
          rule("no chip multiplies with a transposed right matrix: transpose "
               "it first",
               [](const Call &call) {
                 return call.integer("rtrans") ? std::string("rtrans is set")
                                               : std::string();
               })};
}

static std::string mmTypeProblem(const Call &call) {
  DataType dst = call.tensor("dst")->type, right = call.tensor("right")->type;
  const Tensor *left = call.tensor("left");
  if (left && bitsOf(left->type) != bitsOf(right))
    return "left is " + str(spelling(left->type)) + ", right " +
           str(spelling(right));
  if (bitsOf(dst) < 32 && bitsOf(right) != 8)
    return "dst is " + str(spelling(dst)) + ", right " + str(spelling(right));
  return {};
}

static std::string mmSignProblem(const Call &call) {
  DataType dst = call.tensor("dst")->type, right = call.tensor("right")->type;
  bool some = isSigned(right) || isSignedOperand(call, "left") ||
              isSignedOperand(call, "bias");
  bool want = some && !call.integer("do_relu");
  if (isSigned(dst) == want)
    return {};
  return "dst is " + str(spelling(dst)) +
         (want ? " and an operand is signed"
               : " and no operand is signed or do_relu is set");
}

static std::string mmStepProblem(const Call &call) {
  DataType dst = call.tensor("dst")->type, right = call.tensor("right")->type;
  if (bitsOf(dst) < 32)
    return {};
  for (std::string_view name : {"result_add", "lshift", "do_relu"})
    if (call.integer(name) != 0)
      return str(name) + " is " + std::to_string(call.integer(name)) +
             " and dst is " + str(spelling(dst));
  if (call.tensor("bias"))
    return "bias is given and dst is " + str(spelling(dst));
  if (call.integer("rshift") && bitsOf(right) != 32)
    return "rshift is " + std::to_string(call.integer("rshift")) +
           ", right is " + str(spelling(right)) + " and dst " +
           str(spelling(dst));
  return {};
}

static std::string mmChipProblem(const Call &call) {
  std::string_view chip = call.chip->kernelName();
  const Tensor *bias = call.tensor("bias");
  if (bias && (bitsOf(bias->type) == 16) != (chip == "bm1684x"))
    return "bias is " + str(spelling(bias->type)) + " on " + str(chip);
  if ((chip == "bm1690" || chip == "bm1688") && call.integer("result_add"))
    return "result_add is set on " + str(chip);
  for (std::string_view name : {"lshift", "rshift"})
    if (chip == "bm1690" && call.integer(name))
      return str(name) + " is " + std::to_string(call.integer(name)) +
             " on bm1690";
  return {};
}

static Operation mmRow() {
  Operation op = function(
      "tiu.mm", "4.6.5.1",
      "integer matrix product in folded matrix layout; of bytes with "
      "accumulation, bias, relu and shift",
      R"(p(m,n) = sum_k left(m,k) * right(k,n)
dst of 32 bits: of 32-bit operands p (64 bits) * 2^-rshift, rounded by round, saturated; of narrower ones p modulo 2^32.
dst of 8 or 16 bits: a = p + bias(n) + [result_add] sat32(old(m,n) * 2^lshift); if do_relu: a = max(a, 0)
dst = floor((a + 2^(rshift-1)) / 2^rshift), saturated to the type of dst
old is dst as 16 bits of the sign of the operands, in the aligned layout of 16 bits.)",
      {updated("dst", kIntegers), sourceOrScalar("left", kIntegers),
       source("right", kIntegers), flag("ltrans"), flag("rtrans"),
       flag("result_add"), integer("lshift", 0, 31, 0),
       integer("rshift", 0, 31, 0), flag("do_relu"),
       optionalSource("bias", k16 | k32), rounding("round", 7, 5)},
      joined<Rule>(
          foldedRules(),
          {rule("left and right must have one width; dst of 8 or 16 bits needs "
                "int8 or uint8 operands",
                mmTypeProblem),
           rule(
               "dst must be signed exactly if an operand is and do_relu is not "
               "set",
               mmSignProblem),
           rule("accumulation, bias, relu and lshift need dst of 8 or 16 bits, "
                "rshift that or operands of 32 bits",
                mmStepProblem),
           rule("bias has 16 bits on bm1684x and 32 elsewhere; bm1690 has "
                "neither "
                "shifts nor result_add, bm1688 no result_add",
                mmChipProblem)}),
      R"(tensor<int8> dst({8, 2, 1, 16}), left({8, 2, 1, 20}), right({40, 2, 1, 16});
tiu::mm(dst, left, right, false, false, false, 0, 7, false);)");
  op.spellings = {
      {"dst left right ltrans? rtrans?"},
      {"dst left right ltrans rtrans result_add lshift rshift do_relu"},
      {"dst left right rshift round"},
      {"dst left right ltrans rshift round"},
      {"dst left right bias& result_add lshift rshift do_relu"},
      {"dst left right bias& ltrans result_add lshift rshift do_relu"}};
  op.accumulator = [](const Call &call) {
    bool some = isSigned(call.tensor("right")->type) ||
                isSignedOperand(call, "left") || isSignedOperand(call, "bias");
    return accumulatesAs("dst",
                         some ? DataType::Int16 : DataType::Uint16)(call);
  };
  op.chips = {"bm1684x", "bm1688", "bm1690", "sg2380", "mars3", "sg2260e"};
  return op;
}

static Operation fmmRow() {
  Operation op = function(
      "tiu.fmm", "4.6.5.3",
      "fp32 matrix product in folded matrix layout with bias and accumulation",
      R"(dst(m,n) = [result_add] dst(m,n) + [bias] bias(n) + sum_k left(m,k) * right(k,n)
Order: even = 0, odd = bias or dst alone (with both: even = bias, odd = dst). Product k, rounded to fp32, goes to even if k is even, else to odd; the result is even + odd.)",
      {updated("dst", DataType::Fp32), sourceOrScalar("left", DataType::Fp32),
       source("right", DataType::Fp32), flag("ltrans"), flag("rtrans"),
       flag("result_add"), optionalSource("bias", DataType::Fp32)},
      foldedRules(),
      R"(tensor<fp32> dst({8, 2, 1, 16}), left({8, 2, 1, 20}), right({40, 2, 1, 16});
tiu::fmm(dst, left, right, false, false, false);)");
  op.spellings = {{"dst left right ltrans rtrans result_add"},
                  {"dst left right result_add?"},
                  {"dst left right ltrans result_add"},
                  {"dst left right bias& ltrans? result_add?"}};
  return op;
}

//===----------------------------------------------------------------------===//
// mm2, fmm2: a row in a lane
//===----------------------------------------------------------------------===//

namespace {
/// Where M, K and N of a form stand: axis 1 or 3 of each operand.
struct Form {
  std::string_view suffix, shapes;
  bool leftIsTransposed, rightIsTransposed;
};
} // namespace

static constexpr Form kForms[] = {
    {"nn", "left [1, M, 1, K], right [1, K, 1, N], result [1, M, 1, N]", false,
     false},
    {"nt", "left [1, M, 1, K], right [1, N, 1, K], result [1, M, 1, N]", false,
     true},
    {"tt", "left [1, K, 1, M], right [1, N, 1, K], result [1, N, 1, M]", true,
     true}};

static std::string formProblem(const Call &call, const Form &form,
                               std::string_view result) {
  const Tensor *dst = call.tensor(result), *left = call.tensor("left"),
               *right = call.tensor("right");
  for (std::string_view name :
       {result, std::string_view("left"), std::string_view("right")})
    if (const Tensor *tensor = call.tensor(name);
        tensor && (tensor->shape[0] != 1 || tensor->shape[2] != 1))
      return str(name) + " has shape " + sizesText(tensor->shape);
  bool swaps = form.leftIsTransposed;
  int64_t rows = dst->shape[swaps ? 3 : 1], columns = dst->shape[swaps ? 1 : 3];
  if (left && left->shape[swaps ? 3 : 1] != rows)
    return "M is " + std::to_string(left->shape[swaps ? 3 : 1]) +
           " in left and " + std::to_string(rows) + " in " + str(result);
  if (right && right->shape[form.rightIsTransposed ? 1 : 3] != columns)
    return "N is " +
           std::to_string(right->shape[form.rightIsTransposed ? 1 : 3]) +
           " in right and " + std::to_string(columns) + " in " + str(result);
  if (!left || !right)
    return {};
  int64_t depth = left->shape[swaps ? 1 : 3],
          other = right->shape[form.rightIsTransposed ? 3 : 1];
  if (depth == other)
    return {};
  return "K is " + std::to_string(depth) + " in left and " +
         std::to_string(other) + " in right";
}

/// A value for every column of the product: repeated in every lane, or with a
/// transposed result down the channels. `words` of it a column.
static Rule columnParameter(std::string_view name, const Form &form,
                            std::string_view result, int64_t words) {
  std::string text =
      str(name) +
      (form.leftIsTransposed
           ? " must be compact [1, N, 1, " + std::to_string(words) + "]"
           : " must be aligned [1, LANE_NUM, " +
                 str(words == 1 ? "1, N]" : "N, 2]") +
                 ", the same in every lane");
  return rule(text, [name, &form, result, words](const Call &call) {
    const Tensor *tensor = call.tensor(name), *dst = call.tensor(result);
    if (!tensor)
      return std::string();
    bool swaps = form.leftIsTransposed;
    int64_t columns = dst->shape[swaps ? 1 : 3], lanes = call.chip->lanes;
    Dims want = swaps        ? Dims{1, columns, 1, words}
                : words == 1 ? Dims{1, lanes, 1, columns}
                             : Dims{1, lanes, columns, words};
    if (tensor->shape != want)
      return str(name) + " has shape " + sizesText(tensor->shape) + ", takes " +
             sizesText(want);
    AlignMode mode = swaps ? AlignMode::Compact : AlignMode::Aligned;
    if (tensor->layout != mode &&
        tensor->strides != stridesOf(mode, tensor->type, tensor->shape,
                                     tensor->lane, *call.chip))
      return str(name) + " is " + str(spelling(tensor->layout));
    return std::string();
  });
}

static std::vector<Rule> formRules(const Form &form, std::string_view result) {
  std::vector<Rule> rules = {
      someTensor({"left", "right"}),
      rule(str(form.shapes) + " (n and h are 1)",
           [&form, result](const Call &call) {
             return formProblem(call, form, result);
           }),
      columnParameter("bias", form, result, 1),
      typeNumberOf("out_dtype", result),
      apart(result, {"left", "right", "bias", "r_zp", "requant"})};
  for (std::string_view name :
       {result, std::string_view("left"), std::string_view("right")})
    rules.push_back(layoutIs(name, {AlignMode::Aligned}));
  for (std::string_view name :
       {result, std::string_view("left"), std::string_view("right"),
        std::string_view("bias"), std::string_view("r_zp"),
        std::string_view("requant")})
    rules.push_back(startsInLaneZero(name));
  return rules;
}

static Rule noAddWithNt(const Form &form) {
  return rule("bm1684x does not add to the result of a product with a "
              "transposed right matrix alone: use nn or tt",
              [&form](const Call &call) {
                bool isNt = form.rightIsTransposed && !form.leftIsTransposed;
                return isNt && call.chip->kernelName() == "bm1684x" &&
                               call.integer("result_add")
                           ? std::string("result_add is set")
                           : std::string();
              });
}

static std::string byteProductProblem(const Call &call) {
  DataType dst = call.tensor("rst")->type;
  bool requantises = call.tensor("requant") ||
                     call.integer("multiplier") != 1 ||
                     call.integer("shift") != 0 || call.integer("offset") != 0;
  if (!call.tensor("requant") && call.real("requant") != 0)
    return "requant is a number, " + std::to_string(call.integer("requant"));
  bool is8 = bitsOf(dst) == 8;
  if (is8 && !requantises)
    return "rst is " + str(spelling(dst)) + " without requant";
  if (requantises && bitsOf(dst) == 32)
    return "rst is " + str(spelling(dst)) + " with requant";
  if (call.tensor("requant") &&
      (call.integer("multiplier") != 1 || call.integer("shift") != 0 ||
       call.integer("offset") != 0))
    return "both requant and multiplier, shift or offset are given";
  return {};
}

static std::string reducedProblem(const Call &call) {
  if (call.chip->kernelName() != "bm1684x")
    return {};
  if (call.tensor("bias") || call.real("bias") != 0)
    return "bias is given";
  for (std::string_view name : {"do_relu", "saturate"})
    if (call.integer(name))
      return str(name) + " is set";
  DataType dst = call.tensor("rst")->type;
  if (bitsOf(dst) != 32)
    return "rst is " + str(spelling(dst));
  const Tensor *zero = call.tensor("r_zp");
  if (zero && bitsOf(zero->type) != 8)
    return "r_zp is " + str(spelling(zero->type));
  // One bit gives the sign of right and of its zero point.
  bool hasSign =
      isSignedOperand(call, "right") || isSignedOperand(call, "r_zp");
  for (std::string_view name : {"right", "r_zp"}) {
    const Tensor *tensor = call.tensor(name);
    if (tensor ? isSigned(tensor->type) != hasSign
               : hasSign && call.real(name) > 127)
      return str(name) + " is unsigned, " +
             (name == "right" ? "r_zp" : "right") + " is signed";
  }
  return {};
}

static std::string byteSignProblem(const Call &call) {
  DataType dst = call.tensor("rst")->type;
  bool some = isSignedOperand(call, "left") || isSignedOperand(call, "right");
  if (bitsOf(dst) == 32 && !isSigned(dst) && some)
    return "rst is " + str(spelling(dst)) + " and an operand is signed";
  return {};
}

static std::string byteNumberProblem(const Call &call) {
  for (std::string_view name : {"left", "right", "r_zp"}) {
    if (call.tensor(name))
      continue;
    double value = call.real(name);
    if (!(value >= -128 && value <= 255) || value != double(int64_t(value)))
      return str(name) + " is " + std::to_string(value);
  }
  return {};
}

static Operation mm2Row(const Form &form, std::string_view name,
                        std::string_view summary, std::string_view example) {
  Operation op = function(
      name, "4.6.5.4", summary,
      R"(a(m,n) = [result_add] rst(m,n) + sum_k left(m,k) * (right(k,n) - r_zp(n)) + bias(n), modulo 2^32; if do_relu: a = max(a, 0)
without requant: rst = a (saturated to a result of 16 bits, as with saturate below)
with requant: s = a * multiplier(n) * 2^shift(n) (to the left if shift is positive, else rounded by round_mode), saturated to int32
rst = s + offset(n), saturated to the type of rst (with saturate a signed type begins at its minimum + 1)
A tensor requant holds for every column multiplier, then shift in bits 7..0 and offset in bits 31..16. tt stores rst transposed.)",
      {updated("rst", kIntegers), sourceOrScalar("left", k8),
       sourceOrScalar("right", k8), optionalSourceOrScalar("bias", k32, 0),
       flag("result_add"), typeNumber("out_dtype"), flag("do_relu"),
       optionalSourceOrScalar("r_zp", k8 | k16, 0),
       optionalSourceOrScalar("requant", k32, 0),
       integer("multiplier", INT32_MIN, INT32_MAX, 1),
       integer("shift", -63, 31, 0), integer("offset", -32768, 32767, 0),
       flag("saturate"), rounding("round_mode", 7, 1)},
      joined<Rule>(
          formRules(form, "rst"),
          {columnParameter("r_zp", form, "rst", 1),
           columnParameter("requant", form, "rst", 2),
           rule("a number in place of a tensor of bytes must be whole and -128 "
                "to "
                "255",
                byteNumberProblem),
           rule("rst must be int32 or uint32 without requant, of 8 or 16 bits "
                "with it; a tensor requant replaces multiplier, shift and "
                "offset",
                byteProductProblem),
           rule("bm1684x multiplies to 32 bits without bias, relu, requant and "
                "saturate, with a zero point of the type of right: use "
                "tiu::add and "
                "tiu::rq1 on the result",
                reducedProblem),
           rule("rst must be signed if an operand is", byteSignProblem),
           noAddWithNt(form)}),
      example);
  op.spellings = {
      {"rst left right bias result_add out_dtype do_relu r_zp requant? "
       "multiplier? shift? offset? saturate? round_mode?"},
      {"rst left right result_add? saturate? round_mode?"}};
  op.chipNote =
      "bm1684x: no bias, relu, requant, saturate, and for nt no result_add";
  return op;
}

static std::string halfTypeProblem(const Call &call) {
  const Tensor *left = call.tensor("left"), *right = call.tensor("right");
  DataType dst = call.tensor("dst")->type, in = (left ? left : right)->type;
  if (left && right && left->type != right->type)
    return "left is " + str(spelling(left->type)) + ", right " +
           str(spelling(right->type));
  std::string_view chip = call.chip->kernelName();
  bool hasSmall = chip != "bm1684x" && chip != "bm1688" && chip != "mars3";
  if (kFp8.contains(in) && !hasSmall)
    return "left is " + str(spelling(in)) + " on " + str(chip);
  if (in == DataType::Fp16 && chip == "mars3")
    return "left is fp16 on mars3";
  if (dst == in || dst == DataType::Fp32 ||
      (kFp8.contains(in) && kHalves.contains(dst)))
    return {};
  return "dst is " + str(spelling(dst)) + ", left " + str(spelling(in));
}

static std::string halfChipProblem(const Call &call) {
  std::string_view chip = call.chip->kernelName();
  bool hasBias = call.tensor("bias") || call.real("bias") != 0;
  bool scales = call.tensor("requant") ||
                (call.real("requant") != 0 && call.real("requant") != 1);
  if (chip == "bm1684x" && (hasBias || call.integer("do_relu")))
    return str(hasBias ? "bias" : "do_relu") + " is given on bm1684x";
  if (scales && (chip == "bm1684x" || chip == "bm1688" || chip == "mars3"))
    return "requant is given on " + str(chip);
  if (call.integer("saturate") && chip != "sg2260e" && chip != "sg2262")
    return "saturate is set on " + str(chip);
  return {};
}

static Operation fmm2Row(const Form &form, std::string_view name,
                         std::string_view summary, std::string_view example) {
  Operation op = function(
      name, "4.6.5.5", summary,
      R"(dst(m,n) = relu([result_add] dst(m,n) + [bias] bias(n) + sum_k left(m,k) * right(k,n)) * requant(n), rounded to nearest even; tt stores it transposed
Order: acc (fp32) starts from dst, adds the bias, then one term for each NIC consecutive k: the exact products, each cut toward zero to 24 fraction bits below the largest one's exponent, added exactly, rounded to fp32.
With result_add the old dst is read as fp32, aligned, whatever its type.)",
      {updated("dst", kFloats | kFp8), sourceOrScalar("left", kHalves | kFp8),
       sourceOrScalar("right", kHalves | kFp8),
       optionalSourceOrScalar("bias", kFloats, 0), flag("result_add"),
       typeNumber("out_dtype"), flag("do_relu"), flag("saturate"),
       optionalSourceOrScalar("requant", DataType::Fp32, 0)},
      joined<Rule>(
          formRules(form, "dst"),
          {columnParameter("requant", form, "dst", 1),
           rule("left and right must have one type; dst has it or a wider one "
                "(fp8 needs bm1690, sg2380, sg2260e or sg2262, mars3 has bf16)",
                halfTypeProblem),
           rule("bias and relu are not on bm1684x, requant not on bm1684x, "
                "bm1688 "
                "and mars3, saturate on sg2260e and sg2262",
                halfChipProblem),
           noAddWithNt(form)}),
      example);
  op.spellings = {{"dst left right bias result_add out_dtype do_relu? "
                   "saturate? requant=1.0f"},
                  {"dst left right result_add?"}};
  op.accumulator = accumulatesAs("dst", DataType::Fp32);
  op.chipNote = "bm1684x: no bias, relu, requant, and for nt no result_add; "
                "fp8 on bm1690 and later";
  return op;
}

std::vector<Operation> catalog::tiuMatMulOperations() {
  return {
      mmRow(),
      fmmRow(),
      mm2Row(kForms[0], "tiu.mm2_nn",
             "product of byte matrices, one row in a lane",
             R"(tensor<int32> rst({1, 16, 1, 48});
tensor<int8> left({1, 16, 1, 32}), right({1, 32, 1, 48});
tiu::mm2_nn(rst, left, right, false, false, RM_HALF_UP);)"),
      mm2Row(kForms[1], "tiu.mm2_nt",
             "product of byte matrices, right stored transposed",
             R"(tensor<int32> rst({1, 16, 1, 48});
tensor<int8> left({1, 16, 1, 32}), right({1, 48, 1, 32});
tiu::mm2_nt(rst, left, right, false, false, RM_HALF_UP);)"),
      mm2Row(kForms[2], "tiu.mm2_tt",
             "product of byte matrices, all stored transposed",
             R"(tensor<int32> rst({1, 48, 1, 16});
tensor<int8> left({1, 32, 1, 16}), right({1, 48, 1, 32});
tiu::mm2_tt(rst, left, right, false, false, RM_HALF_UP);)"),
      fmm2Row(kForms[0], "tiu.fmm2_nn",
              "product of half-precision matrices, one row in a lane",
              R"(tensor<fp32> dst({1, 16, 1, 48});
tensor<fp16> left({1, 16, 1, 32}), right({1, 32, 1, 48});
tiu::fmm2_nn(dst, left, right);)"),
      fmm2Row(
          kForms[1], "tiu.fmm2_nt",
          "product of half-precision matrices, right stored transposed",
          R"(tensor<bf16> dst({1, 16, 1, 48}), left({1, 16, 1, 32}), right({1, 48, 1, 32});
tiu::fmm2_nt(dst, left, right);)"),
      fmm2Row(
          kForms[2], "tiu.fmm2_tt",
          "product of half-precision matrices, all stored transposed",
          R"(tensor<fp16> dst({1, 48, 1, 16}), left({1, 32, 1, 16}), right({1, 48, 1, 32});
tiu::fmm2_tt(dst, left, right);)")};
}
