// Shows the recommendations, their reason, the predicted effect, and the commands that apply them.

const actions = {
  'map threads': 'a plan does this: it binds threads to nodes or cores',
  locality: 'a plan does this: each page on the node that uses it most',
  balance: 'a plan does this: each page on a node that uses it and has room',
  interleave: 'a plan does this: pages in turn on all nodes',
  annotate: 'no plan can do this: it needs a change in the source',
  pad: 'no plan can do this: it needs a change in the source',
  nothing: '',
};

function predictionTable({before, after}) {
  const rows = [[`Local ${weighed.many}: with the thread’s own node`, ({local}) => local],
                [`Part of the busiest memory (equal: ${percent(1 / nodeCount, 0)})`, ({busiest}) => busiest],
                [`Time of ${weighed.many} (as it ran: 1)`, ({time}) => time.toFixed(2)]];
  return el('table', {id: 'advice-table'},
      el('caption', {}, values.said ? 'Predicted (90\u00a0% sure; -: not known)' : 'Predicted'),
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'What'), ...['Before', 'After'].map((name) => el('th', {scope: 'col', class: 'n'}, name)))),
      el('tbody', {}, ...rows.map(([name, text]) => el('tr', {}, el('th', {scope: 'row'}, name),
          ...[before, after].map((of) => el('td', {class: 'n'}, text(of)))))));
}

function fillAdvice() {
  const {advice} = values;
  const line = ({action, text}) => el('li', {'data-action': action},
      el('strong', {}, action), `: ${text}`, actions[action] ? el('small', {}, actions[action]) : '');
  const kShort = 6;
  const first = advice.recommendations.slice(0, kShort), more = advice.recommendations.slice(kShort);
  const shown = [el('ul', {class: 'advice-list'}, ...first.map(line))];
  if (more.length)
    shown.push(el('details', {}, el('summary', {}, `${more.length} more`), el('ul', {class: 'advice-list'}, ...more.map(line)),
                  advice.left_out ? el('p', {class: 'note'}, `${exact(advice.left_out)} smaller ones are left out.`) : ''));
  if (advice.why) shown.push(el('p', {id: 'advice-why'}, el('strong', {}, 'Why: '), advice.why, '.'));
  if (advice.trade) shown.push(el('p', {}, advice.trade));
  if (advice.changes) {
    shown.push(el('div', {class: 'scroll'}, predictionTable(advice)),
               el('p', {}, 'These commands write the plan and run the program with it, unchanged:'),
               el('pre', {id: 'advice-commands'}, ...advice.commands.map((command) => el('code', {}, `${command}\n`))));
  } else {
    shown.push(el('p', {id: 'advice-none'}, 'So there is no plan to make and no command to run.'));
  }
  byId('advice-body').replaceChildren(...shown);
}
