import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Order, TagsFilterType, type Filter } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { DataType } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { DatasetServiceDefinition } from '../../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { systemClock } from '../../../base/clock.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { DataBench, picture, reading } from '../testing/data-bench.ts';
import { wholeFilter } from '../testing/whole-filter.ts';

const START = Date.UTC(2026, 5, 1);

/** A piece of data that a test has stored. */
interface Known {
  readonly name: string;
  readonly isBinary: boolean;
  readonly time: number;
  readonly componentName: string;
  readonly componentType: string;
  readonly methodName: string;
  readonly mimeType: string;
  readonly machine: Machine;
  readonly tags: readonly string[];
  readonly labels: readonly string[];
  readonly isInDataset: boolean;
}

interface Machine {
  readonly id: string;
  readonly name: string;
  readonly partId: string;
  readonly locationId: string;
}

const names = ['left', 'right'] as const;
const types = ['core:component:sensor', 'core:component:camera', 'acme:component:sensor'] as const;
const methods = ['Readings', 'GetImages'] as const;
const mimeTypes = ['image/jpeg', 'image/png'] as const;
const tagSets = [[], ['a'], ['b'], ['a', 'b']] as const;
const labels = ['screw', 'nut'] as const;

function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length] as T;
}

/** Reference implementation of a filter, without a database. */
function isWanted(filter: Filter, data: Known): boolean {
  const { tagsFilter, interval } = filter;
  const equal = (wanted: string, found: string): boolean => wanted === '' || wanted === found;
  const oneOf = (wanted: readonly string[], found: string): boolean => wanted.length === 0 || wanted.includes(found);
  const type = filter.componentType.replace(/^rdk:/, 'core:');
  return (
    equal(filter.componentName, data.componentName) &&
    (equal(type, data.componentType) || data.componentType.endsWith(`:${type}`)) &&
    equal(filter.method, data.methodName) &&
    equal(filter.robotId, data.machine.id) &&
    equal(filter.robotName, data.machine.name) &&
    equal(filter.partId, data.machine.partId) &&
    oneOf(filter.locationIds, data.machine.locationId) &&
    oneOf(filter.mimeType, data.mimeType) &&
    (interval?.start === undefined || data.time >= interval.start.getTime()) &&
    (interval?.end === undefined || data.time < interval.end.getTime()) &&
    hasTags(tagsFilter, data.tags) &&
    (filter.bboxLabels.length === 0 || filter.bboxLabels.some((label) => data.labels.includes(label))) &&
    (filter.datasetId === '' || data.isInDataset)
  );
}

function hasTags(filter: Filter['tagsFilter'], tags: readonly string[]): boolean {
  if (filter?.type === TagsFilterType.TAGGED) return tags.length > 0;
  if (filter?.type === TagsFilterType.UNTAGGED) return tags.length === 0;
  return filter === undefined || filter.tags.length === 0 || filter.tags.some((tag) => tags.includes(tag));
}

