import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { useConfigDocument } from '../document/config-document.ts';
import type { FieldProblem } from './field-problems.ts';
import { isObject } from './fields/form-field.ts';

/** Steps from the root of the document to a value. */
export type DocumentPath = readonly (string | number)[];

/** What the fields of one form share. All of it is reactive. */
export interface FormContext {
  /** Whether the fields only show. */
  readonly isReadOnly: boolean;
  /** What the form is about: a full name; '' for the settings of the machine. */
  readonly subject: string;
  /** Where its value stands. */
  readonly base: DocumentPath;
  /** All that is wrong with what the form shows. */
  readonly problems: readonly FieldProblem[];
  /** Whether it is applied at all: what is new has no earlier values. */
  readonly isApplied: boolean;
  /** Value at a path of the document as it is applied; undefined where there is none. */
  applied(path: DocumentPath): unknown;
  /** What applying a change at a path does to what runs; '' where nothing is to be said. */
  consequence(path: DocumentPath): string;
  /** The board that the pins of this form are on; undefined where there is none. */
  readonly board: FormBoard | undefined;
}

export interface FormBoard {
  readonly attributes: unknown;
  /** Its pins are lines of the machine's computer. */
  readonly isOfComputer: boolean;
}

const key: InjectionKey<FormContext> = Symbol('form');

/** Makes the form around the fields of this component; they, and it, write through what is answered. */
export function provideForm(context: FormContext): FormTools {
  provide(key, context);
  return toolsOf(context);
}

/** The form around a field. */
export function useForm(): FormTools {
  const form = inject(key);
  if (form === undefined) throw new Error('A field stands outside of a form.');
  return toolsOf(form);
}

/** What a field does with the form around it. */
export interface FormTools {
  readonly form: FormContext;
  readonly isReadOnly: ComputedRef<boolean>;
  /** One undo step; undefined removes the key, and what was made only to hold it. */
  readonly write: (path: DocumentPath, value: unknown) => void;
  readonly problemsAt: (pointer: string) => readonly FieldProblem[];
  readonly problemsUnder: (pointer: string) => readonly FieldProblem[];
}

export function pointerOf(path: DocumentPath): string {
  return path.reduce<string>(joinPointer, '');
}

export function valueAt(root: unknown, path: DocumentPath): unknown {
  let value = root;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step] as unknown;
    else if (isObject(value) && typeof step === 'string' && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

function toolsOf(form: FormContext): FormTools {
  const config = useConfigDocument();

  /** What to remove with a key: objects around it that hold nothing else, and that nobody had written before. */
  function withEmptied(path: DocumentPath): DocumentPath {
    const parent = path.slice(0, -1);
    if (parent.length <= form.base.length || form.applied(parent) !== undefined) return path;
    const holder = valueAt(config.model.root, parent);
    return isObject(holder) && Object.keys(holder).length === 1 ? withEmptied(parent) : path;
  }

  return {
    form,
    isReadOnly: computed(() => form.isReadOnly),
    write(path, value) {
      if (form.isReadOnly) return;
      const name = form.subject.slice(form.subject.indexOf('/') + 1);
      const keys = path.slice(form.base.length).filter((step) => step !== 'attributes');
      const label = [...(name === '' ? [] : [name]), keys.join('.')].join(' · ');
      config.set([...(value === undefined ? withEmptied(path) : path)], value, label);
    },
    problemsAt: (pointer) => form.problems.filter((problem) => problem.pointer === pointer),
    problemsUnder: (pointer) =>
      form.problems.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)),
  };
}
