import type { DataSource } from '../../../../proto/gen/core/hub/v1/data.ts';

/** A source of readings, for tests. */
export function dataSource(more: Partial<DataSource> = {}): DataSource {
  return {
    organizationId: 'o',
    locationId: 'l',
    machineId: 'm',
    machineName: 'press',
    partId: 'p',
    partName: 'press-main',
    componentType: 'core:component:sensor',
    componentName: 'climate',
    methodName: 'Readings',
    isBinary: false,
    first: new Date(1_000),
    last: new Date(2_000),
    count: 10n,
    bytes: 400n,
    ...more,
  };
}
