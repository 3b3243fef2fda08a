import type { ConfigDocument } from '../../../shared/machine/machine-view.ts';
import { unsealSecrets } from './sealed-secrets.ts';

/**
 * A draft of a new configuration. Immutable: each step makes a new one. Whether
 * it has changes is always found by comparing, never kept as a flag: after
 * undoing every step it has none.
 */
export interface ConfigDraft {
  /** The applied text that the draft was made from. */
  readonly base: { readonly text: string; readonly revision: string };
  readonly text: string;
  /** A newer configuration from elsewhere that arrived while the draft had changes. */
  readonly theirs: ConfigDocument | undefined;
}

/** What is stored to survive a reload. */
export interface StoredDraft {
  readonly baseText: string;
  readonly baseRevision: string;
  readonly text: string;
  /** Its secrets were removed: it comes from another window, or the browser was closed. */
  readonly isSealed?: boolean;
  /** It was sent to the machine, which could still roll it back. */
  readonly isSent?: boolean;
}

export function draftOf(document: ConfigDocument): ConfigDraft {
  return { base: { text: document.text, revision: document.revision }, text: document.text, theirs: undefined };
}

export function isDirty(draft: ConfigDraft): boolean {
  return draft.text !== draft.base.text;
}

export function edited(draft: ConfigDraft, text: string): ConfigDraft {
  return { ...draft, text };
}

/** Discards the changes: the text is the applied one again, or the newer one from elsewhere. */
export function discarded(draft: ConfigDraft): ConfigDraft {
  return draft.theirs === undefined ? { ...draft, text: draft.base.text } : draftOf(draft.theirs);
}

/**
 * Handles a configuration that the machine reports. A draft without changes
 * follows it; a draft with changes keeps its text and stores the newer one as
 * `theirs`. Typed text is never lost.
 */
export function received(draft: ConfigDraft, document: ConfigDocument): ConfigDraft {
  if (document.text === draft.text) return draftOf(document);
  if (document.text === draft.base.text) {
    return { ...draft, base: { text: document.text, revision: document.revision }, theirs: undefined };
  }
  if (!isDirty(draft)) return draftOf(document);
  return { ...draft, theirs: document };
}

/** `sentText` was applied. What was typed since then stays as a change. */
export function applied(draft: ConfigDraft, sentText: string, revision: string): ConfigDraft {
  const theirs = draft.theirs?.text === sentText ? undefined : draft.theirs;
  return { base: { text: sentText, revision }, text: draft.text, theirs };
}

/** Replaces my text by the newer one. */
export function tookTheirs(draft: ConfigDraft): ConfigDraft {
  return draft.theirs === undefined ? draft : draftOf(draft.theirs);
}

/** Keeps my text as a change to the newer one: the next plan compares with that. */
export function keptMine(draft: ConfigDraft): ConfigDraft {
  if (draft.theirs === undefined) return draft;
  return { base: { text: draft.theirs.text, revision: draft.theirs.revision }, text: draft.text, theirs: undefined };
}

/** Takes a merge: `text` is the newer text with my changes in it. */
export function merged(draft: ConfigDraft, text: string): ConfigDraft {
  return edited(keptMine(draft), text);
}

/**
 * The machine rolled back from `leftText`, which the draft was made from, to
 * `document`: the text of the draft is a change again.
 */
export function returned(draft: ConfigDraft, document: ConfigDocument, leftText: string): ConfigDraft {
  if (draft.base.text !== leftText) return received(draft, document);
  return { base: { text: document.text, revision: document.revision }, text: draft.text, theirs: undefined };
}

/** What to store to survive a reload; undefined for a draft without changes. */
export function toStored(draft: ConfigDraft): StoredDraft | undefined {
  if (!isDirty(draft)) return undefined;
  return { baseText: draft.base.text, baseRevision: draft.base.revision, text: draft.text };
}

/**
 * Makes a draft of a stored one. If the machine's configuration has changed meanwhile, the draft has both texts. A text
 * that was sent to the machine becomes a draft again only if the machine rolled it back.
 */
export function restored(kept: StoredDraft, document: ConfigDocument): ConfigDraft {
  const isSame = document.revision === kept.baseRevision;
  const stored = kept.isSealed === true ? { ...kept, ...unsealSecrets(kept, isSame ? document.text : '') } : kept;
  if (stored.isSent === true && document.text !== stored.baseText) return draftOf(document);
  const draft: ConfigDraft = {
    base: { text: stored.baseText, revision: stored.baseRevision },
    text: stored.text,
    theirs: undefined,
  };
  return received(draft, document);
}
