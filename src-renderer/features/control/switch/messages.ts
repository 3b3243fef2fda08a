/** Sentences of this folder alone. */
export const switchMessages = {
  switch: {
    position: 'position',
    positions: 'Positions of {name}',
    target: 'Position',
    set: 'Set',
    words: 'to {position}',
    done: '{words}: done in {took}',
    countFailed: 'Its positions are not known: {reason}',
  },
} as const;
