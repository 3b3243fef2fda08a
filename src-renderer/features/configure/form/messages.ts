import { fieldMessages } from './fields/messages.ts';
import { wiringFieldMessages } from './wiring/messages.ts';

/** Sentences of the forms; see `app/messages/en.ts`. */
export const formMessages = {
  attributes: 'Attributes',
  settings: 'Settings',
  noForm: 'Armature has no form for {model}; its attributes are edited as JSON.',
  moduleForm: 'The attributes of {model} are edited as JSON; its module checks them as you type.',
  freeForm: '{model} accepts any attributes. They are edited as JSON.',
  noObject: 'The form needs an object in curly braces. The value is shown as JSON.',
  stale: 'The form shows the last valid text and cannot be edited until this is fixed. {reason}',
  openJson: 'Open the JSON',
  help: 'Help for this field',
  modelHelp: 'Help for this model',
  moduleHelp: 'What its author says of it',
  consequence: {
    inPlace: 'applied without stopping',
    stops: '{name} stops while it is applied',
    restart: 'takes effect when the server restarts',
  },
  json: { fault: 'Line {line}: {reason}', notWritten: 'Not in the draft yet: it keeps the last valid value.' },
  other: {
    title: 'Other keys, kept as they are',
    hint: 'Armature does not know them. They stay in the file untouched.',
    remove: 'Remove {key}',
    rename: 'Rename it to {name}',
  },
  common: { title: 'General' },
  capture: {
    nothing: 'No data is captured.',
    begin: 'Capture data',
    noManager: 'Nothing is captured until the machine has a data manager.',
    addManager: 'Add a data manager',
  },
  dependsOn: { title: 'Depends on', add: 'Add a dependency', remove: 'Remove {name}' },
  disabled: {
    title: 'State',
    on: 'Disabled',
    off: 'Enabled',
    consequence: '{name} stays in the file and does not run; what depends on it waits.',
  },
  notes: { title: 'Notes', hint: 'For people. Never sent to a module.', placeholder: 'Anything worth remembering' },
  machine: {
    logs: 'Logs',
    network: 'Network',
    maintenance: 'Maintenance',
    other: 'Program',
    access: 'Access',
    accessHint: 'Who may call this machine, and with which keys. A mistake here blocks the whole configuration.',
    kept: 'Other settings',
    keptHint: 'They have no form. Edit them as JSON.',
  },
  ...fieldMessages,
  ...wiringFieldMessages,
} as const;
