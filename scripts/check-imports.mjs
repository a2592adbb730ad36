// Imports go down: a module or room imports only what stands on a floor below its own, and no two files import each other.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { circles, climbs, reexports, rustGraph, rustImports, scriptImports } from './lib/imports.mjs';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

/** The modules of each crate, floor by floor from the ground up. */
const CRATES = {
  'base/src': ['error path sample words', 'image limits step'],
  'annotations/src': [
    'codes fault geometry id kept notes',
    'classes field matching rle',
    'model options raster',
    'holes names plain',
    'format json kitti listing open_images xml',
    'merge recorder script told',
    'coco createml cvat datumaro labelme labelstudio voc yolo',
    'dota record stats via',
    'project set skeleton write',
  ],
  src: [
    'foreign formats random',
    'check cursor detect guard',
    'codec msgpack',
    'order sample',
    'filter image',
    'table tar tbl warehouse',
    'idv tbf text zip',
    'doors',
    'samples tables',
    'curate edits',
    'catalog',
  ],
  'native/src': [
    'half_written map parallel',
    'input',
    'cache',
    'ahead',
    'folder output shards',
    'doors',
    'parquets',
    'dataset',
    'labels',
    'check difference extract identity select',
    'convert',
    'edits sharding tables thumbs',
    'curate warehouse',
    'loader',
    'plan',
    'cost simulate',
  ],
  'columns/src': ['codes hugging ranges sink thrift zstd', 'guard', 'arrow', 'ipc parquet'],
  'cli/src': ['hints human signals words', 'output serve', 'exit progress', 'command', 'tar_to_tbl'],
  'python/src': [
    'errors kept memory',
    'capsule command large_pages page source wait',
    'batch options',
    'arrow_in arrow_out check dataset edits extract labels loader plan thumbs warehouse',
    'pictures table',
    'convert rows table_out',
    'curate several shards writer',
  ],
  'wasm/src': [
    'fail limits ranges room threads',
    'words',
    'labeling',
    'check convert curate export labels record select tables tensor',
    'dataset',
    'edits open warehouse',
    'schema',
  ],
};

/** Crates that a crate's root hands on: what comes from there is below every floor. */
const BELOW = ['forebay_annotations', 'forebay_base'];

/** The rooms of each house of TypeScript, from the ground up. Files beside them (`.`) may import them all. */
const HOUSES = {
  'www/lib/src': [
    'model',
    'base',
    'source',
    'worker',
    'pool',
    'sink',
    'edits',
    'samples',
    'warehouse',
    'labels',
    'tables',
    'serving',
    'api',
    '.',
  ],
  'www/viewer/src': [
    'messages',
    'public',
    'ui',
    'files',
    'samples',
    'drawing',
    'curating',
    'comparing',
    'mapping',
    'tables',
    'dialogs',
    'shell',
    '.',
  ],
};

const text = (file) => readFileSync(join(ROOT, file), 'utf8');

function sources(folder, extension) {
  const files = read('git', ['ls-files', '--cached', '--others', '--exclude-standard', folder])?.split('\n') ?? [];
  return files.filter((file) => file.endsWith(extension) && existsSync(join(ROOT, file)));
}

function crateFaults([folder, floors]) {
  const root = reexports(text(`${folder}/lib.rs`));
  const imports = new Map();
  const texts = new Map();
  for (const file of sources(folder, '.rs')) {
    const inside = file.slice(folder.length + 1);
    const name = inside.split('/')[0].replace(/\.rs$/, '');
    texts.set(inside, text(file));
    if (['lib', 'main', 'bin'].includes(name)) continue;
    if (!imports.has(name)) imports.set(name, []);
    for (const found of rustImports(text(file))) {
      const to = root.get(found) ?? found;
      if (!BELOW.includes(to)) imports.get(name).push({ to, file });
    }
  }
  return [...climbs(floors, imports), ...circles(rustGraph(texts)).map((circle) => `${folder}: a circle: ${circle}`)];
}

function houseFaults([folder, floors]) {
  const inside = (file) => file.startsWith(`${folder}/`);
  const room = (file) =>
    file.slice(folder.length + 1).includes('/') ? file.slice(folder.length + 1).split('/')[0] : '.';
  const imports = new Map();
  const graph = new Map();
  for (const file of sources(folder, '.ts')) {
    const found = scriptImports(file, text(file)).filter(inside);
    graph.set(file, found);
    if (!imports.has(room(file))) imports.set(room(file), []);
    imports.get(room(file)).push(...found.map((to) => ({ to: room(to), file })));
  }
  return [...climbs(floors, imports), ...circles(graph).map((circle) => `a circle of imports: ${circle}`)];
}

/** Throws a Failure that lists every import that goes up or in a circle. */
export async function checkImports() {
  const faults = [...Object.entries(CRATES).flatMap(crateFaults), ...Object.entries(HOUSES).flatMap(houseFaults)];
  if (faults.length) throw new Failure(faults.join('\n'));
  const rooms = [...Object.values(CRATES), ...Object.values(HOUSES)].flat().flatMap((floor) => floor.split(' '));
  console.log(`${rooms.length} modules and rooms, every import downward`);
}

if (isMain(import.meta.url)) await main(checkImports);
