// The other programs, in virtual environments of their own that the tests use too.
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../scripts/lib/run.mjs';

export const PEER_VERSION = '2.39.0';

/** What the loaders are measured against. On Linux torch comes with its CUDA libraries: some 6 GB on the disk. */
export const TRAINING = {
  torch: '2.15.0',
  torchvision: '0.29.2',
  webdataset: '1.0.2',
  pillow: '13.0.0',
  numpy: '2.4.6',
};

/** What a warehouse's tensors are made with beside Forebay. */
const IMAGING = { pillow: TRAINING.pillow, numpy: TRAINING.numpy };

/** What tables are converted with beside Forebay. */
export const TABLES = { polars: '2.1.0', duckdb: '2.0.0', pyarrow: '26.0.1' };

/** A Python that can import turboloader, or null. */
export function peerPython() {
  return environment(`turboloader-${PEER_VERSION}`, { turboloader: PEER_VERSION }, ['turboloader']);
}

/** A Python that can import torch, torchvision, webdataset and Pillow, or null. */
export function trainingPython() {
  return environment('loader-peers', TRAINING, ['torchvision', 'webdataset', 'PIL']);
}

/** A Python that can import what else reads from stores, or null. FOREBAY_REMOTE_PEERS names one that has it all. */
export function remotePython() {
  if (process.env.FOREBAY_REMOTE_PEERS) return process.env.FOREBAY_REMOTE_PEERS;
  const packages = { 'mosaicml-streaming': '0.13.0', litdata: '0.2.76', webdataset: TRAINING.webdataset };
  return environment('remote-peers', { torch: TRAINING.torch, ...packages }, ['streaming', 'litdata', 'webdataset']);
}

/** A Python that can import Pillow and NumPy, or null. */
export function imagingPython() {
  return environment('warehouse-peers', IMAGING, ['PIL', 'numpy']);
}

/** A Python that can import all that the loaders of Python are measured against, or null: as above, and these. */
export function pythonPeers() {
  const more = { turboloader: PEER_VERSION, safetensors: '0.8.0', torchdata: '0.11.0' };
  const modules = ['torchvision', 'webdataset', 'PIL', 'turboloader', 'safetensors', 'torchdata'];
  return environment('loader-peers', { ...TRAINING, ...more }, modules);
}

/**
 * Pythons that can import loaders with formats of their own, beside torch of the environment above; null where one cannot be
 * installed. FFCV is built here, and wants OpenCV's and libjpeg-turbo's headers (libopencv-dev, libturbojpeg0-dev).
 */
export function formatPythons() {
  return {
    litdata: above('litdata-peer', { litdata: '0.2.76' }, ['litdata']),
    dali: above('dali-peer', { 'nvidia-dali-cuda130': '2.4.0' }, ['nvidia.dali.plugin.pytorch']),
    streaming: above('streaming-peer', { 'mosaicml-streaming': '0.13.0' }, ['streaming']),
    ffcv: above('ffcv-peer', { ffcv: '1.0.2' }, ['ffcv']),
  };
}

/** A Python that can import polars, pandas and pyarrow, or null. */
export function framesPython() {
  const { polars, pyarrow } = TABLES;
  const packages = { polars, pyarrow, pandas: '3.1.1', numpy: TRAINING.numpy };
  return environment('frame-peers', packages, Object.keys(packages));
}

/** A Python that can import polars, duckdb and pyarrow, or null. */
export function tablesPython() {
  return environment('table-peers', TABLES, ['polars', 'duckdb', 'pyarrow']);
}

/** An environment that sees what is in that of torch, which is large, and puts its own before it. */
function above(name, packages, modules) {
  const below = pythonPeers();
  const site = (python) => read(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  return (
    below &&
    environment(name, packages, modules, (python) => {
      writeFileSync(join(site(python), 'below.pth'), `${site(below)}\n`);
      // A newer one finds what fits in seconds.
      read(python, ['-m', 'pip', 'install', '--quiet', '--upgrade', 'pip']);
    })
  );
}

function environment(name, packages, modules, prepare = () => {}) {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'forebay', name);
  const python = join(folder, 'bin/python');
  const wanted = Object.entries(packages);
  const script = `import ${modules.join(', ')}; from importlib.metadata import version; print(*[version(n) for n in ${JSON.stringify(Object.keys(packages))}])`;
  const versions = wanted.map(([, version]) => version).join(' ');
  const works = () => read(python, ['-c', script]) === versions;
  if (works()) return python;
  console.log(`installing ${wanted.map((pair) => pair.join(' ')).join(', ')} into ${folder}`);
  read('python3', ['-m', 'venv', folder]);
  prepare(python);
  read(python, ['-m', 'pip', 'install', '--quiet', ...wanted.map((pair) => pair.join('=='))]);
  return works() ? python : null;
}
