import type { SourceName } from '../../../shared/machine/data/data-calls.ts';

/** The initial text of the query box: selects the newest readings, of the open source if there is one. */
export function firstQuery(source: Pick<SourceName, 'componentName'> | undefined): string {
  const name = source?.componentName ?? '';
  return [
    'SELECT time_received, component_name, data',
    'FROM readings',
    'WHERE time_received >= now() - INTERVAL 1 DAY',
    ...(name === '' ? [] : [`  AND component_name = '${name.replaceAll("'", "''")}'`]),
    'ORDER BY time_received DESC',
    'LIMIT 100',
  ].join('\n');
}
