// Writes rows in the order of ids.
#include "program/output_files.hpp"

#include "program/rows.hpp"

namespace Atoll::program {
namespace {

void write_rows(AtomicFile& file, FileForm form, const std::vector<Elements>& columns, bool edges,
                std::uint64_t count, const Names& names) {
  RowWriter rows(file, form, names);
  std::vector<std::string> head =
      edges ? std::vector<std::string>{"from", "to"} : std::vector<std::string>{"node"};
  for (const Elements& column : columns) head.push_back(column.name);
  rows.head(head);
  std::uint64_t source = 0;
  for (std::uint64_t id = 0; id < count; ++id) {
    if (edges) {
      while (names.first_edge(source + 1) <= id) ++source;
      rows.value(ValueType::node, static_cast<std::int64_t>(source));
      rows.value(ValueType::node, static_cast<std::int64_t>(names.target(id)));
    } else {
      rows.value(ValueType::node, static_cast<std::int64_t>(id));
    }
    for (const Elements& column : columns) rows.value(column.type, column.get(id));
    rows.end_row();
  }
  rows.finish();
  file.commit();
}

}  // namespace

void save_elements(AtomicFile& file, const std::string& path, const Elements& elements,
                   const Names& names) {
  if (form_of(path) != FileForm::binary)
    return write_rows(file, form_of(path), {elements}, elements.edges, elements.count, names);
  file.write(elements.bytes);
  file.commit();
}

void save_items(AtomicFile& file, const std::string& path, const Items& items, const Names& names) {
  const bool map = items.use->kind == CollectionKind::map;
  RowWriter rows(file, form_of(path), names);
  rows.head(map ? std::vector<std::string>{"key", items.use->name}
                : std::vector<std::string>{items.use->name});
  items.visit(items.count, [&](Scalar item, Scalar value) {
    rows.value(map ? items.use->key : ValueType::node, item);
    if (map) rows.value(items.use->value, value);
    rows.end_row();
  });
  rows.finish();
  file.commit();
}

void save_table(AtomicFile& file, const std::vector<Elements>& results, bool edges,
                std::uint64_t count, const Names& names) {
  write_rows(file, FileForm::table, results, edges, count, names);
}

}  // namespace Atoll::program
