/** Sentences about the order of resources in Configure; see `app/messages/en.ts`. */
export const reorderingMessages = {
  up: 'Move up',
  down: 'Move down',
  moved: '{name}: {place} of {count}.',
  first: '{name} is the first already.',
  last: '{name} is the last already.',
} as const;
