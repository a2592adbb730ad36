// Steps beside each other: what each says stays together, their tests are counted, and the first that fails ends all of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const LIB = new URL('../lib/', import.meta.url).href;

/** Runs a program of steps; its exit status and what it printed. */
function program(body) {
  const text = `
    import { Steps } from '${LIB}steps.mjs';
    import { Failure, patiently, run } from '${LIB}run.mjs';
    const steps = new Steps();
    const node = (code) => run(process.execPath, ['-e', code]);
    ${body}
    steps.finish();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, said: stdout + stderr };
}

test('what steps beside each other print is not mixed, and is printed once', () => {
  // Each waits for a file of the other's, so that they run at the same time; 'cheese' is printed from within, 'c1' by a command.
  const { status, said } = program(`
    import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    const at = mkdtempSync(tmpdir() + '/forebay-steps-') + '/';
    const meet = (mine, other) => node(
      'const fs = require("node:fs"); console.log("' + mine + '1"); fs.writeFileSync("' + at + mine + '", "");' +
      'const wait = () => fs.existsSync("' + at + other + '") ? console.log("' + mine + '2") : setTimeout(wait, 5); wait();');
    await steps.beside(
      [['First', async () => { console.log('cheese'); await meet('a', 'b'); }], ['Third', () => '# pass 3\\n# fail 0\\n']],
      [['Second', () => meet('b', 'a')]],
    );`);
  assert.equal(status, 0, said);
  for (const [head, ...lines] of [
    ['=== First\n', 'cheese', 'a1', 'a2'],
    ['=== Second\n', 'b1', 'b2'],
  ]) {
    const from = said.indexOf(`\n${head}`);
    const block = said.slice(from, said.indexOf(': fine', from));
    for (const line of lines) assert.ok(block.includes(`\n${line}\n`), `${line} is not in: ${block}`);
    assert.equal(block.match(/\n=== /g).length, 2, `something stands between: ${block}`);
    for (const line of lines) assert.equal(said.split(`\n${line}\n`).length, 2, `${line} is there once`);
  }
  assert.match(said, /\n5 passed, 0 failed\n$/);
});

test('a step that needs one of another lane begins when that is done', () => {
  const { status, said } = program(`
    let made = false;
    const slowly = () => new Promise((go) => setTimeout(() => go(void (made = true)), 300));
    await steps.beside([['Makes', slowly]], [['Needs', () => console.log('it is ' + made), 'Makes']]);`);
  assert.equal(status, 0, said);
  assert.match(said, /\nit is true\n/);
});

test('a step that fails ends those beside it, and what they would have said is not waited for', () => {
  const { status, said } = program(`
    await steps.beside(
      [['Slow', () => node('setTimeout(() => console.log("too late"), 50_000)')]],
      [['Good', () => {}], ['Bad', async () => { console.log('so far'); throw new Failure('it is broken'); }], ['Never', () => {}]],
    );`);
  assert.equal(status, 1, said);
  assert.match(said, /\n=== Bad\nso far\n/);
  assert.match(said, /it is broken\n=== Bad: FAILED\n/);
  assert.match(said, /\n1 passed, 1 failed\n/);
  assert.doesNotMatch(said, /too late|Never/);
});

test('commands of a patient step let those of others go first, and so does what they begin', () => {
  const { status, said } = program(`
    const priority = 'console.log("priority " + require("node:os").getPriority())';
    const within = 'require("node:child_process").execFileSync(process.execPath, ["-e", ' + JSON.stringify(priority) + '], { stdio: "inherit" })';
    await steps.beside([['Patient', () => patiently(() => node(within))]], [['Other', () => node(priority)]]);`);
  assert.equal(status, 0, said);
  const [patient, other] = ['Patient', 'Other'].map((title) =>
    Number(new RegExp(`=== ${title}\n[^=]*priority (-?\\d+)`).exec(said)?.[1]),
  );
  assert.ok(patient > other, said);
});
