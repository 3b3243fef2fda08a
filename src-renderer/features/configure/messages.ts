import { addMessages } from './add/messages.ts';
import { applyMessages } from './apply/messages.ts';
import { besideMessages } from './beside/messages.ts';
import { documentMessages } from './document/messages.ts';
import { formMessages } from './form/messages.ts';
import { hardwareMessages } from './hardware/messages.ts';
import { formatMessages, problemMessages } from './json/messages.ts';
import { moduleMessages } from './modules/messages.ts';
import { packageMessages } from './packages/messages.ts';
import { dependencyMessages } from './picture/messages.ts';
import { remoteMessages } from './remotes/messages.ts';
import { resourceMessages } from './resources/messages.ts';
import { transferMessages } from './transfer/messages.ts';

/** Sentences of this feature: of its page, and of each of its folders; see `app/messages/en.ts`. */
export const configureMessages = {
  configure: {
    title: 'Configuration',
    view: 'View',
    views: { form: 'Form', json: 'JSON' },
    toForm: 'Show the form',
    toJson: 'Show the JSON',
    stale: 'The text is not valid, so the form shows the last valid text. {reason}',
    loading: 'Reading the configuration.',
    loadFailed: 'The configuration could not be read: {reason}',
    editor: 'Configuration text',
    away: 'The hub stores what you apply, and {name} takes it when it is online. The hub checks what it can; only {name} knows what applying would stop or restart.',
    awayOwned: '{name} keeps its configuration in a file. You can change it here when {name} is online.',
    readOnly: 'This configuration cannot be changed here: {reason}',
    readOnlyFile: 'the file {path} cannot be written by the server.',
    readOnlyHub: 'it is stored by the hub, and your key is read-only.',
    readOnlyOther: 'the machine does not allow it.',
    draftNotKept: 'This browser cannot keep your changes. A reload loses what is not applied.',
    draftBack: 'Your changes from before the reload are back.',
    behind: 'The machine does not run this configuration: {reason}',
    format: formatMessages,
  },
  add: addMessages,
  beside: besideMessages,
  form: formMessages,
  hardware: hardwareMessages,
  modules: moduleMessages,
  packages: packageMessages,
  picture: dependencyMessages,
  problems: problemMessages,
  remotes: remoteMessages,
  transfer: transferMessages,
  ...applyMessages,
  ...documentMessages,
  ...resourceMessages,
} as const;
