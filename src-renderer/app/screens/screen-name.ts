/** Screens by the names of their sentences in the catalogue. */
export type ScreenName =
  | 'configure'
  | 'control'
  | 'logs'
  | 'history'
  | 'triggers'
  | 'overview'
  | 'diagnostics'
  | 'data'
  | 'train'
  | 'fleet'
  | 'registry'
  | 'settings';
