/** Sentences about selected resources of the list in Configure; see `app/messages/en.ts`. */
export const selectingMessages = {
  label: 'Selected resources',
  count: '{count} selected',
  none: 'Nothing selected',
  selected: 'selected',
  copy: 'Copy',
  disable: 'Disable',
  enable: 'Enable',
  level: 'Log level',
  remove: 'Delete',
  clear: 'Clear',
  step: {
    disabled: 'disable {name} | disable {count} resources',
    enabled: 'enable {name} | enable {count} resources',
    level: 'log level of {name} | log level of {count} resources',
  },
  done: {
    disabled: '{count} disabled.',
    enabled: '{count} enabled.',
    level: 'Log level of {count} set to {level}.',
    nothing: 'Nothing to change: all are so already.',
    rest: 'One stays as it is. | {count} stay as they are.',
  },
} as const;