describe.each(testStores)('filters on $name', (kind) => {
  let bench: DataBench;
  let machines: Machine[];
  let known: Known[];
  let datasetId = '';

  beforeEach(async () => {
    bench = await DataBench.open(kind, systemClock);
    const { organizationId, locationId, machineId } = bench.test.first;
    const { location } = await bench.owner('createLocation', { organizationId, name: 'Hall' });
    const hall = location?.id ?? '';
    const { id } = await bench.owner('newRobot', { name: 'second', location: hall });
    const partId = (await bench.owner('getRobotParts', { robotId: id })).parts[0]?.id ?? '';
    machines = [
      { id: machineId, name: 'bench', partId: bench.partId, locationId },
      { id, name: 'second', partId, locationId: hall },
    ];
    const request = { organizationId, name: 'set' };
    const options = { token: bench.ownerToken };
    datasetId = (await bench.test.call(DatasetServiceDefinition, 'createDataset', request, options)).id;
    known = [];
    for (let index = 0; index < 80; index++) await add(index);
  });

  afterEach(() => bench.test.end());

  /** Stores a reading or a picture. Each has another combination of the properties that filters use. */
  async function add(index: number): Promise<void> {
    const isBinary = index % 2 === 1;
    const data: Known = {
      name: `data ${index}`,
      isBinary,
      time: START + ((index * 7) % 30),
      componentName: pick(names, index >> 1),
      componentType: pick(types, index >> 2),
      methodName: pick(methods, index >> 3),
      mimeType: isBinary ? pick(mimeTypes, index >> 2) : '',
      machine: pick(machines, index >> 4),
      tags: pick(tagSets, index * 3 + (index >> 2)),
      labels: isBinary && index % 3 === 0 ? [pick(labels, index >> 1)] : [],
      isInDataset: isBinary && index % 5 === 0,
    };
    const { componentName, componentType, methodName, mimeType, tags, time, machine } = data;
    const more = { partId: machine.partId, componentName, componentType, methodName, mimeType, tags: [...tags] };
    const content = isBinary ? picture(time, Buffer.from(data.name)) : reading(time, { name: data.name });
    const datasetIds = data.isInDataset ? [datasetId] : [];
    const type = isBinary ? DataType.BINARY_SENSOR : DataType.TABULAR_SENSOR;
    const id = await bench.upload([content], { ...more, type, datasetIds }, { token: bench.ownerToken });
    for (const label of data.labels) {
      const box = { xMinNormalized: 0, yMinNormalized: 0, xMaxNormalized: 1, yMaxNormalized: 1 };
      await bench.data('addBoundingBoxToImageByID', { binaryDataId: id, label, ...box });
    }
    known.push(data);
  }

  /** Names of all data that a filter selects, read page by page. */
  async function selected(filter: Filter, isBinary: boolean, limit: number, sortOrder: Order): Promise<string[]> {
    const found: string[] = [];
    for (let last = ''; ;) {
      const dataRequest = { filter, limit: BigInt(limit), last, sortOrder };
      if (isBinary) {
        const page = await bench.data('binaryDataByFilter', { dataRequest, includeBinary: true });
        if (page.data.length === 0) return found;
        found.push(...page.data.map(({ binary }) => Buffer.from(binary).toString()));
        ({ last } = page);
      } else {
        const page = await bench.data('tabularDataByFilter', { dataRequest });
        if (page.data.length === 0) return found;
        found.push(...page.data.map(({ data }) => (data?.['readings'] as { name: string }).name));
        ({ last } = page);
      }
    }
  }

  const orNone = <T>(values: readonly T[], none: T) => fc.constantFrom(none, none, ...values);
  const time = fc.option(
    fc.integer({ min: -5, max: 35 }).map((at) => new Date(START + at)),
    { nil: undefined },
  );
  const tagsFilter = fc.record({
    type: fc.constantFrom(...Object.values(TagsFilterType)),
    tags: fc.constantFrom<string[][]>([], ['a'], ['a', 'b'], ['none']),
  });
  const arbitraryFilter = fc.record({
    componentName: orNone([...names, 'none'], ''),
    componentType: orNone([...types, 'rdk:component:sensor', 'sensor', 'camera', '%'], ''),
    method: orNone(methods, ''),
    machineId: orNone([0, 1], -1),
    machineName: orNone(['bench', 'second', 'none'], ''),
    partOf: orNone([0, 1], -1),
    locationOf: fc.subarray([0, 1]),
    mimeType: fc.subarray([...mimeTypes]),
    interval: fc.option(fc.record({ start: time, end: time }), { nil: undefined }),
    tagsFilter: fc.option(tagsFilter, { nil: undefined }),
    bboxLabels: fc.oneof({ arbitrary: fc.constant<string[]>([]), weight: 3 }, fc.subarray<string>([...labels])),
    isOfDataset: fc.boolean(),
    isOfDatasetToo: fc.boolean(),
  });

  it('select the same data as a simple model, in any page size and order', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryFilter,
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(Order.ASCENDING, Order.DESCENDING),
        async ({ machineId, machineName, partOf, locationOf, isOfDataset, isOfDatasetToo, ...same }, limit, order) => {
          const filter = wholeFilter({
            ...same,
            robotName: machineName,
            robotId: machines[machineId]?.id ?? '',
            partId: machines[partOf]?.partId ?? '',
            locationIds: locationOf.map((index) => machines[index]?.locationId ?? ''),
            datasetId: isOfDataset && isOfDatasetToo ? datasetId : '',
          });
          for (const isBinary of [false, true]) {
            const wanted = known.filter((data) => data.isBinary === isBinary && isWanted(filter, data));
            const found = await selected(filter, isBinary, limit, order);
            expect([...found].sort()).toEqual(wanted.map(({ name }) => name).sort());
            const times = found.map((name) => known.find((data) => data.name === name)?.time ?? 0);
            expect(times).toEqual([...times].sort((a, b) => (order === Order.ASCENDING ? a - b : b - a)));
            const dataRequest = { filter, limit: 0n, last: '', sortOrder: order };
            const method = isBinary ? 'binaryDataByFilter' : 'tabularDataByFilter';
            expect((await bench.data(method, { dataRequest, countOnly: true })).count).toBe(BigInt(wanted.length));
          }
          const tags = known.filter((data) => data.isBinary && isWanted(filter, data)).flatMap((data) => data.tags);
          expect((await bench.data('tagsByFilter', { filter })).tags).toEqual(expect.arrayContaining(tags));
        },
      ),
      { numRuns: 60 },
    );
  });
});
