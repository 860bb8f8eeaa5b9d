// The footprint over time: the number of pages that the program, or the chosen object, accessed in
// each slice of the run.

const footprint = {
  draw() {
    const {program, seconds: slice} = values.footprint;
    const object = values.objects[chosen.object];
    const pages = object ? object.footprint : program;
    const most = Math.max(...pages, 0);
    byId('footprint').hidden = most === 0;
    if (most === 0) return;
    const when = (i) => slice > 0 ? `${seconds(i * slice)} to ${seconds((i + 1) * slice)}` : `slice ${i + 1}`;
    const size = (count) => `${plural(count, 'page')}, ${bytes(count * 4096)}`;
    const lines = (i) => [size(pages[i]), when(i)];
    const of = object ? object.name : 'The whole program';
    byId('footprint-sampled').hidden = !values.said;
    byId('footprint-bars').replaceChildren(...pages.map((count, i) => el('i', {
      style: `height:${100 * count / most}%`,
      pointermove: (event) => tip.show(event.clientX, event.clientY, lines(i)),
      pointerleave: () => tip.hide(),
    })));
    byId('footprint-bars').setAttribute('aria-label',
        `Footprint of ${of} in ${pages.length} slices of time: at most ${size(most)}, from ${when(pages.indexOf(most))}`);
    byId('footprint-most').textContent = `${of}: at most ${size(most)}`;
    byId('footprint-end').textContent = slice > 0 ? seconds(pages.length * slice) : 'end of the run';
    byId('footprint-table').replaceChildren(
        el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Time'), el('th', {scope: 'col', class: 'n'}, 'Pages'))),
        el('tbody', {}, ...pages.map((count, i) => el('tr', {}, el('th', {scope: 'row'}, when(i)), el('td', {class: 'n'}, exact(count))))));
  },
};
