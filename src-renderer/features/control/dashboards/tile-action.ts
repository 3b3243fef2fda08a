/** What can be done with a tile that is edited. */
export type TileAction = 'earlier' | 'later' | 'wider' | 'narrower' | 'taller' | 'lower' | 'fit' | 'change' | 'remove';
