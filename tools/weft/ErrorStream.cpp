#include "tools/weft/ErrorStream.h"
#include "tools/weft/StandardInput.h"

using namespace weft;

namespace {

/// What is written in one piece, as names of files are, is looked through.
class ErrorStream : public llvm::raw_ostream {
public:
  ErrorStream() : raw_ostream(/*unbuffered=*/true) {}

private:
  void write_impl(const char *text, size_t size) override {
    llvm::errs() << cli::withStandardInputNamed({text, size});
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  uint64_t written = 0;
};

} // namespace

llvm::raw_ostream &cli::errorStream() {
  static ErrorStream stream;
  return stream;
}
