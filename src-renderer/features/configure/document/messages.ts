import { mergingMessages } from './merging/messages.ts';

/** Names of changes to the draft; see `app/messages/en.ts`. */
export const documentMessages = {
  history: {
    typing: 'typing',
    text: 'change the text',
    removed: 'delete {name}',
    removedSeveral: 'delete {count} resource | delete {count} resources',
    moved: 'move {name}',
    duplicated: 'duplicate {name}',
    renamed: 'rename {name} to {to}',
    formatted: 'format the text',
    elsewhere: 'change from elsewhere',
    discarded: 'discard the changes',
    tookTheirs: 'take the text from elsewhere',
    chosen: 'choose between your values and theirs',
    broken: 'Line {line}: {reason}',
    undo: 'Undo: {what}',
    redo: 'Redo: {what}',
    nothingToUndo: 'Nothing to undo',
    nothingToRedo: 'Nothing to redo',
  },
  conflict: mergingMessages,
} as const;
