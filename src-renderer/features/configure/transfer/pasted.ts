import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { builtinModels } from '../../../shared/builtin-models.ts';
import { subtypeOf } from '../../../shared/machine/rpc/status-merge.ts';
import { readDocument, sections, type DocumentModel, type Section } from '../document/document-model.ts';
import { childrenAt, rootOf } from '../document/editing/json-scan.ts';
import { partOfDocument, type WrittenEntry } from '../document/editing/part-of-document.ts';

/** What a pasted text is. */
export type Pasted =
  | {
      readonly kind: 'entries';
      /** A configuration with the pasted entries, in their own spelling. */
      readonly text: string;
      readonly model: DocumentModel;
      /** Keys of a pasted configuration that are no entries: `network`. */
      readonly settings: readonly string[];
    }
  | { readonly kind: 'empty' }
  /** No JSON: where and why. */
  | { readonly kind: 'broken'; readonly line: number; readonly reason: string }
  /** JSON, but no part of a configuration. */
  | { readonly kind: 'other' };

/** Reads a configuration, a part of one, a list of entries, or one entry. */
export function readPasted(text: string): Pasted {
  if (text.trim() === '') return { kind: 'empty' };
  let root: unknown;
  try {
    root = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    const read = readDocument(text);
    return read.kind === 'broken' ? { kind: 'broken', line: read.line, reason: read.message } : { kind: 'other' };
  }
  if (isJsonObject(root) && sections.some((section) => Object.hasOwn(root, section))) {
    const settings = Object.keys(root).filter((key) => !(sections as readonly string[]).includes(key));
    return entriesOf(text, settings);
  }
  const start = rootOf(text)?.start ?? 0;
  const items = Array.isArray(root) ? childrenAt(text, start) : [{ start, end: text.trimEnd().length }];
  const written: WrittenEntry[] = [];
  for (const item of items) {
    const entry = text.slice(item.start, item.end);
    const section = sectionOf(JSON.parse(entry));
    if (section === undefined) return { kind: 'other' };
    written.push({ section, written: entry });
  }
  return entriesOf(partOfDocument(written), []);
}

function entriesOf(text: string, settings: readonly string[]): Pasted {
  const read = readDocument(text);
  if (read.kind === 'broken' || read.model.entries.length === 0) return { kind: 'other' };
  return { kind: 'entries', text, model: read.model, settings };
}

const serviceTypes: ReadonlySet<string> = new Set(
  builtinModels.filter(({ api }) => api.includes(':service:')).map(({ api }) => subtypeOf(api)),
);
const componentTypes: ReadonlySet<string> = new Set(
  builtinModels.filter(({ api }) => api.includes(':component:')).map(({ api }) => subtypeOf(api)),
);

/** The section that an entry without one belongs in; undefined for a value that is no entry. */
export function sectionOf(entry: unknown): Section | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { api, type } = entry;
  if (typeof api === 'string') return api.includes(':service:') ? 'services' : 'components';
  if (isJsonObject(api)) return api['type'] === 'service' ? 'services' : 'components';
  if (type === 'registry' || type === 'local') return 'modules';
  if (['module_id', 'executable_path'].some((key) => Object.hasOwn(entry, key))) return 'modules';
  if (typeof type === 'string') return serviceTypes.has(type) && !componentTypes.has(type) ? 'services' : 'components';
  if (Object.hasOwn(entry, 'address')) return 'remotes';
  return Object.hasOwn(entry, 'model') ? 'components' : undefined;
}
