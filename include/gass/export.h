#pragma once

/// Marks what libgass.so offers; everything else stays hidden in it.
#define GASS_API __attribute__((visibility("default")))
