import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { MachineConfig, ModuleConfig } from '../machine-config.ts';

/**
 * The effect of applying a configuration on one resource. `name` is the full name. `change` happens in place: nothing
 * stops. `rebuild` closes and builds again; a disabled or failed resource is only closed.
 */
export type ResourceChange =
  | {
      readonly kind: 'add';
      readonly name: string;
      readonly to: ResourceConfig;
      readonly reason: string;
      /** The full name that a renamed resource had: another change removes that name. Absent for others. */
      readonly renamedFrom?: string;
      /** As below. */
      readonly references?: number;
    }
  | {
      readonly kind: 'change' | 'rebuild';
      readonly name: string;
      readonly from: ResourceConfig;
      readonly to: ResourceConfig;
      /**
       * Top-level attributes and entry keys that differ; empty if the reason is something else: a dependency, its
       * module, or its problems.
       */
      readonly fields: readonly string[];
      /** For people: `max_rpm 100 to 120`, `its board bench is rebuilt`. */
      readonly reason: string;
      /** Whether something that may be moving stops, or may stop if only its module can decide. */
      readonly stopsMotion: boolean;
      /**
       * How many references in it follow renamed resources, if it has no other change of its own; 0 if it has no change
       * of its own at all. Absent for others.
       */
      readonly references?: number;
    }
  | {
      readonly kind: 'remove';
      readonly name: string;
      readonly from: ResourceConfig;
      readonly reason: string;
      readonly stopsMotion: boolean;
    };

/** `restart` stops the module and, unless it is disabled now, starts it again; `change` leaves it running. */
export type ModuleChange =
  | { readonly kind: 'add'; readonly name: string; readonly to: ModuleConfig }
  | {
      readonly kind: 'restart' | 'change';
      readonly name: string;
      readonly from: ModuleConfig;
      readonly to: ModuleConfig;
      readonly reason: string;
    }
  | { readonly kind: 'remove'; readonly name: string; readonly from: ModuleConfig };

/** A machine-wide block that differs: `log`, `debug`, `network`, `auth`, `maintenance`, ... */
export interface SettingChange {
  readonly key: string;
  readonly reason: string;
  /** True where it takes effect only after a restart of the server (a new bind address). */
  readonly needsRestart: boolean;
}

/**
 * The difference between two configurations, in the order of execution. The user is shown it before applying, and the
 * graph executes it.
 */
export interface Plan {
  readonly from: MachineConfig | undefined;
  readonly to: MachineConfig;
  readonly resources: readonly ResourceChange[];
  readonly modules: readonly ModuleChange[];
  readonly settings: readonly SettingChange[];
  /** One line: `motor-1: max_rpm 100 to 120`, `2 added, 1 removed`. */
  readonly summary: string;
}
