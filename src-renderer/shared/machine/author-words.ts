import type { Text } from '../text.ts';

/** Authors that are not the name of a key: the file, the machine itself, the page of this computer, and anyone there. */
const builtInAuthors = {
  file: 'file',
  machine: 'machine',
  part: 'machine',
  local: 'here',
  'launch-token': 'you',
  loopback: 'here',
  anonymous: 'here',
} as const;

/** Who stored a version, as the hub notes it, in words. */
export function authorWords(author: string, t: Text): string {
  if (author === '') return t('author.unknown');
  return Object.hasOwn(builtInAuthors, author)
    ? t(`author.${builtInAuthors[author as keyof typeof builtInAuthors]}`)
    : author;
}
