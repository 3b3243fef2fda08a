import { scriptArgumentsProblem } from '../../../../proto/config/training-script.ts';

/** The arguments of a script, or a sentence that says what is wrong with the text. */
export type TypedArguments = { readonly values: Readonly<Record<string, string>> } | { readonly problem: string };

/** Reads `name=value` from each line. Skips empty lines; a value may contain "=". */
export function readArguments(text: string): TypedArguments {
  const found = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 0) return { problem: `"${line.slice(0, 40)}" is no argument: write its name, "=" and its value.` };
    const name = line.slice(0, at).trim().replace(/^--/, '');
    if (found.has(name)) return { problem: `The argument "${name}" is there twice.` };
    found.set(name, line.slice(at + 1).trim());
  }
  const values = Object.fromEntries(found);
  const problem = scriptArgumentsProblem(values);
  return problem === undefined ? { values } : { problem };
}
