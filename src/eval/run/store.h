#pragma once

#include "eval/run/made_group.h"
#include "io/file_lock.h"
#include "io/sqlite.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass::eval {

/// What a run has made: eval.sqlite in its folder, in WAL mode, and the pictures beside it. A group that is
/// kept is on the disk, whole, when `keep` returns, and nothing of it is there if that is never reached. All
/// of it has checksums: damage throws model_invalid, when the store is opened or the row is read.
///
/// Any number of processes of one machine may work on a store at a time; each is a *runner* and holds a lock
/// that ends with it, so that what a dead one had claimed is free again.
class Store {
  public:
    static constexpr std::string_view kFile = "eval.sqlite";

    /// Opens the store of that folder and reads it whole, or makes one. Throws io if that cannot be,
    /// model_invalid for a file that is no store of ours, of another version, or damaged.
    explicit Store(const std::filesystem::path& folder);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// Whether there is one.
    static bool exists(const std::filesystem::path& folder);

    /// What the store of that folder was last told to remember of its run; nothing if there is none, or it is
    /// of a gass that did not do so yet. Reads nothing else of it.
    static std::optional<Json> remembered(const std::filesystem::path& folder);
    /// Remembers that in place of `before`. Throws usage if another process has had something else remembered
    /// since.
    void remember(const Json& run, const std::optional<Json>& before);
    /// How many groups are there, whatever suite they are of.
    std::size_t size();

    struct Kept {
        Json record;
        std::string folder;  ///< of its pictures, below the store's; empty: they were not kept
    };
    std::optional<Kept> find(std::string_view key);
    /// Whether the group is there and each of these encoders has seen it, or can still be shown it.
    bool is_kept(std::string_view key, std::span<const std::string> encoders);
    std::optional<ImageFeatures> features(std::string_view key, std::string_view encoder);
    /// Why the group could not be made; nothing if nobody failed.
    std::optional<std::string> failure(std::string_view key);

    /// Writes the group's files into `folder`, below the store's, and remembers the group. Whatever else was
    /// kept in that folder is forgotten. The claim ends.
    void keep(std::string_view key, const std::string& folder, const MadeGroup& group);
    void keep_features(std::string_view key, const ImageFeatures& features);
    void keep_failure(std::string_view key, std::string_view reason);

    enum class Claim { taken, held_by_another, settled };
    /// Claims a group for this runner, unless it `is_kept`, has failed (and is not to be tried again) or
    /// another runner that lives has it.
    Claim claim(std::string_view key, std::span<const std::string> encoders, bool try_again);
    void give_back(std::string_view key);

    /// Takes over what other stores have, such as those that shards made in folders below this one's.
    /// Returns how many groups were new.
    std::size_t take_over(Store& other);

    const std::filesystem::path& folder() const { return folder_; }

  private:
    void check();
    void remove_dead_locks() const;
    bool is_alive(const std::string& runner) const;
    std::filesystem::path lock_of(std::string_view runner) const;
    bool is_kept_now(std::string_view key, std::span<const std::string> encoders);
    void put_made(std::string_view key, std::string_view folder, std::string_view record);
    void put_features(std::string_view key, const ImageFeatures& features);
    void put_failure(std::string_view key, std::string_view reason);
    void write_files(const std::filesystem::path& folder, const std::vector<GroupFile>& files) const;

    std::filesystem::path folder_;
    std::unique_ptr<Database> database_;
    std::string runner_;
    std::unique_ptr<FileLock> lock_;
};

}  // namespace gass::eval
