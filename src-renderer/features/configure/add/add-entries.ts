import { firstFree, MAX_NAME_LENGTH } from '../../../shared/names.ts';
import { moduleNameFor } from '../../../shared/registry/module-entry.ts';
import { modulesOf, type DocumentModel, type Section } from '../document/document-model.ts';
import type { NewEntry } from '../document/editing/entry-edits.ts';
import { freeName } from '../resources/dialogs/names.ts';
import { modularEntries } from './modular-choices.ts';
import { newEntry } from './model-choices.ts';
import type { AddChoice } from './use-add-choices.ts';

/** The typed details of a local module or of a remote. */
export interface TypedParts {
  readonly program: string;
  /** '' if none is given. */
  readonly moduleId: string;
  readonly address: string;
  /** The name that the picked machine announces; '' for a typed address. */
  readonly machine: string;
}

export function sectionOf(choice: AddChoice): Section {
  if (choice.kind === 'remote') return 'remotes';
  return choice.kind === 'module' || choice.kind === 'local' ? 'modules' : choice.section;
}

/** A free name for a choice: for a module by convention, for a remote from the machine's own name. */
export function proposedName(choice: AddChoice, model: DocumentModel, typed: TypedParts): string {
  const taken = new Set(modulesOf(model).map(({ name }) => name));
  if (choice.kind === 'module') return moduleNameFor(choice.module.moduleId, taken);
  if (choice.kind === 'local') return moduleNameFor(typed.moduleId || 'local_module', taken);
  if (choice.kind === 'remote') return remoteNameFor(typed.machine, model);
  return freeName(model, choice.subtype);
}

/** The entries to add for a choice; the chosen one is the last. */
export function entriesOf(
  choice: AddChoice,
  name: string,
  model: DocumentModel,
  typed: TypedParts,
): readonly NewEntry[] {
  switch (choice.kind) {
    case 'builtin':
      return [{ section: choice.section, value: newEntry(choice, name, model) }];
    case 'modular':
      return modularEntries(choice, name, modulesOf(model));
    case 'module': {
      const { moduleId, latest } = choice.module;
      // With `latest`, a module without a release would wait for one.
      const version = latest === '' ? 'latest-with-prerelease' : 'latest';
      return [{ section: 'modules', value: { type: 'registry', name, module_id: moduleId, version } }];
    }
    case 'local': {
      const id = typed.moduleId === '' ? {} : { module_id: typed.moduleId };
      return [{ section: 'modules', value: { type: 'local', name, ...id, executable_path: typed.program } }];
    }
    case 'remote':
      return [{ section: 'remotes', value: { name, address: typed.address } }];
  }
}

/** The first part of the machine's own name, without characters that names cannot have; `machine-1` if it is empty. */
function remoteNameFor(machine: string, model: DocumentModel): string {
  const wish = machine
    .split('.', 1)
    .join('')
    .replaceAll(/[^-\w]+/g, '-')
    .replace(/^[^a-z0-9]+/i, '');
  if (wish === '') return freeName(model, 'machine');
  const taken = new Set(model.entries.filter(({ section }) => section === 'remotes').map(({ name }) => name));
  return firstFree(wish, taken, MAX_NAME_LENGTH.resource);
}
