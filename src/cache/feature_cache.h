#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gass {

class Database;

/// What a feature is of: the picture's bytes, the network, and how the picture was prepared for it.
struct FeatureKey {
    std::string file_hash;  ///< of `hash_bytes`
    std::string encoder;
    std::string preprocessing;
};

/// Features of pictures in a file that any number of processes read, write and clear at the same time. What
/// is stored is found again whole or, once it had to make room or was damaged on the disk, not at all.
///
/// It is only a cache: whoever uses it catches ErrorCode::io (a full disk, a folder that cannot be written, a
/// lock that nobody gives back), says so once and computes without it. A damaged file is set aside, with a
/// warning, and begun anew. One object is not for several threads at once.
class FeatureCache {
  public:
    static constexpr std::uint64_t kMaxBytes = std::uint64_t{2} << 30U;

    /// features.sqlite in $GASS_CACHE_DIR, $XDG_CACHE_HOME/gass or ~/.cache/gass; the first that is set.
    static std::filesystem::path default_path();

    /// Opens the file, and makes it and its folders if they are missing. Throws io if that cannot be. Beyond
    /// `max_bytes` the entries stored longest ago go.
    explicit FeatureCache(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxBytes);
    ~FeatureCache();
    FeatureCache(const FeatureCache&) = delete;
    FeatureCache& operator=(const FeatureCache&) = delete;

    /// The features of each key, nothing where there are none. All as of one moment.
    std::vector<std::optional<std::vector<float>>> find(std::span<const FeatureKey> keys);
    /// Keeps all of them or, if it throws, none. An earlier entry of the same key is replaced.
    void store(std::span<const std::pair<FeatureKey, std::vector<float>>> entries);

    struct Encoder {
        std::string encoder;
        std::string preprocessing;
        std::uint64_t entries = 0;
    };
    struct Stats {
        std::uint64_t entries = 0;
        std::uint64_t bytes_on_disk = 0;
        std::vector<Encoder> encoders;  ///< those that have entries, by name
    };
    Stats stats();
    /// Removes every entry and gives the space back to the disk. Returns how many there were.
    std::uint64_t clear();

    const std::filesystem::path& path() const { return path_; }

  private:
    template <class Action>
    auto or_recreate(Action action);
    /// Leaves `database_` empty if it throws; the next use tries again.
    void open();
    void make_room();

    std::filesystem::path path_;
    std::uint64_t max_bytes_;
    std::unique_ptr<Database> database_;
    std::uint64_t file_number_ = 0;  ///< of the file that is open: another one may have taken its name
};

}  // namespace gass
