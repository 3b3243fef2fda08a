import { sections, type Section } from '../document-model.ts';
import type { JsonStyle } from './json-style.ts';
import { laidOut } from './laid-out.ts';

/** An entry to append to its section, as written. */
export interface WrittenEntry {
  readonly section: Section;
  readonly written: string;
}

/** How a part of a configuration is laid out outside of any file. */
const style: JsonStyle = {
  eol: '\n',
  indent: '  ',
  afterColon: ' ',
  afterComma: ' ',
  inBraces: ' ',
  isOneLine: false,
  hasShort: true,
};
const entryIndent = '    ';

/** Written entries as a configuration that has nothing else: `{"components": [...], "modules": [...]}`. */
export function partOfDocument(entries: readonly WrittenEntry[]): string {
  const lists = sections.flatMap((section) => {
    const own = entries.filter((entry) => entry.section === section);
    if (own.length === 0) return [];
    const lines = own.map(({ written }) => entryIndent + laidOut(written, style, entryIndent, 'by-size'));
    return [`  ${JSON.stringify(section)}: [\n${lines.join(',\n')}\n  ]`];
  });
  return `{\n${lists.join(',\n')}\n}\n`;
}
