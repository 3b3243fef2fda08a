/** The configuration as entries: what lists, forms and pictures read. The text stays the truth. */

export type Section = 'components' | 'services' | 'modules';

/** One component, service or module of the text. */
export interface DocumentEntry {
  readonly section: Section;
  readonly index: number;
  /** '' where it has none. */
  readonly name: string;
  /** `core:component:motor/left`; `module/acme_env`. */
  readonly fullName: string;
  /** In our spelling: `core:component:motor`; '' of a module. */
  readonly api: string;
  /** In our spelling: `core:builtin:gpio`; '' of a module. */
  readonly model: string;
  /** The entry as parsed. */
  readonly value: Readonly<Record<string, unknown>>;
  /** `/components/0`. */
  readonly pointer: string;
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
}

export interface DocumentModel {
  readonly root: Readonly<Record<string, unknown>>;
  readonly entries: readonly DocumentEntry[];
}

/** A place in the text that names a resource. */
export interface Reference {
  /** The entry it is in; undefined in a machine-wide setting. */
  readonly holder: DocumentEntry | undefined;
  /** `/components/2/attributes/encoder`. */
  readonly pointer: string;
  /** In words of the document: `left · attributes.encoder`. */
  readonly where: string;
  /** The text there, and what a rename would make of it. */
  readonly now: string;
  readonly renamed: string;
}
