// Lines over a logarithmic axis as SVG: plain, readable on light and dark pages, each line named at its end.

const WIDTH = 760;
const HEIGHT = 360;
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 190, 52, 44];
const COLORS = 5;

/** `lines`: [{ name, points: [[x, y]] }]; y is a share from 0 to 1. */
export function lineChart(title, xTitle, lines) {
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const [least, most] = [Math.log10(Math.min(...xs)), Math.log10(Math.max(...xs))];
  const x = (value) => LEFT + ((Math.log10(value) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  const parts = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(line(LEFT, y(share), WIDTH - RIGHT, y(share), 'grid'));
    parts.push(text(LEFT - 8, y(share) + 4, `${share * 100} %`, 'value end'));
  }
  for (let power = Math.ceil(least); power <= most; power++) {
    parts.push(line(x(10 ** power), TOP, x(10 ** power), HEIGHT - BOTTOM, 'grid'));
    parts.push(text(x(10 ** power), HEIGHT - BOTTOM + 18, (10 ** power).toLocaleString('en'), 'value middle'));
  }
  parts.push(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, xTitle, 'value middle'));
  let free = Number.NEGATIVE_INFINITY;
  const ends = lines.map((one, i) => ({ ...one, i, end: one.points.at(-1) })).sort((a, b) => y(a.end[1]) - y(b.end[1]));
  for (const { name, points, i, end } of ends) {
    const path = points.map(([px, py], k) => `${k ? 'L' : 'M'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('');
    parts.push(`<path class="line c${i % COLORS}" d="${path}"/>`);
    for (const [px, py] of points)
      parts.push(`<circle class="dot c${i % COLORS}" cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="3"/>`);
    // Names stand below each other, whatever their lines do.
    free = Math.max(y(end[1]) + 4, free + 16);
    parts.push(text(x(end[0]) + 10, free, name, `name n${i % COLORS}`));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}.value{fill:#59636e}.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2}rect.page{fill:#fff}
.c0{stroke:#0969da}.c1{stroke:#bc4c00}.c2{stroke:#1a7f37}.c3{stroke:#8250df}.c4{stroke:#59636e}
.dot{fill:#fff}.n0{fill:#0969da}.n1{fill:#bc4c00}.n2{fill:#1a7f37}.n3{fill:#8250df}.n4{fill:#59636e}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.value{fill:#9198a1}.grid{stroke:#3d444d}rect.page,.dot{fill:#0d1117}
.c0{stroke:#4493f8}.c1{stroke:#db6d28}.c2{stroke:#3fb950}.c3{stroke:#ab7df8}.c4{stroke:#9198a1}
.n0{fill:#4493f8}.n1{fill:#db6d28}.n2{fill:#3fb950}.n3{fill:#ab7df8}.n4{fill:#9198a1}}
</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>
${text(12, 26, title, 'title')}
${parts.join('\n')}
</svg>
`;
}

function line(x1, y1, x2, y2, kind) {
  const [a, b, c, d] = [x1, y1, x2, y2].map((n) => n.toFixed(1));
  return `<line class="${kind}" x1="${a}" y1="${b}" x2="${c}" y2="${d}"/>`;
}

function text(x, y, words, kind) {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escaped(words)}</text>`;
}

function escaped(words) {
  return String(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
