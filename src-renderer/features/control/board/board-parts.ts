import { findNodeAtLocation, parseTree, getNodeValue } from 'jsonc-parser';

/** What a board has beside its pins, by name. */
export interface BoardParts {
  readonly analogs: readonly string[];
  readonly interrupts: readonly string[];
}

/**
 * The analogs and interrupts of a board, as the applied configuration names
 * them: no call of the board's API lists them.
 */
export function boardParts(configText: string, boardName: string): BoardParts {
  const root = parseTree(configText);
  const entries = root === undefined ? [] : (findNodeAtLocation(root, ['components'])?.children ?? []);
  for (const entry of entries) {
    const value = getNodeValue(entry) as unknown;
    if (!isRecord(value) || value['name'] !== boardName || !isRecord(value['attributes'])) continue;
    return {
      analogs: namesIn(value['attributes']['analogs']),
      interrupts: namesIn(value['attributes']['digital_interrupts']),
    };
  }
  return { analogs: [], interrupts: [] };
}

function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry['name'] === 'string' ? [entry['name']] : [],
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
