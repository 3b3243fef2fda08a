import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { nodeOptions } from './node-options.mjs';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, file), 'utf8');

it('the files that start the command by themselves repeat the options', () => {
  const options = nodeOptions.join(' ');
  expect(read('../armature')).toContain(`exec "$node" ${options} "$folder/build/armature.js"`);
  expect(read('armature.js').split('\n')[0]).toBe(`#!/usr/bin/env -S node ${options}`);
});
