#include "cache/feature_cache.h"

#include "cache/cache_file.h"
#include "core/fail.h"
#include "core/log.h"
#include "io/file_lock.h"
#include "io/sqlite.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <system_error>
#include <tuple>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// Of the numbers and of what they are the features of: a damaged index cannot pass one picture's off as
/// another's.
std::int64_t checksum_of(const FeatureKey& key, std::span<const std::byte> vector) {
    const std::string whose = key.file_hash + '\0' + key.encoder + '\0' + key.preprocessing;
    const XXH64_hash_t seed = XXH3_64bits(whose.data(), whose.size());
    return static_cast<std::int64_t>(XXH3_64bits_withSeed(vector.data(), vector.size(), seed));
}

/// The rows of networks and preparations, looked up once in a transaction; a later one may find others.
class Preparations {
  public:
    explicit Preparations(Database& database)
        : find_(database, "SELECT id FROM preparation WHERE encoder = ? AND preprocessing = ?"),
          add_(database, "INSERT OR IGNORE INTO preparation(encoder, preprocessing) VALUES (?, ?)"),
          where_(database.where()) {}

    std::optional<std::int64_t> find(const FeatureKey& key) {
        const auto [known, is_new] = ids_.try_emplace(std::tie(key.encoder, key.preprocessing));
        if (is_new) known->second = looked_up(key);
        return known->second;
    }

    std::int64_t find_or_add(const FeatureKey& key) {
        const auto [known, is_new] = ids_.try_emplace(std::tie(key.encoder, key.preprocessing));
        if (is_new) {
            add_.bind(std::string_view(key.encoder), std::string_view(key.preprocessing)).step();
            known->second = looked_up(key);
        }
        if (!known->second) throw DamagedDatabase(where_, "a row that was just written is not there");
        return *known->second;
    }

    /// After rows were removed: an id may by now be another's.
    void forget() { ids_.clear(); }

  private:
    std::optional<std::int64_t> looked_up(const FeatureKey& key) {
        if (!find_.bind(std::string_view(key.encoder), std::string_view(key.preprocessing)).step())
            return std::nullopt;
        const std::int64_t id = find_.number(0);
        find_.reset();
        return id;
    }

    Statement find_;
    Statement add_;
    std::string where_;
    // The texts are those of keys that live as long as this does.
    std::map<std::tuple<std::string_view, std::string_view>, std::optional<std::int64_t>> ids_;
};

/// The numbers of a row; nothing if they are not what was stored.
std::optional<std::vector<float>> vector_of(const Statement& row, const FeatureKey& key) {
    const std::span<const std::byte> bytes = row.blob(2);
    const auto dimension = static_cast<std::uint64_t>(row.number(0));
    if (dimension != bytes.size() / sizeof(float) || bytes.size() % sizeof(float) != 0 ||
        row.number(1) != checksum_of(key, bytes))
        return std::nullopt;
    std::vector<float> vector(dimension);
    if (!vector.empty()) std::memcpy(vector.data(), bytes.data(), bytes.size());
    return vector;
}

fs::path from_environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? fs::path() : fs::path(value);
}

}  // namespace

fs::path FeatureCache::default_path() {
    constexpr const char* kName = "features.sqlite";
    if (const fs::path own = from_environment("GASS_CACHE_DIR"); !own.empty()) return own / kName;
    const fs::path caches = from_environment("XDG_CACHE_HOME");
    if (caches.is_absolute()) return caches / "gass" / kName;  // the specification ignores others
    const fs::path home = from_environment("HOME");
    if (home.empty())
        fail(ErrorCode::io, "feature cache", "there is no HOME to keep it in; set GASS_CACHE_DIR");
    return home / ".cache" / "gass" / kName;
}

FeatureCache::FeatureCache(const fs::path& path, std::uint64_t max_bytes)
    : path_(fs::absolute(path)), max_bytes_(max_bytes) {
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    if (error)
        fail(ErrorCode::io, path_.parent_path().string(), "cannot make the folder: {}", error.message());
    open();
}

FeatureCache::~FeatureCache() = default;

void FeatureCache::open() {
    const FileLock lock(path_, kCachePatienceMilliseconds);
    try {
        database_ = open_cache_file(path_);
    } catch (const DamagedDatabase& damage) {
        set_cache_file_aside(path_, damage.message());
        database_ = open_cache_file(path_);
    }
    file_number_ = cache_file_number(path_);
}

