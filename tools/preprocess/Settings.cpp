#include "tools/preprocess/Settings.h"
#include "runtime/status/Quote.h"
#include "tools/preprocess/Resample.h"

#include <charconv>
#include <cmath>

using namespace weft;
using namespace weft::preprocess;
using numeric::ElementType;
using rt::Code;
using rt::Result;
using rt::Status;

using Values = std::vector<std::string>;

static Status refuse(const char *name, const Values &values,
                     const std::string &rule) {
  std::string found;
  for (const std::string &value : values)
    found += (found.empty() ? "" : ",") + value;
  return rt::fail(Code::InvalidArgument, std::string(name) + " is " +
                                             rt::quoteName(found) +
                                             ", must be " + rule);
}

template <typename Number>
static std::optional<Number> parseNumber(std::string_view text) {
  Number number;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

static std::optional<int64_t> parseSide(std::string_view text, int64_t least) {
  std::optional<int64_t> number = parseNumber<int64_t>(text);
  return number && *number >= least && *number <= kMaxSide ? number
                                                           : std::nullopt;
}

/// One of `words`, each with its meaning.
template <typename Meaning>
static Status setWord(
    const char *name, const Values &values, Meaning &member,
    std::initializer_list<std::pair<const char *, typename Meaning::value_type>>
        words) {
  std::string rule;
  size_t index = 0;
  for (const auto &[word, meaning] : words) {
    if (values.size() == 1 && values[0] == word) {
      member = meaning;
      return Status::ok();
    }
    rule += (index == 0                  ? ""
             : index + 1 == words.size() ? " or "
                                         : ", ") +
            std::string(word);
    ++index;
  }
  return refuse(name, values, rule);
}

/// One number for all channels, or three.
static Status setNumbers(const char *name, const Values &values,
                         std::vector<double> &member, bool isZeroAllowed,
                         const std::string &rule) {
  std::vector<double> numbers;
  for (const std::string &value : values) {
    std::optional<double> number = parseNumber<double>(value);
    if (!number || !std::isfinite(*number) || (!isZeroAllowed && *number == 0))
      return refuse(name, values, rule);
    numbers.push_back(*number);
  }
  if (numbers.size() != 1 && numbers.size() != 3)
    return refuse(name, values, rule);
  member = std::move(numbers);
  return Status::ok();
}

static Status setCrop(Options &options, const Values &values) {
  const char *rule = "left,top,width,height in pixels";
  if (values.size() != 4)
    return refuse("crop", values, rule);
  int64_t numbers[4];
  for (int i = 0; i < 4; ++i) {
    std::optional<int64_t> number = parseSide(values[size_t(i)], i < 2 ? 0 : 1);
    if (!number)
      return refuse("crop", values, rule);
    numbers[i] = *number;
  }
  options.crop = Rectangle{numbers[0], numbers[1], numbers[2], numbers[3]};
  return Status::ok();
}

static Status setColor(Options &options, const Values &values) {
  return setWord(
      "color", values, options.color,
      {{"rgb", Color::Rgb}, {"bgr", Color::Bgr}, {"gray", Color::Gray}});
}

static Status setResize(Options &options, const Values &values) {
  std::optional<Resize> word;
  WEFT_TRY(setWord("resize", values, word,
                   {{"stretch", Resize::Stretch},
                    {"letterbox", Resize::Letterbox},
                    {"center-crop", Resize::CenterCrop},
                    {"none", Resize::None}}));
  options.resize = *word;
  return Status::ok();
}

static Status setSize(Options &options, const Values &values) {
  const char *rule = "HEIGHTxWIDTH in pixels, as 48x192";
  if (values.size() != 1)
    return refuse("size", values, rule);
  std::string_view text = values[0];
  size_t cross = text.find('x');
  if (cross == text.npos)
    return refuse("size", values, rule);
  std::optional<int64_t> height = parseSide(text.substr(0, cross), 1),
                         width = parseSide(text.substr(cross + 1), 1);
  if (!height || !width)
    return refuse("size", values, rule);
  options.size = Size{*height, *width};
  return Status::ok();
}

static Status setShortSide(Options &options, const Values &values) {
  std::optional<int64_t> side;
  if (values.size() == 1)
    side = parseSide(values[0], 1);
  if (!side)
    return refuse("short-side", values, "a number of pixels");
  options.shortSide = *side;
  return Status::ok();
}

static Status setPadValue(Options &options, const Values &values) {
  const char *rule = "one number, or one for each channel, in 0..255 as pixels";
  std::vector<double> numbers;
  WEFT_TRY(setNumbers("pad-value", values, numbers, true, rule));
  for (double number : numbers)
    if (number < 0 || number > 255)
      return refuse("pad-value", values, rule);
  options.padValue = std::move(numbers);
  return Status::ok();
}

static Status setPadAlign(Options &options, const Values &values) {
  std::optional<PadAlign> word;
  WEFT_TRY(
      setWord("pad-align", values, word,
              {{"center", PadAlign::Center}, {"top-left", PadAlign::TopLeft}}));
  options.padAlign = *word;
  return Status::ok();
}

static Status setMean(Options &options, const Values &values) {
  return setNumbers("mean", values, options.mean, true,
                    "one number, or one for each channel");
}

static Status setScale(Options &options, const Values &values) {
  options.isScaleGiven = true;
  return setNumbers("scale", values, options.scale, false,
                    "one number other than 0, or one for each channel");
}

static Status setStd(Options &options, const Values &values) {
  return setNumbers("std", values, options.stdDev, false,
                    "one number other than 0, or one for each channel");
}

static Status setLayout(Options &options, const Values &values) {
  return setWord("layout", values, options.layout,
                 {{"nchw", Layout::Nchw}, {"nhwc", Layout::Nhwc}});
}

static Status setDtype(Options &options, const Values &values) {
  return setWord("dtype", values, options.dtype,
                 {{"float32", ElementType::F32}, {"uint8", ElementType::U8}});
}

const std::vector<Setting> &preprocess::settings() {
  static const std::vector<Setting> list = {
      {"crop", "L,T,W,H",
       "Rectangle of the image that is taken: left, top, width, height in "
       "pixels",
       setCrop},
      {"color", "rgb|bgr|gray",
       "Order of the channels; by default rgb, or gray for an input of one "
       "channel",
       setColor},
      {"resize", "stretch|letterbox|center-crop|none",
       "How an image gets the input's size, bilinear; by default stretch",
       setResize},
      {"size", "HxW",
       "Height and width of the tensor; by default those of the model's input",
       setSize},
      {"short-side", "PIXELS",
       "For center-crop: length to which the shorter side is resized; by "
       "default as the size needs it",
       setShortSide},
      {"pad-value", "V[,V,V]",
       "For letterbox: what is around the image, in 0..255; by default 0",
       setPadValue},
      {"pad-align", "center|top-left",
       "For letterbox: where the image lies; by default center", setPadAlign},
      {"mean", "V[,V,V]",
       "Subtracted from the pixels, which are 0..255; by default 0", setMean},
      {"scale", "V[,V,V]", "Factor after the mean; by default 1", setScale},
      {"std", "V[,V,V]", "Divisor after the mean, instead of scale", setStd},
      {"layout", "nchw|nhwc",
       "Order of the axes; by default where the model's input has 1 or 3",
       setLayout},
      {"dtype", "float32|uint8",
       "Element type of the tensor; by default that of the model's input",
       setDtype},
  };
  return list;
}

const Setting *preprocess::findSetting(std::string_view name) {
  for (const Setting &setting : settings())
    if (setting.name == name)
      return &setting;
  return nullptr;
}

std::string preprocess::settingNames() {
  std::string names;
  for (const Setting &setting : settings())
    names += (names.empty() ? "" : ", ") + std::string(setting.name);
  return names;
}
