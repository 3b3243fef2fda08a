/** Sentences of this folder alone. */
export const switchMessages = {
  switch: {
    position: 'position',
    positions: 'Positions of {name}',
    target: 'Position',
    set: 'Set',
    words: 'to {position}',
    done: '{words}: done in {took}',
    countFailed: 'Its positions could not be read: {reason}',
  },
} as const;
