import { randomInt, randomUUID } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** As in the public ecosystem; 36^10 values make a collision within a fleet negligible. */
const LOCATION_ID_LENGTH = 10;

/** A random text of lower-case letters and digits, safe in addresses and command lines. */
export function randomText(length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** Id of an organization, machine, part, key or secret: a UUID, as in the public ecosystem. */
export function newId(): string {
  return randomUUID();
}

/** Short, because it is in every machine's address; begins with a letter, as DNS labels should. */
export function newLocationId(): string {
  return (ALPHABET[randomInt(26)] ?? 'a') + randomText(LOCATION_ID_LENGTH - 1);
}
