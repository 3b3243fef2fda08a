import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue';
import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { useConfigDocument } from '../document/config-document.ts';
import type { FieldProblem } from './field-problems.ts';
import { useFormMemory } from './form-memory.ts';
import { isObject } from './fields/form-field.ts';

/** Steps from the root of the document to a value. */
export type DocumentPath = readonly (string | number)[];

/** Shared by the fields of one form. All of it is reactive. */
export interface FormContext {
  readonly isReadOnly: boolean;
  /** Full name of the entry in the form; '' for the settings of the machine. */
  readonly subject: string;
  /** Path of the entry. */
  readonly base: DocumentPath;
  /** All problems of the entry. */
  readonly problems: readonly FieldProblem[];
  /** False for a new entry, which has no applied values. */
  readonly isApplied: boolean;
  /** Value at a path of the applied document; undefined if there is none. */
  applied(path: DocumentPath): unknown;
  /** What applying a change at a path does; '' if there is nothing to note. */
  consequence(path: DocumentPath): string;
  /** The built-in model of the entry; undefined for the settings of the machine, and for models of modules. */
  readonly model: ModelSchema | undefined;
  /** The board that the pins of this form are on; undefined if there is none. */
  readonly board: FormBoard | undefined;
}

export interface FormBoard {
  readonly attributes: unknown;
  /** Whether its pins are lines of the machine's computer. */
  readonly isOfComputer: boolean;
}

const key: InjectionKey<FormContext> = Symbol('form');

/** Opens the dialog that adds a resource, with the first model of an API chosen; `done` gets the name of what was added. */
export type AddNeeded = (api: string, done: (name: string) => void) => void;
/** Provided by the page around a form. */
export const addNeededKey: InjectionKey<AddNeeded> = Symbol('add a needed resource');

/** Provides the form to the fields of this component, and returns the tools to write through. */
export function provideForm(context: FormContext): FormTools {
  provide(key, context);
  return toolsOf(context);
}

/** The tools of the form around a field. */
export function useForm(): FormTools {
  const form = inject(key);
  if (form === undefined) throw new Error('A field stands outside of a form.');
  return toolsOf(form);
}

/** What a field needs from the form around it. */
export interface FormTools {
  readonly form: FormContext;
  readonly isReadOnly: ComputedRef<boolean>;
  /** Writes a value as one undo step; undefined removes the key, and objects that were created only to hold it. */
  readonly write: (path: DocumentPath, value: unknown) => void;
  readonly problemsAt: (pointer: string) => readonly FieldProblem[];
  readonly problemsUnder: (pointer: string) => readonly FieldProblem[];
  /** The focus leaves the field at this pointer: from now on, what it needs is an error. */
  readonly leave: (pointer: string) => void;
  /** The problems to show at a field; of a new entry's field that was not left yet, without what it only needs. */
  readonly shown: (problems: readonly FieldProblem[], pointer: string) => readonly FieldProblem[];
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
  const memory = useFormMemory();
  const memoryKey = (pointer: string): string => `${form.subject} ${pointer}`;

  /** The path to remove: that of the key, or of an object around it that has no other key and was never applied. */
  function withEmptyParents(path: DocumentPath): DocumentPath {
    const parent = path.slice(0, -1);
    if (parent.length <= form.base.length || form.applied(parent) !== undefined) return path;
    const holder = valueAt(config.model.root, parent);
    return isObject(holder) && Object.keys(holder).length === 1 ? withEmptyParents(parent) : path;
  }

  return {
    form,
    isReadOnly: computed(() => form.isReadOnly),
    write(path, value) {
      if (form.isReadOnly) return;
      const name = form.subject.slice(form.subject.indexOf('/') + 1);
      const keys = path.slice(form.base.length).filter((step) => step !== 'attributes');
      const label = [...(name === '' ? [] : [name]), keys.join('.')].join(' · ');
      config.set([...(value === undefined ? withEmptyParents(path) : path)], value, label);
    },
    problemsAt: (pointer) => form.problems.filter((problem) => problem.pointer === pointer),
    problemsUnder: (pointer) =>
      form.problems.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)),
    leave(pointer) {
      const add = (): void => void memory.left.add(memoryKey(pointer));
      // An error that appears while a mouse button is down would move what is pressed away from under it.
      if (document.querySelector(':active') === null) add();
      else window.addEventListener('pointerup', () => setTimeout(add), { once: true, capture: true });
    },
    shown(problems, pointer) {
      if (form.isApplied || memory.isRefused || memory.left.has(memoryKey(pointer))) return problems;
      return problems.filter((problem) => !problem.isNeeded);
    },
  };
}
