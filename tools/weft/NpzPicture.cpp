#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/images/Image.h"
#include "tools/weft/NpzVerbs.h"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

struct PictureFlags {
  std::string file, name, output, layout = "nchw";
  bool isColor = false;
};

/// A tensor as planes of one size.
struct Planes {
  int64_t count = 1, height = 1, width = 1;
  int64_t channels = 1; ///< that lie side by side for each pixel

  int64_t index(int64_t plane, int64_t y, int64_t x) const {
    return ((plane / channels * height + y) * width + x) * channels +
           plane % channels;
  }
};

} // namespace

static Planes planesOf(std::vector<int64_t> shape, bool channelsLast) {
  while (shape.size() < 2) // a list is a row
    shape.insert(shape.begin(), 1);
  if (channelsLast && shape.size() == 2)
    shape.push_back(1);
  size_t rows = shape.size() - (channelsLast ? 3 : 2);
  Planes planes;
  planes.height = shape[rows];
  planes.width = shape[rows + 1];
  planes.channels = channelsLast ? shape.back() : 1;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != rows && i != rows + 1)
      planes.count *= shape[i];
  return planes;
}

/// The range of the finite elements becomes 0 to 255, what is beyond it its
/// end, a NaN black; one number everywhere is gray.
static std::vector<uint8_t> shadesOf(const HostTensor &tensor) {
  std::vector<double> values = numeric::loadDoubles(tensor);
  double least = INFINITY, most = -INFINITY;
  for (double value : values)
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  std::vector<uint8_t> shades;
  for (double value : values) {
    // (Halves, because the difference may be infinite.)
    double share =
        least < most ? (value / 2 - least / 2) / (most / 2 - least / 2) : 0.5;
    shades.push_back(
        std::isnan(value)
            ? 0
            : uint8_t(std::lround(255 * std::clamp(share, 0.0, 1.0))));
  }
  return shades;
}

/// Planes row by row in about a square, with a line of black between them.
static images::Image inGrid(const std::vector<uint8_t> &shades,
                            const Planes &planes, int64_t columns,
                            int64_t rows) {
  images::Image image;
  image.channels = 1;
  image.width = columns * (planes.width + 1) - 1;
  image.height = rows * (planes.height + 1) - 1;
  image.pixels.resize(size_t(image.width * image.height));
  for (int64_t plane = 0; plane < planes.count; ++plane)
    for (int64_t y = 0; y < planes.height; ++y)
      for (int64_t x = 0; x < planes.width; ++x)
        image.pixels[size_t((plane / columns * (planes.height + 1) + y) *
                                image.width +
                            plane % columns * (planes.width + 1) + x)] =
            shades[size_t(planes.index(plane, y, x))];
  return image;
}

static images::Image inColor(const std::vector<uint8_t> &shades,
                             const Planes &planes) {
  images::Image image;
  image.channels = 3;
  image.width = planes.width;
  image.height = planes.height;
  for (int64_t y = 0; y < planes.height; ++y)
    for (int64_t x = 0; x < planes.width; ++x)
      for (int64_t plane = 0; plane < 3; ++plane)
        image.pixels.push_back(shades[size_t(planes.index(plane, y, x))]);
  return image;
}

static Result<images::Image> draw(const PictureFlags &flags,
                                  const HostTensor &tensor) {
  const std::string where = flags.file + ": array " +
                            rt::quoteName(flags.name) + " of shape " +
                            numeric::shapeText(tensor.shape());
  if (tensor.elements() == 0)
    return rt::fail(Code::InvalidArgument, where + " has no elements to show");
  Planes planes = planesOf(tensor.shape(), flags.layout == "nhwc");
  if (flags.isColor && planes.count != 3)
    return rt::fail(Code::InvalidArgument, where + " has " +
                                               std::to_string(planes.count) +
                                               " planes; --color takes three");
  auto columns = int64_t(std::ceil(std::sqrt(
      double(planes.count) * double(planes.height) / double(planes.width))));
  columns = std::clamp<int64_t>(columns, 1, planes.count);
  int64_t rows = (planes.count + columns - 1) / columns;
  if (double(columns) * double(planes.width + 1) * double(rows) *
          double(planes.height + 1) >
      double(images::kMaxPixels))
    return rt::fail(Code::Unsupported,
                    where + " needs a picture of more than 100 million pixels");
  std::vector<uint8_t> shades = shadesOf(tensor);
  if (flags.isColor)
    return inColor(shades, planes);
  return inGrid(shades, planes, columns, rows);
}

static ExitCode pictureCommand(const PictureFlags &flags) {
  if (Status status = tools::checkInputsKept("--output", flags.output,
                                             {{"the arrays", flags.file}});
      !status)
    return reportError(status);
  Result<std::unique_ptr<npz::ArrayFile>> file =
      npz::ArrayFile::open(flags.file);
  if (!file)
    return reportError(file.status());
  if (Status status = checkHas(**file, flags.name); !status)
    return reportError(status);
  Result<HostTensor> tensor = (*file)->read(flags.name);
  if (!tensor)
    return reportError(tensor.status());
  Result<images::Image> image = draw(flags, *tensor);
  if (!image)
    return reportError(image.status());
  Result<std::string> bytes = images::encodePng(*image);
  if (!bytes)
    return reportError(bytes.status());
  Status status =
      tools::writeOutputFile(flags.output, bytes->data(), bytes->size());
  return status ? ExitCode::Ok : reportError(status);
}

void cli::addNpzPicture(Program &program, CLI::App &npz) {
  auto flags = std::make_shared<PictureFlags>();
  CLI::App &verb = program.addVerb(
      npz, "picture",
      "Draw an array: its planes side by side, its range as black to white",
      {"weft npz picture values.npz conv1 -o conv1.png"},
      [flags] { return pictureCommand(*flags); });
  addArrayFile(verb, flags->file);
  verb.add_option("name", flags->name, "The array")
      ->required()
      ->type_name("NAME");
  addNpzOutput(verb, flags->output, "FILE.png");
  verb.add_option("--layout", flags->layout,
                  "Which axes are a plane: nchw, the last two; nhwc, the two "
                  "before the last")
      ->check(CLI::IsMember({"nchw", "nhwc"}))
      ->capture_default_str();
  verb.add_flag("--color", flags->isColor,
                "Three planes are red, green and blue of one picture");
}
