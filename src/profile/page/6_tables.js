// The verdict, what the report always states, the what-if table and the objects.

const chosen = {
  object: -1,  // the program
  choose(object) {
    this.object = object;
    byId('excl-object').value = object;
    byId('pages-object').value = Math.max(0, object);
    fillWhatIf();
    objects.mark();
    return Promise.all([exclusivity.draw(), pages.choose()]);
  },
};

function fillVerdict() {
  const {run, verdict} = values;
  byId('command').textContent = run.command;
  document.title = `Atoll report: ${run.command}`;
  const {said} = values;  // of samples, null otherwise: the shares that are sure
  const words = said ? ['What samples tell'] : [verdict.structured ? 'Structured communication' : 'Unstructured communication',
                 nodeCount > 1 && (verdict.exclusive ? 'pages that belong to nodes' : 'pages that nodes share'),
                 nodeCount > 1 && (verdict.balanced ? `balanced ${counts.many}` : `${counts.many} out of balance`)].filter(Boolean);
  byId('verdict-title').textContent = run.reads + run.writes ? words.join(', ') : 'Nothing was recorded';
  byId('verdict-lines').replaceChildren(...verdict.text.map((line) => el('li', {}, line)));
  const figure = (name, value, more) => el('div', {}, el('dt', {}, name), el('dd', {}, value, el('small', {}, more)));
  byId('figures').replaceChildren(
      figure('Structure', said ? '-' : verdict.structure.toFixed(2), 'score of communication, 0 to 1'),
      figure('Exclusivity', said?.exclusivity ?? percent(verdict.exclusivity), `of ${percent(1 / nodeCount, 0)} to 100\u00a0%`),
      figure('Busiest node', said?.busiest[0] ?? percent(values.what_if[0].busiest_share), `of the ${counts.many}; equal: ${percent(1 / nodeCount, 0)}`),
      figure('Local', said?.local[0] ?? percent(values.what_if[0].local_share), `of the ${counts.many}, by first touch`));
  const losses = run.losses.length ? run.losses.map(({what, count}) => `${what}: ${exact(count)}`) : ['nothing'];
  const stated = (name, lines) => el('div', {}, el('h2', {}, name), el('ul', {}, ...lines.map((line) => el('li', {}, line))));
  const slowdown = run.slowdown === null ? 'not measured; atoll profile --native measures it'
                                         : `${run.slowdown.toFixed(1)} times the time of the command alone`;
  byId('stated').replaceChildren(
      stated('Run', [`${plural(threadCount, 'thread')} in ${plural(run.processes, 'process', 'processes')}, ${plural(run.pages, 'page')}, ${short(run.reads + run.writes)} ${counts.many}`,
                     `analysed for ${run.machine}: ${plural(nodeCount, 'node')}, threads ${run.bound ? 'where the program bound them' : 'in blocks of neighbours'}`,
                     ...(run.other_machine ? ['which is not the machine that it was recorded on'] : [])]),
      stated('Slowdown', [slowdown, `recorded by ${run.frontend} in ${seconds(run.elapsed_seconds)}${run.frontend_reason ? `: ${run.frontend_reason}` : ''}`]),
      stated('Dropped or coarsened', losses),
      stated('Can’t be seen', run.cant_see.length ? run.cant_see : ['nothing that is known of']));
}

const mappings = {
  os: 'first touch, as the system does', compact: 'neighbouring threads packed on few nodes', interleave: 'pages round robin over nodes',
  'numa-balancing': 'the kernel’s sampled next touch (modelled)', kmaf: 'the kernel’s, with a history of each page (modelled)',
  locality: 'each page on the node that uses it most', balance: 'as locality, but no node over its share',
};

