import { DATA_MANAGER, MOST_HZ, type CaptureMethodConfig } from '../../../proto/config/capture/capture-schema.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { CaptureHost, CaptureSession, CaptureSettings } from '../catalog/capture-host.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { Session, type CapturedMethod, type CaptureOptions } from './session.ts';

/** Data capture of a machine: the part that can access the other resources. Runs while there is a data manager. */
export class Capture implements CaptureHost {
  readonly #options: CaptureOptions;
  #captured: readonly CapturedMethod[] = [];
  #session: Session | undefined;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** Applies the capture settings of each resource. */
  configure(resources: readonly ResourceConfig[]): void {
    this.#captured = resources.filter(({ isDisabled }) => !isDisabled).flatMap(capturedOf);
    this.#session?.refresh();
  }

  async open(settings: CaptureSettings): Promise<CaptureSession> {
    if (this.#session !== undefined) {
      throw new ArmatureError(
        'call.failed_precondition',
        'Another data manager captures the data of this machine already; a machine has one.',
      );
    }
    const session = new Session(settings, { ...this.#options, captured: () => this.#captured });
    this.#session = session;
    session.onClosed = () => (this.#session = undefined);
    try {
      await session.open();
    } catch (thrown) {
      this.#session = undefined;
      throw thrown;
    }
    return session;
  }
}

/** Its enabled capture methods. The configuration check reports problems of the others. */
function capturedOf(resource: ResourceConfig): CapturedMethod[] {
  return resource.serviceConfigs
    .filter(({ type }) => type === DATA_MANAGER)
    .flatMap(({ attributes }) => methodsIn(attributes))
    .filter(isOn)
    .map((method) => ({ resource, method }));
}

function methodsIn(attributes: unknown): readonly Partial<CaptureMethodConfig>[] {
  const { capture_methods: methods } = (attributes ?? {}) as { readonly capture_methods?: unknown };
  return Array.isArray(methods) ? (methods as readonly Partial<CaptureMethodConfig>[]) : [];
}

function isOn(written: Partial<CaptureMethodConfig>): written is CaptureMethodConfig {
  const { method, capture_frequency_hz: hz, disabled = false } = written;
  return typeof method === 'string' && typeof hz === 'number' && hz > 0 && hz <= MOST_HZ && !disabled;
}
