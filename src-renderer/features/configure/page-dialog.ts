import type { DocumentEntry } from './document/document-model.ts';

/** The dialog that the page shows. */
export type PageDialog =
  | { readonly kind: 'add'; readonly initial: string; readonly done?: (name: string) => void }
  | { readonly kind: 'rename'; readonly entry: DocumentEntry }
  | { readonly kind: 'duplicate'; readonly entry: DocumentEntry }
  | { readonly kind: 'remove'; readonly entries: readonly DocumentEntry[] };
