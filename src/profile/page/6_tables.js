// The verdict, the report's common figures, and the what-if table.

const chosen = {
  object: -1,  // the program
  choose(object) {
    this.object = object;
    byId('excl-object').value = object;
    byId('pages-object').value = Math.max(0, object);
    fillWhatIf();
    footprint.draw();
    objects.mark();
    return Promise.all([exclusivity.draw(), pages.choose()]);
  },
};

function fillVerdict() {
  const {run, verdict, advice} = values;
  byId('command').textContent = run.command;
  document.title = `Atoll report: ${run.command}`;
  const {said} = values;  // for samples: shares as text, "-" if unknown; otherwise null
  const title = advice.changes ? 'A plan would help' : said ? 'What samples tell' : 'No plan would help';
  byId('verdict-title').textContent = run.reads + run.writes ? title : 'Nothing was recorded';
  byId('verdict-lines').replaceChildren(...verdict.text.map((line) => el('li', {}, line)));
  const figure = (name, value, more) => el('div', {}, el('dt', {}, name), el('dd', {}, value, el('small', {}, more)));
  byId('figures').replaceChildren(
      figure('Structure', said ? '-' : verdict.structure.toFixed(2), said ? 'samples of pages don’t tell whether threads communicate' : 'how much more communication groups of threads keep inside than random groups: 0 nothing, 1 all of it'),
      figure('Exclusivity', said?.exclusivity ?? percent(verdict.exclusivity), `of the ${weighed.many} to a page comes from one node, on average; ${percent(1 / nodeCount, 0)} if all shared every page`),
      figure('Busiest node', said?.busiest[0] ?? percent(values.what_if[0].busiest_share), `of the ${weighed.many} goes to one node’s memory; equal: ${percent(1 / nodeCount, 0)}`),
      figure('Local', said?.local[0] ?? percent(values.what_if[0].local_share), `of the ${weighed.many} is with the thread’s own node; the rest takes longer`));
  const losses = run.losses.length ? run.losses.map(({what, count}) => `${what}: ${exact(count)}`) : ['nothing'];
  const stated = (name, lines) => el('div', {}, el('h2', {}, name), el('ul', {}, ...lines.map((line) => el('li', {}, line))));
  const slowdown = run.slowdown === null ? 'not measured; atoll profile --native measures it'
                                         : `${run.slowdown.toFixed(1)} times the time of the command alone`;
  byId('stated').replaceChildren(
      stated('Run', [`${plural(threadCount, 'thread')} in ${plural(run.processes, 'process', 'processes')}, ${plural(run.pages, 'page')}, ${short(run.reads + run.writes)} ${counts.many}`,
                     `analysed for ${run.machine}: ${plural(nodeCount, 'node')}, threads ${run.bound ? 'where the program bound them' : 'as an idle system spreads them'}`,
                     ...(run.other_machine ? ['which is not the machine that it was recorded on'] : [])]),
      stated('Slowdown', [slowdown, `recorded by ${run.frontend} in ${seconds(run.elapsed_seconds)}${run.frontend_reason ? `: ${run.frontend_reason}` : ''}`]),
      stated('Dropped or coarsened', losses),
      stated('Can’t be seen', run.cant_see.length ? run.cant_see : ['nothing that is known of']));
}

function fillWhatIf() {
  const rows = chosen.object < 0 ? values.what_if : values.objects[chosen.object].what_if;
  const {said} = chosen.object < 0 ? values : values.objects[chosen.object];
  const bar = (share, kind, words) => el('td', {class: 'n'}, el('span', {class: 'value'}, words ?? percent(share)),
      words === '-' ? '' : el('span', {class: `bar ${kind}`, style: `--share:${share}`}));
  const best = Math.max(...rows.map((row) => row.local_share)), least = Math.min(...rows.map((row) => row.busiest_share));
  const timed = !said && rows.every((row) => row.time > 0);  // times are those of the whole program
  const shortest = Math.min(...rows.map((row) => row.time));
  const time = (row) => el('td', {class: 'n'}, el('span', {class: 'value'}, row.time === shortest ? el('strong', {}, row.time.toFixed(2)) : row.time.toFixed(2)));
  byId('what-if-table').replaceChildren(
      el('caption', {}, chosen.object < 0 ? 'The whole program' : `${weighed.title} of ${values.objects[chosen.object].name} alone`),
      el('thead', {}, el('tr', {}, ...['Mapping', `Local ${weighed.many}`, 'Busiest node', ...(timed ? ['Time'] : [])].map((name, i) => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, ...rows.map((row, i) => el('tr', {'data-mapping': row.mapping},
          el('th', {scope: 'row'}, row.mapping, el('small', {}, (row.mapping === 'os' ? 'as it ran, the operating system’s way: ' : '') + values.mappings[row.mapping])),
          bar(row.local_share, row.local_share === best ? 'best' : '', said?.local[i]), bar(row.busiest_share, row.busiest_share === least ? 'best' : '', said?.busiest[i]), timed ? time(row) : ''))));
  byId('what-if-note').textContent = `With ${plural(nodeCount, 'node')}, the busiest node serves at least ${percent(1 / nodeCount, 0)}. The strongest bars are the best of their column.` +
      (said ? ' Samples tell shares with 90\u00a0% certainty; where there is a dash, there are too few.' : '');
}

const kSharing = ['private: one thread', 'read by several threads', 'written and shared', 'falsely shared'];

/// Draws shares of a whole as a stacked bar, with a text alternative.
function stacked(amounts, colours, names) {
  const sum = amounts.reduce((a, b) => a + b, 0);
  const text = sum ? amounts.map((amount, i) => amount ? `${names[i]} ${percent(amount / sum, 0)}` : '').filter(Boolean).join(', ') : 'none';
  return el('span', {class: 'stack', role: 'img', 'aria-label': text, title: text},
            ...amounts.map((amount, i) => amount ? el('i', {style: `flex:${amount / sum};background:${colours[i]}`}) : ''));
}
