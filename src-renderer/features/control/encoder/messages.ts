/** Sentences of this folder alone. */
export const encoderMessages = {
  encoder: {
    angle: 'angle',
    rate: 'rate',
    perSecond: '{unit}/s',
    plot: 'Position and rate of {name}',
    computedHint: 'Computed from ticks and from the ticks per rotation of a motor that uses this encoder.',
    reset: 'Set to 0 here',
    resetSent: 'set to 0: sent',
    resetDone: 'set to 0: done in {age}',
    usedBy: 'Also changes the zero of {names}.',
  },
} as const;
