// Communication summed by node: inside nodes under the placement of threads, and between nodes.

const nodeCommunication = {
  kMax: 16,  // maximum nodes in a table
  matrices: {},

  async load() {
    this.matrices.all = await matrixOf(values.communication.all_nodes, nodeCount);
    this.matrices.writes = await matrixOf(values.communication.writes_nodes, nodeCount);
  },

  /// Returns the sums over all pairs of nodes, and inside nodes.
  sums(matrix) {
    let all = 0, inside = 0;
    for (let a = 0; a < nodeCount; ++a) {
      inside += matrix[a * nodeCount + a];
      for (let b = a; b < nodeCount; ++b) all += matrix[a * nodeCount + b];
    }
    return {all, inside};
  },

  /// Returns the nodes that communicate most, in the order of their numbers.
  shown(matrix) {
    const of = (node) => matrix.subarray(node * nodeCount, (node + 1) * nodeCount).reduce((a, b) => a + b, 0);
    const nodes = values.nodes.map((_, node) => node);
    if (nodeCount <= this.kMax) return nodes;
    return nodes.sort((a, b) => of(b) - of(a)).slice(0, this.kMax).sort((a, b) => a - b);
  },

  draw(kind) {
    const matrix = this.matrices[kind];
    const {all, inside} = this.sums(matrix);
    const nodes = this.shown(matrix);
    const most = Math.max(...nodes.flatMap((a) => nodes.map((b) => matrix[a * nodeCount + b])), 1);
    const key = (node) => [el('i', {class: 'dot', style: `background:var(--node-${node % 8})`}), String(values.nodes[node])];
    const cell = (a, b) => {
      const amount = matrix[a * nodeCount + b];
      const colour = `background:color-mix(in srgb, var(--accent) ${Math.round(45 * amount / most)}%, transparent)`;
      return el('td', {class: 'n', style: colour, title: `${exact(amount)} shared ${weighed.units}`, 'data-amount': amount},
                amount ? percent(amount / all, 0) : '–');
    };
    byId('comm-nodes').replaceChildren(
        el('h3', {}, 'Communication by node'),
        el('p', {class: 'note'}, all ? `${percent(inside / all, 0)} of it is between threads of one node, the rest crosses from node to node.` : 'There is none of this kind.',
           nodes.length < nodeCount ? ` The ${nodes.length} nodes with most of it are shown, of ${nodeCount}.` : ''),
        el('div', {class: 'scroll'}, el('table', {class: 'grid'},
            el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'node'), ...nodes.map((node) => el('th', {scope: 'col', class: 'n'}, ...key(node))))),
            el('tbody', {}, ...nodes.map((a) => el('tr', {}, el('th', {scope: 'row'}, ...key(a)), ...nodes.map((b) => cell(a, b))))))));
  },
};
