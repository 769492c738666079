#include "eval/run/store.h"

#include "core/fail.h"
#include "core/hash.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/set_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <random>
#include <set>
#include <system_error>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x67617365;  // "gase"
constexpr std::int64_t kVersion = 2;
/// How long a process waits for others that write.
constexpr int kPatienceMilliseconds = 60'000;
/// While a store is opened no other process makes one.
constexpr std::string_view kOpening = "eval";

constexpr const char* kTables =
    "CREATE TABLE made(key TEXT PRIMARY KEY, folder TEXT NOT NULL, record TEXT NOT NULL, "
    "checksum TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE seen(key TEXT NOT NULL, encoder TEXT NOT NULL, rows INTEGER NOT NULL, columns INTEGER NOT "
    "NULL, "
    "numbers BLOB NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY(key, encoder));"
    "CREATE TABLE failed(key TEXT PRIMARY KEY, reason TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE claim(key TEXT PRIMARY KEY, runner TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX made_folder ON made(folder);";
/// Has one row. Stores of version 2 may be older than it.
constexpr const char* kMemory =
    "CREATE TABLE IF NOT EXISTS remembered(id INTEGER PRIMARY KEY CHECK (id = 1), run TEXT NOT NULL, "
    "checksum TEXT NOT NULL)";

/// Of all that a row says, so that no damage passes for another value.
std::string checksum_of(std::initializer_list<std::string_view> values) {
    std::string whole;
    for (const std::string_view value : values) whole += fmt::format("{}:{}", value.size(), value);
    return hash_text(whole);
}

std::string checksum_of(std::string_view key, const ImageFeatures& features) {
    const auto* numbers = reinterpret_cast<const char*>(features.numbers.data());
    return checksum_of({key, features.encoder, fmt::format("{} {}", features.rows, features.columns),
                        std::string_view(numbers, features.numbers.size() * sizeof(float))});
}

[[noreturn]] void fail_damaged(const std::string& where, std::string_view what) {
    fail(ErrorCode::model_invalid, where,
         "{} is damaged; restore the file from a copy, or begin a new run in another folder with `output`",
         what);
}

/// Whether a group's record has what is taken from it, and names no file outside of its folder.
bool is_sound(const Json& record, const std::string& folder) {
    const auto is_number = [](const Json& object, const char* key) {
        const auto value = object.find(key);
        return value != object.end() && value->is_number();
    };
    const auto is_image = [](const Json& image) {
        return image.is_object() && image.contains("file") && image["file"].is_string() &&
               is_file_name(image["file"].get<std::string>()) && image.contains("prompt") &&
               image["prompt"].is_string();
    };
    const fs::path place(folder);
    return record.is_object() && record.contains("images") && record["images"].is_array() &&
           std::ranges::all_of(record["images"], is_image) && record.contains("timings") &&
           record["timings"].is_object() && is_number(record["timings"], "total") &&
           is_number(record["timings"], "load") && place.is_relative() &&
           std::ranges::find(place, fs::path("..")) == place.end();
}

[[noreturn]] void fail_foreign(const fs::path& file, std::string_view why) {
    fail(ErrorCode::model_invalid, file.string(), "{}; choose another folder with `output`", why);
}

std::unique_ptr<Database> open_database(const fs::path& file) {
    try {
        auto database = std::make_unique<Database>(file, kPatienceMilliseconds);
        // FULL: a group that is kept stays so whatever happens to the machine.
        database->execute(
            "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 67108864");
        if (database->number("SELECT count(*) FROM sqlite_master") == 0) {
            database->execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL");
            Transaction transaction(*database, Transaction::Kind::write);
            database->execute(kTables);
            database->execute(
                fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion));
            transaction.commit();
        }
        if (database->number("PRAGMA application_id") != kApplication)
            fail_foreign(file, "it is a database of something else");
        if (database->number("PRAGMA user_version") != kVersion)
            fail_foreign(file, "it was made by another version of gass");
        database->execute(kMemory);
        return database;
    } catch (const DamagedDatabase& error) {
        fail_foreign(file, fmt::format("it is damaged or no store of an evaluation ({})", error.message()));
    }
}

