// The page's binary data: base64 of parts, each a zlib stream of varints in columns
// (html_encode.hpp). A part is decoded when it is shown.

let dataText = null;

/// Reads consecutive varints; exact up to 2^53.
class Numbers {
  constructor(plain) {
    this.plain = plain;
    this.at = 0;
  }
  next() {
    const byte = this.plain[this.at++];
    return byte < 128 ? byte : this.long(byte);
  }
  long(byte) {
    let value = 0;
    let scale = 1;
    for (; byte >= 128; byte = this.plain[this.at++]) {
      value += (byte - 128) * scale;
      scale *= 128;
    }
    return value + byte * scale;
  }
  column(length) {
    const column = new Float64Array(length);
    for (let i = 0; i < length; ++i) column[i] = this.next();
    return column;
  }
  /// Reads ascending numbers, which are stored as differences.
  ascending(length) {
    const column = this.column(length);
    for (let i = 1; i < length; ++i) column[i] += column[i - 1];
    return column;
  }
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const plain = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) plain[i] = letters.charCodeAt(i);
  return plain;
}

async function numbersOf([offset, size]) {
  dataText ??= byId('data').textContent;
  const text = dataText.slice(offset / 3 * 4, Math.ceil((offset + size) / 3) * 4);
  const stream = new Blob([bytesOf(text).subarray(0, size)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Numbers(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/// Converts pairs of threads (html_communication.cpp) to a symmetric matrix.
async function matrixOf(part, size) {
  const numbers = await numbersOf(part);
  const pairs = numbers.next();
  const rows = numbers.ascending(pairs);
  const columns = numbers.column(pairs);
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < pairs; ++i) {
    const amount = numbers.next();
    matrix[rows[i] * size + columns[i]] = amount;
    matrix[columns[i] * size + rows[i]] = amount;
  }
  return matrix;
}

/// Returns pages by cell of the grid, for each node (html_exclusivity.cpp): [Map(cell → pages), …].
async function cellsOf(part) {
  const numbers = await numbersOf(part);
  const length = numbers.next();
  const nodes = numbers.ascending(length);
  const cells = numbers.column(length);
  const maps = Array.from({length: nodeCount}, () => new Map());
  for (let i = 0; i < length; ++i) maps[nodes[i]].set(cells[i], numbers.next());
  return maps;
}

/// Reads one tile (html_tiles.cpp): columns of pages, and each thread's accesses by column.
async function tileOf(part) {
  const numbers = await numbersOf(part);
  const length = numbers.next();
  const tile = {
    length,
    firstPages: numbers.ascending(length),
    touchers: numbers.column(length),
    touched: numbers.column(length),
    threads: new Map(),
  };
  for (let left = numbers.next(); left > 0; --left) {
    const thread = numbers.next();
    const cells = numbers.next();
    const columns = numbers.column(cells);
    for (let i = 0, following = 0; i < cells; ++i) {
      columns[i] += following;
      following = columns[i] + 1;
    }
    tile.threads.set(thread, {columns, reads: numbers.column(cells), writes: numbers.column(cells)});
  }
  return tile;
}
