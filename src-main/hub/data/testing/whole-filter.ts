import type { Filter } from '../../../../proto/gen/core/app/data/v1/data.ts';

/** A filter that restricts only what is given. */
export function wholeFilter(more: Partial<Filter> = {}): Filter {
  return {
    componentName: '',
    componentType: '',
    method: '',
    robotName: '',
    robotId: '',
    partName: '',
    partId: '',
    locationIds: [],
    organizationIds: [],
    mimeType: [],
    bboxLabels: [],
    datasetId: '',
    ...more,
  };
}
