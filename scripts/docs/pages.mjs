// Which pages the documentation has, in the order of its navigation, and which file each is made of.

/** Files of the repository that are not pages are linked there. */
export const REPOSITORY = 'https://github.com/forebay/forebay/blob/main/';

/** Sections of [title, source or address]. What ends in `.md` or `.rs` is a source; the rest is built by other tools. */
export const NAVIGATION = [
  [
    'Start',
    [
      ['Forebay', 'README.md'],
      ['Tutorial', 'docs/tutorial.md'],
      ['Live viewer', 'live/index.html#file=data/sample.tbl'],
      ['Changelog', 'CHANGELOG.md'],
    ],
  ],
  [
    'Questions',
    [
      ['Threads instead of processes', 'docs/questions/threads.md'],
      ['Decode at a reduced size', 'docs/questions/reduced-size.md'],
      ['Resume on another number of GPUs', 'docs/questions/exact-resume.md'],
      ['COCO files of gigabytes', 'docs/questions/large-coco.md'],
      ['Check labels before training', 'docs/questions/check-labels.md'],
      ['Duplicates across splits', 'docs/questions/split-leaks.md'],
      ['Huge files in a browser tab', 'docs/questions/huge-files.md'],
      ['Check datasets in CI', 'docs/questions/ci.md'],
      ['Coming from another tool', 'docs/coming-from.md'],
    ],
  ],
  [
    'Guides',
    [
      ['The viewer', 'docs/viewer.md'],
      ['The loader', 'docs/loader.md'],
      ['The Python package', 'python/README.md'],
      ['The npm package', 'www/lib/README.md'],
      ['Filters', 'docs/filters.md'],
      ['Projects', 'docs/formats/project.md'],
      ['Labels', 'docs/labels.md'],
      ['Curating', 'docs/curating.md'],
      ['Edits', 'docs/edits.md'],
      ['Tables in Rust', 'docs/tables.md'],
      ['Tables in Python', 'docs/python/tables.md'],
      ['Files elsewhere', 'docs/remote.md'],
      ['The cache', 'docs/cache.md'],
      ['Packing JPEGs', 'docs/packed.md'],
      ['Shards', 'docs/shards.md'],
      ['Shards in Python, and Ray', 'docs/python/ray.md'],
      ['Tensor warehouses', 'docs/warehouse.md'],
      ['A petabyte, simulated', 'docs/scale.md'],
    ],
  ],
  [
    'Cookbook',
    [
      ['All tasks', 'examples/README.md'],
      ['Read one sample', 'examples/read_sample.rs'],
      ['Walk a TAR', 'examples/walk_tar.rs'],
      ['Filter samples', 'examples/filter_samples.rs'],
      ['Check a file', 'examples/check_file.rs'],
      ['Write a TBL', 'examples/write_tbl.rs'],
      ['CSV to TBF', 'examples/csv_to_tbf.rs'],
      ['JPEG to a tensor', 'examples/jpeg_to_tensor.rs'],
      ['Batches and resuming', 'native/examples/resume.rs'],
      ['A training program', 'native/examples/training.rs'],
    ],
  ],
  [
    'Reference',
    [
      ['The command', 'docs/cli.md'],
      ['Schemas of reports', 'docs/schemas/README.md'],
      ['Rust', 'rust/forebay/index.html'],
      ['JavaScript', 'npm/index.html'],
      ['Python', 'py/forebay.html'],
      ['Errors', 'docs/errors.md'],
      ['Glossary', 'docs/glossary.md'],
      ['Augmentation', 'docs/augment.md'],
      ['Image decoders', 'docs/decoders.md'],
    ],
  ],
  [
    'Formats',
    [
      ['A promise for files', 'docs/formats/compatibility.md'],
      ['TBL', 'docs/formats/tbl-v2.md'],
      ['Packed JPEGs', 'docs/formats/packed.md'],
      ["A sample's record", 'docs/formats/record.md'],
      ['TAR', 'docs/formats/tar.md'],
      ['ZIP', 'docs/formats/zip.md'],
      ['Parquet of images', 'docs/formats/parquet-images.md'],
      ['TBF', 'docs/formats/tbf.md'],
      ['IDV', 'docs/formats/idv.md'],
      ['The order', 'docs/formats/order.md'],
      ['The hash of an image', 'docs/formats/image-hash.md'],
      ['Warehouse', 'docs/formats/warehouse.md'],
      ['Journal of edits', 'docs/formats/edits.md'],
      ['Annotations in metadata', 'docs/formats/annotations.md'],
      ['Thumbnails', 'docs/formats/thumbs.md'],
    ],
  ],
  [
    'Measured',
    [
      ['Samples', 'docs/benchmarks.md'],
      ['The loader', 'docs/benchmarks-loader.md'],
      ['Loaders of Python', 'docs/benchmarks-python.md'],
      ['Tables', 'docs/benchmarks-tables.md'],
      ['Stores', 'docs/benchmarks-remote.md'],
      ['The npm package', 'docs/benchmarks-browser.md'],
      ['The viewer', 'docs/benchmarks-viewer.md'],
    ],
  ],
  [
    'Working on it',
    [
      ['Architecture', 'docs/architecture.md'],
      ['Contributing', 'CONTRIBUTING.md'],
      ['Security', 'SECURITY.md'],
      ['Dependencies', 'docs/dependencies.md'],
      ['Fuzzing', 'fuzz/README.md'],
    ],
  ],
];

const NAMES = {
  'README.md': 'index.html',
  'www/lib/README.md': 'package.html',
  'fuzz/README.md': 'fuzzing.html',
  'examples/README.md': 'cookbook/index.html',
  'docs/schemas/README.md': 'schemas/index.html',
};

/** Whether an entry of the navigation is made here. */
export const isSource = (target) => /\.(md|rs)$/.test(target);

/** Where the page of a source stands in the site. */
export function pageOf(source) {
  if (NAMES[source]) return NAMES[source];
  if (source.endsWith('.rs')) return `cookbook/${source.split('/').at(-1).replace('.rs', '.html')}`;
  return source
    .replace(/^docs\//, '')
    .replace('.md', '.html')
    .toLowerCase();
}
