/**
 * Sets a property that is the object's own, whatever its name is. `object[key] = value` is not enough for keys
 * that other people choose: for `__proto__` it sets nothing, or gives the object another prototype.
 */
export function setOwn<T>(object: { [key: string]: T }, key: string | number, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}
