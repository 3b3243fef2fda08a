/** Sentences of this folder alone. */
export const sensorMessages = {
  readings: {
    loading: 'Loading readings…',
    none: 'No readings.',
    table: 'Readings of {name}',
    valueAge: '{age} old',
    name: 'Reading',
    value: 'Value',
    plot: 'Plot',
    plotLabel: 'Plot of {name}',
    failing: 'No value since {time} ({age}): {reason}',
    history: 'Last {count} reading | Last {count} readings',
    historyLabel: 'Last readings of {name}',
    time: 'Machine time',
    copy: 'Copy as JSON',
    copied: 'Copied.',
    notCopied: 'The browser did not allow copying: select the values instead.',
  },
} as const;
