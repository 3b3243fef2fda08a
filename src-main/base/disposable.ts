/** Something whose maker must end it. */
export interface Disposable {
  dispose(): void;
}

/** Ends everything it holds, last first; later additions are ended at once. */
export class DisposableStack implements Disposable {
  #items: Disposable[] | undefined = [];

  add<T extends Disposable>(item: T): T {
    if (this.#items === undefined) item.dispose();
    else this.#items.push(item);
    return item;
  }

  defer(end: () => void): void {
    this.add({ dispose: end });
  }

  dispose(): void {
    const items = this.#items;
    this.#items = undefined;
    for (const item of items?.reverse() ?? []) item.dispose();
  }
}
