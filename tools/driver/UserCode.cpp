//===- UserCode.cpp - whose fault a broken process is ---------------------===//

#include "tools/driver/UserCode.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace weft::driver;

// Read by a signal handler.
static const char *volatile theName = nullptr;

static void refuseExit() {
  if (!theName)
    return;
  std::fprintf(stderr, "weft: error: %s ended the program; let it return\n",
               theName);
  std::fflush(nullptr);
  ::_exit(2);
}

UserCode::UserCode(const std::string &what) : what(what), outer(theName) {
  // Without room for the handler an exit() only goes unnoticed.
  [[maybe_unused]] static const bool isWatched = std::atexit(refuseExit) == 0;
  theName = this->what.c_str();
}

UserCode::~UserCode() { theName = outer; }

const char *UserCode::running() { return theName; }
