/** Sentences of the dialogs about resources; see `app/messages/en.ts`. */
export const dialogMessages = {
  rename: {
    title: 'Rename {name}',
    label: 'New name',
    nothing: 'Nothing else refers to it.',
    references: '1 reference will be updated | {count} references will be updated',
    uncertain: 'may mean something else',
    left: '1 reference will point to nothing: {name} | {count} references will point to nothing: {name}',
    do: 'Rename | Rename and update 1 reference | Rename and update {count} references',
  },
  duplicate: {
    title: 'Duplicate {name}',
    label: 'Name of the copy',
    hint: 'The copy has the same settings, including pins.',
    do: 'Duplicate',
  },
  remove: {
    title: 'Delete {name}? | Delete {count} resources?',
    several: 'Deletes {names}.',
    unused: 'Nothing uses it.',
    unusedSeveral: 'Nothing else uses them.',
    users: '{names} uses it and will wait for it. | {names} use it and will wait for it.',
    usersSeveral: '{names} uses one of them and will wait. | {names} use some of them and will wait.',
    more: 'One more does too. | {count} more do too.',
    further: 'One more depends on those and will wait too. | {count} more depend on those and will wait too.',
    references: 'These places still refer to it: | These places still refer to them:',
    undo: 'Nothing stops before you apply. Undo brings it back. | Nothing stops before you apply. Undo brings them back.',
    do: 'Delete',
  },
} as const;
