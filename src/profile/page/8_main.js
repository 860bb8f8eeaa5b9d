// Starts the page: first the views without binary data, then the others once the data are loaded.

const themes = [['', '◐ Auto', 'as the system'], ['light', '☀ Light', 'light'], ['dark', '☾ Dark', 'dark']];

function setTheme(index) {
  const [name, label, words] = themes[index];
  document.documentElement.dataset.theme = name;
  byId('theme').textContent = label;
  byId('theme').setAttribute('aria-label', `Colours: ${words}`);
  byId('theme').dataset.index = index;
}

/// Redraws all canvases, e.g. for other colours or another width.
function redraw() {
  theme.read();
  if (communication.span) communication.draw();
  return Promise.all([exclusivity.draw(), pages.draw()]);
}

setTheme(0);
theme.read();
fillVerdict();
fillAdvice();
fillWhatIf();
footprint.draw();
fillProcesses();
objects.start();
tree.start();

document.addEventListener('DOMContentLoaded', async () => {
  if (values.objects.length) await Promise.all([communication.start(), exclusivity.start(), pages.start()]);
  else for (const id of ['communication', 'exclusivity', 'pages']) byId(id).hidden = true;
  byId('theme').addEventListener('click', () => {
    setTheme((Number(byId('theme').dataset.index) + 1) % themes.length);
    if (values.objects.length) redraw();
  });
  document.documentElement.dataset.ready = 'yes';
  if (!values.objects.length) return;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  let width = innerWidth;
  addEventListener('resize', () => {
    if (width !== innerWidth) redraw();
    width = innerWidth;
  });
});
