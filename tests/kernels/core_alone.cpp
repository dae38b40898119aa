// Parts of the core without Python, where an allocation can be made to fail: run by test_core_alone.py. What
// is wrong ends it with a line that says what.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "base/arena.hpp"
#include "base/rows.hpp"
#include "base/segments.hpp"
#include "read/delimited.hpp"
#include "read/json_lines.hpp"
#include "read/trec_text.hpp"
#include "write/arrow_output.hpp"

namespace {

long alive = 0;   // blocks of memory
long mapped = 0;  // blocks of pages
long left = -1;   // how many allocations succeed before one fails; below 0, all do

bool fails() { return left >= 0 && left-- == 0; }

void require(bool holds, const char* what) {
    if (holds) return;
    std::printf("%s\n", what);
    std::exit(1);
}

}  // namespace

// The linker puts these in the place of the library's: -Wl,--wrap=…
extern "C" {
void* __real_malloc(size_t);
void* __real_realloc(void*, size_t);
void __real_free(void*);
void* __real_mmap(void*, size_t, int, int, int, off_t);
int __real_munmap(void*, size_t);

void* __wrap_malloc(size_t size) {
    if (fails()) return nullptr;
    ++alive;
    return __real_malloc(size);
}
void* __wrap_realloc(void* old, size_t size) {
    if (fails()) return nullptr;
    alive += old == nullptr;
    return __real_realloc(old, size);
}
void __wrap_free(void* block) {
    alive -= block != nullptr;
    __real_free(block);
}
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
    if (fails()) return MAP_FAILED;
    ++mapped;
    return __real_mmap(at, size, protection, flags, file, offset);
}
int __wrap_munmap(void* begin, size_t size) {
    --mapped;
    return __real_munmap(begin, size);
}
}

void* operator new(size_t size) {
    void* block = std::malloc(size);
    if (!block) throw std::bad_alloc();
    return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { operator delete(block); }

namespace {

using namespace idealist;

// Parses the same text twice into one builder; there is room behind it, as every caller has.
void parse_twice(const LineParser& parser, const std::string& text, size_t rows) {
    const std::string padded = text + std::string(LineParser::padding, ' ');
    SegmentBuilder builder;
    for (int time = 0; time < 2; ++time) parser.parse({padded.data(), text.size()}, time == 0, builder);
    const Segment segment = builder.view();
    require(segment.rows() == 2 * rows, "a second parse does not add as many rows as the first");
    for (size_t row = 0; row < rows; ++row) {
        require(segment.id(row) == segment.id(rows + row), "a second parse adds other ids");
        require(segment.value[row] == segment.value[rows + row], "a second parse adds other numbers");
        require(segment.id_hash[row] == segment.id_hash[rows + row], "a second parse adds other hashes");
    }
    require(segment.groups.size() == 1, "rows of one query that follow each other are two groups");
}

void parsing_adds() {
    std::string run, csv, json;
    for (int row = 0; row < 1000; ++row) {
        const std::string id = "document-" + std::to_string(row) + std::string(size_t(row % 40), 'x');
        run += "q Q0 " + id + " 1 " + std::to_string(row) + " t\n";
        csv += "q," + id + "," + std::to_string(row) + "\n";
        json += R"({"query": "q", "document": ")" + id + R"(", "score": )" + std::to_string(row) + "}\n";
    }
    parse_twice(*trec_lines(Layout::run), run, 1000);
    parse_twice(*delimited_lines({.columns = 3, .query = 0, .document = 1, .number = 2}), csv, 1000);
    parse_twice(*json_lines({"query", "document", "score"}), json, 1000);
}

std::shared_ptr<const Segments> segments_of(SegmentBuilder& builder) {
    auto segments = std::make_shared<Segments>();
    segments->arenas.emplace_back();
    segments->list.push_back(builder.store(segments->arenas.back()));
    return segments;
}

// Every allocation fails once: nothing is thrown to the caller and nothing is left.
void exporting_gives_all_back() {
    SegmentBuilder builder;
    builder.begin_group("query");
    for (int row = 0; row < 300; ++row) builder.add("document " + std::to_string(row), row);
    const auto segments = segments_of(builder);
    const long before = alive;
    for (long n = 0;; ++n) {
        ArrowArrayStream stream;
        export_stream(in_order(segments), "score", &stream, 1000);
        left = n;
        ArrowSchema schema{};
        ArrowArray array{};
        bool all = stream.get_schema(&stream, &schema) == 0;
        size_t rows = 0;
        for (bool more = true; all && more;) {
            all = stream.get_next(&stream, &array) == 0;
            more = all && array.release;
            if (!more) break;
            rows += size_t(array.length);
            array.release(&array);
        }
        left = -1;
        require(all || std::string(stream.get_last_error(&stream)).find("memory") != std::string::npos,
                "a failed allocation is told as something else");
        if (!all && schema.release) {  // what was not given can be asked for again
            while (stream.get_next(&stream, &array) == 0 && array.release) {
                rows += size_t(array.length);
                array.release(&array);
            }
            require(rows == 300, "rows are lost by a failed allocation");
        }
        if (schema.release) schema.release(&schema);
        stream.release(&stream);
        require(alive == before, "a failed allocation leaves memory behind");
        if (all) {
            require(rows == 300 && n > 20, "nothing failed");
            return;
        }
    }
}

void arenas_give_all_back() {
    const std::string text(1000, 'x');
    const long before = mapped;
    for (long n = 0, failed = 1; failed; ++n) {
        failed = 0;
        {
            Arena arena;
            left = n;
            try {
                for (int i = 0; i < 5000; ++i) arena.keep(text.data(), text.size());
            } catch (const std::bad_alloc&) {
                failed = 1;
            }
            left = -1;
        }
        require(mapped == before, "a failed allocation leaves pages behind");
        require(failed || n > 3, "nothing failed");
    }
}

}  // namespace

int main() {
    parsing_adds();
    exporting_gives_all_back();
    arenas_give_all_back();
}
