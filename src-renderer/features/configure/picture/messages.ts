import { pictureMessages } from '../../../shared/picture/messages.ts';

/** Sentences about dependencies; see `app/messages/en.ts`. */
export const dependencyMessages = {
  ...pictureMessages,
  around: 'Dependencies',
  alone: 'It needs nothing, and nothing needs it.',
  moreNeeded: 'and one more that it needs | and {count} more that it needs',
  moreNeeding: 'and one more that needs it | and {count} more that need it',
  missing: 'not in the configuration',
  inCircle: 'in a circle',
  circle: '{names} need each other in a circle, so none of them can start. Remove one of the references.',
  hint: 'Each resource is drawn below what it needs. Drag or use the arrow keys to move, the wheel or + and - to zoom.',
} as const;
