/** Sentences of the list of problems; see `app/messages/en.ts`. */
export const problemMessages = {
  title: 'Problems',
  checking: 'Checking',
  none: 'No problems.',
  unchecked: 'Not checked: {reason}',
  noLink: 'there is no connection to the machine.',
  errors: '{count} error | {count} errors',
  needed: '{count} value still needed | {count} values still needed',
  warnings: '{count} warning | {count} warnings',
  place: 'line {line}',
  severity: { error: 'error', warning: 'warning' },
  more: 'and {count} more',
  nearest: 'Did you mean {nearest}?',
} as const;

/** Sentences about the layout of the text; see `app/messages/en.ts`. */
export const formatMessages = {
  do: 'Format',
  command: 'Format the JSON',
  hint: 'Format the text: only spaces and line breaks change',
  formatted: 'Formatted',
  already: 'Already formatted',
  broken: 'The text is not valid JSON. {reason}',
  readOnly: 'The configuration is read-only here.',
} as const;
