#include "runtime/bmodel/Certificate.h"
#include "tests/unit/runtime/VendorFiles.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace weft::rt;
using testing::HasSubstr;

namespace {

wire::CertificateT makeCertificate() {
  wire::CertificateT certificate;
  certificate.data_sha256.assign(32, 1);
  certificate.net = "small";
  certificate.stages = {0};
  certificate.outputs.push_back(std::make_unique<wire::CertifiedOutputT>());
  certificate.outputs[0]->name = "y";
  certificate.outputs[0]->sqnr_db = std::numeric_limits<double>::infinity();
  return certificate;
}

/// The bytes of `file` with `certificate` behind them.
std::vector<uint8_t> certified(const std::vector<uint8_t> &file,
                               const wire::CertificateT &certificate) {
  Result<Bmodel> model = Bmodel::load(file, "small");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  Result<std::vector<uint8_t>> bytes = certificateBytes(*model, certificate);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  ByteSpan content = contentOf(model->fileBytes());
  std::vector<uint8_t> all(content.data, content.data + content.size);
  all.insert(all.end(), bytes->begin(), bytes->end());
  return all;
}

Status checked(const std::vector<uint8_t> &file, size_t stage = 0) {
  Result<Bmodel> model = Bmodel::load(file, "small");
  return model ? checkCertificate(*model, model->nets()[0], stage)
               : model.status();
}

TEST(Certificate, IsOfTheFileBeforeIt) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  std::vector<uint8_t> all = certified(file, makeCertificate());
  ASSERT_GT(all.size(), file.size());
  EXPECT_TRUE(std::equal(file.begin(), file.end(), all.begin()));
  Result<Bmodel> model = Bmodel::load(all, "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ASSERT_NE(model->certificate(), nullptr);
  EXPECT_EQ(certificateState(*model), CertificateState::Fits);
  EXPECT_TRUE(std::isinf(model->certificate()->outputs.at(0)->sqnr_db));
  EXPECT_TRUE(checked(all).isOk());
  // A second one takes the place of the first.
  EXPECT_EQ(certified(all, makeCertificate()), all);
}

TEST(Certificate, IsNotOfChangedFiles) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  std::vector<uint8_t> all = certified(file, makeCertificate());
  size_t loaded = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    std::vector<uint8_t> changed = all;
    changed[i] ^= 1;
    Result<Bmodel> model = Bmodel::load(changed, "small");
    if (!model)
      continue; // the loader has seen it
    // A changed size in the header ends the file elsewhere.
    if (!model->certificate())
      continue;
    ++loaded;
    EXPECT_EQ(certificateState(*model), CertificateState::OfOtherBytes) << i;
    Status status = checkCertificate(*model, model->nets()[0], 0);
    EXPECT_EQ(status.code(), Code::BadFile);
    EXPECT_THAT(status.message(), HasSubstr("was changed after"));
  }
  EXPECT_GT(loaded, 300u); // of what no check of the loader covers
}

TEST(Certificate, IsOfStages) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  EXPECT_EQ(checked(file).code(), Code::NotFound);
  wire::CertificateT other = makeCertificate();
  other.stages = {1, 2};
  EXPECT_THAT(checked(certified(file, other)).message(),
              HasSubstr("its certificate is not of stage 0 of net 'small'"));
  other = makeCertificate();
  other.net = "another";
  EXPECT_EQ(checked(certified(file, other)).code(), Code::BadFile);
}

/// What the loader says of a file whose certificate another program has made.
std::string messageWith(void (*edit)(wire::CertificateT &)) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  wire::CertificateT certificate = makeCertificate();
  certificate.content_sha256.assign(32, 1);
  edit(certificate);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::Certificate::Pack(builder, &certificate));
  for (char c : std::string("WEFTCERT"))
    file.push_back(uint8_t(c));
  for (size_t i = 0; i < 8; ++i)
    file.push_back(uint8_t(uint64_t(builder.GetSize()) >> (8 * i)));
  Digest digest = sha256(builder.GetBufferPointer(), builder.GetSize());
  file.insert(file.end(), digest.begin(), digest.end());
  file.insert(file.end(), builder.GetBufferPointer(),
              builder.GetBufferPointer() + builder.GetSize());
  return checked(file).message();
}

TEST(Certificate, WithFaultsIsRefused) {
  EXPECT_THAT(messageWith([](auto &c) { c.data_sha256.pop_back(); }),
              HasSubstr("data_sha256 has 31 bytes, must have 32"));
  EXPECT_THAT(messageWith([](auto &c) { c.model_sha256.assign(33, 0); }),
              HasSubstr("model_sha256 has 33 bytes, must have none or 32"));
  EXPECT_THAT(messageWith([](auto &c) { c.reference_sha256.assign(1, 0); }),
              HasSubstr("reference_sha256 has 1 bytes, must have none or 32"));
  EXPECT_THAT(
      messageWith([](auto &c) { c.reference = wire::CertifiedReference(3); }),
      HasSubstr("reference is 3, must be 0 to 2"));
}

