// Writes rows in ascending order of ids.
#include "program/output_files.hpp"

#include "program/rows.hpp"

namespace Atoll::program {
namespace {

/// Writes the name of a node or an edge. Calls must be in ascending order of ids.
class RowNamer {
 public:
  RowNamer(RowWriter& rows, bool edges, const Names& names)
      : rows_(rows), edges_(edges), names_(names) {}
  void write(std::uint64_t id) {
    if (!edges_) return node(id);
    while (names_.first_edge(source_ + 1) <= id) ++source_;
    node(source_);
    node(names_.target(id));
  }

 private:
  void node(std::uint64_t id) {
    rows_.value(ValueType::node, static_cast<std::int64_t>(id), names_);
  }

  RowWriter& rows_;
  bool edges_;
  const Names& names_;
  std::uint64_t source_ = 0;
};

void write_rows(AtomicFile& file, FileForm form, const std::vector<Elements>& columns) {
  const bool edges = columns.front().edges;
  RowWriter rows(file, form);
  std::vector<std::string> head =
      edges ? std::vector<std::string>{"from", "to"} : std::vector<std::string>{"node"};
  for (const Elements& column : columns) head.push_back(column.name);
  rows.head(head);
  RowNamer names(rows, edges, *columns.front().names);
  for (std::uint64_t id = 0; id < columns.front().count; ++id) {
    names.write(id);
    for (const Elements& column : columns)
      rows.value(column.type, column.get(id), *column.value_names);
    rows.end_row();
  }
  rows.finish();
  file.commit();
}

}  // namespace

void save_elements(AtomicFile& file, const std::string& path, const Elements& elements) {
  if (form_of(path) != FileForm::binary) return write_rows(file, form_of(path), {elements});
  file.write(elements.bytes);
  file.commit();
}

void save_items(AtomicFile& file, const std::string& path, const Items& items) {
  const bool map = items.use->kind == CollectionKind::map;
  RowWriter rows(file, form_of(path));
  rows.head(map ? std::vector<std::string>{"key", items.use->name}
                : std::vector<std::string>{items.use->name});
  items.visit(items.count, [&](Scalar item, Scalar value) {
    rows.value(map ? items.use->key : ValueType::node, item, *items.names);
    if (map) rows.value(items.use->value, value, *items.value_names);
    rows.end_row();
  });
  rows.finish();
  file.commit();
}

void save_many(AtomicFile& file, const ManyItems& many) {
  RowWriter rows(file, FileForm::text);
  RowNamer names(rows, many.use->place == CollectionPlace::edges, *many.names);
  for (std::uint64_t i = 0; i < many.count; ++i) {
    const Items items = many.at(i);
    if (many.use->place != CollectionPlace::listed) names.write(i);
    rows.value(ValueType::int64, static_cast<std::int64_t>(items.count), *items.names);
    items.visit(items.count,
                [&](Scalar item, Scalar) { rows.value(ValueType::node, item, *items.names); });
    rows.end_row();
  }
  rows.finish();
  file.commit();
}

void save_table(AtomicFile& file, const std::vector<Elements>& results) {
  write_rows(file, FileForm::table, results);
}

}  // namespace Atoll::program
