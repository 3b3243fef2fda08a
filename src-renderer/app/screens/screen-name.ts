/** Screens as the message keys name them. */
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
