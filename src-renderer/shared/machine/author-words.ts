import type { Text } from '../text.ts';

/** Authors that are not the name of a key: the file, the machine itself, and anyone at this computer. */
const builtInAuthors = {
  file: 'file',
  machine: 'machine',
  part: 'machine',
  local: 'here',
  'launch-token': 'here',
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