function fillWhatIf() {
  const rows = chosen.object < 0 ? values.what_if : values.objects[chosen.object].what_if;
  const {said} = chosen.object < 0 ? values : values.objects[chosen.object];
  const bar = (share, kind, words) => el('td', {class: 'n'}, el('span', {class: 'value'}, words ?? percent(share)),
      words === '-' ? '' : el('span', {class: `bar ${kind}`, style: `--share:${share}`}));
  const best = Math.max(...rows.map((row) => row.local_share)), least = Math.min(...rows.map((row) => row.busiest_share));
  const timed = !said && rows.every((row) => row.time > 0);  // of the whole program
  const shortest = Math.min(...rows.map((row) => row.time));
  const time = (row) => el('td', {class: 'n'}, el('span', {class: 'value'}, row.time === shortest ? el('strong', {}, row.time.toFixed(2)) : row.time.toFixed(2)));
  byId('what-if-table').replaceChildren(
      el('caption', {}, chosen.object < 0 ? 'The whole program' : `${counts.title} of ${values.objects[chosen.object].name} alone`),
      el('thead', {}, el('tr', {}, ...['Mapping', `Local ${counts.many}`, 'Busiest node', ...(timed ? ['Time'] : [])].map((name, i) => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, ...rows.map((row, i) => el('tr', {'data-mapping': row.mapping},
          el('th', {scope: 'row'}, row.mapping, el('small', {}, mappings[row.mapping] ?? '')),
          bar(row.local_share, row.local_share === best ? 'best' : '', said?.local[i]), bar(row.busiest_share, row.busiest_share === least ? 'best' : '', said?.busiest[i]), timed ? time(row) : ''))));
  byId('what-if-note').textContent = `With ${plural(nodeCount, 'node')}, the busiest node serves at least ${percent(1 / nodeCount, 0)}. The strongest bars are the best of their column.` +
      (said ? ' Samples tell shares with 90\u00a0% certainty; where there is a dash, there are too few.' : '');
}

const kSharing = ['private: one thread', 'read by several threads', 'written and shared', 'falsely shared'];

/// Shares of a whole as a stacked bar, told in words as well.
function stacked(amounts, colours, names) {
  const sum = amounts.reduce((a, b) => a + b, 0);
  const text = sum ? amounts.map((amount, i) => amount ? `${names[i]} ${percent(amount / sum, 0)}` : '').filter(Boolean).join(', ') : 'none';
  return el('span', {class: 'stack', role: 'img', 'aria-label': text, title: text},
            ...amounts.map((amount, i) => amount ? el('i', {style: `flex:${amount / sum};background:${colours[i]}`}) : ''));
}

const objects = {
  kShort: 8,
  kHeads: ['Object', 'Size', counts.title, 'Local', 'Exclusivity', 'Served by', 'Lines'],
  all: false,

  start() {
    byId('objects-legend').replaceChildren(
        el('span', {class: 'legend-title'}, `${counts.many} served by`), ...nodeLegend(), el('span', {class: 'legend-title'}, 'lines'),
        ...kSharing.map((name, i) => el('span', {class: 'key'}, el('i', {style: `background:var(--sharing-${i})`}), name)));
    byId('objects-more').addEventListener('click', () => {
      this.all = !this.all;
      this.fill();
    });
    const left = values.all_objects - values.objects.length;
    byId('objects-note').textContent = left > 0 ? `${plural(left, 'object')} more, with fewer remote ${counts.many}, ${left === 1 ? 'is' : 'are'} counted in the program’s figures only.` : '';
    const option = (object, i) => el('option', {value: i}, `${object.name}${object.place ? ` — ${object.place.split('/').pop()}` : ''}`);
    byId('excl-object').append(el('option', {value: -1}, 'the whole program'), ...values.objects.map(option));
    byId('pages-object').append(...values.objects.map(option));
    for (const id of ['excl-object', 'pages-object'])
      byId(id).addEventListener('change', (event) => chosen.choose(Number(event.target.value)));
    this.fill();
  },

  fill() {
    const shown = this.all ? values.objects : values.objects.slice(0, this.kShort);
    byId('objects-table').replaceChildren(
        el('thead', {}, el('tr', {}, ...this.kHeads.map((name, i) => el('th', {scope: 'col', class: `c${i}${i && i < 5 ? ' n' : ''}`}, name)))),
        el('tbody', {}, this.row(-1, {
          name: 'The whole program', place: '', use: `${plural(values.all_objects, 'object')}`, reads: values.run.reads, writes: values.run.writes, pages: values.run.pages,
          bytes: values.run.pages * 4096, what_if: values.what_if, exclusivity: values.verdict.exclusivity,
          balance: values.balance, sharing: values.sharing, said: values.said,
        }), ...shown.map((object, i) => this.row(i, object))));
    const more = byId('objects-more');
    more.hidden = values.objects.length <= this.kShort;
    more.textContent = this.all ? `Show the first ${this.kShort} alone` : `Show all ${values.objects.length}`;
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
        cell(2, index < 0 ? percent(1) : object.said?.share ?? percent(accesses / (values.run.reads + values.run.writes || 1)), el('small', {title: countText(object.reads, object.writes)}, short(accesses))),
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
