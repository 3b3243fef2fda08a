import { keepText, keptText } from '../../shared/kept-text.ts';

const storageKey = 'armature.recent-commands';
const MAX_KEPT = 12;

/** Ids of the commands that were run from the palette, the latest first. */
export function recentCommands(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(keptText(() => localStorage, storageKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export function noteCommand(id: string): void {
  const ids = [id, ...recentCommands().filter((other) => other !== id)].slice(0, MAX_KEPT);
  keepText(() => localStorage, storageKey, JSON.stringify(ids));
}
