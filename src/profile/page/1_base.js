'use strict';
// Helpers of all views: elements, formatted numbers, the theme's colours, the tooltip. Text from
// the program is only inserted as text nodes and attributes.

const byId = (id) => document.getElementById(id);

/// el('td', {class: 'n'}, 'text', child): creates an element from attributes (functions become
/// listeners) and children.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const exact = (number) => Math.round(number).toLocaleString('en').replaceAll(',', '\u202f');
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;
const plural = (number, word, many = `${word}s`) => `${exact(number)} ${number === 1 ? word : many}`;

/// Returns three digits and a unit: 12.3 k, 4.56 M.
function short(number) {
  const units = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let step = 0;
  while (number >= 999.5 && step + 1 < units.length) {
    number /= 1000;
    ++step;
  }
  const digits = step === 0 ? (Number.isInteger(number) ? 0 : 1) : number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return `${number.toFixed(digits)}${step ? `\u00a0${units[step]}` : ''}`;
}

/// Returns the label of a tick: 10 k, 2.5 k.
const tickText = (number) => short(number).replace(/\.0+(?!\d)/, '');

function bytes(number) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let step = 0;
  while (number >= 1024 && step + 1 < units.length) {
    number /= 1024;
    ++step;
  }
  return `${step === 0 || number >= 100 ? number.toFixed(0) : number.toFixed(1)}\u00a0${units[step]}`;
}

function seconds(time) {
  if (time < 1) return `${(1000 * time).toPrecision(3)}\u00a0ms`;
  return time < 120 ? `${time.toPrecision(3)}\u00a0s` : `${Math.floor(time / 60)}\u00a0min ${Math.round(time % 60)}\u00a0s`;
}

const values = JSON.parse(byId('values').textContent);
const {counts} = values.run;  // words for counts: {one, many, title}; by_kind: reads, writes
const {weighed} = values.run;  // the unit of verdicts, shares and what-ifs, as words; “2 units”
const countText = (reads, writes) => counts.by_kind ? `${plural(reads, 'read')}, ${plural(writes, 'write')}` : plural(reads + writes, counts.one, counts.many);
const threadCount = values.threads.name.length;
const nodeCount = values.nodes.length;
const nodeOf = (thread) => values.threads.node[thread];
const nodeName = (node) => `node ${values.nodes[node]}`;

function threadName(thread) {
  if (thread >= values.threads.name.length) return 'an unknown thread, before the program mapped it';
  const name = values.threads.names[values.threads.name[thread]];
  const process = values.run.processes > 1 ? `, process ${values.threads.process[thread]}` : '';
  return `thread ${thread}${name ? ` “${name}”` : ''}${process} (${nodeName(nodeOf(thread))})`;
}

/// The theme's colours, as the browser resolves them.
const theme = {
  kSteps: 256,
  read() {
    const probe = document.body.appendChild(el('span', {hidden: ''}));
    const color = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    for (const name of ['text', 'muted', 'line', 'surface', 'sunken', 'accent', 'focus'])
      this[name] = color(name);
    this.nodes = Array.from({length: 8}, (_, i) => color(`node-${i}`));
    const stops = Array.from({length: 6}, (_, i) => color(`seq-${i}`).match(/[\d.]+/g).map(Number));
    probe.remove();
    this.ramp = new Uint32Array(this.kSteps);
    for (let i = 0; i < this.kSteps; ++i) {
      const at = (i / (this.kSteps - 1)) * (stops.length - 1);
      const low = Math.min(Math.floor(at), stops.length - 2);
      const mix = [0, 1, 2].map((c) => Math.round(stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c])));
      this.ramp[i] = 0xff000000 | (mix[2] << 16) | (mix[1] << 8) | mix[0];
    }
  },
  node(node) { return this.nodes[node % this.nodes.length]; },
  /// Returns a pixel for 0 (least) to 1 (most); a value above 0 is always visible.
  pixel(share) { return this.ramp[Math.max(24, Math.min(this.kSteps - 1, Math.round(share * (this.kSteps - 1))))]; },
  css(share) {
    const pixel = this.pixel(share);
    return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
  },
};

const tip = {
  show(x, y, lines) {
    const box = byId('tip');
    box.replaceChildren(...lines.map((line, i) => el(i ? 'div' : 'strong', {}, line)));
    box.hidden = false;
    const {width, height} = box.getBoundingClientRect();
    box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
    box.style.top = `${y + height + 24 > innerHeight ? y - height - 10 : y + 16}px`;
  },
  hide() { byId('tip').hidden = true; },
};

/// Returns a canvas's width. A page without a layout, e.g. while another one is being opened, has
/// none.
const widthOf = (canvas) => Math.max(160, canvas.clientWidth);

/// Resizes a canvas to the screen's pixels. Returns its context, cleared, with units of CSS pixels.
function prepare(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = 'middle';
  context.imageSmoothingEnabled = false;
  return context;
}

/// Converts rows of pixels to an image that a context draws at any size.
function imageOf(pixels, columns, rows) {
  const image = new OffscreenCanvas(columns, rows);
  image.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows), 0, 0);
  return image;
}

/// Returns at most `most` round numbers as labels of an axis over [from, to).
function ticks(from, to, most) {
  let step = 1;
  for (let i = 0; (to - from) / step > most; ++i) step *= i % 3 === 1 ? 2.5 : 2;
  const made = [];
  for (let at = Math.ceil(from / step) * step; at < to; at += step) made.push(Math.round(at));
  return made;
}

/// Draws a colour bar with labels at its ends; the scale may begin at `from`.
function rampLegend(into, title, least, most, from = 0) {
  const stops = Array.from({length: 9}, (_, i) => theme.css(from + (1 - from) * i / 8)).join(',');
  into.replaceChildren(
      el('span', {class: 'legend-title'}, title), el('span', {}, least),
      el('span', {class: 'ramp', style: `background:linear-gradient(90deg,${stops})`}), el('span', {}, most));
}

function nodeLegend() {
  if (nodeCount > 16) return [];
  return values.nodes.map((_, node) => el('span', {class: 'key'},
      el('i', {style: `background:var(--node-${node % 8})`}), nodeName(node)));
}

/// Handles a view's pointer and key events, in the same way for every canvas. Members of the view:
/// point(x, y) returns lines on the data at that position, or null. key(name) returns true for the
/// view's own keys. paint() draws. Optional, for selection by dragging: drag(x0, y0, x1, y1), and
/// `marked`, the box to show until then.
function interact(canvas, view) {
  let start = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const far = (x, y) => Math.hypot(x - start[0], y - start[1]) > 6;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse') return;  // a finger scrolls the page
    start = place(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = place(event);
    if (start && view.drag) view.marked = far(x, y) ? [...start, x, y] : null;
    const lines = view.point(x, y);
    if (lines) tip.show(event.clientX, event.clientY, lines);
    else tip.hide();
  });
  canvas.addEventListener('pointerup', (event) => {
    const [x, y] = place(event);
    view.marked = null;
    if (start && view.drag && far(x, y)) view.drag(...start, x, y);
    else view.point(x, y);
    start = null;
  });
  canvas.addEventListener('pointerleave', () => tip.hide());
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !view.key(event.key)) return;
    event.preventDefault();
    tip.hide();
  });
}

/// Draws the box that is being dragged.
function drawMarked(context, [x0, y0, x1, y1]) {
  context.strokeStyle = theme.text;
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.strokeRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
  context.setLineDash([]);
}
