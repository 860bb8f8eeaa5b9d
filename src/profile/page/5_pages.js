// Map of pages x threads of one object, with a strip of first touches. It reads the coarsest level
// with columns of at most two pixels, so every zoom reads only a few tiles (html_tiles.hpp).

const pages = {
  tiles: new Map(),  // "object/level/tile" → promise of a tile
  from: 0,
  span: 0,           // in pages, in address order
  cursor: {page: 0, row: 0},
  kinds: {all: (r, w) => r + w, reads: (r) => r, writes: (r, w) => w},

  start() {
    byId('pages-lead').textContent = 'From left to right the object’s pages in address order, from top to bottom the threads. ' +
        'The stronger a cell’s colour, the more the thread ' + (counts.by_kind ? 'accesses' : 'uses') + ' the page.';
    byId('pages-kind').addEventListener('change', () => this.draw());
    byId('pages-kind').parentElement.style.display = counts.by_kind ? '' : 'none';
    const actions = {in: () => this.zoom(0.25), out: () => this.zoom(4), all: () => this.show(0, Infinity),
                     left: () => this.show(this.from - this.span / 2, this.span),
                     right: () => this.show(this.from + this.span / 2, this.span)};
    for (const [name, action] of Object.entries(actions)) byId(`pages-${name}`).addEventListener('click', action);
    interact(byId('pages-canvas'), this);
    return this.choose();
  },

  choose() {
    this.object = Math.max(0, chosen.object);
    this.map = values.maps[this.object];
    if (!this.map) return byId('pages').hidden = true;
    this.cursor = {page: 0, row: 0};
    this.rows = null;
    return this.show(0, Infinity);
  },

  show(from, span) {
    this.span = Math.min(this.map.pages, Math.max(8, Math.round(span)));
    this.from = Math.round(Math.max(0, Math.min(this.map.pages - this.span, from)));
    this.cursor.page = Math.max(this.from, Math.min(this.from + this.span - 1, this.cursor.page));
    return this.draw();
  },
  zoom(factor) {
    const span = this.span * factor;
    return this.show(this.cursor.page - span / 2, span);
  },

  tile(level, index) {
    const key = `${this.object}/${level}/${index}`;
    if (!this.tiles.has(key)) this.tiles.set(key, tileOf(this.map.levels[level].tiles[index]));
    return this.tiles.get(key);
  },

  /// Returns the threads to show as rows: all, or if there are very many, those that access the
  /// object.
  async chooseRows() {
    if (threadCount <= 256) return Array.from({length: threadCount}, (_, i) => i);
    const coarse = await this.tile(this.map.levels.length - 1, 0);
    return [...coarse.threads.keys()].sort((a, b) => a - b);
  },

  async draw() {
    const drawing = this.drawing = {};  // a later call stops this one
    const {levels} = this.map;
    if (!levels.length) return this.without();
    const canvas = byId('pages-canvas');
    const edge = 44;
    const width = widthOf(canvas) - edge - 8;
    const widest = 2 * this.span / width;  // pages in a column of two pixels
    let level = levels.findLastIndex(({pages_a_column}) => pages_a_column <= widest);
    if (level < 0) level = 0;
    const unit = levels[level].pages_a_column;
    const firstTile = Math.floor(this.from / unit / 512);
    const lastTile = Math.floor((this.from + this.span - 1) / unit / 512);
    const loading = [];
    for (let i = firstTile; i <= lastTile; ++i) loading.push(this.tile(level, i));
    const [rows, ...loaded] = await Promise.all([this.rows ?? this.chooseRows(), ...loading]);
    if (this.drawing !== drawing) return;
    this.rows = rows;
    this.shown = {level, unit, firstTile, tiles: loaded};
    const cell = Math.max(1, Math.min(22, Math.floor(384 / this.rows.length)));
    this.plot = {x: edge, y: 30, width, height: Math.max(22, Math.min(400, cell * this.rows.length))};
    this.render();
    this.state();
    this.paint();
  },

  without() {
    this.shown = null;
    byId('pages-state').textContent = 'The map of this object is left out to keep the page below 20 MB.';
    byId('pages-readout').textContent = '';
    prepare(byId('pages-canvas'), widthOf(byId('pages-canvas')), 1);
  },

  /// Draws pixels. With more columns or threads than pixels, each pixel is the maximum of its
  /// cells.
  render() {
    const {width, height} = this.plot;
    const {unit, tiles, firstTile} = this.shown;
    const ratio = window.devicePixelRatio || 1;
    const columns = Math.min(Math.ceil(this.span / unit), Math.round(width * ratio));
    const lines = Math.min(this.rows.length, Math.round(height * ratio));
    const count = this.kinds[byId('pages-kind').value];
    const lineOf = new Map(this.rows.map((thread, row) => [thread, Math.floor(row * lines / this.rows.length)]));
    const highest = new Float64Array(columns * lines);
    const touch = new Int32Array(columns).fill(-1);
    tiles.forEach((tile, i) => {
      const first = (firstTile + i) * 512 * unit;
      // The pixels that a column of the tile covers.
      const range = (column) => {
        const low = (first + column * unit - this.from) / this.span * columns;
        const high = (first + (column + 1) * unit - this.from) / this.span * columns;
        return [Math.max(0, Math.floor(low + 1e-9)), Math.min(columns, Math.max(Math.floor(low + 1e-9) + 1, Math.floor(high + 1e-9)))];
      };
      for (let column = 0; column < tile.length; ++column) {
        const [low, high] = range(column);
        for (let pixel = low; pixel < high; ++pixel) touch[pixel] = tile.touchers[column];
      }
      for (const [thread, cells] of tile.threads) {
        const line = lineOf.get(thread) * columns;
        for (let at = 0; at < cells.columns.length; ++at) {
          const amount = count(cells.reads[at], cells.writes[at]);
          const [low, high] = range(cells.columns[at]);
          for (let pixel = low; pixel < high; ++pixel)
            if (amount > highest[line + pixel]) highest[line + pixel] = amount;
        }
      }
    });
    const most = Math.log1p(this.map.most[byId('pages-kind').value]);
    const pixels = new Uint32Array(columns * lines);
    for (let i = 0; i < pixels.length; ++i)
      if (highest[i] > 0) pixels[i] = theme.pixel(Math.log1p(highest[i] / unit) / most);
    this.image = imageOf(pixels, columns, lines);
    this.touch = touch;
  },

  state() {
    const {unit, level} = this.shown;
    const whole = this.span >= this.map.pages;
    const part = whole ? `All ${plural(this.map.pages, 'page')}` : `Pages ${exact(this.from + 1)} to ${exact(this.from + this.span)} of ${exact(this.map.pages)}`;
    let summed = 'each column is one page.';
    if (unit > 1) {
      const finest = this.map.levels[0].pages_a_column;
      summed = `each column sums ${exact(unit)} pages; ` +
          (level > 0 ? `zoom in for ${finest === 1 ? 'single pages' : `columns of ${exact(finest)} pages`}.`
                     : 'finer counts are left out to keep the page below 20 MB.');
    }
    byId('pages-state').textContent = `${part}; ${summed}`;
    byId('pages-in').disabled = this.span <= 8;
    for (const name of ['out', 'all']) byId(`pages-${name}`).disabled = whole;
    byId('pages-left').disabled = this.from <= 0;
    byId('pages-right').disabled = this.from + this.span >= this.map.pages;
    rampLegend(byId('pages-legend'), `${counts.many} of a page by a thread`, '1', short(this.map.most[byId('pages-kind').value]));
    byId('pages-legend').append(el('span', {class: 'legend-title'}, 'first touch by'), ...nodeLegend());
    byId('pages-canvas').setAttribute('aria-label', `${values.objects[this.object].name}: ${byId('pages-state').textContent}`);
  },

  paint() {
    const {x, y, width, height} = this.plot;
    const context = prepare(byId('pages-canvas'), x + width + 8, y + height + 44);
    context.fillStyle = theme.sunken;
    context.fillRect(x, y, width, height);
    context.drawImage(this.image, x, y, width, height);
    for (let i = 0; i < this.touch.length; ++i) {
      if (this.touch[i] < 0) continue;
      let end = i + 1;
      while (end < this.touch.length && nodeOf(this.touch[end]) === nodeOf(this.touch[i]) && this.touch[end] >= 0) ++end;
      context.fillStyle = theme.node(nodeOf(this.touch[i]));
      context.fillRect(x + i / this.touch.length * width, y - 16, (end - i) / this.touch.length * width, 11);
      i = end - 1;
    }
    this.paintAxes(context);
    const cell = height / this.rows.length;
    const {unit} = this.shown;
    const column = (Math.floor(this.cursor.page / unit) * unit - this.from) / this.span * width;
    context.strokeStyle = theme.focus;
    context.lineWidth = 2;
    context.strokeRect(x + column - 1, y + this.cursor.row * cell - 1, Math.max(2, unit / this.span * width) + 2, cell + 2);
    if (this.marked) drawMarked(context, [this.marked[0], y, this.marked[2], y + height]);
    byId('pages-readout').textContent = this.describe().join(' · ');
  },

  paintAxes(context) {
    const {x, y, width, height} = this.plot;
    const cell = height / this.rows.length;
    this.rows.forEach((thread, row) => {
      context.fillStyle = theme.node(nodeOf(thread));
      context.fillRect(x - 7, y + row * cell, 5, Math.max(1, cell));
    });
    context.fillStyle = theme.muted;
    context.textAlign = 'right';
    context.fillText('first', x - 6, y - 11);
    for (const row of ticks(0, this.rows.length, Math.max(1, height / 18)))
      context.fillText(this.rows[row], x - 10, y + (row + 0.5) * cell);
    context.textAlign = 'center';
    for (const page of ticks(this.from, this.from + this.span, Math.max(1, width / 80))) {
      const at = (page - this.from) / this.span * width;
      context.textAlign = at > width - 20 ? 'right' : 'center';
      context.fillText(this.span >= 5000 ? tickText(page) : exact(page), x + at, y + height + 12);
    }
    context.textAlign = 'center';
    context.fillText('page of the object', x + width / 2, y + height + 32);
  },

  /// Returns the data under the cursor: the column, its pages and the thread's counts.
  find() {
    const {unit, firstTile, tiles} = this.shown;
    const column = Math.floor(this.cursor.page / unit);
    const tile = tiles[Math.floor(column / 512) - firstTile];
    const at = column % 512;
    const cells = tile.threads.get(this.rows[this.cursor.row]);
    const found = cells ? cells.columns.indexOf(at) : -1;
    return {
      reads: found < 0 ? 0 : cells.reads[found], writes: found < 0 ? 0 : cells.writes[found],
      first: column * unit, count: Math.min(unit, this.map.pages - column * unit),
      address: tile.firstPages[at] * 4096, toucher: tile.touchers[at], touched: tile.touched[at],
    };
  },
  describe() {
    const {reads, writes, first, count, address, toucher, touched} = this.find();
    const where = count === 1 ? `page ${exact(first)} at 0x${address.toString(16)}`
                              : `${exact(count)} pages from ${exact(first)}, at 0x${address.toString(16)}`;
    return [countText(reads, writes), threadName(this.rows[this.cursor.row]), where,
            count === 1 ? `first touched by ${threadName(toucher)}`
                        : `${exact(touched)} of them first touched by ${threadName(toucher)}`];
  },
  point(px, py) {
    if (!this.shown) return null;
    const {x, y, width, height} = this.plot;
    if (px < x || px >= x + width || py < y - 18 || py >= y + height) return null;
    this.cursor = {page: Math.min(this.map.pages - 1, this.from + Math.floor((px - x) / width * this.span)),
                   row: Math.max(0, Math.floor((py - y) / height * this.rows.length))};
    this.paint();
    return this.describe();
  },
  drag(x0, y0, x1) {
    const {x, width} = this.plot;
    const [low, high] = [Math.min(x0, x1), Math.max(x0, x1)].map((at) => Math.max(0, Math.min(1, (at - x) / width)));
    this.show(this.from + low * this.span, (high - low) * this.span);
  },
  key(key) {
    if (!this.shown) return false;
    const {unit} = this.shown;
    const moves = {ArrowLeft: [-unit, 0], ArrowRight: [unit, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (key === '+' || key === '=') this.zoom(0.25);
    else if (key === '-') this.zoom(4);
    else if (key === '0') this.show(0, Infinity);
    else if (moves[key]) {
      this.cursor.page = Math.max(0, Math.min(this.map.pages - 1, this.cursor.page + moves[key][0]));
      this.cursor.row = Math.max(0, Math.min(this.rows.length - 1, this.cursor.row + moves[key][1]));
      if (this.cursor.page < this.from || this.cursor.page >= this.from + this.span)
        this.show(this.cursor.page < this.from ? this.cursor.page : this.cursor.page - this.span + 1, this.span);
      else this.paint();
    } else return false;
    return true;
  },
};
