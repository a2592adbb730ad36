// A bar chart as SVG: plain, readable on light and dark pages, with every number written beside its bar.

const WIDTH = 760;
const LEFT = 250;
const RIGHT = 90;
const BAR = 18;
const GAP = 6;
const HEAD = 30;

/** `groups`: [{ title, bars: [{ label, value, ours }] }]; each group has its own scale. */
export function barChart(title, unit, groups) {
  let y = 46;
  const parts = [];
  for (const group of groups) {
    parts.push(text(12, y + 14, group.title, 'group'));
    y += HEAD;
    const most = Math.max(...group.bars.map((bar) => bar.value));
    for (const bar of group.bars) {
      const width = Math.max(1, (bar.value / most) * (WIDTH - LEFT - RIGHT));
      parts.push(text(LEFT - 8, y + 13, bar.label, 'label'));
      parts.push(
        `<rect class="${bar.ours ? 'ours' : 'other'}" x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`,
      );
      parts.push(text(LEFT + width + 6, y + 13, `${Math.round(bar.value).toLocaleString('en')}`, 'value'));
      y += BAR + GAP;
    }
    y += 12;
  }
  const height = y + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}.group{font-weight:600}.label{text-anchor:end}.value{fill:#59636e}
.ours{fill:#0969da}.other{fill:#9aa4ae}rect.page{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.value{fill:#9198a1}.ours{fill:#4493f8}.other{fill:#656c76}rect.page{fill:#0d1117}}
</style>
<rect class="page" width="${WIDTH}" height="${height}"/>
${text(12, 26, `${title}, ${unit}`, 'title')}
${parts.join('\n')}
</svg>
`;
}

function text(x, y, words, kind) {
  return `<text class="${kind}" x="${Number(x).toFixed(1)}" y="${y}">${escaped(words)}</text>`;
}

function escaped(words) {
  return String(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
