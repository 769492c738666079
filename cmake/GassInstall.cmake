# The build tree mirrors an installation: share/gass holds our data in both.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/gass)
foreach(data models presets suites)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${data} ${PROJECT_BINARY_DIR}/share/gass/${data} SYMBOLIC)
endforeach()
find_file(GASS_TYPEFACE DejaVuSans.ttf REQUIRED PATHS /usr/share/fonts PATH_SUFFIXES truetype/dejavu TTF dejavu)
configure_file(${GASS_TYPEFACE} ${PROJECT_BINARY_DIR}/share/gass/fonts/DejaVuSans.ttf COPYONLY)

include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME gass)
install(TARGETS gass_cli gass_engine RUNTIME_DEPENDENCY_SET needed RUNTIME DESTINATION bin)
install(TARGETS gass gass_engine_library EXPORT gassTargets RUNTIME_DEPENDENCY_SET needed LIBRARY DESTINATION lib INCLUDES DESTINATION include)
install(DIRECTORY include/gass DESTINATION include)
install(DIRECTORY models presets suites DESTINATION share/gass)
install(FILES ${GASS_TYPEFACE} DESTINATION share/gass/fonts)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/gass)
install(EXPORT gassTargets NAMESPACE gass:: DESTINATION lib/cmake/gass)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gassConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/gassConfig.cmake ${PROJECT_BINARY_DIR}/gassConfigVersion.cmake DESTINATION lib/cmake/gass)

# The manual page, and the shells' completions.
set(printed ${PROJECT_BINARY_DIR}/printed)
add_custom_command(OUTPUT ${printed}/gass.1 ${printed}/gass ${printed}/_gass ${printed}/gass.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${printed}
  COMMAND gass_cli manual > ${printed}/gass.1
  COMMAND gass_cli completion bash > ${printed}/gass
  COMMAND gass_cli completion zsh > ${printed}/_gass
  COMMAND gass_cli completion fish > ${printed}/gass.fish
  DEPENDS gass_cli VERBATIM)
add_custom_target(printed ALL DEPENDS ${printed}/gass.1)
install(FILES ${printed}/gass.1 DESTINATION share/man/man1)
install(FILES ${printed}/gass DESTINATION share/bash-completion/completions)
install(FILES ${printed}/_gass DESTINATION share/zsh/site-functions)
install(FILES ${printed}/gass.fish DESTINATION share/fish/vendor_completions.d)

# An installation stands alone. LibTorch travels along where the one in this clone was taken, which may go away with the clone;
# anybody else's is found where it lies. Packages have it in any case, and the archive all other libraries, too.
set(own lib/gass)
set_target_properties(gass_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${own}")
set_target_properties(gass PROPERTIES INSTALL_RPATH "$ORIGIN/gass")
set_target_properties(gass_engine_library PROPERTIES
  INSTALL_RPATH "$ORIGIN/gass;$ORIGIN/gass/torch/lib;${GASS_LIBTORCH_DIR}/lib")
set_target_properties(gass_engine PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${own};$ORIGIN/../${own}/torch/lib;${GASS_LIBTORCH_DIR}/lib")
# CMake would fill up the shorter path of the build with empty entries, each of which means the folder one happens to be in.
set_target_properties(gass_cli gass gass_engine gass_engine_library PROPERTIES BUILD_WITH_INSTALL_RPATH ON)

cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${GASS_LIBTORCH_DIR} in_clone)
option(GASS_INSTALL_LIBTORCH "Install LibTorch's libraries, too" ${in_clone})
set(unless_packaged EXCLUDE_FROM_ALL)
if(GASS_INSTALL_LIBTORCH)
  set(unless_packaged "")
endif()
# What only Python or LibTorch's own tests use stays behind, and so does the CUDA half where cuBLAS is not there to go with it.
set(left_behind "torch_python|shm|aoti_custom_ops|backend_with_compiler|jitbackend_test|torchbind_test")
file(GLOB cublas ${GASS_LIBTORCH_DIR}/lib/libcublas* ${GASS_LIBTORCH_DIR}/../nvidia/*/lib/libcublas*)
if(NOT cublas)
  string(APPEND left_behind "|torch_cuda|torch_cuda_linalg|torch_nvshmem|c10_cuda|caffe2_nvrtc")
endif()
# Its folders keep their places: its libraries look for each other from their own.
install(DIRECTORY ${GASS_LIBTORCH_DIR}/lib/ DESTINATION ${own}/torch/lib COMPONENT libtorch ${unless_packaged}
  FILES_MATCHING PATTERN "*.so*" REGEX "/lib(${left_behind})\\.so" EXCLUDE PATTERN "libshm*" EXCLUDE)
file(GLOB cuda_libraries ${GASS_LIBTORCH_DIR}/../nvidia/*/lib)
foreach(folder ${cuda_libraries})
  cmake_path(GET folder PARENT_PATH name)
  cmake_path(GET name FILENAME name)
  install(DIRECTORY ${folder}/ DESTINATION ${own}/nvidia/${name}/lib COMPONENT libtorch ${unless_packaged}
    FILES_MATCHING PATTERN "*.so*")
endforeach()
file(GLOB licences ${GASS_LIBTORCH_DIR}/../torch-*.dist-info/licenses ${GASS_LIBTORCH_DIR}/../nvidia_*.dist-info/licenses)
foreach(folder ${licences})
  cmake_path(GET folder PARENT_PATH name)
  cmake_path(GET name STEM LAST_ONLY name)
  install(DIRECTORY ${folder}/ DESTINATION share/doc/gass/${name} COMPONENT libtorch ${unless_packaged})
endforeach()

# The archive is for any distribution with a glibc that is no older than this one's: it has every library but glibc and GCC's,
# each told to look for the others beside itself.
install(RUNTIME_DEPENDENCY_SET needed DESTINATION ${own} COMPONENT libraries EXCLUDE_FROM_ALL
  PRE_EXCLUDE_REGEXES "^lib(torch|c10|gomp|cud|cup|stdc|gcc_s|c\\.|m\\.|dl\\.|rt\\.|pthread|resolv)" "^ld-linux"
  DIRECTORIES ${GASS_LIBTORCH_DIR}/lib)
find_program(PATCHELF patchelf)
install(CODE "
  file(GLOB libraries \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${own}/*.so*)
  foreach(library \${libraries})
    if(NOT IS_SYMLINK \${library})
      execute_process(COMMAND \"${PATCHELF}\" --set-rpath \"\\\$ORIGIN\" \${library} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()" COMPONENT libraries EXCLUDE_FROM_ALL)

# make package: a .deb for this Debian, and an archive.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package.cmake)
set(CPACK_PACKAGE_CONTACT "the gass developers")
set(CPACK_PACKAGE_DESCRIPTION "gass makes sets of images from one prompt that truly differ from each other and still match it. It has the methods that researchers compare, every measurement of the paper they come from, and small models to try them on.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME gass-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${GASS_LIBTORCH_DIR}/lib ${cuda_libraries})
set(CPACK_DEBIAN_GASS_PACKAGE_NAME gass)
set(CPACK_DEBIAN_GASS_PACKAGE_RECOMMENDS gass-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME gass-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "gass (= ${PROJECT_VERSION})")
include(CPack)
cpack_add_component(gass GROUP gass)
cpack_add_component(libtorch GROUP gass)
cpack_add_component(libraries GROUP gass)
cpack_add_component(mpi GROUP mpi)
cpack_add_component_group(gass)
cpack_add_component_group(mpi)