std::optional<std::string> remembered_text(Database& database) {
    Statement statement(database, "SELECT run, checksum FROM remembered");
    if (!statement.step()) return std::nullopt;
    if (statement.text(1) != checksum_of({statement.text(0)}))
        fail_damaged(database.where(), "what is remembered of the run");
    return std::string(statement.text(0));
}

/// Paths may be of any bytes.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// No other process's, on this machine or another.
std::string new_runner() {
    std::random_device random;
    return fmt::format("{}-{:08x}{:08x}", ::getpid(), random(), random());
}

}  // namespace

bool Store::exists(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / kFile, error);
}

std::optional<Json> Store::remembered(const fs::path& folder) {
    if (!exists(folder)) return std::nullopt;
    const FileLock opening(folder / kOpening, kPatienceMilliseconds);
    const std::unique_ptr<Database> database = open_database(folder / kFile);
    const std::optional<std::string> text = remembered_text(*database);
    return text ? std::optional(parse_json(*text, database->where())) : std::nullopt;
}

Store::Store(const fs::path& folder) : folder_(folder), runner_(new_runner()) {
    std::error_code error;
    fs::create_directories(folder / "runners", error);
    if (error) fail(ErrorCode::io, folder.string(), "cannot make the folder: {}", error.message());
    const FileLock opening(folder / kOpening, kPatienceMilliseconds);
    database_ = open_database(folder / kFile);
    check();
    remove_dead_locks();
    lock_ = std::make_unique<FileLock>(lock_of(runner_), 0);
}

/// Of runners that were killed. Only while no other store is opened: a lock that is just made is not held
/// yet.
void Store::remove_dead_locks() const {
    std::error_code error;
    std::vector<fs::path> dead;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "runners", error)) {
        const fs::path lock = fs::path(entry.path()).replace_extension();
        if (FileLock::file_of(lock) == entry.path() && !FileLock::is_held(lock)) dead.push_back(entry.path());
    }
    for (const fs::path& file : dead) fs::remove(file, error);
}

/// A row that is lost or has changed would give a report with other numbers, so all of them are looked at.
void Store::check() {
    const Transaction transaction(*database_, Transaction::Kind::read);
    Statement structure(*database_, "PRAGMA quick_check(1)");
    if (!structure.step() || structure.text(0) != "ok")
        fail_damaged(database_->where(), fmt::format("the database ({})", structure.text(0)));
    const auto expect = [&](bool found) {
        if (!found) fail_damaged(database_->where(), "an index");
    };
    Statement made(*database_, "SELECT key FROM made");
    while (made.step()) expect(find(made.text(0)).has_value());
    Statement seen_rows(*database_, "SELECT key, encoder FROM seen NOT INDEXED");
    while (seen_rows.step()) {
        const std::optional<ImageFeatures> images = features(seen_rows.text(0), seen_rows.text(1));
        expect(images.has_value());
        const std::optional<Kept> group = find(seen_rows.text(0));
        if (group && group->record["images"].size() != static_cast<std::size_t>(images->rows))
            fail_damaged(database_->where(), "what an encoder saw of a group");
    }
    Statement failed(*database_, "SELECT key FROM failed");
    while (failed.step()) expect(failure(failed.text(0)).has_value());
}

void Store::remember(const Json& run, const std::optional<Json>& before) {
    const std::string text = text_of(run);
    Transaction transaction(*database_, Transaction::Kind::write);
    const std::optional<std::string> now = remembered_text(*database_);
    if (now == text) return;
    if (now != (before ? std::optional(text_of(*before)) : std::nullopt))
        fail(ErrorCode::usage, SettingKey("output"),
             "another process has just begun another run in {}; choose another folder", folder_.string());
    const std::string checksum = checksum_of({text});
    Statement(*database_, "INSERT OR REPLACE INTO remembered VALUES(1, ?, ?)")
        .bind(std::string_view(text), std::string_view(checksum))
        .step();
    transaction.commit();
}

std::size_t Store::size() {
    return static_cast<std::size_t>(database_->number("SELECT count(*) FROM made"));
}

Store::~Store() {
    std::error_code ignored;
    fs::remove(FileLock::file_of(lock_of(runner_)), ignored);
}

fs::path Store::lock_of(std::string_view runner) const {
    return folder_ / "runners" / runner;
}

bool Store::is_alive(const std::string& runner) const {
    return runner == runner_ || FileLock::is_held(lock_of(runner));
}

