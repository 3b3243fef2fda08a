import type { Plugin } from 'vite';

const generated = /\/proto\/gen\/.*\.ts$/;
/** The methods of generated message types that a program may do without. */
export type MessageMethod = 'toJSON' | 'create' | 'fromPartial';

/** Removes methods from the message types in the text of a generated module. Lines stay where they are. */
export function withoutMethods(code: string, methods: readonly MessageMethod[]): string {
  const method = new RegExp(String.raw`^  (?:${methods.join('|')})[<(](?:.*\n)*?  \},\n`, 'gm');
  return code.replace(method, (text) => text.replace(/[^\n]/g, ''));
}

/**
 * Leaves out methods of messages that a program never calls: generated code is read, compiled and kept at each start.
 * Functions that only they call go with them. A lint rule keeps our code from calling `fromPartial`.
 */
export function leanMessages(methods: readonly MessageMethod[]): Plugin {
  return {
    name: 'lean-messages',
    enforce: 'pre',
    transform: (code, id) => (generated.test(id) ? { code: withoutMethods(code, methods), map: null } : null),
  };
}
