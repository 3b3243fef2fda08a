/** Screens by the names of their sentences in the catalogue. */
export type ScreenName =
  'configure' | 'control' | 'logs' | 'history' | 'overview' | 'data' | 'fleet' | 'registry' | 'settings';
