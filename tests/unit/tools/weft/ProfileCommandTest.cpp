//===- ProfileCommandTest.cpp - weft profile on files made by hand -------===//
//
// Files with several nets and stages, which no compiler at hand makes. The rest
// is tested from outside (tests/cli/profile_test.py).
//
//===----------------------------------------------------------------------===//

#include "runtime/isa/Decode.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include "tests/unit/tools/TemporaryFolder.h"
#include "tools/weft/ProfilePage.h"
#include "tools/weft/ProfileReport.h"
#include "tools/weft/Program.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace weft;
using Json = nlohmann::ordered_json;

namespace {

class ProfileCommand : public testing::Test {
protected:
  std::string write(const rt::SmallModel &model) {
    std::string path = folder.file("model.bmodel");
    std::vector<uint8_t> bytes = rt::packModel(model);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    return path;
  }
  /// Two nets; the second has two stages and a name that is no HTML.
  std::string writeTwoNets() {
    rt::SmallModel model = rt::makeSmallModel();
    auto copyOf = [&] {
      return std::make_unique<rt::wire::NetT>(*model.tables.nets[0]);
    };
    auto second = copyOf();
    second->name = "<script>/* tables.js */</script>";
    second->stages.push_back(
        std::make_unique<rt::wire::NetParameterT>(*second->stages[0]));
    // The loader wants stages apart by their shapes.
    for (auto *list : {&second->stages[1]->inputs, &second->stages[1]->outputs})
      for (auto &tensor : *list) {
        tensor->shape[0]->dims = {1, 2, 2, 4};
        tensor->onnx->dims = {2, 8};
      }
    model.tables.nets.push_back(std::move(second));
    return write(model);
  }

  /// Exit code; the output goes to `output` and `errors`.
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"weft", "profile"});
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    cli::Program program;
    cli::addProfileCommand(program);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = program.run(int(pointers.size()), pointers.data());
    output = testing::internal::GetCapturedStdout();
    errors = testing::internal::GetCapturedStderr();
    return code;
  }

  test::TemporaryFolder folder{"profile"};
  std::string output, errors;
};

TEST_F(ProfileCommand, several_nets_want_a_name) {
  std::string path = writeTwoNets();
  EXPECT_EQ(run({path}), 2);
  EXPECT_EQ(output, "");
  EXPECT_NE(errors.find("there are several nets"), std::string::npos) << errors;
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1);
  EXPECT_EQ(run({path, "--net", "nope"}), 2);
  EXPECT_NE(errors.find("there is no net 'nope'"), std::string::npos) << errors;
}

TEST_F(ProfileCommand, stages_are_chosen_by_number) {
  std::string path = writeTwoNets();
  std::string name = "<script>/* tables.js */</script>";
  ASSERT_EQ(run({path, "--net", name, "--json"}), 0) << errors;
  Json first = Json::parse(output);
  EXPECT_EQ(first["net"], name);
  EXPECT_EQ(first["stage"], 0);
  EXPECT_EQ(first["stages"], 2);
  ASSERT_EQ(run({path, "--net", name, "--stage", "1", "--json"}), 0) << errors;
  EXPECT_EQ(Json::parse(output)["stage"], 1);
  EXPECT_EQ(run({path, "--net", name, "--stage", "2"}), 2);
  EXPECT_NE(errors.find("there is no stage 2"), std::string::npos) << errors;
  EXPECT_EQ(run({path, "--net", name, "--stage", "-1"}), 2);
  EXPECT_EQ(run({path, "--net", name, "--stage", "99999999999999999999"}), 2);
}

TEST_F(ProfileCommand, names_cannot_leave_their_place_in_the_page) {
  std::string path = writeTwoNets(), page = folder.file("page.html");
  std::string name = "<script>/* tables.js */</script>";
  ASSERT_EQ(run({path, "--net", name, "--html", page}), 0) << errors;
  std::vector<uint8_t> bytes = rt::readFile(page);
  std::string text(bytes.begin(), bytes.end());
  // Two script elements, those of the template.
  size_t scripts = 0;
  for (size_t at = text.find("<script"); at != std::string::npos;
       at = text.find("<script", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2u);
  EXPECT_NE(text.find("\\u003cscript>/* tables.js */"), std::string::npos);
}

TEST_F(ProfileCommand, a_hundred_thousand_commands_fit_a_page) {
  constexpr uint32_t kCommands = 100'000;
  constexpr size_t kBytes = 96;
  rt::SmallModel model = rt::makeSmallModel();
  model.tables.nets[0]->stages[0]->debug_map.reset();
  std::vector<uint8_t> commands;
  for (uint32_t i = 0; i < kCommands; ++i) {
    commands.insert(commands.end(), model.gdma(), model.gdma() + kBytes);
    uint8_t *command = &commands[i * kBytes];
    ASSERT_TRUE(
        isa::set(isa::Form::DMA_tensor, isa::Field::cmd_id, command, i + 1));
    // To local memory, here and there.
    uint64_t to = 0x08000000 + i % 4000 * 64;
    ASSERT_TRUE(isa::set(isa::Form::DMA_tensor, isa::Field::dst_start_addr_l32,
                         command, to));
    ASSERT_TRUE(isa::set(isa::Form::DMA_tensor, isa::Field::dst_start_addr_h8,
                         command, 0));
  }
  std::array<uint8_t, 16> end = isa::makeGdmaEnd(kCommands + 1);
  commands.insert(commands.end(), end.begin(), end.end());
  model.setCounts(1, kCommands + 1);
  auto &stage = *model.tables.nets[0]->stages[0];
  for (auto *group :
       {stage.groups[0].get(), stage.sub_nets[0]->groups[0].get()}) {
    *group->gdma_blob = rt::wire::Blob(model.binary.size(), commands.size());
    group->gdma_bytes = uint32_t(commands.size());
  }
  model.binary.insert(model.binary.end(), commands.begin(), commands.end());
  std::string path = write(model), page = folder.file("page.html");
  ASSERT_EQ(run({path, "--html", page}), 0) << errors;
  // About 150 bytes a command; twice that is still a page that loads at once.
  EXPECT_LT(std::filesystem::file_size(page), 300u * kCommands);
  EXPECT_GT(std::filesystem::file_size(page), 50u * kCommands);
}

TEST_F(ProfileCommand, a_page_that_cannot_be_written_is_an_error) {
  std::string path = write(rt::makeSmallModel());
  EXPECT_EQ(run({path, "--html", folder.file("none/page.html")}), 2);
  EXPECT_EQ(output, "");
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

} // namespace
