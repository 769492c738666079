# Every library but LibTorch is a Debian package: scripts/setup lists and installs them.

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(Freetype REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(EXIF REQUIRED IMPORTED_TARGET libexif)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET libzip)

# LibTorch: scripts/setup writes where it found one; Torch_DIR, TORCH_DIR or CMAKE_PREFIX_PATH take precedence.
if(DEFINED ENV{TORCH_DIR} AND NOT "$ENV{TORCH_DIR}" STREQUAL "")
  list(PREPEND CMAKE_PREFIX_PATH "$ENV{TORCH_DIR}")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/.deps/torch_dir)
  file(STRINGS ${PROJECT_SOURCE_DIR}/.deps/torch_dir GASS_TORCH_DIR LIMIT_COUNT 1)
  list(APPEND CMAKE_PREFIX_PATH "${GASS_TORCH_DIR}")
endif()
find_package(Torch REQUIRED)

# TorchConfig gives warnings flags and include folders through its own targets; take them as a system library.
add_library(gass_libtorch INTERFACE)
target_link_libraries(gass_libtorch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(gass_libtorch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
# LibTorch brings headers of its own fmt, without the library. They come first in the search; used header-only they live
# beside Debian's fmt, whose names carry another version.
target_compile_definitions(gass_libtorch INTERFACE FMT_HEADER_ONLY)
