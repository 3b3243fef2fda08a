import type { DraftEdit } from '../stores/draft-text.ts';
import type { Text } from '../text.ts';
import { runnerOf, type DraftParts, type NewDeployment } from './deployment.ts';
import type { deployMessages } from './messages.ts';

/** One line about a change of the draft. */
export interface DeployRow {
  readonly key: string;
  readonly kind: 'add' | 'change';
  readonly name: string;
  readonly what: string;
}

type DeployText = Text<typeof deployMessages>;

/** Describes the new entries. */
export function addedRows({ model, version, names, camera }: NewDeployment, t: DeployText): readonly DeployRow[] {
  const row = (name: string, what: string): DeployRow => ({ key: `${name} ${what}`, kind: 'add', name, what });
  const packaged = row(names.package, t('deploy.row.package', { id: model.id, version }));
  const runner = runnerOf(model.framework);
  if (runner === undefined) return [packaged];
  const files = { model: runner, file: model.modelFile, labels: model.labelsFile };
  return [
    packaged,
    row(names.runner, t(model.labelsFile === '' ? 'deploy.row.runner' : 'deploy.row.runnerLabels', files)),
    row(
      names.vision,
      t(camera === '' ? 'deploy.row.vision' : 'deploy.row.visionCamera', { runner: names.runner, camera }),
    ),
  ];
}

/** Describes the changes of existing entries. */
export function changedRows(
  edits: readonly DraftEdit[],
  { packages, resources }: DraftParts,
  t: DeployText,
): readonly DeployRow[] {
  return edits.map(({ path, value }) => {
    const pointer = path.join('/');
    const [list, index, ...keys] = path;
    const isHere = (one: { readonly path: readonly unknown[] }): boolean =>
      one.path[0] === list && one.path[1] === index;
    const key = String(keys.at(-1));
    const entry = packages.find(isHere);
    const resource = resources.find(isHere);
    const from = entry === undefined ? resource?.attributes[key] : entry.version;
    const words = { key, from: String(from), to: String(value) };
    const how = value === undefined ? 'unset' : from === undefined ? 'added' : 'set';
    const name = entry?.name ?? resource?.name ?? '';
    return { key: pointer, kind: 'change', name, what: t(`deploy.row.${how}`, words) };
  });
}
