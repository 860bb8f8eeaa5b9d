// The table of objects, which can be searched and sorted.

const objects = {
  kShort: 8,
  kHeads: ['Object', 'Size', weighed.title, 'Local', 'Exclusivity', 'Served by', 'Lines'],
  all: false,

  start() {
    byId('objects-legend').replaceChildren(
        el('span', {class: 'legend-title'}, `${weighed.many} served by`), ...nodeLegend(), el('span', {class: 'legend-title'}, 'lines'),
        ...kSharing.map((name, i) => el('span', {class: 'key'}, el('i', {style: `background:var(--sharing-${i})`}), name)));
    byId('objects-more').addEventListener('click', () => {
      this.all = !this.all;
      this.fill();
    });
    const left = values.all_objects - values.objects.length;
    byId('objects-note').textContent = left > 0 ? `${plural(left, 'object')} more, with less remote ${weighed.many}, ${left === 1 ? 'is' : 'are'} counted in the program’s figures only.` : '';
    const option = (object, i) => el('option', {value: i}, `${object.name}${object.place ? ` — ${object.place.split('/').pop()}` : ''}`);
    byId('excl-object').append(el('option', {value: -1}, 'the whole program'), ...values.objects.map(option));
    byId('pages-object').append(...values.objects.map(option));
    for (const id of ['excl-object', 'pages-object'])
      byId(id).addEventListener('change', (event) => chosen.choose(Number(event.target.value)));
    byId('objects-find').addEventListener('input', () => this.fill());
    this.fillHead();
    this.fill();
  },

  /// Sort keys of the columns; numbers in descending order, names in ascending order.
  kKeys: [({name}) => name, ({bytes}) => bytes, ({traffic}) => traffic, ({what_if}) => what_if[0].local_share, ({exclusivity}) => exclusivity],
  by: -1,  // column to sort by; -1: by remote traffic, the order of the data
  turned: false,

  fillHead() {
    const button = (name, i) => el('button', {type: 'button', class: 'sort', click: () => this.sort(i)}, name);
    byId('objects-table').replaceChildren(
        el('thead', {}, el('tr', {}, ...this.kHeads.map((name, i) => el('th', {scope: 'col', class: `c${i}${i && i < 5 ? ' n' : ''}`}, this.kKeys[i] ? button(name, i) : name)))),
        el('tbody'));
  },

  /// A second click reverses the order; a third one restores the original order.
  sort(column) {
    if (this.by !== column) [this.by, this.turned] = [column, false];
    else if (!this.turned) this.turned = true;
    else [this.by, this.turned] = [-1, false];
    this.fill();
  },

  /// Returns the positions in values.objects to show.
  order() {
    const words = byId('objects-find').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...values.objects.keys()].filter((i) => {
      const {kind, name, place, use} = values.objects[i];
      const text = `${kind} ${name} ${place} ${use}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (this.by < 0) return found;
    const key = this.kKeys[this.by], sign = this.turned ? -1 : 1;
    const compare = this.by ? (a, b) => b - a : (a, b) => a.localeCompare(b);
    return found.sort((a, b) => sign * compare(key(values.objects[a]), key(values.objects[b])));
  },

  fill() {
    const found = this.order();
    const shown = this.all ? found : found.slice(0, this.kShort);
    const table = byId('objects-table');
    table.querySelectorAll('thead th').forEach((head, i) => {
      if (i === this.by) head.setAttribute('aria-sort', (i === 0) === this.turned ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    table.querySelector('tbody').replaceChildren(this.row(-1, {
      name: 'The whole program', place: '', use: `${plural(values.all_objects, 'object')}`, reads: values.run.reads, writes: values.run.writes, pages: values.run.pages,
      bytes: values.run.pages * 4096, traffic: values.run.traffic, what_if: values.what_if, exclusivity: values.verdict.exclusivity,
      balance: values.balance, sharing: values.sharing, said: values.said,
    }), ...shown.map((i) => this.row(i, values.objects[i])));
    byId('objects-found').textContent = found.length < values.objects.length ? `${found.length} of ${plural(values.objects.length, 'object')}` : '';
    const more = byId('objects-more');
    more.hidden = found.length <= this.kShort;
    more.textContent = this.all ? `Show the first ${this.kShort} alone` : `Show all ${found.length}`;
    more.setAttribute('aria-expanded', this.all);
    this.mark();
  },

  row(index, object) {
    const accesses = object.reads + object.writes;
    const cell = (i, ...content) => el('td', {class: `c${i}${i < 5 ? ' n' : ''}`, 'data-head': this.kHeads[i]}, ...content);
    return el('tr', {'data-object': index},
        el('th', {scope: 'row', class: 'c0'},
           el('button', {type: 'button', class: 'pick', click: () => chosen.choose(index)}, object.name),
           el('small', {}, [object.id === undefined ? '' : `${object.kind} ${object.id}`, object.place, object.use].filter(Boolean).join(' · '))),
        cell(1, bytes(object.bytes), el('small', {}, plural(object.pages, 'page'))),
        cell(2, index < 0 ? percent(1) : object.said?.share ?? percent(object.traffic / (values.run.traffic || 1)), el('small', {title: countText(object.reads, object.writes)}, `${short(accesses)} ${counts.many}`)),
        cell(3, object.said?.local[0] ?? percent(object.what_if[0].local_share)),
        cell(4, object.said?.exclusivity ?? percent(object.exclusivity)),
        cell(5, object.said ? '' : stacked(object.balance.accesses, values.nodes.map((_, node) => `var(--node-${node % 8})`), values.nodes.map((_, node) => nodeName(node)))),
        cell(6, stacked(object.sharing.slice(0, 4), kSharing.map((_, i) => `var(--sharing-${i})`), kSharing),
             object.sharing[4] ? el('small', {}, `${plural(object.sharing[4], 'page')} unknown`) : ''));
  },

  mark() {
    for (const row of byId('objects-table').querySelectorAll('tbody tr')) {
      const is = Number(row.dataset.object) === chosen.object;
      row.classList.toggle('chosen', is);
      row.querySelector('button').setAttribute('aria-pressed', is);
    }
  },
};
