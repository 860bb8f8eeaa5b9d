// Exclusivity against traffic of each page, in a panel for the node of its first touch, with the
// traffic that each node serves above it [hashsieve Figure 2]. A dot is a cell of a grid; the
// tooltip has its number of pages.

const exclusivity = {
  grids: new Map(),  // object (-1: the program) → cells by node
  columns: values.exclusivity.columns,
  decade: values.exclusivity.rows_a_decade,
  least: nodeCount > 1 ? 1 / nodeCount : 0,
  cursor: null,  // {node, cell}
  kPanels: 16,
  kFaintest: 0.4,  // a single page is visible

  start() {
    const node = byId('excl-node');
    node.append(el('option', {value: -1}, nodeCount > this.kPanels ? `the ${this.kPanels} busiest nodes` : 'every node'), ...values.nodes.map((_, i) => el('option', {value: i}, `${nodeName(i)} alone`)));
    node.addEventListener('change', () => this.draw());
    byId('excl-lead').textContent = `A page’s exclusivity is the part of its ${weighed.many} that comes from the node that uses it most. ` +
        'Each dot is a page, or as many pages as its colour says: to the right, those that one node uses more exclusively; further up, those with more ' + `${weighed.many}. ` +
        `Pages are on the node of the thread that touched them first; ${percent(this.least, 0)} means that all nodes use a page alike. On top: the ${weighed.many} that each node serves.`;
    byId('excl-help').textContent = 'Point at a dot or move from dot to dot with the arrow keys. A dot stands for pages ' +
        `whose exclusivity differs by less than ${percent((1 - this.least) / this.columns, 2)} and whose ${weighed.many} by less than ${percent(10 ** (1 / this.decade) - 1, 0)}; its count is exact.`;
    interact(byId('excl-canvas'), this);
    return this.draw();
  },

  async draw() {
    const object = chosen.object;
    if (!this.grids.has(object))
      this.grids.set(object, await cellsOf(values.exclusivity.parts[object + 1]));
    if (object !== chosen.object) return;  // another object was chosen meanwhile
    this.grid = this.grids.get(object);
    this.cursor = null;
    this.most = 1;
    let rows = this.decade;
    for (const cells of this.grid)
      for (const [cell, pages] of cells) {
        this.most = Math.max(this.most, pages);
        rows = Math.max(rows, Math.floor(cell / this.columns) + 1);
      }
    this.decades = Math.ceil(rows / this.decade);
    this.layout();
    const total = this.grid.reduce((sum, cells) => [...cells.values()].reduce((a, b) => a + b, sum), 0);
    rampLegend(byId('excl-legend'), 'pages a dot', '1', short(this.most), this.kFaintest);
    const canvas = byId('excl-canvas');
    canvas.setAttribute('aria-label', `Exclusivity and ${weighed.many} of ${plural(total, 'page')}: ` + this.summary());
    const context = prepare(canvas, widthOf(canvas), this.height);
    for (const panel of this.panels) this.paintPanel(context, panel);
    this.image = new OffscreenCanvas(canvas.width, canvas.height);
    this.image.getContext('2d').drawImage(canvas, 0, 0);
    this.paint();
  },

  layout() {
    const width = widthOf(byId('excl-canvas'));
    const only = Number(byId('excl-node').value);
    const shown = only < 0 ? this.busiest() : [only];
    const edge = 42, gap = 14;
    const fit = Math.max(1, Math.min(shown.length, Math.floor((width - edge + gap) / (130 + gap))));
    const down = Math.ceil(shown.length / fit);
    const across = Math.ceil(shown.length / down);
    const wide = (width - edge - 8 - gap * (across - 1)) / across;
    const high = down === 1 ? 280 : 190;
    this.panels = shown.map((node, i) => ({
      node, x: edge + (i % across) * (wide + gap), y: 44 + Math.floor(i / across) * (high + 92),
      width: wide, height: high, first: i % across === 0,
    }));
    this.height = down * (high + 92) + 4;
  },

  /// Returns the nodes that have panels: all, or if there are many, those that serve the most
  /// traffic.
  busiest() {
    const {accesses} = this.balance();
    const all = values.nodes.map((_, i) => i);
    if (nodeCount <= this.kPanels) return all;
    return all.filter((i) => accesses[i] > 0).sort((a, b) => accesses[b] - accesses[a]).slice(0, this.kPanels).sort((a, b) => a - b);
  },

  balance() { return chosen.object < 0 ? values.balance : values.objects[chosen.object].balance; },
  shares(node) {
    const {pages, accesses} = this.balance();
    const sum = (list) => list.reduce((a, b) => a + b, 0) || 1;
    return [accesses[node] / sum(accesses), pages[node] / sum(pages)];
  },
  summary() {
    if (values.said) return 'as sampled';  // samples have no interval for one node's share
    return values.nodes.map((_, node) => `${nodeName(node)} serves ${percent(this.shares(node)[0])} of ${weighed.many} on ${percent(this.shares(node)[1])} of pages`).join('; ');
  },

  /// Draws the picture, with the cursor on it.
  paint() {
    const canvas = byId('excl-canvas');
    const width = widthOf(canvas);
    const context = prepare(canvas, width, this.height);
    context.drawImage(this.image, 0, 0, width, this.height);
    byId('excl-readout').textContent = this.cursor ? this.describe().join(' · ') : '';
    if (!this.cursor) return;
    const [x, y] = this.place(this.panels.find(({node}) => node === this.cursor.node), this.cursor.cell);
    context.strokeStyle = theme.focus;
    context.lineWidth = 2;
    context.strokeRect(x - 6, y - 6, 12, 12);
  },

  place(panel, cell) {
    const column = cell % this.columns, row = Math.floor(cell / this.columns);
    const inside = 3;  // margin, so that dots at the edges are complete
    return [panel.x + inside + (column + 0.5) / this.columns * (panel.width - 2 * inside),
            panel.y + panel.height - inside - (row + 0.5) / (this.decades * this.decade) * (panel.height - 2 * inside)];
  },

  paintPanel(context, panel) {
    const {node, x, y, width, height} = panel;
    const [accesses, pages] = this.shares(node);
    const highest = Math.max(...values.nodes.map((_, i) => this.shares(i)[0])) || 1;
    context.textAlign = 'left';
    context.fillStyle = theme.text;
    const texts = values.said ? [nodeName(node)] : [` of ${weighed.many}`, ''].map((of) => `${nodeName(node)}: ${percent(accesses, 0)}${of}`);
    context.fillText(texts.find((text) => context.measureText(text).width <= width) ?? texts.at(-1), x, y - 34, width);
    context.fillStyle = theme.muted;
    context.fillText(`${percent(pages, 0)} of pages`, x, y - 8, width);
    context.fillStyle = theme.line;
    context.fillRect(x, y - 25, width, 6);
    context.fillStyle = theme.node(node);
    context.fillRect(x, y - 25, Math.max(accesses > 0 ? 2 : 0, width * accesses / highest), 6);

    context.fillStyle = theme.sunken;
    context.fillRect(x, y, width, height);
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.fillStyle = theme.muted;
    const stride = Math.ceil(this.decades / 8);
    for (let decade = 0; decade <= this.decades; decade += stride) {
      const at = y + height - decade / this.decades * height;
      context.beginPath();
      context.moveTo(x, Math.round(at) + 0.5);
      context.lineTo(x + width, Math.round(at) + 0.5);
      context.stroke();
      context.textAlign = 'right';
      if (panel.first) context.fillText(tickText(10 ** decade), x - 6, at);
    }
    const round = (width < 150 ? [] : width < 200 ? [0.5] : [0.25, 0.5, 0.75]).filter((share) => share > this.least + 0.15);
    for (const share of [this.least, ...round, 1]) {
      context.textAlign = share === this.least ? 'left' : share === 1 ? 'right' : 'center';
      context.fillText(percent(share, 0), x + width * (share - this.least) / (1 - this.least), y + height + 12);
    }
    context.textAlign = 'center';
    context.fillText('exclusivity', x + width / 2, y + height + 30);

    const size = Math.max(2.5, Math.min(6, 9 - 1.5 * Math.log10(this.grid[node].size + 1)));
    const cells = [...this.grid[node]].sort((a, b) => a[1] - b[1]);  // the fullest are drawn last
    let coloured = 0;  // count of the current colour: setting a colour is slow
    for (const [cell, count] of cells) {
      const [cx, cy] = this.place(panel, cell);
      if (count !== coloured) {
        context.fillStyle = theme.css(this.kFaintest + (1 - this.kFaintest) * Math.log(count) / Math.log(Math.max(2, this.most)));
        coloured = count;
      }
      context.fillRect(cx - size / 2, cy - size / 2, size, size);
    }
    this.paintMean(context, panel);
  },

  paintMean(context, {x, y, width, height}) {
    if (values.said) return;
    const mean = chosen.object < 0 ? values.verdict.exclusivity : values.objects[chosen.object].exclusivity;
    const at = x + width * (mean - this.least) / (1 - this.least);
    context.strokeStyle = theme.text;
    context.lineWidth = 1;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(at, y);
    context.lineTo(at, y + height);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = theme.text;
    context.textAlign = at > x + width / 2 ? 'right' : 'left';
    context.fillText(`mean ${percent(mean, 0)}`, at + (at > x + width / 2 ? -4 : 4), y + 9);
  },

  describe() {
    const {node, cell} = this.cursor;
    const column = cell % this.columns, row = Math.floor(cell / this.columns);
    const share = (i) => percent(this.least + (1 - this.least) * i / this.columns, 2);
    const amount = (i) => 10 ** (i / this.decade);
    const low = Math.ceil(amount(row) - 1e-9), high = Math.ceil(amount(row + 1) - 1e-9) - 1;
    return [`${plural(this.grid[node].get(cell), 'page')} on ${nodeName(node)}`,
            `exclusivity ${share(column)} to ${share(column + 1)}`,
            low >= high ? `${plural(low, weighed.one, weighed.units)} each` : `${short(low)} to ${short(high)} ${weighed.units} each`];
  },
  point(px, py) {
    const panel = this.panels.find(({x, y, width, height}) => px >= x - 8 && px < x + width + 8 && py >= y - 8 && py < y + height + 8);
    if (!panel) return null;
    let nearest = 14;
    let found = null;
    for (const cell of this.grid[panel.node].keys()) {
      const [cx, cy] = this.place(panel, cell);
      const distance = Math.hypot(cx - px, cy - py);
      if (distance < nearest) [nearest, found] = [distance, cell];
    }
    if (found === null) return null;
    this.cursor = {node: panel.node, cell: found};
    this.paint();
    return this.describe();
  },
  /// Moves to the nearest dot in a direction; beyond the last dot, to the next panel.
  key(key) {
    const direction = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[key];
    if (!direction) return false;
    const at = this.panels.findIndex((panel) => panel.node === this.cursor?.node);
    const found = this.cursor ? this.nearest(this.cursor.node, this.cursor.cell, direction) : null;
    if (found !== null) this.cursor = {node: this.cursor.node, cell: found};
    else if (direction[0] || !this.cursor) this.enter(at, direction[0] || 1);
    this.paint();
    return true;
  },
  nearest(node, from, [right, up]) {
    let best = null, least = Infinity;
    const [column, row] = [from % this.columns, Math.floor(from / this.columns)];
    for (const cell of this.grid[node].keys()) {
      const dx = cell % this.columns - column, dy = Math.floor(cell / this.columns) - row;
      const ahead = dx * right + dy * up, aside = Math.abs(dx * up) + Math.abs(dy * right);
      if (ahead > 0 && ahead + 3 * aside < least) [least, best] = [ahead + 3 * aside, cell];
    }
    return best;
  },
  enter(at, step) {
    for (let i = at + step; i >= 0 && i < this.panels.length; i += step) {
      const {node} = this.panels[i];
      if (!this.grid[node].size) continue;
      const cells = [...this.grid[node].keys()].sort((a, b) => a % this.columns - b % this.columns);
      this.cursor = {node, cell: cells.at(step > 0 ? 0 : -1)};
      return;
    }
  },
};
