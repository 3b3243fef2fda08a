/** Motors and servos of this program that drive one pin. */
export class PinOwners {
  #count = 0;

  get hasAny(): boolean {
    return this.#count > 0;
  }

  /** Returns its undoing, which counts once however often it is called. */
  add(): () => void {
    this.#count++;
    let isOwner = true;
    return () => {
      if (isOwner) this.#count--;
      isOwner = false;
    };
  }
}
