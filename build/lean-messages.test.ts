import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import type * as Common from '../proto/gen/core/common/v1/common.ts';
import { leanMessages, withoutMethods, type MessageMethod } from './lean-messages.ts';

const file = path.join(import.meta.dirname, '../proto/gen/core/common/v1/common.ts');
const generated = readFileSync(file, 'utf8');
const all: readonly MessageMethod[] = ['toJSON', 'create', 'fromPartial'];

/** How often a method is declared: once for each message, and once in the type of all of them. */
function count(code: string, method: string): number {
  return code.match(new RegExp(`^  ${method}[<(]`, 'gm'))?.length ?? 0;
}

it('removes the named methods of every message, and nothing else', () => {
  const methods = ['encode', 'decode', ...all];
  const before = Object.fromEntries(methods.map((method) => [method, count(generated, method)]));
  expect(new Set(Object.values(before)).size).toBe(1);
  expect(before['encode']).toBeGreaterThan(10);
  for (const removed of [all, ['create'] as const, ['toJSON', 'fromPartial'] as const]) {
    const code = withoutMethods(generated, removed);
    const after = Object.fromEntries(methods.map((method) => [method, count(code, method)]));
    expect(after).toEqual({ ...before, ...Object.fromEntries(removed.map((method) => [method, 1])) });
  }
});

it('keeps every line where it is', () => {
  const lines = generated.split('\n');
  const after = withoutMethods(generated, all).split('\n');
  expect(after).toHaveLength(lines.length);
  expect(after.every((line, index) => line === '' || line === lines[index])).toBe(true);
});

it('leaves messages that encode and decode as before', async () => {
  const entry = path.join(import.meta.dirname, 'message-entry.ts');
  const bundle = await rolldown({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? `export { ResourceName } from ${JSON.stringify(file)};` : null),
      },
      leanMessages(all) as never,
    ],
  });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  const { ResourceName } = (await import(
    `data:text/javascript,${encodeURIComponent(output[0].code)}`
  )) as typeof Common;
  const name = { namespace: 'core', type: 'component', subtype: 'motor', name: 'left' };
  expect(ResourceName.decode(ResourceName.encode(name).finish())).toEqual(name);
  expect(Object.keys(ResourceName)).toEqual(['encode', 'decode']);
});
