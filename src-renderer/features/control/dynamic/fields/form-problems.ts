import { shallowReactive, type InjectionKey } from 'vue';

/** The fields of one form whose text is invalid, by the id of each field. */
export class FormProblems {
  readonly #fields = shallowReactive(new Set<string>());

  get count(): number {
    return this.#fields.size;
  }

  set(id: string, isWrong: boolean): void {
    if (isWrong) this.#fields.add(id);
    else this.#fields.delete(id);
  }
}

export const formProblemsKey: InjectionKey<FormProblems> = Symbol('form problems');
