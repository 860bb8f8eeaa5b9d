// Processes by memory traffic, if there are several; idle ones are collapsed.

function fillProcesses() {
  const {busy, idle, idle_left_out: left} = values.processes;
  byId('processes').hidden = values.run.processes < 2;
  if (values.run.processes < 2) return document.querySelector('a[href="#processes"]').remove();
  const heads = ['Process', 'Threads', 'Share', counts.title];
  const row = ({name, count, threads, accesses, traffic, said}) => el('tr', {},
      el('th', {scope: 'row'}, name || 'unknown', count > 1 ? ` × ${exact(count)}` : ''),
      el('td', {class: 'n'}, exact(threads)), el('td', {class: 'n'}, said ?? percent(traffic / (values.run.traffic || 1))),
      el('td', {class: 'n', title: exact(accesses)}, short(accesses)));
  const table = (label, rows) => el('div', {class: 'scroll'}, el('table', {'aria-label': label},
      el('thead', {}, el('tr', {}, ...heads.map((name, i) => el('th', {scope: 'col', class: i ? 'n' : ''}, name)))),
      el('tbody', {}, ...rows.map(row))));
  const idles = idle.reduce((sum, {count}) => sum + count, left);
  byId('processes-body').replaceChildren(
      busy.length ? table('Processes', busy) : '',
      idles ? el('details', {class: 'idle'},
                 el('summary', {}, `${plural(idles, 'idle process', 'idle processes')}, each with at most 0.1\u00a0% of the ${weighed.many}`),
                 table('Idle processes', idle),
                 left ? el('p', {class: 'note'}, `${exact(left)} with other names are left out.`) : '') : '');
}
