import { pointerSteps } from '../../../../proto/config/json-pointer.ts';

/** Whether two JSON values are equal: the order of keys and the spelling of numbers do not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSameJson(item, other[index]));
  }
  const keys = definedKeys(one);
  if (keys.length !== definedKeys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSameJson(own(one, key), own(other, key)));
}

/** An object that is no array and not null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => own(value, key) !== undefined);
}

function own(value: object, key: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** The path that a pointer means in a value; undefined where it leads nowhere. */
export function pathOfPointer(root: unknown, pointer: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  let value = root;
  for (const step of pointerSteps(pointer) ?? []) {
    if (typeof value !== 'object' || value === null) return undefined;
    path.push(Array.isArray(value) ? Number(step) : step);
    value = own(value, step);
  }
  return path;
}
