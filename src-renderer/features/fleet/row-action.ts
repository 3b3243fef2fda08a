/** What can be done with a machine of the list, beside opening it. */
export type RowAction = 'setup' | 'rename' | 'move' | 'remove';
