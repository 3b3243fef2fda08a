/** Sentences of this folder alone. */
export const servoMessages = {
  servo: {
    angle: 'angle',
    target: 'Angle',
    words: { move: 'going to {angle}°', stop: 'stop' },
    moved: '{words}: accepted in {took}; holds there until Stop',
    stopped: '{words}: done in {took}; no longer holds its angle',
    stopHint: 'Stops its pulses, so it no longer holds its angle.',
    stopFailed:
      'The servo may still move or hold: its stop failed. Press Stop again, or cut the power. Reason: {reason}',
  },
} as const;
