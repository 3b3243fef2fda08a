import type { ManualClock } from '../../../base/clock.ts';
import { parseFullName } from '../../../../proto/config/names.ts';
import { peerForwarder } from '../../../rpc/peer/peer-forwarder.ts';
import { API, GraphFixture, settle, type LoggedLine } from '../../graph/testing/graph-fixture.ts';
import type { ResourceState } from '../../graph/state.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import type { StoppableApis } from '../../foreign/foreign-apis.ts';
import { ModularCatalog } from '../modular-catalog.ts';
import { FakeDirectory } from './fake-module.ts';

/** For tests: a graph whose models come from the test itself and from modules that start and end. */
export class ModularFixture extends GraphFixture {
  readonly directory: FakeDirectory;
  readonly modules: ModularCatalog;
  foreign: StoppableApis | undefined;

  constructor(builtin?: ModelCatalog) {
    const directory = new FakeDirectory();
    // The graph's options need something that the graph's fixture creates.
    const late: { modules?: ModularCatalog } = {};
    super({
      catalog: {
        find: (api, model) => late.modules?.find(api, model),
        obstacleTo: (config) => late.modules!.obstacleTo(config),
      },
    });
    this.directory = directory;
    const { world, clock } = this;
    const own: ModelCatalog = {
      entries: () => [],
      find: (api, model) => world.catalog.find(api, model),
      apis: () => [API],
    };
    this.modules = new ModularCatalog({
      builtin: builtin ?? own,
      directory,
      clock,
      logger: world.logger('modules'),
      resourceTimeoutMs: 60_000,
      forwarderFor: (peer) => peerForwarder(peer, { clock }),
      foreign: () => this.foreign,
    });
    late.modules = this.modules;
    this.modules.onChange(() => this.graph.catalogChanged());
  }

  get manualClock(): ManualClock {
    return this.clock;
  }

  /** Lets calls finish that take several turns of the event loop. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await settle();
  }

  /** State of a resource by its full name. */
  stateOf(fullName: string): ResourceState | undefined {
    return this.graph.status(fullName)?.state;
  }

  /** `ready`, `failed: no such pin`, `waiting: ...`. */
  told(fullName: string): string {
    const state = this.stateOf(fullName);
    if (state === undefined) return 'gone';
    return 'reason' in state ? `${state.kind}: ${state.reason}` : state.kind;
  }

  /** Lines of one level. */
  logged(level: LoggedLine['level']): readonly string[] {
    return this.world.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  /** Whether calls to a resource are forwarded. */
  isForwarded(fullName: string): boolean {
    const { api, name } = parseFullName(fullName)!;
    return this.graph.find(api, name).kind === 'forward';
  }
}
