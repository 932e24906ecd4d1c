//===- BisectionTest.cpp - faults of the compiler, and of several nets ---===//
//
// What no compiler at hand gives: a program that is wrong and yet what the
// compiler makes of the model, and files with several nets. The rest is tested
// from outside (tests/cli/bisect_test.py).
//
//===----------------------------------------------------------------------===//

#include "tools/weft/Bisection.h"

#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "tests/unit/tools/TemporaryFolder.h"
#include "tools/weft/Program.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::cli;

static const std::string kData = WEFT_TEST_DATA "/vendor-bmodels/";
/// Of the convolution: the image lies one pixel further to the right.
static const std::string kPad = "opd0_lf_pad=1 opd0_rt_pad=1",
                         kOtherPad = "opd0_lf_pad=2";
static const std::string kModel = kData + "tiny.onnx",
                         kInput = kData + "tiny_input.npz";

namespace {

/// A compiler that makes `made` of the model, where `right` would be right, and
/// `plain` at -O0.
class Compiler : public ExactReference {
public:
  Compiler(const ConversionCheck &check, const samples::SampleFiles &files,
           std::string right, std::string made, std::string plain)
      : check(check), files(files), right(std::move(right)),
        made(std::move(made)), plain(std::move(plain)) {}

  rt::Result<StoredRows> compare(const ModelRun &run) override {
    rt::Result<rt::Bmodel> model = rt::Bmodel::load(right);
    EXPECT_TRUE(model.isOk());
    rt::Result<ModelRun> expected = check.runOther(*model, files);
    EXPECT_TRUE(expected.isOk());
    return compareRuns(run, *expected);
  }
  bool isOfThisVersion() const override { return true; }
  bool isQuick() const override { return true; }
  rt::Result<std::vector<uint8_t>> convertAgain() override {
    return rt::readFile(made);
  }
  rt::Result<std::vector<uint8_t>> convertPlainly() override {
    return rt::readFile(plain);
  }

private:
  const ConversionCheck &check;
  const samples::SampleFiles &files;
  std::string right, made, plain;
};

class CompilerFaults : public testing::Test {
protected:
  /// Runs `weft` with these arguments.
  int weft(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "weft");
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    cli::Program program;
    cli::addConvertCommand(program);
    cli::addDisasmCommand(program);
    cli::addAsmCommand(program);
    cli::addCompareCommand(program);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = program.run(int(pointers.size()), pointers.data());
    output = testing::internal::GetCapturedStdout();
    errors = testing::internal::GetCapturedStderr();
    return code;
  }
  std::string convert(const std::string &name, const std::string &level) {
    std::string path = folder.file(name);
    EXPECT_EQ(
        weft({"convert", kModel, "-o", path, "--precision", "f32", level}), 0)
        << errors;
    return path;
  }
  /// `program` with the first `from` of its listing behind `line` replaced.
  std::string changed(const std::string &program, const std::string &line,
                      const std::string &from, const std::string &to) {
    EXPECT_EQ(weft({"disasm", program}), 0) << errors;
    size_t at = output.find(line);
    at = output.find(from, at);
    EXPECT_NE(at, std::string::npos) << output;
    std::string listing = folder.file("wrong.s"), path = program + ".wrong";
    std::ofstream(listing) << output.replace(at, from.size(), to);
    EXPECT_EQ(
        weft({"asm", listing, "--into", program, "--unchecked", "-o", path}), 0)
        << errors;
    return path;
  }

  /// What is found in `wrong`, which the compiler makes, with `plain` at -O0.
  Bisection bisection(const std::string &right, const std::string &wrong,
                      const std::string &plain) {
    ReferenceModel model{kModel, wrong, {}, {}, std::nullopt};
    RunRequest request;
    request.model = wrong;
    request.layers = true;
    samples::SampleFiles files = *samples::parseFiles({kInput});
    auto runner = ModelRunner::open(request);
    EXPECT_TRUE(runner.isOk());
    ModelRun run = *(*runner)->run(files);
    auto reference = OnnxReference::open(model);
    EXPECT_TRUE(reference.isOk());
    ReferenceValues values = *(*reference)->evaluate(namedInputs(run), true);
    NamedTensors own =
        *(*reference)->evaluateOnOwnInputs(namedInputs(run), layersOf(run));
    ComparedReference compared{values};
    compared.onOwnInputs = &own;
    compared.isWholeModel = compared.hasOnnxNames = true;
    SampleComparison found =
        compareSample(run, compared, ComparisonLimits(run.precision), false);
    const std::string noTable;
    rt::Result<rt::Bmodel> program = rt::Bmodel::load(wrong);
    EXPECT_TRUE(program.isOk());
    ConversionCheck check(model, *program, request, noTable, {true});
    check.use(std::make_unique<Compiler>(check, files, right, wrong, plain));
    EXPECT_TRUE(check.check(run, files, found).isOk());
    rt::Result<Bisection> result = bisect(check, run, files, found);
    EXPECT_TRUE(result.isOk());
    return *result;
  }

