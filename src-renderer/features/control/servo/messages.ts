/** Sentences of this folder alone. */
export const servoMessages = {
  servo: {
    angle: 'angle',
    target: 'Angle',
    words: { move: 'going to {angle}°', stop: 'stop' },
    moved: '{words}: sent on in {took}; it holds there until Stop',
    stopped: '{words}: done in {took}; it holds its angle no more',
    stopHint: 'Ends its pulses: it holds its angle no more.',
    stopFailed:
      'The servo may still move or hold: its stop failed. Press Stop again, or cut the power. Reason: {reason}',
  },
} as const;
