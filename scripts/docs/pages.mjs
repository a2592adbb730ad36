// Which pages the documentation has, in the order of its navigation, and which file each is made of.

/** Files of the repository that are not pages are linked there. */
export const REPOSITORY = 'https://github.com/forebay/forebay/blob/main/';

/** Sections of [title, source or address]. What ends in `.md` or `.rs` is a source; the rest is built by other tools. */
export const NAVIGATION = [
  [
    'Start',
    [
      ['Forebay', 'README.md'],
      ['Live viewer', 'live/index.html#file=data/sample.tbl'],
      ['Changelog', 'CHANGELOG.md'],
    ],
  ],
  [
    'Guides',
    [
      ['The command', 'docs/cli.md'],
      ['The viewer', 'docs/viewer.md'],
      ['The loader', 'docs/loader.md'],
      ['The cache', 'docs/cache.md'],
      ['Tables', 'docs/tables.md'],
      ['Labels', 'docs/labels.md'],
      ['Tensor warehouses', 'docs/warehouse.md'],
      ['Building a warehouse', 'docs/warehouse-build.md'],
      ['The npm package', 'www/lib/README.md'],
      ['The Python package', 'python/README.md'],
      ['Tables in Python', 'docs/python/tables.md'],
    ],
  ],
  [
    'Coming from',
    [
      ['webdataset', 'docs/python/from-webdataset.md'],
      ['MosaicML streaming', 'docs/python/from-streaming.md'],
      ['LitData', 'docs/python/from-litdata.md'],
      ['FFCV', 'docs/python/from-ffcv.md'],
      ['DALI', 'docs/python/from-dali.md'],
      ['turboloader', 'docs/python/from-turboloader.md'],
      ['torchvision', 'docs/python/from-torchvision.md'],
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
      ['Rust', 'rust/forebay/index.html'],
      ['JavaScript', 'npm/index.html'],
      ['Python', 'py/forebay.html'],
      ['Errors', 'docs/errors.md'],
      ['Glossary', 'docs/glossary.md'],
      ['TBL', 'docs/formats/tbl-v2.md'],
      ['TAR', 'docs/formats/tar.md'],
      ['ZIP', 'docs/formats/zip.md'],
      ['TBF', 'docs/formats/tbf.md'],
      ['IDV', 'docs/formats/idv.md'],
      ['The order', 'docs/order.md'],
      ['Image decoders', 'docs/decoders.md'],
    ],
  ],
  [
    'Measured',
    [
      ['Samples', 'docs/benchmarks.md'],
      ['The loader', 'docs/benchmarks-loader.md'],
      ['Loaders of Python', 'docs/benchmarks-python.md'],
      ['Tables', 'docs/benchmarks-tables.md'],
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
