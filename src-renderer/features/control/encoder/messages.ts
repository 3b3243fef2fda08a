/** Sentences of this folder alone. */
export const encoderMessages = {
  encoder: {
    angle: 'angle',
    rate: 'rate',
    perSecond: '{unit}/s',
    plot: 'Position and rate of {name}',
    computedHint: 'Computed from ticks: a motor that uses the encoder says how many make a rotation.',
    reset: 'Set to 0 here',
    resetSent: 'set to 0: sent',
    resetDone: 'set to 0: done in {age}',
    usedBy: 'Also moves the zero of {names}.',
  },
} as const;