TEST(Certificate, WithFiguresThatAreNoNumbersIsRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(messageWith([](auto &c) { c.outputs[0]->cosine = kNan; }),
              HasSubstr("cosine of 'y' is not a number"));
  EXPECT_THAT(messageWith([](auto &c) { c.worst_layer_sqnr_db = kNan; }),
              HasSubstr("worst_layer_sqnr_db is not a number"));
  EXPECT_THAT(messageWith([](auto &c) {
                c.limits.push_back(std::make_unique<wire::CertifiedLimitT>());
                c.limits[0]->key = "bias";
                c.limits[0]->value = kNan;
              }),
              HasSubstr("the limit of 'bias' is not a number"));
  EXPECT_THAT(messageWith([](auto &c) {
                c.limits.push_back(std::make_unique<wire::CertifiedLimitT>());
                c.limits[0]->key = "bias";
                c.limits[0]->usual = kNan;
              }),
              HasSubstr("the default of 'bias' is not a number"));
  EXPECT_THAT(messageWith([](auto &c) {
                c.measures.push_back(
                    std::make_unique<wire::CertifiedMeasureT>());
                c.measures[0]->name = "score";
                c.measures[0]->least = kNan;
              }),
              HasSubstr("least of 'score' is not a number"));
  // Nor is one written, which would make the program unreadable.
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  wire::CertificateT certificate = makeCertificate();
  certificate.outputs[0]->max_error = kNan;
  Result<std::vector<uint8_t>> bytes =
      certificateBytes(*model, std::move(certificate));
  ASSERT_FALSE(bytes.isOk());
  EXPECT_EQ(bytes.status().message(), "small: cannot be certified: max_error "
                                      "of 'y' is not a number");
}

TEST(Certificate, NeverCrashesWithBrokenBytes) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  std::vector<uint8_t> all = certified(file, makeCertificate());
  std::string where =
      "small: certificate at byte " + std::to_string(file.size()) + ": ";
  for (size_t i = file.size(); i < all.size(); ++i)
    for (uint8_t bit : {0x01, 0x80}) {
      std::vector<uint8_t> changed = all;
      changed[i] ^= bit;
      Result<Bmodel> model = Bmodel::load(changed, "small");
      // Without its first bytes it is none any more.
      if (bool isNone = i < file.size() + 8; model.isOk() || isNone) {
        ASSERT_TRUE(model.isOk() && isNone) << i - file.size();
        EXPECT_EQ(model->certificate(), nullptr);
        EXPECT_EQ(certificateState(*model), CertificateState::None);
        continue;
      }
      EXPECT_THAT(model.status().message(), HasSubstr(where));
    }
  for (size_t size = file.size() + 8; size < all.size(); ++size) {
    std::vector<uint8_t> cut(all.begin(), all.begin() + size);
    Result<Bmodel> model = Bmodel::load(cut, "small");
    ASSERT_FALSE(model.isOk()) << size;
    EXPECT_THAT(model.status().message(), HasSubstr(where + "its head says"));
  }
  all.push_back(0);
  EXPECT_FALSE(Bmodel::load(all, "small").isOk());
}

/// Of each kind of damage; the program's own bytes are sound.
TEST(Certificate, TakesThePlaceOfADamagedOne) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  const std::vector<uint8_t> all = certified(file, makeCertificate());
  std::vector<std::vector<uint8_t>> damaged;
  for (size_t size : {file.size() + 1, file.size() + 7, file.size() + 8,
                      file.size() + 30, all.size() - 1})
    damaged.emplace_back(all.begin(), all.begin() + size);
  damaged.push_back(all); // twice
  damaged.back().insert(damaged.back().end(), all.begin() + file.size(),
                        all.end());
  damaged.push_back(all); // another figure
  damaged.back().back() ^= 1;
  const std::string path = testing::TempDir() + "/damaged.bmodel";
  for (const std::vector<uint8_t> &bytes : damaged) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               std::streamsize(bytes.size()));
    Result<Bmodel> model = Bmodel::loadToCertify(path);
    ASSERT_TRUE(model.isOk()) << model.status().message();
    EXPECT_EQ(model->certificate(), nullptr);
    // What is left of a few bytes could be anybody's.
    bool isKnown = bytes.size() >= file.size() + 8;
    EXPECT_EQ(certificateState(*model),
              isKnown ? CertificateState::Damaged : CertificateState::None);
    EXPECT_EQ(Bmodel::load(path).isOk(), !isKnown);
    if (isKnown) {
      EXPECT_THAT(Bmodel::load(path).status().message(),
                  HasSubstr("weft compare --certify writes another one in its "
                            "place, or cut it off (truncate -s " +
                            std::to_string(file.size()) + " FILE)"));
      EXPECT_THAT(checkCertificate(*model, model->nets()[0], 0).message(),
                  HasSubstr("has a certificate that is damaged"));
    }
    Result<std::vector<uint8_t>> written =
        certificateBytes(*model, makeCertificate());
    ASSERT_TRUE(written.isOk()) << written.status().message();
    EXPECT_TRUE(std::equal(written->begin(), written->end(),
                           all.begin() + file.size(), all.end()));
  }
}

TEST(Certificate, DoesNotReplaceWhatOthersPutThere) {
  std::vector<uint8_t> file = packModel(makeSmallModel());
  file.push_back('?');
  Result<Bmodel> model = Bmodel::load(file, "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ(model->certificate(), nullptr);
  Result<std::vector<uint8_t>> bytes =
      certificateBytes(*model, makeCertificate());
  ASSERT_FALSE(bytes.isOk());
  EXPECT_EQ(bytes.status().code(), Code::Unsupported);
  EXPECT_THAT(bytes.status().message(),
              HasSubstr("1 bytes of another program, where the certificate "
                        "would; if nobody needs them, cut them off (truncate "
                        "-s " +
                        std::to_string(file.size() - 1) + " FILE)"));
}

TEST(Certificate, MayBeOfFilesOfTheVendor) {
  for (const std::string &path : weft::test::vendorFiles()) {
    Result<Bmodel> model = Bmodel::load(path);
    ASSERT_TRUE(model.isOk()) << model.status().message();
    wire::CertificateT certificate = makeCertificate();
    certificate.net = model->nets()[0].name;
    EXPECT_TRUE(checked(certified(readFile(path), certificate)).isOk()) << path;
  }
}

} // namespace
