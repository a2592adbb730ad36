// What action.yml runs: `forebay check` over FILES (one per line) with OPTIONS (by spaces); every fault becomes an annotation of
// GitHub's. Ends with the command's exit code.
import { spawnSync } from 'node:child_process';

const words = (text, separator) =>
  (text ?? '')
    .split(separator)
    .map((word) => word.trim())
    .filter(Boolean);
const files = words(process.env.FILES, '\n');
const options = words(process.env.OPTIONS, /\s+/);
if (files.length === 0) {
  console.log('::error::no files to check: give the input "files", one per line');
  process.exit(2);
}
const command = ['check', '--json', ...options, '--', ...files];
const { error, status, stdout } = spawnSync('forebay', command, {
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (error) {
  console.log(annotation({ message: `forebay cannot be run: ${error.message}` }));
  process.exit(2);
}
for (const line of words(stdout, '\n')) {
  // The report of a single file does not name it.
  const report = { file: files[0], ...JSON.parse(line) };
  if (report.error) console.log(annotation(report.error));
  for (const fault of report.faults ?? []) console.log(annotation({ file: report.file, ...fault }));
  if (report.ok) console.log(`${report.file}: sound`);
}
process.exit(status ?? 2);

/** A line that GitHub shows as an error of a file. */
function annotation({ file, code, section, sample, offset, message }) {
  const places = { section, sample, byte: offset };
  const place = Object.entries(places).filter(([, value]) => value !== null && value !== undefined);
  const where = place.map(([name, value]) => `${name} ${value}`).join(', ');
  const properties = Object.entries({ file, title: code }).filter(([, value]) => value);
  const head = properties.map(
    ([name, value]) => `${name}=${escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::error ${head.join(',')}::${escaped(where ? `${message} (${where})` : message)}`;
}

function escaped(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
