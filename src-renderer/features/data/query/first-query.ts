import type { SourceName } from '../../../shared/machine/data/data-calls.ts';

/** What stands in the query box before anybody typed: the newest readings, of the source that was open where there was one. */
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
