// A command that fails for want of a network, a disk or a permission is explained; any other failure is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cause } from '../lib/causes.mjs';

test('a command without network, disk or permission says what to do', () => {
  const outputs = {
    'error: [6] Could not resolve hostname (Could not resolve host: index.example)':
      /cargo could not reach its registry/,
    'npm error code EAI_AGAIN': /could not reach its registry/,
    'error: No space left on device (os error 28)': /found the disk full/,
    'Caused by: Read-only file system (os error 30)': /Set CARGO_HOME to a folder/,
  };
  for (const [output, expected] of Object.entries(outputs)) assert.match(cause(['cargo', 'build'], output), expected);
});

test('a failure of the project itself is left as it is', () => {
  assert.equal(cause(['cargo', 'build'], 'error[E0308]: mismatched types'), null);
  assert.equal(cause(['cargo', 'nextest'], 'a test: Permission denied'), null);
});
