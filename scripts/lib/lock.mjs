// One build at a time in a checkout.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT } from './run.mjs';

const LOCK = join(ROOT, 'target/build.lock');

/** Runs `body` unless another process is building here: then it fails and says which. The lock of a dead process is taken. */
export async function alone(what, body) {
  mkdirSync(join(ROOT, 'target'), { recursive: true });
  for (;;) {
    try {
      writeFileSync(LOCK, `${process.pid} ${what}`, { flag: 'wx' });
      break;
    } catch (e) {
      if (e.code !== 'EEXIST') throw e;
      const [pid, ...other] = existsSync(LOCK) ? readFileSync(LOCK, 'utf8').split(' ') : [];
      if (pid && isAlive(Number(pid)))
        throw new Failure(
          `${other.join(' ')} (process ${pid}) is building in this checkout; run this again when it has ended`,
        );
      rmSync(LOCK, { force: true });
    }
  }
  const release = () => rmSync(LOCK, { force: true });
  process.on('exit', release);
  try {
    return await body();
  } finally {
    release();
    process.off('exit', release);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return e.code === 'EPERM';
  }
}
