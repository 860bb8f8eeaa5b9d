// The communication matrix as a heat map [hashsieve Figure 1].

const communication = {
  size: values.communication.order.length,
  block: values.communication.block,  // number of consecutive threads in one row
  matrices: {},
  from: [0, 0],
  span: 0,
  cursor: [0, 0],  // positions on the axes: x, y
  marked: null,

  async start() {
    if (values.said) {
      this.without('Samples of pages don’t tell whether threads communicate.');
      return;
    }
    if (this.size < 2) {
      this.without('One thread: it communicates with nobody.');
      return;
    }
    this.matrices.all = await matrixOf(values.communication.all, this.size);
    this.matrices.writes = await matrixOf(values.communication.writes, this.size);
    await nodeCommunication.load();
    if (!this.matrices.all.some((amount) => amount > 0)) {
      this.without('No two threads used the same cache line at about the same time.');
      return;
    }
    if (this.block > 1)
      byId('comm-help').append(` A row is ${this.block} threads in a row, summed to keep the page below 20 MB.`);
    this.byNumber = Array.from({length: this.size}, (_, i) => i);
    this.span = this.size;
    this.cursor = [1, 0];
    for (const id of ['comm-kind', 'comm-order', 'comm-scale']) byId(id).addEventListener('change', () => this.draw());
    byId('comm-kind').addEventListener('change', () => nodeCommunication.draw(byId('comm-kind').value));
    byId('comm-in').addEventListener('click', () => this.zoom(0.5));
    byId('comm-out').addEventListener('click', () => this.zoom(2));
    byId('comm-all').addEventListener('click', () => this.show(0, 0, this.size));
    interact(byId('comm-canvas'), this);
    nodeCommunication.draw('all');
    this.draw();
  },

  without(reason) {
    byId('comm-canvas').closest('.comm-layout').replaceChildren(el('p', {class: 'empty'}, reason));
    document.querySelector('#communication .controls').hidden = true;
    byId('comm-help').hidden = true;
  },

  node(row) { return nodeOf(row * this.block); },
  name(row) {
    if (this.block === 1) return threadName(row);
    return `threads ${row * this.block} to ${Math.min(threadCount, (row + 1) * this.block) - 1}`;
  },
  short(row) { return this.block === 1 ? `thread ${row}` : this.name(row); },
  order() { return byId('comm-order').value === 'affinity' ? values.communication.order : this.byNumber; },
  matrix() { return this.matrices[byId('comm-kind').value]; },

  show(x, y, span) {
    this.span = Math.round(Math.max(2, Math.min(this.size, span)));
    this.from = [x, y].map((at) => Math.round(Math.max(0, Math.min(this.size - this.span, at))));
    this.draw();
  },
  zoom(factor) {
    const span = Math.max(2, Math.min(this.size, Math.round(this.span * factor)));
    this.show(this.cursor[0] - span / 2, this.cursor[1] - span / 2, span);
  },

  /// Computes the picture again; paint() is enough if only the cursor moves.
  draw() {
    const matrix = this.matrix();
    const order = this.order();
    this.most = matrix.reduce((a, b) => Math.max(a, b), 0);
    const canvas = byId('comm-canvas');
    const width = widthOf(canvas);
    const edge = 44;
    this.plot = {x: edge, y: 8, size: width - edge - 8};
    const log = byId('comm-scale').value === 'log';
    const shade = log ? (amount) => Math.log1p(amount) / Math.log1p(this.most) : (amount) => amount / this.most;

    // With more threads than pixels, a pixel shows the maximum of its cells, so that every line
    // stays visible.
    const side = Math.min(this.span, Math.round(this.plot.size * (window.devicePixelRatio || 1)));
    const highest = new Float64Array(side * side);
    for (let row = 0; row < this.span; ++row) {
      const line = order[this.from[1] + row] * this.size;
      const target = Math.floor(row * side / this.span) * side;
      for (let column = 0; column < this.span; ++column) {
        const amount = matrix[line + order[this.from[0] + column]];
        const at = target + Math.floor(column * side / this.span);
        if (amount > highest[at]) highest[at] = amount;
      }
    }
    const pixels = new Uint32Array(side * side);
    for (let i = 0; i < pixels.length; ++i) if (highest[i] > 0) pixels[i] = theme.pixel(shade(highest[i]));
    this.image = imageOf(pixels, side, side);

    rampLegend(byId('comm-legend'), `shared ${weighed.many}`, '0', short(this.most));
    byId('comm-legend').append(...nodeLegend());
    byId('comm-in').disabled = this.span <= 2;
    byId('comm-out').disabled = byId('comm-all').disabled = this.span >= this.size;
    const part = this.span < this.size ? `, ${this.span} of ${this.size} rows shown` : '';
    canvas.setAttribute('aria-label', `Communication of ${threadCount} threads, ${byId('comm-order').selectedOptions[0].text}${part}`);
    this.paint();
  },

  paint() {
    const {x, y, size} = this.plot;
    const context = prepare(byId('comm-canvas'), x + size + 8, y + size + 44);
    context.fillStyle = theme.sunken;
    context.fillRect(x, y, size, size);
    context.drawImage(this.image, x, y, size, size);
    this.drawAxes(context, this.order());
    this.drawCursor(context);
    if (this.marked) drawMarked(context, this.marked);
    this.tell();
  },

  drawAxes(context, order) {
    const {x, y, size} = this.plot;
    const cell = size / this.span;
    for (let i = 0; i < this.span; ++i) {  // strips: the node of each thread
      context.fillStyle = theme.node(this.node(order[this.from[0] + i]));
      context.fillRect(x + i * cell, y + size + 2, Math.max(1, cell), 5);
      context.fillStyle = theme.node(this.node(order[this.from[1] + i]));
      context.fillRect(x - 7, y + i * cell, 5, Math.max(1, cell));
    }
    context.fillStyle = theme.muted;
    for (const tick of ticks(0, this.span, Math.max(2, size / 42))) {
      context.textAlign = 'center';
      context.fillText(order[this.from[0] + tick] * this.block, x + (tick + 0.5) * cell, y + size + 17);
      context.textAlign = 'right';
      context.fillText(order[this.from[1] + tick] * this.block, x - 10, y + (tick + 0.5) * cell);
    }
    context.textAlign = 'center';
    context.fillText('thread', x + size / 2, y + size + 34);
  },

  drawCursor(context) {
    const {x, y, size} = this.plot;
    const cell = size / this.span;
    const [column, row] = [0, 1].map((axis) => this.cursor[axis] - this.from[axis]);
    if (column >= 0 && row >= 0 && column < this.span && row < this.span) {
      context.strokeStyle = theme.focus;
      context.lineWidth = 2;
      context.strokeRect(x + column * cell - 1, y + row * cell - 1, cell + 2, cell + 2);
    }
  },

  cellAt(px, py) {
    const {x, y, size} = this.plot;
    const at = [px - x, py - y].map((distance) => Math.floor(distance / size * this.span));
    return at.every((i) => i >= 0 && i < this.span) ? [at[0] + this.from[0], at[1] + this.from[1]] : null;
  },
  describe() {
    const order = this.order();
    const [a, b] = [order[this.cursor[0]], order[this.cursor[1]]];
    if (a === b && this.block === 1) return [this.name(a), 'communicates with others only'];
    return [`${exact(this.matrix()[a * this.size + b])} shared ${weighed.units}`, this.name(a), this.name(b)];
  },
  point(px, py) {
    const at = this.cellAt(px, py);
    if (!at) return null;
    this.cursor = at;
    this.paint();
    return this.describe();
  },
  drag(x0, y0, x1, y1) {
    const {x, y, size} = this.plot;
    const inside = (at, low) => Math.max(0, Math.min(size, at - low));
    const left = Math.min(inside(x0, x), inside(x1, x)), top = Math.min(inside(y0, y), inside(y1, y));
    const wide = Math.max(Math.abs(inside(x1, x) - inside(x0, x)), Math.abs(inside(y1, y) - inside(y0, y)));
    this.show(this.from[0] + Math.floor(left / size * this.span), this.from[1] + Math.floor(top / size * this.span),
              Math.ceil(wide / size * this.span));
  },
  key(key) {
    const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (key === '+' || key === '=') this.zoom(0.5);
    else if (key === '-') this.zoom(2);
    else if (key === '0') this.show(0, 0, this.size);
    else if (moves[key]) {
      this.cursor = this.cursor.map((at, axis) => Math.max(0, Math.min(this.size - 1, at + moves[key][axis])));
      const follow = (axis) => Math.max(this.cursor[axis] - this.span + 1, Math.min(this.cursor[axis], this.from[axis]));
      this.from = [follow(0), follow(1)];
      this.draw();
    } else return false;
    return true;
  },

  tell() {
    byId('comm-readout').textContent = this.describe().join(' · ');
    const row = this.order()[this.cursor[1]];
    const matrix = this.matrix();
    const partners = this.byNumber.filter((other) => matrix[row * this.size + other] > 0)
        .sort((a, b) => matrix[row * this.size + b] - matrix[row * this.size + a]).slice(0, 6);
    byId('comm-partners').replaceChildren(
        el('h3', {}, `Communication of ${this.short(row)}`),
        el('ol', {class: 'bars'}, ...partners.map((other) => el('li', {},
            el('span', {}, el('i', {class: 'dot', style: `background:var(--node-${this.node(other) % 8})`}), this.short(other)),
            el('meter', {min: 0, max: this.most, value: matrix[row * this.size + other], 'aria-label': `shared ${weighed.many}`}),
            el('span', {class: 'n'}, short(matrix[row * this.size + other]))))));
  },
};
