#include "cache/cache_file.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x67617373;  // "gass"
constexpr std::int64_t kVersion = 1;

// `id` grows with each entry stored, so that it says which were stored longest ago. Networks and preparations
// have long names and stand once, in a table of their own.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kTables{
    {{"feature",
      "CREATE TABLE feature(id INTEGER PRIMARY KEY, file TEXT NOT NULL, preparation INTEGER NOT NULL, "
      "dimension INTEGER NOT NULL, checksum INTEGER NOT NULL, vector BLOB NOT NULL, "
      "UNIQUE(file, preparation))"},
     {"preparation",
      "CREATE TABLE preparation(id INTEGER PRIMARY KEY, encoder TEXT NOT NULL, "
      "preprocessing TEXT NOT NULL, UNIQUE(encoder, preprocessing))"}}};

fs::path beside(const fs::path& path, std::string_view suffix) {
    return path.string() + std::string(suffix);
}

/// SQLite's own files; left behind they would be taken for the new file's.
void remove_companions(const fs::path& path) {
    std::error_code ignored;
    fs::remove(beside(path, "-wal"), ignored);
    fs::remove(beside(path, "-shm"), ignored);
}

void make_tables(Database& database) {
    // Before the first table. Large pages hold vectors of 3 and 8 KB with little space lost between them.
    database.execute("PRAGMA page_size = 32768; PRAGMA journal_mode = WAL");
    Transaction transaction(database, Transaction::Kind::write);
    for (const auto& [name, sql] : kTables) database.execute(std::string(sql));
    database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion));
    transaction.commit();
}

void check_tables(Database& database) {
    Statement statement(database, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name");
    for (const auto& [name, sql] : kTables) {
        if (!statement.step() || statement.text(0) != name || statement.text(1) != sql)
            throw DamagedDatabase(database.where(), "its tables are not those of a feature cache");
    }
    if (statement.step()) throw DamagedDatabase(database.where(), "it holds more than a feature cache");
}

std::unique_ptr<Database> opened(const fs::path& path) {
    auto database = std::make_unique<Database>(path, kCachePatienceMilliseconds);
    // A crash of the machine may cost the last entries, never the file. A write-ahead log that grew by a
    // large store is cut back.
    database->execute(
        "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON; PRAGMA cache_size = -16384; "
        "PRAGMA journal_size_limit = 67108864");
    return database;
}

}  // namespace

std::unique_ptr<Database> open_cache_file(const fs::path& path) {
    std::unique_ptr<Database> database = opened(path);
    const bool empty = database->number("SELECT count(*) FROM sqlite_master") == 0;
    const bool ours = database->number("PRAGMA application_id") == kApplication;
    if (!empty && ours && database->number("PRAGMA user_version") != kVersion) {
        database.reset();
        std::error_code error;
        if (!fs::remove(path, error))
            fail(ErrorCode::io, path.string(), "cannot remove the cache of another version: {}",
                 error.message());
        remove_companions(path);
        return open_cache_file(path);
    }
    if (empty) {
        make_tables(*database);
    } else if (!ours) {
        throw DamagedDatabase(path.string(), "it is a database of something else");
    }
    check_tables(*database);
    return database;
}

void set_cache_file_aside(const fs::path& path, const std::string& reason) {
    const fs::path aside = beside(path, ".damaged");
    std::error_code error;
    fs::rename(path, aside, error);
    if (error)
        fail(ErrorCode::io, path.string(), "the feature cache is damaged ({}) and cannot be renamed: {}",
             printable(reason), error.message());
    remove_companions(path);
    log::warn("the feature cache {} could not be used ({}); it is now {}, and a new one is begun",
              in_quotes(path.string()), printable(reason), in_quotes(aside.filename().string()));
}

std::uint64_t cache_file_number(const fs::path& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

std::uint64_t cache_bytes_on_disk(const fs::path& path) {
    std::uint64_t bytes = 0;
    for (const std::string_view suffix : {"", "-wal", "-shm"}) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(beside(path, suffix), error);
        if (!error) bytes += size;
    }
    return bytes;
}

}  // namespace gass
