//===- ocr.cpp - reads the text of a page and draws it --------------------===//
//
// The counterpart of ocr.py: the same options, the same lines on stdout.
//
//===----------------------------------------------------------------------===//

#include "Picture.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

using namespace ocr;

static constexpr const char *kFont = // Debian's fonts-wqy-microhei
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc";

/// The image as B, G, R, upright as its Exif data say.
static cv::Mat pageOf(const std::string &path) {
  if (!std::filesystem::is_regular_file(path))
    throw ReadError(path + ": no such file");
  cv::Mat image;
  try {
    image = cv::imread(path, cv::IMREAD_COLOR);
  } catch (const cv::Exception &) { // more pixels than OpenCV reads
  }
  if (image.empty())
    throw ReadError(path + ": not an image that OpenCV reads (PNG, JPEG, ..)");
  return image;
}

static std::string suffixOf(const std::string &path) {
  return std::filesystem::path(path).extension();
}

/// Before minutes of reading, not after.
static void requireFormat(const std::string &path) {
  if (!cv::haveImageWriter(path))
    throw ReadError(path + ": '" + suffixOf(path) +
                    "' is no format that OpenCV writes; take .png or .jpg");
}

static void writePicture(const std::string &path, const cv::Mat &picture) {
  std::vector<uchar> content;
  cv::imencode(suffixOf(path), picture, content);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(content.data()), content.size());
  if (!file.flush())
    throw ReadError(path + ": cannot be written");
}

static void print(const Line &line) {
  std::printf("%.3f\t", line.score);
  for (size_t i = 0; i < line.box.size(); ++i)
    std::printf("%s%d,%d", i ? " " : "", line.box[i].x, line.box[i].y);
  std::printf("\t%s\n", line.text.c_str());
}

int main(int argc, char **argv) {
  CLI::App app("Reads the text of a page and draws it. MODELS is the folder "
               "that convert.py wrote. Prints a line for each line of text: "
               "probability, corners of its box from the top left, clockwise, "
               "and the text, with tabs between them.");
  std::string models, image, output, device = "emulator", library, font = kFont;
  app.add_option("models", models)->required();
  app.add_option("image", image)->required();
  app.add_option("-o,--output", output,
                 "Picture of the page with its boxes and of what was read");
  app.add_option("--device", device, "emulator (the default) or bmrt")
      ->check(CLI::IsMember({"emulator", "bmrt"}));
  app.add_option("--bmrt-lib", library, "libbmrt.so; default: WEFT_BMRT_LIB");
  app.add_option("--font", font);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  weft_device_options options = {};
  options.struct_bytes = sizeof options;
  options.kind = device == "bmrt" ? WEFT_BMRT : WEFT_EMULATOR;
  options.bmrt_library = library.empty() ? nullptr : library.c_str();
  try {
    std::optional<Font> letters;
    if (!output.empty()) {
      requireFormat(output);
      letters.emplace(font);
    }
    cv::Mat page = pageOf(image);
    std::vector<Line> lines = Reader(models, options).lines(page);
    for (const Line &line : lines)
      print(line);
    if (letters)
      writePicture(output, picture(page, lines, *letters));
  } catch (const ReadError &error) {
    std::fprintf(stderr, "ocr: error: %s\n", error.what());
    return 2;
  }
  return 0;
}
