#include "tools/images/Formats.h"
#include "tools/images/Orientation.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>

// After stdio, which they need.
#include <jpeglib.h>

#include <jerror.h>

using namespace weft;
using namespace weft::images;
using rt::Code;
using rt::Result;

/// Cameras and encoders write about ten. Every scan of a small file can cost
/// the time of a whole image.
static constexpr int kMaxScans = 100;

bool images::isJpeg(std::string_view bytes) {
  return bytes.substr(0, 3) == "\xff\xd8\xff";
}

namespace {

/// libjpeg leaves by longjmp. The two functions that call it each set the place
/// to come back to and have no object with a destructor between there and the
/// call; what owns memory lives here and in their callers.
struct Decoder {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX] = "";

  Decoder();
  Decoder(const Decoder &) = delete;
  ~Decoder() { jpeg_destroy_decompress(&info); }

  /// False: `message` says why.
  bool readHeader(std::string_view bytes);
  bool readPixels(uint8_t *pixels);
};

} // namespace

[[noreturn]] static void leave(j_common_ptr info) {
  auto *decoder = static_cast<Decoder *>(info->client_data);
  info->err->format_message(info, decoder->message);
  std::longjmp(decoder->back, 1);
}

/// Warnings are what libjpeg goes on after with made-up pixels, except for
/// these.
static void judgeMessage(j_common_ptr info, int level) {
  int code = info->err->msg_code;
  bool isHarmless = level >= 0 || code == JWRN_EXTRANEOUS_DATA ||
                    code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
                    code == JWRN_BOGUS_ICC;
  if (!isHarmless)
    leave(info);
}

static void countScans(j_common_ptr info) {
  auto *decoder = static_cast<Decoder *>(info->client_data);
  if (decoder->info.input_scan_number <= kMaxScans)
    return;
  std::snprintf(decoder->message, sizeof decoder->message,
                "it has more than %d scans", kMaxScans);
  std::longjmp(decoder->back, 1);
}

Decoder::Decoder() {
  info.err = jpeg_std_error(&errors);
  info.client_data = this;
  errors.error_exit = leave;
  errors.emit_message = judgeMessage;
  progress.progress_monitor = countScans;
}

bool Decoder::readHeader(std::string_view bytes) {
  if (setjmp(back))
    return false;
  jpeg_create_decompress(&info);
  info.progress = &progress;
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char *>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&info, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&info, TRUE);
  if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK)
    info.out_color_space = JCS_CMYK;
  else if (info.jpeg_color_space == JCS_GRAYSCALE)
    info.out_color_space = JCS_GRAYSCALE;
  else
    info.out_color_space = JCS_RGB;
  jpeg_calc_output_dimensions(&info);
  return true;
}

bool Decoder::readPixels(uint8_t *pixels) {
  if (setjmp(back))
    return false;
  jpeg_start_decompress(&info);
  size_t rowBytes = size_t(info.output_width) * size_t(info.output_components);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + info.output_scanline * rowBytes;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

static int orientationOf(const jpeg_decompress_struct &info) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  for (jpeg_saved_marker_ptr m = info.marker_list; m; m = m->next) {
    std::string_view data(reinterpret_cast<const char *>(m->data),
                          m->data_length);
    if (data.substr(0, kExif.size()) == kExif)
      return exifOrientation(data.substr(kExif.size()));
  }
  return 1;
}

/// Inks are stored inverted, 255 for none, as Adobe's programs write them and
/// other readers take them: what is left of white is a product.
static void inksToRgb(std::vector<uint8_t> &pixels) {
  size_t count = pixels.size() / 4;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *inks = &pixels[i * 4];
    int black = inks[3];
    for (size_t c = 0; c < 3; ++c)
      pixels[i * 3 + c] = uint8_t((inks[c] * black + 127) / 255);
  }
  pixels.resize(count * 3);
}

Result<Stored> images::decodeJpeg(std::string_view bytes) {
  Decoder decoder;
  auto broken = [&] {
    return rt::fail(Code::BadFile, std::string("the JPEG is broken: ") +
                                       decoder.message + kSaveAgain);
  };
  if (!decoder.readHeader(bytes))
    return broken();
  WEFT_TRY(checkSize(decoder.info.output_width, decoder.info.output_height));
  Stored stored;
  stored.orientation = orientationOf(decoder.info);
  stored.image.width = decoder.info.output_width;
  stored.image.height = decoder.info.output_height;
  size_t components = size_t(decoder.info.out_color_components);
  stored.image.channels = components == 1 ? 1 : 3;
  stored.image.pixels.resize(size_t(stored.image.width) *
                             size_t(stored.image.height) * components);
  if (!decoder.readPixels(stored.image.pixels.data()))
    return broken();
  if (components == 4)
    inksToRgb(stored.image.pixels);
  return stored;
}
