# cmake -DWEB=FOLDER -DOPENAPI=FILE -DOUTPUT=FILE.cpp -P embed_files.cmake: writes the files below WEB, and OPENAPI, as one C++ source.
file(GLOB_RECURSE files RELATIVE ${WEB} ${WEB}/*)
list(SORT files)
set(arrays "")
set(rows "")

# The bytes of a file, as an array of that name.
macro(embed file name)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" length)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "constexpr unsigned char ${name}[] = {\n${hex}0};\n")
  math(EXPR size "${length} / 2")
endmacro()

set(number 0)
foreach(file ${files})
  # Editors' and systems' own files are none of the page's.
  if(file MATCHES "(^|/)\\.|~$")
    continue()
  endif()
  embed(${WEB}/${file} file${number})
  file(SHA256 ${WEB}/${file} hash)
  string(SUBSTRING ${hash} 0 32 hash)
  string(APPEND rows "    PageFile{\"${file}\", text_of(file${number}), \"${hash}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
embed(${OPENAPI} openapi)

file(WRITE ${OUTPUT} "// Made by cmake/embed_files.cmake.
#include \"server/openapi_file.h\"
#include \"server/page_files.h\"

#include <array>
#include <cstddef>

namespace gass::server {
namespace {

${arrays}
template <std::size_t N>
std::string_view text_of(const unsigned char (&bytes)[N]) {
    return {reinterpret_cast<const char*>(bytes), N - 1};
}

}  // namespace

std::span<const PageFile> page_files() {
  static const std::array<PageFile, ${number}> files{
${rows}  };
  return files;
}

std::string_view openapi_file() {
    return text_of(openapi);
}

}  // namespace gass::server
")
