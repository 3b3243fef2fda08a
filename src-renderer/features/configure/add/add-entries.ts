import { moduleNameFor } from '../../../shared/registry/module-entry.ts';
import { modulesOf, type DocumentModel, type Section } from '../document/document-model.ts';
import type { NewEntry } from '../document/editing/entry-edits.ts';
import { freeName } from '../resources/dialogs/names.ts';
import { modularEntries } from './modular-choices.ts';
import { newEntry } from './model-choices.ts';
import type { AddChoice } from './use-add-choices.ts';

/** What is typed of a local module. */
export interface LocalModule {
  readonly program: string;
  /** '' where it names none. */
  readonly moduleId: string;
}

export function sectionOf(choice: AddChoice): Section {
  return choice.kind === 'module' || choice.kind === 'local' ? 'modules' : choice.section;
}

/** A name that nothing has yet: of a module by convention. */
export function proposedName(choice: AddChoice, model: DocumentModel, local: LocalModule): string {
  const taken = new Set(modulesOf(model).map(({ name }) => name));
  if (choice.kind === 'module') return moduleNameFor(choice.module.moduleId, taken);
  if (choice.kind === 'local') return moduleNameFor(local.moduleId || 'local_module', taken);
  return freeName(model, choice.subtype);
}

/** What is written for a choice; the last one is what was asked for. */
export function entriesOf(
  choice: AddChoice,
  name: string,
  model: DocumentModel,
  local: LocalModule,
): readonly NewEntry[] {
  switch (choice.kind) {
    case 'builtin':
      return [{ section: choice.section, value: newEntry(choice, name, model) }];
    case 'modular':
      return modularEntries(choice, name, modulesOf(model));
    case 'module': {
      const { moduleId, latest } = choice.module;
      // A module without a release would wait for one.
      const version = latest === '' ? 'latest-with-prerelease' : 'latest';
      return [{ section: 'modules', value: { type: 'registry', name, module_id: moduleId, version } }];
    }
    case 'local': {
      const id = local.moduleId === '' ? {} : { module_id: local.moduleId };
      return [{ section: 'modules', value: { type: 'local', name, ...id, executable_path: local.program } }];
    }
  }
}