std::optional<Store::Kept> Store::find(std::string_view key) {
    Statement statement(*database_, "SELECT folder, record, checksum FROM made WHERE key = ?");
    if (!statement.bind(key).step()) return std::nullopt;
    if (statement.text(2) != checksum_of({key, statement.text(0), statement.text(1)}))
        fail_damaged(database_->where(), "the record of a group");
    Kept kept{parse_json(statement.text(1), database_->where()), std::string(statement.text(0))};
    if (!is_sound(kept.record, kept.folder)) fail_damaged(database_->where(), "the record of a group");
    return kept;
}

bool Store::is_kept_now(std::string_view key, std::span<const std::string> encoders) {
    Statement made(*database_, "SELECT folder FROM made WHERE key = ?");
    if (!made.bind(key).step()) return false;
    const std::string folder(made.text(0));
    std::error_code error;
    if (!folder.empty() && fs::exists(folder_ / folder / "group.json", error)) return true;
    Statement seen(*database_, "SELECT 1 FROM seen WHERE key = ? AND encoder = ?");
    for (const std::string& encoder : encoders) {
        if (!seen.bind(key, std::string_view(encoder)).step()) return false;
    }
    return true;
}

bool Store::is_kept(std::string_view key, std::span<const std::string> encoders) {
    Transaction transaction(*database_, Transaction::Kind::read);
    return is_kept_now(key, encoders);
}

std::optional<ImageFeatures> Store::features(std::string_view key, std::string_view encoder) {
    Statement statement(*database_,
                        "SELECT rows, columns, numbers, checksum FROM seen WHERE key = ? AND encoder = ?");
    if (!statement.bind(key, encoder).step()) return std::nullopt;
    ImageFeatures images{.encoder = std::string(encoder),
                         .rows = statement.number(0),
                         .columns = statement.number(1),
                         .numbers = {}};
    const std::span<const std::byte> numbers = statement.blob(2);
    const std::size_t count = numbers.size() / sizeof(float);
    if (images.rows < 1 || images.columns < 1 || numbers.size() % sizeof(float) != 0 ||
        count / static_cast<std::size_t>(images.rows) != static_cast<std::size_t>(images.columns) ||
        count % static_cast<std::size_t>(images.rows) != 0)
        fail_damaged(database_->where(), "what an encoder saw of a group");
    images.numbers.resize(count);
    std::memcpy(images.numbers.data(), numbers.data(), numbers.size());
    if (statement.text(3) != checksum_of(key, images))
        fail_damaged(database_->where(), "what an encoder saw of a group");
    return images;
}

std::optional<std::string> Store::failure(std::string_view key) {
    Statement statement(*database_, "SELECT reason, checksum FROM failed WHERE key = ?");
    if (!statement.bind(key).step()) return std::nullopt;
    if (statement.text(1) != checksum_of({key, statement.text(0)}))
        fail_damaged(database_->where(), "the reason why a group failed");
    return std::string(statement.text(0));
}

void Store::write_files(const fs::path& folder, const std::vector<GroupFile>& files) const {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail(ErrorCode::io, folder.string(), "cannot make the folder: {}", error.message());
    const auto lock = FolderLock::take(folder, kPatienceMilliseconds / 1000.0);
    if (!lock) fail(ErrorCode::io, folder.string(), "another process is writing into the folder");
    FileSet set(folder);
    std::vector<std::string> names;
    for (const GroupFile& file : files) {
        set.add(file.name, file.bytes);
        names.push_back(file.name);
    }
    check_set_places(folder, names);
    std::set<std::string> surplus = pictures_of_set(folder);
    for (const std::string& name : names) surplus.erase(name);
    set.commit(std::vector(surplus.begin(), surplus.end()));
}

void Store::put_made(std::string_view key, std::string_view folder, std::string_view record) {
    const std::string checksum = checksum_of({key, folder, record});
    Statement(*database_, "INSERT OR REPLACE INTO made VALUES(?, ?, ?, ?)")
        .bind(key, folder, record, std::string_view(checksum))
        .step();
}

void Store::put_failure(std::string_view key, std::string_view reason) {
    const std::string checksum = checksum_of({key, reason});
    Statement(*database_, "INSERT OR REPLACE INTO failed VALUES(?, ?, ?)")
        .bind(key, reason, std::string_view(checksum))
        .step();
}

