#include "tools/weft/ValueDump.h"
#include "tests/unit/tools/TemporaryFolder.h"
#include "tools/npz/Npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;
using testing::ElementsAre;

namespace {

rt::CapturedValue layer(const std::string &name, ElementType stored,
                        ElementType onnx, double number) {
  rt::CapturedValue value;
  value.name = name;
  value.storedType = stored;
  value.onnxType = onnx;
  value.complete = true;
  value.stored = HostTensor(stored, {2});
  value.stored.setFromDouble(1, number);
  value.tensor = value.stored;
  if (numeric::isFloatType(stored)) { // as LayerCapture gives them
    value.tensor = HostTensor(ElementType::F32, {2});
    value.tensor.setFromDouble(1, number);
  }
  return value;
}

ModelRun run() {
  ModelRun run;
  run.layers = {
      layer("index", ElementType::I32, ElementType::I64, -7),
      layer("flag", ElementType::U8, ElementType::Bool, 1),
      layer("half", ElementType::F16, ElementType::F16, 0.5),
      layer("wide half", ElementType::F32, ElementType::F16, 0.1),
      layer("broken index", ElementType::F32, ElementType::I64, 0.5),
      layer("part", ElementType::F32, ElementType::F32, 2),
      layer("part that goes out", ElementType::F32, ElementType::F32, 2)};
  run.layers[5].complete = run.layers[6].complete = false;
  rt::TensorSpec spec;
  spec.name = "part that goes out";
  spec.storedType = spec.type = ElementType::I8;
  spec.scale = 0.5;
  spec.zeroPoint = 1;
  run.outputSpecs = {spec};
  run.outputs = {HostTensor(ElementType::I8, {1})};
  run.outputs[0].setFromDouble(0, 5);
  return run;
}

} // namespace

TEST(ValueDump, ValuesHaveTheTypesOfOnnxIfThatKeepsThem) {
  ModelRun ran = run();
  ValueDump dump = takeValues(ran, /*stored=*/false);
  std::vector<std::pair<std::string, ElementType>> types;
  for (const DumpedValue &value : dump.values)
    types.push_back({value.name, value.tensor.type()});
  using Row = std::pair<std::string, ElementType>;
  EXPECT_THAT(types, ElementsAre(Row("index", ElementType::I64),
                                 Row("flag", ElementType::Bool),
                                 Row("half", ElementType::F16),
                                 Row("wide half", ElementType::F32),
                                 Row("broken index", ElementType::F32),
                                 Row("part that goes out", ElementType::F32)));
  EXPECT_EQ(dump.values[0].tensor.toDouble(1), -7);
  EXPECT_EQ(dump.values[5].tensor.toDouble(0), 2); // (5 - 1) * 0.5
}

TEST(ValueDump, WhatIsNeverWholeIsLeftOut) {
  ModelRun ran = run();
  EXPECT_THAT(takeValues(ran, false).missing, ElementsAre("part"));
}

TEST(ValueDump, StoredValuesAreAsTheProgramHasThem) {
  ModelRun ran = run();
  ValueDump dump = takeValues(ran, /*stored=*/true);
  for (const DumpedValue &value : dump.values)
    EXPECT_EQ(value.tensor.type(), value.storedType) << value.name;
  EXPECT_EQ(dump.values[5].tensor.toDouble(0), 5);
}

TEST(ValueDump, NoTwoNamesShareAFile) {
  test::TemporaryFolder root("value-dump");
  ValueDump dump;
  const std::string longName(300, 'n');
  for (const std::string &name :
       {std::string("a"), std::string("A"), std::string(""), longName + "1",
        longName + "2", std::string("names.json")})
    dump.values.push_back(
        {name, HostTensor(ElementType::F32, {1}), ElementType::F32, 1, 0, ""});
  ASSERT_TRUE(writeValues(root.file("values"), dump).isOk());
  std::vector<std::string> files;
  for (const DumpedValue &value : dump.values) {
    files.push_back(value.file);
    EXPECT_TRUE(npz::readNpy(root.file("values/" + value.file)).isOk());
  }
  const std::string cut(200, 'n');
  EXPECT_THAT(files, ElementsAre("a.npy", "A~1.npy", "~1.npy", cut + "~1.npy",
                                 cut + "~2.npy", "names.json.npy"));
}
