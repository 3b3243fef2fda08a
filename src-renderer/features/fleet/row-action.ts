/** What a person can do with a machine in the list, besides opening it. */
export type RowAction = 'setup' | 'rename' | 'move' | 'remove';
