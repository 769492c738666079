# The build tree mirrors an installation: share/gass holds our data in both.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/gass)
foreach(data models presets)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${data} ${PROJECT_BINARY_DIR}/share/gass/${data} SYMBOLIC)
endforeach()

include(CMakePackageConfigHelpers)
install(TARGETS gass_cli gass_engine RUNTIME DESTINATION bin)
install(TARGETS gass EXPORT gassTargets LIBRARY DESTINATION lib INCLUDES DESTINATION include)
install(DIRECTORY include/gass DESTINATION include)
install(DIRECTORY models presets DESTINATION share/gass)
install(EXPORT gassTargets NAMESPACE gass:: DESTINATION lib/cmake/gass)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gassConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/gassConfig.cmake ${PROJECT_BINARY_DIR}/gassConfigVersion.cmake DESTINATION lib/cmake/gass)