void Store::put_features(std::string_view key, const ImageFeatures& features) {
    const std::string checksum = checksum_of(key, features);
    Statement statement(*database_, "INSERT OR REPLACE INTO seen VALUES(?, ?, ?, ?, ?, ?)");
    statement.bind(key, std::string_view(features.encoder), features.rows, features.columns,
                   std::as_bytes(std::span(features.numbers)), std::string_view(checksum));
    statement.step();
}

void Store::keep(std::string_view key, const std::string& folder, const MadeGroup& group) {
    const std::string place = group.files.empty() ? std::string() : folder;
    if (!place.empty()) {
        // Files of another group must not pass for that group's once ours lie in their place.
        Transaction transaction(*database_, Transaction::Kind::write);
        Statement(*database_, "DELETE FROM made WHERE folder = ? AND key <> ?")
            .bind(std::string_view(place), key)
            .step();
        transaction.commit();
        write_files(folder_ / place, group.files);
    }
    const std::string record = group.record.dump();
    Transaction transaction(*database_, Transaction::Kind::write);
    put_made(key, place, record);
    for (const ImageFeatures& features : group.features) put_features(key, features);
    Statement(*database_, "DELETE FROM failed WHERE key = ?").bind(key).step();
    Statement(*database_, "DELETE FROM claim WHERE key = ?").bind(key).step();
    transaction.commit();
}

void Store::keep_features(std::string_view key, const ImageFeatures& features) {
    Transaction transaction(*database_, Transaction::Kind::write);
    put_features(key, features);
    transaction.commit();
}

void Store::keep_failure(std::string_view key, std::string_view reason) {
    Transaction transaction(*database_, Transaction::Kind::write);
    put_failure(key, reason);
    Statement(*database_, "DELETE FROM claim WHERE key = ?").bind(key).step();
    transaction.commit();
}

Store::Claim Store::claim(std::string_view key, std::span<const std::string> encoders, bool try_again) {
    Transaction transaction(*database_, Transaction::Kind::write);
    if (is_kept_now(key, encoders)) return Claim::settled;
    if (!try_again && failure(key)) return Claim::settled;
    Statement holder(*database_, "SELECT runner FROM claim WHERE key = ?");
    if (holder.bind(key).step()) {
        const std::string runner(holder.text(0));
        if (is_file_name(runner)) {  // else it is none that we named
            if (is_alive(runner)) return runner == runner_ ? Claim::taken : Claim::held_by_another;
            std::error_code ignored;
            fs::remove(FileLock::file_of(lock_of(runner)), ignored);
        }
    }
    holder.reset();
    Statement(*database_, "INSERT OR REPLACE INTO claim VALUES(?, ?)")
        .bind(key, std::string_view(runner_))
        .step();
    transaction.commit();
    return Claim::taken;
}

void Store::give_back(std::string_view key) {
    Transaction transaction(*database_, Transaction::Kind::write);
    Statement(*database_, "DELETE FROM claim WHERE key = ? AND runner = ?")
        .bind(key, std::string_view(runner_))
        .step();
    transaction.commit();
}

std::size_t Store::take_over(Store& other) {
    const fs::path below = other.folder_.lexically_relative(folder_);
    std::size_t taken = 0;
    Transaction transaction(*database_, Transaction::Kind::write);
    Statement rows(*other.database_, "SELECT key FROM made ORDER BY key");
    Statement encoders(*other.database_, "SELECT encoder FROM seen WHERE key = ?");
    while (rows.step()) {
        const std::string key(rows.text(0));
        if (find(key)) continue;
        const Kept kept = other.find(key).value();
        put_made(key, kept.folder.empty() ? kept.folder : (below / kept.folder).generic_string(),
                 kept.record.dump());
        Statement(*database_, "DELETE FROM failed WHERE key = ?").bind(std::string_view(key)).step();
        encoders.bind(std::string_view(key));
        while (encoders.step()) put_features(key, other.features(key, encoders.text(0)).value());
        ++taken;
    }
    Statement failures(*other.database_, "SELECT key FROM failed");
    while (failures.step()) {
        const std::string key(failures.text(0));
        if (!find(key)) put_failure(key, other.failure(key).value());
    }
    transaction.commit();
    return taken;
}

}  // namespace gass::eval