/// Does it and, if the file turns out to be damaged, does it again with a new one; or with the one that
/// another process has begun in the meantime.
template <class Action>
auto FeatureCache::or_recreate(Action action) {
    if (!database_) open();  // an earlier use could not begin anew, on a full disk for instance
    try {
        return action();
    } catch (const DamagedDatabase& damage) {
        const FileLock lock(path_, kCachePatienceMilliseconds);
        if (cache_file_number(path_) == file_number_) set_cache_file_aside(path_, damage.message());
        database_.reset();  // not earlier: the number of a closed file could be given to a new one
    }
    open();
    return action();
}

std::vector<std::optional<std::vector<float>>> FeatureCache::find(std::span<const FeatureKey> keys) {
    return or_recreate([&] {
        std::vector<std::optional<std::vector<float>>> found(keys.size());
        const Transaction transaction(*database_, Transaction::Kind::read);
        Preparations preparations(*database_);
        Statement row(*database_,
                      "SELECT dimension, checksum, vector FROM feature WHERE file = ? AND preparation = ?");
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::optional<std::int64_t> preparation = preparations.find(keys[i]);
            if (preparation && row.bind(std::string_view(keys[i].file_hash), *preparation).step())
                found[i] = vector_of(row, keys[i]);
        }
        return found;
    });
}

void FeatureCache::store(std::span<const std::pair<FeatureKey, std::vector<float>>> entries) {
    or_recreate([&] {
        Transaction transaction(*database_, Transaction::Kind::write);
        Preparations preparations(*database_);
        Statement insert(*database_,
                         "INSERT OR REPLACE INTO feature(file, preparation, dimension, checksum, vector) "
                         "VALUES (?, ?, ?, ?, ?)");
        std::uint64_t added = 0;
        for (const auto& [key, vector] : entries) {
            const std::span<const std::byte> bytes = std::as_bytes(std::span(vector));
            insert.bind(std::string_view(key.file_hash), preparations.find_or_add(key),
                        static_cast<std::int64_t>(vector.size()), checksum_of(key, bytes), bytes);
            insert.step();
            added += bytes.size();
            if (added > max_bytes_ / 16) {  // a large store must not outgrow the limit before it is looked at
                make_room();
                preparations.forget();
                added = 0;
            }
        }
        make_room();
        insert.reset();
        transaction.commit();
        return true;
    });
}

/// Entries stored longest ago go until a tenth of the limit is free, and the names of networks and
/// preparations that none uses any more go with them; their pages are used again.
void FeatureCache::make_room() {
    const auto page = static_cast<std::uint64_t>(database_->number("PRAGMA page_size"));
    const auto used = [&] {
        return page * static_cast<std::uint64_t>(database_->number("PRAGMA page_count") -
                                                 database_->number("PRAGMA freelist_count"));
    };
    if (used() <= max_bytes_) return;
    const std::uint64_t goal = max_bytes_ - max_bytes_ / 10;
    Statement remove(*database_,
                     "DELETE FROM feature WHERE id IN (SELECT id FROM feature ORDER BY id LIMIT ?)");
    for (std::uint64_t bytes = used(); bytes > goal; bytes = used()) {
        const auto entries = static_cast<double>(database_->number("SELECT count(*) FROM feature"));
        const double share = static_cast<double>(bytes - goal) / static_cast<double>(bytes);
        remove.bind(static_cast<std::int64_t>(entries * share) + 1).step();
        remove.reset();
        if (database_->changes() == 0) break;  // empty tables take some pages too
    }
    database_->execute("DELETE FROM preparation WHERE id NOT IN (SELECT preparation FROM feature)");
}

FeatureCache::Stats FeatureCache::stats() {
    return or_recreate([&] {
        Stats stats;
        Statement rows(*database_,
                       "SELECT encoder, preprocessing, entries FROM preparation JOIN (SELECT preparation, "
                       "count(*) AS entries FROM feature GROUP BY preparation) ON preparation = id "
                       "ORDER BY encoder, preprocessing");
        while (rows.step()) {
            const auto entries = static_cast<std::uint64_t>(rows.number(2));
            stats.encoders.push_back({std::string(rows.text(0)), std::string(rows.text(1)), entries});
            stats.entries += entries;
        }
        stats.bytes_on_disk = cache_bytes_on_disk(path_);
        return stats;
    });
}

std::uint64_t FeatureCache::clear() {
    return or_recreate([&] {
        Transaction transaction(*database_, Transaction::Kind::write);
        database_->execute("DELETE FROM feature");
        const std::uint64_t entries = database_->changes();
        database_->execute("DELETE FROM preparation");
        transaction.commit();
        try {
            database_->execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (const Error& error) {  // others use it; the space is free for new entries all the same
            log::info("the feature cache could not be made smaller: {}", error.what());
        }
        return entries;
    });
}

}  // namespace gass
