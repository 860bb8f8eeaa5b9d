// The allocation tree: call stacks, outermost first, as rows that expand.

const tree = {
  levels: values.tree.levels,
  open: new Set(),
  full: new Set(),  // levels whose small callees are also shown
  kFew: 12,
  active: 0,

  start() {
    if (!this.levels.length) {
      byId('tree-rows').replaceChildren(el('p', {class: 'empty'}, 'No object was recorded.'));
      document.querySelector('#tree .controls').hidden = true;
      return;
    }
    this.children = new Map();
    this.levels.forEach(({parent}, i) => {
      if (!this.children.has(parent)) this.children.set(parent, []);
      this.children.get(parent).push(i);
    });
    byId('tree-by').addEventListener('change', () => this.fill());
    byId('tree-hot').addEventListener('click', () => this.openHot());
    byId('tree-close').addEventListener('click', () => {
      this.open.clear();
      this.full.clear();
      this.active = this.sorted(-1)[0];
      this.fill();
    });
    byId('tree-rows').addEventListener('keydown', (event) => this.key(event));
    const {left_out} = values.tree;
    byId('tree-note').textContent = (left_out ? `${plural(left_out, 'level')} with the fewest ${counts.many} ${left_out === 1 ? 'is' : 'are'} left out; their ${counts.many} are in the rows above them. ` : '') +
        'Arrow keys move between rows, open and close them.';
    this.openHot();
  },

  amount(level) {
    return byId('tree-by').value === 'bytes' ? level.bytes : level.reads + level.writes;
  },
  /// For samples, returns "": a call's share has no interval.
  said(share) {
    return values.said && byId('tree-by').value !== 'bytes' ? '' : percent(share);
  },
  sorted(parent) {
    return [...(this.children.get(parent) ?? [])].sort((a, b) => this.amount(this.levels[b]) - this.amount(this.levels[a]));
  },
  openHot() {
    for (let at = this.sorted(-1)[0]; at !== undefined && this.children.has(at); at = this.sorted(at)[0]) this.open.add(at);
    this.active = this.sorted(-1)[0];
    this.fill();
  },

  fill() {
    const roots = this.sorted(-1);
    this.all = roots.reduce((sum, i) => sum + this.amount(this.levels[i]), 0) || 1;
    const head = el('div', {role: 'row', class: 'tree-row tree-head'},
        ...['Call', byId('tree-by').value === 'bytes' ? 'Share of bytes' : `Share of ${counts.many}`, counts.title, 'Bytes', 'Allocations'].map((name, i) => el('span', {role: 'columnheader', class: `t${i}`}, name)));
    this.shown = [];
    const rows = [];
    const stack = this.listed(-1, roots).reverse().map((i) => [i, 1]);
    while (stack.length) {
      const [i, depth] = stack.pop();
      this.shown.push(i);
      rows.push(i < 0 ? this.moreRow(i, depth) : this.row(i, depth));
      if (this.open.has(i)) stack.push(...this.listed(i, this.sorted(i)).reverse().map((child) => [child, depth + 1]));
    }
    if (!this.shown.includes(this.active)) this.active = this.shown[0];
    byId('tree-rows').replaceChildren(head, ...rows);
    this.point(false);
  },

  /// Returns the first of many children. A negative number then represents the rest and encodes the
  /// parent.
  listed(parent, children) {
    if (this.full.has(parent) || children.length <= this.kFew + 1) return children;
    return [...children.slice(0, this.kFew), -2 - parent];
  },
  moreRow(i, depth) {
    const rest = this.sorted(-2 - i).slice(this.kFew);
    const share = rest.reduce((sum, child) => sum + this.amount(this.levels[child]), 0) / this.all;
    return el('div', {role: 'row', class: 'tree-row more', 'aria-level': depth, 'aria-expanded': 'false', 'data-level': i, tabindex: -1, click: () => this.toggle(i)},
        el('span', {role: 'rowheader', class: 't0', style: `--depth:${depth - 1}`}, el('span', {class: 'twisty', 'aria-hidden': 'true'}, '▸'), `${rest.length} smaller`),
        el('span', {role: 'gridcell', class: 't1'}, el('span', {class: 'bar best', style: `--share:${share}`}), el('span', {class: 'value'}, this.said(share))));
  },

  row(i, depth) {
    const level = this.levels[i];
    const leaf = !this.children.has(i);
    const place = level.place.split('/').pop();
    const share = this.amount(level) / this.all;
    return el('div', {role: 'row', class: 'tree-row', 'aria-level': depth, 'aria-expanded': leaf ? undefined : String(this.open.has(i)), 'data-level': i,
                      tabindex: -1, click: () => { this.active = i; this.toggle(i); }},
        el('span', {role: 'rowheader', class: 't0', style: `--depth:${depth - 1}`, title: `${level.name}\n${level.place ? `${level.place}\n` : ''}${countText(level.reads, level.writes)}`},
           el('span', {class: 'twisty', 'aria-hidden': 'true'}, leaf ? '' : this.open.has(i) ? '▾' : '▸'), el('span', {class: 'name'}, level.name), el('small', {}, place)),
        el('span', {role: 'gridcell', class: 't1'}, el('span', {class: 'bar best', style: `--share:${share}`}), el('span', {class: 'value'}, this.said(share))),
        el('span', {role: 'gridcell', class: 't2'}, short(level.reads + level.writes)),
        el('span', {role: 'gridcell', class: 't3'}, bytes(level.bytes)),
        el('span', {role: 'gridcell', class: 't4'}, short(level.allocations)));
  },

  toggle(i) {
    if (i < 0) {
      this.full.add(-2 - i);
      this.active = this.sorted(-2 - i)[this.kFew];
      this.fill();
      return this.point(true);
    }
    if (!this.children.has(i)) return this.point(true);
    if (!this.open.delete(i)) this.open.add(i);
    this.fill();
    this.point(true);
  },
  /// Moves the focus to the active row.
  point(focus) {
    for (const row of byId('tree-rows').querySelectorAll('[data-level]')) {
      const is = Number(row.dataset.level) === this.active;
      row.tabIndex = is ? 0 : -1;
      if (is && focus) row.focus();
    }
  },
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.shown.indexOf(this.active);
    const open = this.open.has(this.active), inner = this.children.has(this.active);
    const go = (i) => { if (i !== undefined) { this.active = i; this.point(true); } };
    const parent = this.active < 0 ? -2 - this.active : this.levels[this.active].parent;
    const actions = {
      ArrowDown: () => go(this.shown[at + 1]),
      ArrowUp: () => go(this.shown[at - 1]),
      Home: () => go(this.shown[0]),
      End: () => go(this.shown.at(-1)),
      ArrowRight: () => ((inner && !open) || this.active < 0 ? this.toggle(this.active) : inner && go(this.shown[at + 1])),
      ArrowLeft: () => (open ? this.toggle(this.active) : parent >= 0 && go(parent)),
      Enter: () => this.toggle(this.active),
      ' ': () => this.toggle(this.active),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  },
};
