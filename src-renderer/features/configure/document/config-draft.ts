import type { ConfigDocument } from '../../../shared/machine/machine-view.ts';
import { unsealSecrets } from './sealed-secrets.ts';

/**
 * The draft over the applied configuration. Immutable: each step makes a new
 * one. "Changed" is always found by comparing, never kept as a flag, so undo
 * back to the start is clean.
 */
export interface ConfigDraft {
  /** The text that is applied, which the draft was made from. */
  readonly base: { readonly text: string; readonly revision: string };
  readonly text: string;
  /** A newer configuration from elsewhere, while the draft had changes. */
  readonly theirs: ConfigDocument | undefined;
}

/** What is kept over a reload. */
export interface StoredDraft {
  readonly baseText: string;
  readonly baseRevision: string;
  readonly text: string;
  /** Its secrets are taken out: it was another window's, or the browser was closed. */
  readonly isSealed?: boolean;
  /** The machine had been given it, and might still have gone back from it. */
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

/** The text is the applied one again; a newer one from elsewhere wins. */
export function discarded(draft: ConfigDraft): ConfigDraft {
  return draft.theirs === undefined ? { ...draft, text: draft.base.text } : draftOf(draft.theirs);
}

/**
 * The machine reports its configuration. A clean draft follows; a draft with
 * changes stays as it is and keeps the newer one beside it. What was typed is
 * never lost.
 */
export function received(draft: ConfigDraft, document: ConfigDocument): ConfigDraft {
  if (document.text === draft.text) return draftOf(document);
  if (document.text === draft.base.text) {
    return { ...draft, base: { text: document.text, revision: document.revision }, theirs: undefined };
  }
  if (!isDirty(draft)) return draftOf(document);
  return { ...draft, theirs: document };
}

/** `sentText` became the applied one. What was typed since stays as a change. */
export function applied(draft: ConfigDraft, sentText: string, revision: string): ConfigDraft {
  const theirs = draft.theirs?.text === sentText ? undefined : draft.theirs;
  return { base: { text: sentText, revision }, text: draft.text, theirs };
}

/** Throws the own text away for the newer one. */
export function tookTheirs(draft: ConfigDraft): ConfigDraft {
  return draft.theirs === undefined ? draft : draftOf(draft.theirs);
}

/** Keeps the own text, now as a change to the newer one: the next plan compares with it. */
export function keptMine(draft: ConfigDraft): ConfigDraft {
  if (draft.theirs === undefined) return draft;
  return { base: { text: draft.theirs.text, revision: draft.theirs.revision }, text: draft.text, theirs: undefined };
}

/** Both together: `text` is the newer one with the own changes in it. */
export function merged(draft: ConfigDraft, text: string): ConfigDraft {
  return edited(keptMine(draft), text);
}

/**
 * The machine left `leftText`, which the draft was made from, for `document`:
 * that text, or what was typed over it since, is a change again.
 */
export function returned(draft: ConfigDraft, document: ConfigDocument, leftText: string): ConfigDraft {
  if (draft.base.text !== leftText) return received(draft, document);
  return { base: { text: document.text, revision: document.revision }, text: draft.text, theirs: undefined };
}

/** What to keep over a reload; undefined where there is nothing to keep. */
export function toStored(draft: ConfigDraft): StoredDraft | undefined {
  if (!isDirty(draft)) return undefined;
  return { baseText: draft.base.text, baseRevision: draft.base.revision, text: draft.text };
}

/**
 * A stored draft over what the machine has now: where that changed meanwhile, both are shown. One that the machine had
 * been given is a draft again only where the machine went back to what was before.
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
