import type { Router } from 'vue-router';
import type { Resource } from '../../../proto/gen/core/status/v1/status.ts';
import type { Command } from '../../shared/commands/command.ts';
import { shortName } from '../../shared/machine/machine-view.ts';
import { modelLabel, stateName, subtypeOf } from '../../shared/machine/rpc/status-merge.ts';
import type { Text } from '../../shared/text.ts';

/** Commands that open a resource on a screen. Made when the palette opens: a machine may have hundreds. */
export function resourceCommands(resources: readonly Resource[], router: Router, t: Text): readonly Command[] {
  return resources.flatMap(({ name: fullName, api, model, state }): Command[] => {
    const name = shortName(fullName);
    const detail = `${subtypeOf(api)} · ${modelLabel(model)} · ${t(`state.kinds.${stateName(state)}`)}`;
    const place = (page: 'configure' | 'control' | 'logs' | 'history', to: Parameters<Router['push']>[0]): Command => ({
      id: `resource.${page}/${fullName}`,
      title: t('palette.resource', { name, page: t(`app.${page}`) }),
      detail,
      group: 'resource',
      run: () => void router.push(to),
    });
    return [
      place('configure', { name: 'configure-resource', params: { name } }),
      place('control', { name: 'control', query: { resource: name } }),
      place('logs', { name: 'logs', query: { resource: fullName } }),
      place('history', { name: 'history', query: { search: `resource:${name}` } }),
    ];
  });
}
