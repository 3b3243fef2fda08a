import { randomInt, randomUUID } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** As locations of the public ecosystem look; 36^10 is beyond any collision within a fleet. */
const LOCATION_ID_LENGTH = 10;

/** A random text of small letters and digits, fit for addresses and command lines. */
export function randomText(length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** Id of an organization, machine, part, key or secret: a UUID, as the public ecosystem has them. */
export function newId(): string {
  return randomUUID();
}

/** Short, because it is a part of every machine's address; begins with a letter, as labels of DNS should. */
export function newLocationId(): string {
  return (ALPHABET[randomInt(26)] ?? 'a') + randomText(LOCATION_ID_LENGTH - 1);
}