  test::TemporaryFolder folder{"bisection"};
  std::string output, errors;
};

TEST_F(CompilerFaults, that_O0_has_not_are_of_the_schedule) {
  std::string right = convert("right.bmodel", "-O2"),
              plain = convert("plain.bmodel", "-O0"),
              wrong = changed(right, " conv", kPad, kOtherPad);
  Bisection found = bisection(right, wrong, plain);
  EXPECT_EQ(found.stage, BisectedStage::Schedule) << toText(found);
  EXPECT_EQ(found.cause, FaultCause::WrongNumbers);
  ASSERT_TRUE(found.value);
  EXPECT_EQ(found.value->name, "y");
  EXPECT_FALSE(found.nodes.empty());
}

TEST_F(CompilerFaults, that_O0_has_too_are_of_the_emission) {
  std::string right = convert("right.bmodel", "-O2"),
              wrong = changed(right, " conv", kPad, kOtherPad),
              plain = changed(convert("plain.bmodel", "-O0"), " conv", kPad,
                              kOtherPad);
  Bisection found = bisection(right, wrong, plain);
  EXPECT_EQ(found.stage, BisectedStage::Emission) << toText(found);
  ASSERT_TRUE(found.command);
  // The convolution is wrong, the relu behind it writes last.
  EXPECT_NE(found.text.find("the first wrong one is among tiu commands"),
            std::string::npos)
      << toText(found);
}

TEST_F(CompilerFaults, that_there_are_none_of) {
  std::string right = convert("right.bmodel", "-O2");
  EXPECT_EQ(bisection(right, right, right).stage, BisectedStage::None);
}

/// A net beside the first, of the same tables and commands.
TEST_F(CompilerFaults, are_found_in_the_net_that_is_chosen) {
  std::string right = convert("right.bmodel", "-O2"),
              wrong = changed(right, " conv", kPad, kOtherPad);
  rt::Result<rt::Bmodel> first = rt::Bmodel::load(right),
                         second = rt::Bmodel::load(wrong);
  ASSERT_TRUE(first.isOk() && second.isOk());
  rt::SmallModel both;
  first->table().UnPackTo(&both.tables);
  rt::wire::ModelT other;
  second->table().UnPackTo(&other);
  auto binaryOf = [](const rt::Bmodel &model) {
    const rt::ByteSpan file = model.fileBytes();
    const rt::StageSpec &stage = model.nets()[0].stages[0];
    size_t start = size_t(stage.weightBytes.data - file.data) -
                   stage.table->weights()->blob()->start();
    return std::vector<uint8_t>(file.data + start, file.data + file.size);
  };
  // Of the second file only the commands are others; its binary section comes
  // behind the first one's.
  both.binary = binaryOf(*first);
  std::vector<uint8_t> more = binaryOf(*second);
  const uint64_t offset = both.binary.size();
  both.binary.insert(both.binary.end(), more.begin(), more.end());
  for (auto &stage : other.nets[0]->stages) {
    auto move = [&](auto &blob) {
      if (blob)
        blob = std::make_unique<rt::wire::Blob>(blob->start() + offset,
                                                blob->size());
    };
    auto moveGroups = [&](auto &groups) {
      for (auto &group : groups) {
        move(group->tiu_blob);
        move(group->gdma_blob);
      }
    };
    moveGroups(stage->groups);
    for (auto &subNet : stage->sub_nets)
      moveGroups(subNet->groups);
    move(stage->weights->blob);
  }
  other.nets[0]->name = "second";
  both.tables.nets.push_back(std::move(other.nets[0]));
  std::string path = folder.file("both.bmodel");
  std::vector<uint8_t> bytes = rt::packModel(both);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());

  const std::string name = first->nets()[0].name;
  EXPECT_EQ(weft({"compare", kModel, path, "-i", kInput}), 2);
  EXPECT_NE(errors.find("there are several nets"), std::string::npos) << errors;
  EXPECT_EQ(
      weft({"compare", kModel, path, "-i", kInput, "--net", name, "--bisect"}),
      0)
      << output << errors;
  EXPECT_EQ(output.find("warning"), std::string::npos) << output;
  EXPECT_EQ(weft({"compare", kModel, path, "-i", kInput, "--net", "second",
                  "--bisect"}),
            1)
      << output << errors;
  EXPECT_NE(output.find("cause: wrong pad"), std::string::npos) << output;
  EXPECT_EQ(weft({"compare", path, path, "-i", kInput, "--net", name}), 2);
}

} // namespace
